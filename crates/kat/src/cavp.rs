//! NIST CAVP response files (`.rsp`): short and long messages, Monte Carlo chains, HMAC. Other
//! collections write `Len`, `Msg`, `MD` in the same way.

use crate::fields::records;
use crate::files::load_text;
use crate::{Error, HashRecord, MacRecord};

/// The messages and digests of a file of `Len`, `Msg`, and `MD` or (SHAKE) `Output`.
pub fn hash(file: &str) -> Vec<HashRecord> {
    load_text(file, parse_hash)
}

/// See [`hash`].
pub fn parse_hash(file: &str, text: &str) -> Result<Vec<HashRecord>, Error> {
    let last = if text.contains("\nOutput = ") { "Output" } else { "MD" };
    let mut hashes = Vec::new();
    for mut record in records(file, text, last)? {
        let (bits, message) = record.message("Msg")?;
        let digest = record.bytes(last)?;
        hashes.push(HashRecord { line: record.line, bits, message, digest });
        record.done()?;
    }
    Ok(hashes)
}

/// A Monte Carlo chain: a seed and the digest after every thousand steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Monte {
    /// Where the chain begins.
    pub seed: Vec<u8>,
    /// The checkpoints, each also the seed of the next stretch.
    pub digests: Vec<Vec<u8>>,
}

/// The Monte Carlo chain of a file of `Seed`, and `COUNT` and `MD` for every checkpoint.
pub fn monte(file: &str) -> Monte {
    load_text(file, parse_monte)
}

/// See [`monte`].
pub fn parse_monte(file: &str, text: &str) -> Result<Monte, Error> {
    let mut monte = Monte::default();
    for (count, mut record) in records(file, text, "MD")?.into_iter().enumerate() {
        if count == 0 {
            monte.seed = record.bytes("Seed")?;
        }
        if record.number("COUNT")? != count as u64 {
            return Err(record.error(format!("not COUNT = {count}")));
        }
        monte.digests.push(record.bytes("MD")?);
        record.done()?;
    }
    Ok(monte)
}

impl Monte {
    /// Computes the checkpoints anew for SHA-1 or SHA-2 (SHAVS §6.4): every digest is that of the
    /// three before it. `hash` writes the digest of its first argument to its second.
    pub fn replay_sha2(&self, mut hash: impl FnMut(&[u8], &mut [u8])) -> Vec<Vec<u8>> {
        self.replay(|seed| {
            let mut last = [seed.to_vec(), seed.to_vec(), seed.to_vec()];
            for _ in 0..1000 {
                let message = last.concat();
                last.rotate_left(1);
                hash(&message, &mut last[2]);
            }
            last[2].clone()
        })
    }

    /// Computes the checkpoints anew for SHA-3 (SHA3VS §6.2.3): every digest is that of the one
    /// before it.
    pub fn replay_sha3(&self, mut hash: impl FnMut(&[u8], &mut [u8])) -> Vec<Vec<u8>> {
        self.replay(|seed| {
            let mut last = seed.to_vec();
            for _ in 0..1000 {
                let message = last.clone();
                hash(&message, &mut last);
            }
            last
        })
    }

    fn replay(&self, mut stretch: impl FnMut(&[u8]) -> Vec<u8>) -> Vec<Vec<u8>> {
        let mut seed = self.seed.clone();
        let mut next = || {
            seed = stretch(&seed);
            seed.clone()
        };
        self.digests.iter().map(|_| next()).collect()
    }
}

/// A Monte Carlo chain of SHAKE: the output's length changes from step to step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct XofMonte {
    /// Where the chain begins: 16 bytes.
    pub seed: Vec<u8>,
    /// Least bytes of an output: the file's bits, rounded up.
    pub min_bytes: usize,
    /// Most bytes of an output: the file's bits, rounded down.
    pub max_bytes: usize,
    /// The checkpoints.
    pub outputs: Vec<Vec<u8>>,
}

/// The Monte Carlo chain of a SHAKE file: `Msg`, and `COUNT`, `Outputlen` and `Output` for every
/// checkpoint.
pub fn xof_monte(file: &str) -> XofMonte {
    load_text(file, parse_xof_monte)
}

/// See [`xof_monte`].
pub fn parse_xof_monte(file: &str, text: &str) -> Result<XofMonte, Error> {
    let mut monte = XofMonte::default();
    for (count, mut record) in records(file, text, "Output")?.into_iter().enumerate() {
        if count == 0 {
            monte.seed = record.bytes("Msg")?;
            monte.min_bytes = record.section("Minimum Output Length (bits)")?.div_ceil(8);
            monte.max_bytes = record.section("Maximum Output Length (bits)")? / 8;
        }
        if record.number("COUNT")? != count as u64 {
            return Err(record.error(format!("not COUNT = {count}")));
        }
        let bits = record.number("Outputlen")?;
        let output = record.bytes("Output")?;
        if bits != 8 * output.len() as u64 {
            return Err(record.error(format!("{} bytes for {bits} bits", output.len())));
        }
        monte.outputs.push(output);
        record.done()?;
    }
    Ok(monte)
}

impl XofMonte {
    /// Computes the checkpoints anew (SHA3VS §6.3.3): every message is the first 16 bytes of the
    /// output before it, filled with zeros; the last two bytes of an output choose the next length.
    pub fn replay(&self, mut hash: impl FnMut(&[u8], &mut [u8])) -> Vec<Vec<u8>> {
        let mut output = self.seed.clone();
        let mut bytes = self.max_bytes;
        let mut outputs = Vec::new();
        for _ in &self.outputs {
            for _ in 0..1000 {
                output.resize(output.len().max(16), 0);
                let message = output[..16].to_vec();
                output = vec![0; bytes];
                hash(&message, &mut output);
                let chosen = u16::from_be_bytes([output[bytes - 2], output[bytes - 1]]);
                bytes =
                    self.min_bytes + usize::from(chosen) % (self.max_bytes - self.min_bytes + 1);
            }
            outputs.push(output.clone());
        }
        outputs
    }
}

