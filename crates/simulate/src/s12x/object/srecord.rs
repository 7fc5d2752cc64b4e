//! Motorola S-records: S1 for addresses of 16 bits, S2 for 24, S3 for 32.

use super::{Segment, Space};

/// Bytes of data in a line.
const LINE: usize = 32;

/// Writes segments as S-records, with a header line, of the shortest form that holds all addresses,
/// and an end line with the address at which execution starts.
pub fn write_srecords(title: &str, segments: &[Segment], entry: u32) -> String {
    let ends = segments
        .iter()
        .map(|segment| u64::from(segment.address) + segment.bytes.len().saturating_sub(1) as u64);
    let highest = ends.chain([entry.into()]).max().unwrap_or_default();
    // Bytes of an address, then the types of data and end lines.
    let (width, data, end) = match highest {
        0..=0xffff => (2, '1', '9'),
        0x1_0000..=0xff_ffff => (3, '2', '8'),
        _ => (4, '3', '7'),
    };
    let mut text = String::new();
    let title: Vec<u8> = title.bytes().filter(u8::is_ascii).take(LINE).collect();
    line(&mut text, '0', 2, 0, &title);
    for segment in segments {
        for (number, bytes) in segment.bytes.chunks(LINE).enumerate() {
            let address = segment.address.wrapping_add((number * LINE) as u32);
            line(&mut text, data, width, address, bytes);
        }
    }
    line(&mut text, end, width, entry, &[]);
    text
}

fn line(text: &mut String, kind: char, width: usize, address: u32, bytes: &[u8]) {
    let count = (width + bytes.len() + 1) as u8;
    let mut all = vec![count];
    all.extend_from_slice(&address.to_be_bytes()[4 - width..]);
    all.extend_from_slice(bytes);
    let sum = all.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    all.push(!sum);
    text.push('S');
    text.push(kind);
    text.extend(all.iter().map(|byte| format!("{byte:02X}")));
    text.push('\n');
}

/// What is wrong with a text of S-records.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SRecordError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// Reads S-records. Lines that follow each other in memory are one segment. Returns the segments
/// and the address at which execution starts, if the text has one.
///
/// # Errors
/// If a line is no S-record, or its checksum is wrong.
pub fn read_srecords(
    text: &str,
    space: Space,
) -> Result<(Vec<Segment>, Option<u32>), SRecordError> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut entry = None;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |what: &str| SRecordError { line: number + 1, what: what.to_owned() };
        let (kind, bytes) = record(line.trim()).map_err(wrong)?;
        let width = match kind {
            '0' | '5' | '6' => continue,
            '1' | '9' => 2,
            '2' | '8' => 3,
            '3' | '7' => 4,
            _ => return Err(wrong("no such type of S-record")),
        };
        let (address, bytes) =
            bytes.split_at_checked(width).ok_or_else(|| wrong("the address is cut off"))?;
        let address = address.iter().fold(0, |address, byte| address << 8 | u32::from(*byte));
        if matches!(kind, '7'..='9') {
            entry = Some(address);
            continue;
        }
        match segments.last_mut() {
            Some(last) if last.address.wrapping_add(last.bytes.len() as u32) == address => {
                last.bytes.extend_from_slice(bytes);
            }
            _ => segments.push(Segment { space, address, bytes: bytes.to_vec() }),
        }
    }
    Ok((segments, entry))
}

/// Returns the type of a line, and its bytes between count and checksum.
fn record(line: &str) -> Result<(char, Vec<u8>), &'static str> {
    let mut characters = line.chars();
    let (Some('S' | 's'), Some(kind)) = (characters.next(), characters.next()) else {
        return Err("no S-record: it must begin with S and a digit");
    };
    let digits: Option<Vec<u8>> =
        characters.map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.ok_or("there is a character that is no hexadecimal digit")?;
    if digits.len() % 2 != 0 {
        return Err("the number of hexadecimal digits is odd");
    }
    let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    match bytes.split_first() {
        Some((count, rest)) if usize::from(*count) == rest.len() && !rest.is_empty() => {}
        _ => return Err("the count of bytes is not that of the line"),
    }
    if bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)) != 0xff {
        return Err("the checksum is wrong");
    }
    Ok((kind, bytes[1..bytes.len() - 1].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(address: u32, bytes: Vec<u8>) -> Segment {
        Segment { space: Space::Global, address, bytes }
    }

    /// The checksum is the complement of the sum: 05 + E0 + 00 + 01 + 00 is E6, so 19.
    #[test]
    fn lines_are_those_of_the_format() {
        let text = write_srecords("x", &[segment(0xe000, vec![1, 0])], 0xe000);
        assert_eq!(text, "S00400007883\nS105E000010019\nS903E0001C\n");
        let text = write_srecords("", &[segment(0x0f_b000, vec![0xff])], 0x0f_b000);
        assert_eq!(text, "S0030000FC\nS2050FB000FF3C\nS8040FB0003C\n");
    }

    #[test]
    fn what_is_written_is_read() {
        for base in [0, 0xffc0, 0x0f_b000, 0x00ff_ffc0, 0x1234_5678] {
            let bytes: Vec<u8> = (0..100_u8).map(|byte| byte.wrapping_mul(37)).collect();
            let segments = vec![segment(base, bytes), segment(base + 200, vec![7; 32])];
            let text = write_srecords("a title", &segments, base);
            assert_eq!(read_srecords(&text, Space::Global), Ok((segments, Some(base))));
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        for (line, what) in [
            ("S105E000010018", "the checksum is wrong"),
            ("S104E000010019", "the count of bytes is not that of the line"),
            ("S105E00001001", "the number of hexadecimal digits is odd"),
            ("S105E0000100ZZ", "there is a character that is no hexadecimal digit"),
            ("105E000010019", "no S-record: it must begin with S and a digit"),
            ("S405E000010019", "no such type of S-record"),
            ("S102E01D", "the address is cut off"),
            ("S1", "the count of bytes is not that of the line"),
        ] {
            let text = format!("S0030000FC\n\n{line}\n");
            let error = read_srecords(&text, Space::Cpu).unwrap_err();
            assert_eq!(error, SRecordError { line: 3, what: what.to_owned() }, "{line}");
        }
    }
}
