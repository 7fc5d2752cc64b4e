//! The word size into which the C of a primitive cuts wider words, and the reason for it.

use crate::c::{number, usual_name};
use crate::primitive::Primitive;
use manylane_emit::c::Cores;
use manylane_plan::Platform;
use manylane_plan::platform::WordSize;
use serde::Serialize;

/// The word size of a program, if it was measured against another one. The fields are those of
/// `manylane plan --json`.
#[derive(Clone, Debug, Serialize)]
pub struct Words {
    /// The number of cores.
    pub cores: usize,
    /// Bits of the words, and the part of the time that this size saves.
    #[serde(flatten)]
    pub size: WordSize,
    /// The size and the saving, as a statement.
    #[serde(skip)]
    pub told: String,
}

impl Primitive {
    /// The word size of its C for one core of a platform, and for two if it is split.
    pub fn all_words(self, platform: &Platform, is_split: bool) -> Vec<Words> {
        let both = if is_split { &[Cores::One, Cores::Two][..] } else { &[Cores::One] };
        let of = |&cores: &Cores| {
            let (size, told) = (self.word_size(cores, platform)?, self.words(cores, platform)?);
            Some(Words { cores: number(cores), size, told })
        };
        both.iter().filter_map(of).collect()
    }

    /// The word size of its C for a platform, if it was measured against another one there.
    pub fn word_size(self, cores: Cores, platform: &Platform) -> Option<WordSize> {
        match self {
            Self::Hash(hash) | Self::Hmac(hash) => {
                platform.word_size(&usual_name(hash), number(cores))
            }
            Self::Rc5(_) => None,
        }
    }

    /// Bits of the words of its C for a platform: 64 where nothing else was measured to be faster.
    pub fn word(self, cores: Cores, platform: &Platform) -> u8 {
        self.word_size(cores, platform).map_or(64, |of| of.word)
    }

    /// Says which word size its C for a platform has, and why, if that was measured there.
    pub fn words(self, cores: Cores, platform: &Platform) -> Option<String> {
        let WordSize { word, saves } = self.word_size(cores, platform)?;
        let (Self::Hash(hash) | Self::Hmac(hash)) = self else { return None };
        let is_shared = cores == Cores::Two && platform.shares.contains_key(&usual_name(hash));
        let (on, name) = (if is_shared { "two cores" } else { "one core" }, &platform.name);
        let saved = format!("{:.1} % of the time on {on} of {name}, as measured", 100.0 * saves);
        let told = match word {
            64 => "words of 64 bits are left to the compiler".to_owned(),
            bits => format!("words of 64 bits are cut into words of {bits} bits"),
        };
        Some(match word {
            _ if saves == 0.0 => format!("{told}, as the file of {name} says"),
            64 => format!("{told}, which saves {saved} beside `--word 32`"),
            _ => format!("{told}, which saves {saved} beside `--word 64`"),
        })
    }
}
