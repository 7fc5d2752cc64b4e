//! File names on paper: the escapes of checksum lines and the quotes of messages.

/// Whether a name cannot stand in a line of checksums as it is.
pub fn needs_escape(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'))
}

/// Appends a name to a line that begins with a backslash: `\\`, `\n` and `\r` stand for the three
/// bytes that would break the line.
pub fn escape_into(name: &[u8], line: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            _ => line.push(byte),
        }
    }
}

/// The name that an escaped one stands for, or `None` if it is no such name.
pub fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(name)
}

/// The characters that a terminal shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Charset {
    /// ASCII alone, as in the locales C and POSIX.
    #[default]
    Ascii,
    /// Every character of Unicode that can be printed.
    Utf8,
}

impl Charset {
    /// The character set of the locale, by the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is
    /// set, as POSIX has it. Other character sets than UTF-8 are taken for ASCII, which they
    /// extend.
    pub fn of_locale() -> Self {
        if cfg!(windows) {
            return Self::Utf8;
        }
        let set = |name| std::env::var_os(name).filter(|locale| !locale.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
        let locale = locale.to_string_lossy().to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { Self::Utf8 } else { Self::Ascii }
    }
}

/// A name as messages show it. It is quoted, so that a shell reads the same name, if it has a
/// colon, an unprintable character or one that is special to a shell. This is the style of
/// coreutils' messages ("shell-escape"); no byte of a name reaches a terminal as a control
/// character.
pub fn quote(name: &[u8]) -> String {
    quote_in(Charset::Utf8, name)
}

/// [`quote`] for a terminal that shows `charset`. In ASCII, the bytes of all other characters are
/// escaped.
pub fn quote_in(charset: Charset, name: &[u8]) -> String {
    let pieces = || name.utf8_chunks();
    let chars = || pieces().flat_map(|piece| piece.valid().chars());
    let is_unprintable = |c| is_unprintable(c) || charset == Charset::Ascii && !c.is_ascii();
    let printable =
        pieces().all(|piece| piece.invalid().is_empty()) && !chars().any(is_unprintable);
    let special = |(at, c): (usize, char)| match c {
        '{' | '}' => name.len() == 1,
        '#' | '~' => at == 0,
        _ => c == '\'' || c == ':' || is_special_inside(c) || c == ' ',
    };
    if printable && !name.is_empty() && !chars().enumerate().any(special) {
        return chars().collect();
    }
    let plain = |(at, c): (usize, char)| match c {
        '#' | '~' => at == 0,
        '{' | '}' => false,
        _ => !is_special_inside(c),
    };
    if printable && chars().any(|c| c == '\'') && chars().enumerate().all(plain) {
        return format!("\"{}\"", chars().collect::<String>());
    }
    let mut quoted = Quoted { text: String::from("'"), escaping: false };
    for piece in pieces() {
        for c in piece.valid().chars() {
            if is_unprintable(c) {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().for_each(|byte| quoted.byte(byte));
            } else {
                quoted.char(c);
            }
        }
        for &byte in piece.invalid() {
            quoted.byte(byte);
        }
    }
    quoted.text.push('\'');
    quoted.text
}

/// Characters that only single quotes keep from the shell.
fn is_special_inside(c: char) -> bool {
    "!\"$&()*;<=>[^`|?\\".contains(c)
}

/// Characters that a terminal does not show as one character of a line.
fn is_unprintable(c: char) -> bool {
    // The last two of each plane, and 32 others, are noncharacters (Unicode, 23.7).
    let is_noncharacter = matches!(c, '\u{fdd0}'..='\u{fdef}') || c as u32 & 0xfffe == 0xfffe;
    c.is_control() || is_noncharacter || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Text between single quotes, with runs of `$'...'` for what cannot be printed.
struct Quoted {
    text: String,
    escaping: bool,
}

impl Quoted {
    fn char(&mut self, c: char) {
        if c == '\'' {
            self.text.push_str("'\\''");
            self.escaping = false;
            return;
        }
        if std::mem::take(&mut self.escaping) {
            self.text.push_str("''");
        }
        self.text.push(c);
    }

    fn byte(&mut self, byte: u8) {
        if !std::mem::replace(&mut self.escaping, true) {
            self.text.push_str("'$'");
        }
        self.text.push('\\');
        match byte {
            7 => self.text.push('a'),
            8 => self.text.push('b'),
            9 => self.text.push('t'),
            10 => self.text.push('n'),
            11 => self.text.push('v'),
            12 => self.text.push('f'),
            13 => self.text.push('r'),
            _ => self.text.push_str(&format!("{byte:03o}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        let name = b"a\\b\nc\rd\\n";
        let mut line = Vec::new();
        escape_into(name, &mut line);
        assert_eq!(line, b"a\\\\b\\nc\\rd\\\\n");
        assert_eq!(unescape(&line).as_deref(), Some(&name[..]));
        for wrong in [&b"\\"[..], b"a\\", b"\\x", b"\\\\\\"] {
            assert_eq!(unescape(wrong), None);
        }
    }

    /// These are the names as sha256sum of coreutils 9.11 writes them in a UTF-8 locale.
    #[test]
    fn quotes_are_those_of_coreutils() {
        for (name, quoted) in [
            (&b"plain-1.txt"[..], "plain-1.txt"),
            (b"", "''"),
            (b"no such", "'no such'"),
            (b"no\nsuch", "'no'$'\\n''such'"),
            (b"\xff\xfe", "''$'\\377\\376'"),
            (b"a:b", "'a:b'"),
            (b"a'b", "\"a'b\""),
            (b"a'$b", "'a'\\''$b'"),
            (b"a'\nb", "'a'\\'''$'\\n''b'"),
            ("é".as_bytes(), "é"),
            (b"#a", "'#a'"),
            (b"a#", "a#"),
            (b"{", "'{'"),
            (b"{a", "{a"),
            (b"a'#", "'a'\\''#'"),
            (b"~'", "\"~'\""),
            (b"x\n'y", "'x'$'\\n'\\''y'"),
            (b"a%b@c,d+e]", "a%b@c,d+e]"),
            (b"\x1b[31m", "''$'\\033''[31m'"),
            (b"\x7f", "''$'\\177'"),
            ("\u{fffe}".as_bytes(), "''$'\\357\\277\\276'"),
            ("\u{85}".as_bytes(), "''$'\\302\\205'"),
            ("a\u{2028}b".as_bytes(), "'a'$'\\342\\200\\250''b'"),
            ("a\u{a0}\u{ad}\u{200d}b".as_bytes(), "a\u{a0}\u{ad}\u{200d}b"),
        ] {
            assert_eq!(quote(name), quoted);
        }
        for (name, quoted) in [("é", "''$'\\303\\251'"), ("aéb", "'a'$'\\303\\251''b'"), ("a", "a")]
        {
            assert_eq!(quote_in(Charset::Ascii, name.as_bytes()), quoted);
        }
    }
}