/// The records of `HMAC.rsp`. Sections `[L=20]` to `[L=64]` name the hash by its digest's length:
/// SHA-1, SHA-224, SHA-256, SHA-384, SHA-512.
pub fn hmac(file: &str) -> Vec<MacRecord> {
    load_text(file, parse_hmac)
}

/// See [`hmac`].
pub fn parse_hmac(file: &str, text: &str) -> Result<Vec<MacRecord>, Error> {
    let mut macs = Vec::new();
    for mut record in records(file, text, "Mac")? {
        record.number("Count")?;
        let lengths = [record.number("Klen")?, record.number("Tlen")?];
        let (key, mac) = (record.bytes("Key")?, record.bytes("Mac")?);
        if lengths != [key.len() as u64, mac.len() as u64] {
            return Err(record.error("Key or Mac is not as long as Klen or Tlen"));
        }
        let (digest_bytes, message) = (record.section("L")?, record.bytes("Msg")?);
        macs.push(MacRecord { line: record.line, digest_bytes, key, message, mac });
        record.done()?;
    }
    Ok(macs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_digests() {
        let text =
            "# CAVS\n\n[L = 32]\n\nLen = 0\nMsg = 00\nMD = E3\n\nLen = 9\nMsg = d380\nMD = 28\n";
        let expected = [
            HashRecord { line: 7, bits: 0, message: vec![], digest: vec![0xe3] },
            HashRecord { line: 11, bits: 9, message: vec![0xd3, 0x80], digest: vec![0x28] },
        ];
        assert_eq!(parse_hash("f", text).unwrap(), expected);
        let shake = parse_hash("f", "[Outputlen = 8]\nLen = 8\nMsg = 0e\nOutput = fa\n").unwrap();
        assert_eq!(shake[0].digest, [0xfa]);
    }

    #[test]
    fn errors_name_file_and_line() {
        for (text, expected) in [
            ("Len = 8\nMsg = d3d3\nMD = 28", "f:3: 2 bytes for Len = 8 bits"),
            ("Msg = d3\nMD = 28", "f:2: a record without Len"),
            ("Len = x\nMsg = d3\nMD = 28", "f:3: Len is no number: x"),
            ("Len = 8\nMsg = d3\nKey = 00\nMD = 28", "f:4: unexpected Key"),
            ("Len = 8\nMsg = d3\nMD = 2", "f:3: MD: 1 hexadecimal digits: an odd number"),
        ] {
            assert_eq!(parse_hash("f", text).unwrap_err().to_string(), expected);
        }
        let text = "Seed = 00\nCOUNT = 1\nMD = 00";
        assert_eq!(parse_monte("f", text).unwrap_err().to_string(), "f:3: not COUNT = 0");
    }

    /// With a hash that adds up its message, the chains can be followed by hand.
    #[test]
    fn chains() {
        let sum = |message: &[u8], out: &mut [u8]| {
            out.fill(message.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
        };
        let monte =
            parse_monte("f", "Seed = 01\nCOUNT = 0\nMD = 00\nCOUNT = 1\nMD = 00\n").unwrap();
        assert_eq!((monte.seed.as_slice(), monte.digests.len()), (&[1][..], 2));
        // Tribonacci numbers from 1, 1, 1; the second stretch starts from three times the first's
        // end.
        let mut tribonacci = [1u8, 1, 1];
        for _ in 0..1000 {
            let next = tribonacci.iter().fold(0, |sum: u8, x| sum.wrapping_add(*x));
            tribonacci = [tribonacci[1], tribonacci[2], next];
        }
        let end = tribonacci[2];
        assert_eq!(monte.replay_sha2(sum), [vec![end], vec![end.wrapping_mul(end)]]);
        assert_eq!(monte.replay_sha3(|m, out| out[0] = m[0].wrapping_add(1)), [[0xe9], [0xd1]]);
    }

    #[test]
    fn shake_chains() {
        let text = "[Minimum Output Length (bits) = 17]\n[Maximum Output Length (bits) = 32]\n\
                    Msg = 00000000000000000000000000000000\nCOUNT = 0\nOutputlen = 32\nOutput = \
                    00000000\n";
        let monte = parse_xof_monte("f", text).unwrap();
        assert_eq!((monte.min_bytes, monte.max_bytes), (3, 4));
        // Every output is 00 …, 00 01: the odd value makes the next one 3 + 1 bytes long.
        let mut lengths = Vec::new();
        let outputs = monte.replay(|message, out| {
            assert_eq!(message.len(), 16);
            lengths.push(out.len());
            *out.last_mut().unwrap() = 1;
        });
        assert_eq!(outputs, [[0, 0, 0, 1]]);
        assert_eq!(lengths, [4; 1000]);
    }

    #[test]
    fn hmac_records() {
        let text = "[L=20]\n\nCount = 0\nKlen = 2\nTlen = 1\nKey = 82f3\nMsg = fc\nMac = 1b\n";
        let expected = MacRecord {
            line: 8,
            digest_bytes: 20,
            key: vec![0x82, 0xf3],
            message: vec![0xfc],
            mac: vec![0x1b],
        };
        assert_eq!(parse_hmac("f", text).unwrap(), [expected]);
        let text = text.replace("Tlen = 1", "Tlen = 2");
        assert!(parse_hmac("f", &text).is_err());
    }
}
