//! The messages that are measured.

/// A set of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// One message of so many bytes.
    Single(usize),
    /// A thousand messages of so many bytes each.
    Many(usize),
    /// A thousand messages of lengths log-uniform from 16 B to 16 KiB.
    Mix,
}

const COUNT: usize = 1000;

impl Workload {
    /// All of them, in the order they are shown.
    pub fn all() -> [Self; 9] {
        [
            Self::Single(64),
            Self::Single(1024),
            Self::Single(16 * 1024),
            Self::Single(1024 * 1024),
            Self::Many(64),
            Self::Many(256),
            Self::Many(1024),
            Self::Many(16 * 1024),
            Self::Mix,
        ]
    }

    /// `single`, `many` or `mix`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Single(_) => "single",
            Self::Many(_) => "many",
            Self::Mix => "mix",
        }
    }

    /// A few words: `1000 x 64 B`.
    pub fn title(&self) -> String {
        match *self {
            Self::Single(bytes) => format!("single {}", length(bytes)),
            Self::Many(bytes) => format!("{COUNT} x {}", length(bytes)),
            Self::Mix => format!("mix of {COUNT}"),
        }
    }

    /// The messages: always the same bytes.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        let mut random = XorShift(0x9e37_79b9_7f4a_7c15);
        let lengths: Vec<usize> = match *self {
            Self::Single(bytes) => vec![bytes],
            Self::Many(bytes) => vec![bytes; COUNT],
            Self::Mix => {
                (0..COUNT).map(|_| 2f64.powf(4.0 + 10.0 * random.unit()).round() as usize).collect()
            }
        };
        lengths.into_iter().map(|bytes| (0..bytes).map(|_| random.next() as u8).collect()).collect()
    }
}

fn length(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// A generator of numbers that are random enough for lengths and bytes (Marsaglia 2003).
struct XorShift(u64);

impl XorShift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number from 0 to below 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_lengths_are_log_uniform_and_always_the_same() {
        let messages = Workload::Mix.messages();
        assert_eq!(messages, Workload::Mix.messages());
        assert!(messages.iter().all(|message| (16..=16384).contains(&message.len())));
        let short = messages.iter().filter(|message| message.len() < 512).count();
        assert!((400..600).contains(&short), "half of the lengths lie below 2^9: {short}");
    }
}
