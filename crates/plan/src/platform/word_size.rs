//! The size of the words into which a measured program cuts wider ones.

use super::table::{Result, Table};
use serde::Serialize;

/// The word size at which a program on words of 64 bits was measured to be fastest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WordSize {
    /// Bits of a word; 64 where the compiler cuts the words.
    pub word: u8,
    /// The part of the time at another word size that this one saves, from 0 to below 1.
    pub saves: f64,
}

impl WordSize {
    /// The keys of a program's table that give the word size.
    pub(super) const KEYS: [&str; 2] = ["word", "word_saves"];

    /// Reads these keys of a program's table; `None` if it has neither.
    ///
    /// # Errors
    /// If the number of bits is no word size, or the saved part is not from 0 to below 1.
    pub(super) fn read(table: &Table<'_>) -> Result<Option<Self>> {
        let [word, saves] = Self::KEYS.map(|key| table.get(key));
        let Some((_, bits)) = word else {
            return match saves {
                Some((key, _)) => Err(table.wrong(key, "no word that saves it", "add `word = 32`")),
                None => Ok(None),
            };
        };
        let number = table.any_number(bits)?;
        let word = [8, 16, 32, 64].into_iter().find(|&bits| f64::from(bits) == number);
        let word =
            word.ok_or_else(|| table.wrong(bits, "no such word", "write 8, 16, 32 or 64 bits"))?;
        let saves = match saves {
            None => 0.0,
            Some((_, value)) => match table.at_least(value, 0.0, "it is what the word saves")? {
                part if part < 1.0 => part,
                _ => return Err(table.wrong(value, "all of the time or more", "give a part of 1")),
            },
        };
        Ok(Some(Self { word, saves }))
    }
}
