//! A loop that copies words of several limbs, one word in each iteration.

use super::code::{Code, increase, number_into};

/// Copies of words that lie at even distances.
pub struct Copies {
    /// The loop's label.
    pub label: String,
    /// Number of words, 1 or more.
    pub words: usize,
    /// Limbs of a word.
    pub limbs: usize,
    /// Distances in bytes between words and between their copies.
    pub strides: [usize; 2],
    /// Whether a copy has its limbs in the opposite order.
    pub swaps: bool,
}

impl Copies {
    /// The code before the loop, and the code of an iteration. Before both, R2 is the address of
    /// the first word and R3 that of its copy; R1 and R4 are clobbered.
    pub fn code(&self) -> [Vec<Code>; 2] {
        let mut code = vec![Code::Label(self.label.clone())];
        for limb in 0..self.limbs {
            let to = if self.swaps { self.limbs - 1 - limb } else { limb };
            code.push(Code::Offset("ldw", 1, 2, 2 * limb as u16));
            code.push(Code::Offset("stw", 1, 3, 2 * to as u16));
        }
        code.extend(increase(2, self.strides[0]));
        code.extend(increase(3, self.strides[1]));
        code.extend([Code::Number("subl", 4, 1), Code::BranchUnlessZero(4, self.label.clone())]);
        [vec![number_into(4, self.words as u16)], code]
    }
}
