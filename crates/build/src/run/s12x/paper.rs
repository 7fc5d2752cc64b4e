//! The measurements of "dual-core-microcontrollers", Tables I and III and §IV.A.

const TABLE: &str = include_str!("paper.tsv");

/// The lengths of Table I.
pub const LENGTHS: [usize; 6] = [0, 55, 56, 64, 119, 1024];

/// The cipher that the paper measured.
pub const CIPHER: &str = "rc5-32/12/16";

/// Its measurements of the cipher, §IV.A.
#[derive(Clone, Copy, Debug)]
pub struct Cipher {
    /// `cpu`, or `both`.
    pub cores: &'static str,
    /// Bus cycles of the key's expansion with the encryption of one block.
    pub whole: u64,
    /// Bus cycles of the key's expansion.
    pub key: Option<u64>,
    /// Bus cycles of the encryption of one block.
    pub block: Option<u64>,
    /// Bytes of code and constants.
    pub bytes: u64,
}

/// The cipher on one core and on both.
pub const CIPHERS: [Cipher; 2] = [
    Cipher { cores: "cpu", whole: 73109 + 8031, key: Some(73109), block: Some(8031), bytes: 1570 },
    Cipher { cores: "both", whole: 26016, key: None, block: None, bytes: 2095 },
];

/// A row of Tables I and III.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paper {
    /// The hash.
    pub primitive: String,
    /// `cpu`, or `both`.
    pub cores: String,
    /// Cycles for a message of each length of [`LENGTHS`].
    pub cycles: Vec<u64>,
    /// Bytes of code and constants.
    pub bytes: u64,
}

/// All rows.
pub fn rows() -> Vec<Paper> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let numbers: Vec<u64> = fields[2..].iter().filter_map(|of| of.parse().ok()).collect();
        Paper {
            primitive: fields[0].to_owned(),
            cores: fields[1].to_owned(),
            cycles: numbers[..LENGTHS.len()].to_vec(),
            bytes: numbers[LENGTHS.len()],
        }
    };
    lines.map(row).collect()
}

/// The cycles that the paper measured.
pub fn cycles(primitive: &str, cores: &str, length: usize) -> Option<u64> {
    let at = LENGTHS.iter().position(|&of| of == length)?;
    let row = rows().into_iter().find(|row| row.primitive == primitive && row.cores == cores)?;
    row.cycles.get(at).copied()
}
