//! Pseudorandom numbers that are the same in every run, for trials and for searches.

/// The odd number next to 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64 (Steele, Lea and Flood 2014). Its state begins with the seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// The `i`-th word of [`SplitMix64`] with the seed 0, the first for `i` = 1. It is 0 for `i` = 0.
pub fn split_mix(i: u64) -> u64 {
    SplitMix64(i.wrapping_sub(1).wrapping_mul(GOLDEN)).word()
}

/// xorshift64* (Vigna 2016). Its state, which begins with the seed, is never 0.
#[derive(Clone, Debug)]
pub struct XorShift64Star(pub u64);

impl XorShift64Star {
    /// The next 64 bits, of which the high ones are the better ones.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of the authors' C programs with the seeds 0 and 1.
    #[test]
    fn first_words() {
        let mut random = SplitMix64(0);
        let words = [(); 2].map(|()| random.word());
        assert_eq!(words, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
        assert_eq!([0, 1, 2].map(split_mix), [0, words[0], words[1]]);
        assert_eq!(XorShift64Star(1).word(), 0x47e4_ce4b_896c_dd1d);
    }
}
