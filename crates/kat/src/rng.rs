//! Test messages: the same in every run, and no two alike.

/// SplitMix64, seeded by a name.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a test: give it the test's name.
    pub fn from_name(name: &str) -> Self {
        let fnv1a = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        Self(name.bytes().fold(0xcbf2_9ce4_8422_2325, fnv1a))
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            (0..length.div_ceil(8)).flat_map(|_| self.word().to_le_bytes()).collect();
        bytes.truncate(length);
        bytes
    }

    /// One message of each length.
    pub fn messages(&mut self, lengths: impl IntoIterator<Item = usize>) -> Vec<Vec<u8>> {
        lengths.into_iter().map(|length| self.bytes(length)).collect()
    }

    /// `bytes` cut into pieces of 0 to `most` bytes: the first and the last empty, some between.
    pub fn pieces<'b>(&mut self, mut bytes: &'b [u8], most: usize) -> Vec<&'b [u8]> {
        let mut pieces = vec![&bytes[..0]];
        while !bytes.is_empty() {
            // About one in four is empty, and one in four is short.
            let length = match self.below(4) {
                0 => 0,
                1 => self.below(4),
                _ => self.below(most + 1),
            };
            let (piece, later) = bytes.split_at(length.min(bytes.len()));
            pieces.push(piece);
            bytes = later;
        }
        pieces.push(bytes);
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_calls_give_other_bytes() {
        let [mut a, mut b] = ["a", "b"].map(Rng::from_name);
        let of = [a.bytes(9), a.bytes(9), b.bytes(9)];
        assert!(of[0] != of[1] && of[0] != of[2] && of[1] != of[2]);
        assert_eq!(Rng::from_name("a").bytes(9), of[0]);
    }

    #[test]
    fn pieces_are_the_whole() {
        let mut rng = Rng::from_name("pieces_are_the_whole");
        let bytes = rng.bytes(1000);
        let pieces = rng.pieces(&bytes, 100);
        assert_eq!(pieces.concat(), bytes);
        assert!(pieces[1..pieces.len() - 1].iter().any(|piece| piece.is_empty()));
        assert!(pieces.first().unwrap().is_empty() && pieces.last().unwrap().is_empty());
    }
}
