//! The reasons for which lines of a list are not taken, in words that name the remedy.

use crate::names::{self, Named, alternatives};
use manylane_engine::HashId;
use std::fmt;

/// The shortest digest, in bits, that a line may have unless its length was asked for. For a
/// shorter one, another file with the same digest can be found by trial.
pub const MIN_DIGEST_BITS: usize = 128;

/// The reason for which a line is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The line does not have the form of a line of checksums.
    Unclear,
    /// The line holds a NUL.
    Nul,
    /// The line belongs to a list of another form, which has this name and which `manylane audit`
    /// reads.
    OtherForm(&'static str),
    /// The line's tag names nothing that can be computed.
    Unknown(names::Error),
    /// The line's tag names another algorithm than the one asked for.
    OtherAlgorithm {
        /// What the tag names.
        named: Named,
        /// What was asked for.
        asked: Named,
    },
    /// The line's digest does not have the length asked for.
    OtherLength {
        /// What the tag names.
        named: Named,
        /// The length asked for, in bits.
        asked: usize,
    },
    /// The line's digest has fewer than [`MIN_DIGEST_BITS`], and no such length was asked for.
    Short(Named),
    /// The line's tag names an HMAC, and there is no key.
    NeedsKey(Named),
    /// The line has no tag, and as many hexadecimal digits as digests of other algorithms have.
    Digits {
        /// The number of digits.
        digits: usize,
        /// The first hash of the catalogue whose digests have this number of digits.
        first: HashId,
        /// What was asked for.
        asked: Named,
    },
}

impl Fault {
    /// The fault of a line that is [`Unclear`](Self::Unclear) because its list has another form.
    pub fn of_other_form(line: &[u8]) -> Option<Self> {
        if line.starts_with(b"%%%% HASHDEEP-") {
            return Some(Self::OtherForm("hashdeep's"));
        }
        line.starts_with(b"{\"").then_some(Self::OtherForm("lines of JSON"))
    }

    /// The fault of an untagged line whose number of hexadecimal digits is not that of `asked`.
    pub(super) fn digits(digits: usize, asked: Named) -> Self {
        match with_digits(digits).next() {
            Some(first) => Self::Digits { digits, first, asked },
            None => Self::Unclear,
        }
    }
}

/// The hashes whose own digest has so many hexadecimal digits.
fn with_digits(digits: usize) -> impl Iterator<Item = HashId> {
    HashId::ALL.iter().copied().filter(move |id| 2 * id.entry().shape.digest_bytes == digits)
}

/// The most hashes that a message offers for a number of digits.
const OFFERED: usize = 3;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclear => f.write_str("not a line of checksums"),
            Self::Nul => f.write_str("NUL bytes; lists made with --zero cannot be checked"),
            Self::OtherForm(form) => {
                write!(f, "{form}, which `manylane audit LIST DIR` compares with a folder")
            }
            // Only the first line of this error suits a list: the rest is for command lines.
            Self::Unknown(error) => {
                f.write_str(error.to_string().lines().next().unwrap_or_default())
            }
            Self::OtherAlgorithm { named, asked } => write!(
                f,
                "{} is refused, as {} takes no other algorithm; {} checks it",
                named.tag(),
                asked.options(),
                named.options()
            ),
            Self::OtherLength { named, asked } => write!(
                f,
                "{} is refused, as only {asked} bits were asked for; {} checks it",
                named.tag(),
                named.options()
            ),
            Self::Short(named) => write!(
                f,
                "{} is refused: files with the same digest are easily made where it has fewer \
                 than {MIN_DIGEST_BITS} bits; {} checks it all the same",
                named.tag(),
                named.options()
            ),
            Self::NeedsKey(named) => {
                write!(f, "{} needs a key; {} checks it", named.tag(), named.options())
            }
            Self::Digits { digits, first, asked } => {
                let titles = with_digits(*digits).map(|id| id.entry().title);
                let mut titles: Vec<&str> = titles.take(OFFERED + 1).collect();
                if titles.len() > OFFERED {
                    titles[OFFERED] = "the like";
                }
                let first = first.entry();
                write!(
                    f,
                    "{digits} hexadecimal digits look like {}, not like {}; -a {} checks {}",
                    alternatives(&titles),
                    asked.tag(),
                    first.name,
                    first.title
                )
            }
        }
    }
}

