//! Hexadecimal text.

/// The bytes that `text` spells, or what is wrong with it.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return Err(format!("{} hexadecimal digits: an odd number", digits.len()));
    }
    let value = |digit: u8| {
        (digit as char)
            .to_digit(16)
            .map(|value| value as u8)
            .ok_or_else(|| format!("'{}' is no hexadecimal digit", digit.escape_ascii()))
    };
    digits.chunks_exact(2).map(|pair| Ok(value(pair[0])? << 4 | value(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn both_cases_and_errors() {
        assert_eq!(decode(""), Ok(vec![]));
        assert_eq!(decode("00fFAb"), Ok(vec![0, 0xff, 0xab]));
        assert_eq!(decode("abc").unwrap_err(), "3 hexadecimal digits: an odd number");
        assert_eq!(decode("0x").unwrap_err(), "'x' is no hexadecimal digit");
    }
}
