//! Addresses of hash calls (FIPS 205 §4.2), whole for SHAKE and compressed for SHA-2 (§11.2).

/// The type of an address, with the values of its last twelve bytes.
#[derive(Clone, Copy, Debug)]
#[rustfmt::skip]
pub(crate) enum Kind {
    WotsHash  { key_pair: u32, chain: u32 },
    WotsPk    { key_pair: u32 },
    Tree      { height: u32, index: u32 },
    ForsTree  { key_pair: u32, height: u32, index: u32 },
    ForsRoots { key_pair: u32 },
    WotsPrf   { key_pair: u32, chain: u32 },
    ForsPrf   { key_pair: u32, index: u32 },
}

/// Layer and tree of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TreePosition {
    /// The layer of the hypertree, 0 at its bottom.
    pub layer: u32,
    /// At most 64 bits of the twelve bytes are used.
    pub tree: u64,
}

impl TreePosition {
    /// Appends the address, compressed or not.
    pub fn write(self, kind: Kind, compressed: bool, out: &mut Vec<u8>) {
        let (number, words) = match kind {
            Kind::WotsHash { key_pair, chain } => (0u32, [key_pair, chain, 0]),
            Kind::WotsPk { key_pair } => (1, [key_pair, 0, 0]),
            Kind::Tree { height, index } => (2, [0, height, index]),
            Kind::ForsTree { key_pair, height, index } => (3, [key_pair, height, index]),
            Kind::ForsRoots { key_pair } => (4, [key_pair, 0, 0]),
            Kind::WotsPrf { key_pair, chain } => (5, [key_pair, chain, 0]),
            Kind::ForsPrf { key_pair, index } => (6, [key_pair, 0, index]),
        };
        if compressed {
            out.push(self.layer as u8);
            out.extend_from_slice(&self.tree.to_be_bytes());
            out.push(number as u8);
        } else {
            out.extend_from_slice(&self.layer.to_be_bytes());
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(&self.tree.to_be_bytes());
            out.extend_from_slice(&number.to_be_bytes());
        }
        words.iter().for_each(|word| out.extend_from_slice(&word.to_be_bytes()));
    }
}