/// The most kinds of faults that are reported of one list.
const MOST: usize = 8;

/// The faults of a list, each with its first line and how many lines have it.
///
/// [`Fault::Unclear`] is not among them: its lines are only counted.
#[derive(Debug, Default)]
pub struct Faults {
    kinds: Vec<(Fault, u64, u64)>,
    /// Lines with still other faults.
    others: u64,
}

impl Faults {
    /// Adds the fault of a line.
    pub fn add(&mut self, fault: Fault, line: u64) {
        if fault == Fault::Unclear {
            return;
        }
        match self.kinds.iter().position(|(known, ..)| *known == fault) {
            Some(at) => self.kinds[at].2 += 1,
            None if self.kinds.len() < MOST => self.kinds.push((fault, line, 1)),
            None => self.others += 1,
        }
    }

    /// A message for each kind, in the order of their first lines.
    pub fn messages(&self) -> impl Iterator<Item = String> {
        let plural = |lines: u64| if lines == 1 { "line" } else { "lines" };
        let kinds = self.kinds.iter().map(move |(fault, line, lines)| match lines - 1 {
            0 => format!("{line}: {fault}"),
            more => format!("{line}: {fault} ({more} more {} like it)", plural(more)),
        });
        let others = (self.others > 0)
            .then(|| format!("{} more {} for other reasons", self.others, plural(self.others)));
        kinds.chain(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Named {
        names::parse(name).unwrap()
    }

    #[test]
    fn faults_say_what_helps() {
        let message = |fault: Fault| fault.to_string();
        for (digits, asked, words) in [
            (32, "sha256", &["look like MD5 or RIPEMD-128, not like SHA256", "-a md5"][..]),
            (40, "sha256", &["SHA-1 or RIPEMD-160", "-a sha1"]),
            (56, "sha256", &["SHA-224, SHA-512/224, SHA3-224 or the like", "-a sha224"]),
            (64, "md5", &["SHA-256, SHA-512/256, SHA3-256 or the like, not like MD5"]),
            (96, "hmac-md5", &["SHA-384", "not like HMAC-MD5", "-a sha384"]),
            (80, "sha256", &["look like RIPEMD-320, not", "-a ripemd320 checks RIPEMD-320"]),
        ] {
            let message = message(Fault::digits(digits, named(asked)));
            for word in words {
                assert!(message.contains(word), "{message}");
            }
        }
        assert_eq!(Fault::digits(8, named("sha256")), Fault::Unclear);
        let short = message(Fault::Short(named("hmac-shake128-8")));
        assert!(short.contains("-a hmac-shake128 -l 8 --key-file FILE checks it"), "{short}");
        let unknown = names::parse("SHA257").unwrap_err();
        assert_eq!(message(Fault::Unknown(unknown)).lines().count(), 1);
    }

    #[test]
    fn faults_are_counted_by_kind_and_bounded() {
        let mut faults = Faults::default();
        faults.add(Fault::Unclear, 1);
        assert_eq!(faults.messages().count(), 0);
        for line in 2..5 {
            faults.add(Fault::Nul, line);
        }
        let messages: Vec<String> = faults.messages().collect();
        assert_eq!(messages.len(), 1);
        assert!(messages[0].starts_with("2: NUL") && messages[0].contains("2 more lines"));
        for bits in 1..=20 {
            faults.add(Fault::OtherLength { named: named("shake128"), asked: 8 * bits }, 9);
        }
        assert_eq!(faults.messages().count(), MOST + 1);
        assert_eq!(faults.messages().last().unwrap(), "13 more lines for other reasons");
    }
}
