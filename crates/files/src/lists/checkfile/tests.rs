//! The grammar of lists, what binds their lines, and what becomes of spoiled ones.

use super::*;

const MD5: &str = "D41D8cd98f00b204e9800998ecf8427e";

fn lines<const N: usize>(lines: [&str; N]) -> [Option<String>; N] {
    let mut parser = Parser::new("md5".parse().unwrap());
    lines.map(|line| match parser.line(line.replace("HEX", MD5).as_bytes()) {
        Line::Nothing => Some("nothing".into()),
        Line::Malformed(_) => None,
        Line::Entry(entry) => {
            let name = String::from_utf8(entry.name).unwrap();
            assert_eq!(entry.digest[..3], [0xd4, 0x1d, 0x8c]);
            Some(format!("{}:{name}", entry.algorithm))
        }
    })
}

fn one(line: &str) -> Option<String> {
    let [answer] = lines([line]);
    answer
}

#[test]
fn good_lines() {
    for (line, answer) in [
        ("HEX  a", "md5:a"),
        ("HEX  a\n", "md5:a"),
        ("HEX  a\r\n", "md5:a"),
        ("HEX *a", "md5:a"),
        ("HEX   a", "md5: a"),
        ("HEX  *a ", "md5:*a "),
        ("HEX\t a", "md5:a"),
        ("HEX a", "md5:a"),
        ("HEX ab", "md5:ab"),
        ("HEX  ", "md5: "),
        (" \tHEX  a", "md5:a"),
        ("\\HEX  a\\\\b\\nc\\rd", "md5:a\\b\nc\rd"),
        ("HEX  a\\nb", "md5:a\\nb"),
        ("MD5 (a) = HEX", "md5:a"),
        ("MD5(a)= HEX", "md5:a"),
        ("MD5 (a)=HEX", "md5:a"),
        ("MD5 (a)\t \t=  HEX", "md5:a"),
        ("  MD5 (a (b) c) = HEX", "md5:a (b) c"),
        ("\\MD5 (a\\nb) = HEX", "md5:a\nb"),
        ("MD5 () = HEX", "md5:"),
        ("RIPEMD-128 (a) = HEX", "ripemd128:a"),
        ("Skein-256-128 (a) = HEX", "skein256-128:a"),
        ("# HEX  a", "nothing"),
        ("", "nothing"),
        ("\n", "nothing"),
        ("\r\n", "nothing"),
    ] {
        assert_eq!(one(line).as_deref(), Some(answer), "{line:?}");
    }
}

#[test]
fn malformed_lines() {
    for line in [
        "HEX",
        "HEX ",
        "HEX\n",
        "HEX0  a",
        "0HEX  a",
        "zHEX  a",
        " # HEX  a",
        "\\\\HEX  a",
        "\\HEX  a\\",
        "\\HEX  a\\x",
        "MD5  (a) = HEX",
        "MD5 (a = HEX",
        "MD5 (a) HEX",
        "MD5 (a) = HEX ",
        "MD5 (a) = HEX0",
        "MD5 (a) =",
        "MD4 (a) = HEX",
        "SHA256 (a) = HEX",
        "MD5 a) = HEX",
        "HEX  a\0b",
        "text",
    ] {
        assert_eq!(one(line), None, "{line:?}");
    }
}

#[test]
fn the_first_untagged_line_decides_whether_names_follow_one_blank() {
    let yes = |name: &str| Some(format!("md5:{name}"));
    assert_eq!(lines(["HEX ab", "HEX  cd", "HEX *ef"]), [yes("ab"), yes(" cd"), yes("*ef")]);
    assert_eq!(lines(["HEX  ab", "HEX cd", "HEX *ef"]), [yes("ab"), None, yes("ef")]);
    assert_eq!(lines(["MD5 (a) = HEX", "HEX a", "HEX  b"]), [yes("a"), yes("a"), yes(" b")]);
}

fn fault(parser: &Parser, line: &str) -> Fault {
    match parser.clone().line(line.as_bytes()) {
        Line::Malformed(fault) => fault,
        other => panic!("{line}: {other:?}"),
    }
}

fn taken(parser: &Parser, line: &str) -> String {
    match parser.clone().line(line.as_bytes()) {
        Line::Entry(entry) => entry.algorithm.to_string(),
        other => panic!("{line}: {other:?}"),
    }
}

fn parser(name: &str) -> Parser {
    Parser::new(names::parse(name).unwrap().hash())
}

#[test]
fn the_digits_tell_a_free_length() {
    let shake = parser("shake128").bound(true);
    for bytes in [16, 17, 100] {
        let Line::Entry(entry) =
            shake.clone().line(format!("{}  a", "0f".repeat(bytes)).as_bytes())
        else {
            panic!("{bytes} bytes are a good length");
        };
        assert_eq!(
            (entry.algorithm.digest_bytes(), &entry.digest[..]),
            (bytes, &[15; 100][..bytes])
        );
    }
    for wrong in ["  a", "0  a", "000  a"] {
        assert_eq!(fault(&shake, wrong), Fault::Unclear);
    }
    for bytes in [1, 15] {
        let digest = "0f".repeat(bytes);
        let tagged = format!("SHAKE128-{} (a) = {digest}", 8 * bytes);
        for line in [&format!("{digest}  a"), &tagged] {
            assert!(matches!(fault(&shake, line), Fault::Short(_)), "{line}");
            // Short digests are taken only in the lengths that were asked for.
            let short = parser(&format!("shake128-{}", 8 * bytes)).bits(Some(8 * bytes));
            assert_eq!(taken(&short.clone().bound(true), line), format!("shake128-{}", 8 * bytes));
            assert!(matches!(
                short.clone().bits(Some(128)).line(tagged.as_bytes()),
                Line::Malformed(Fault::OtherLength { asked: 128, .. })
            ));
        }
    }
}

#[test]
fn the_digits_tell_the_hash_of_a_family() {
    let of = |name: &str| {
        let family = names::family(name).unwrap();
        Parser::new(family[0]).bound(true).family(family)
    };
    for (family, bits, hash) in [
        ("sha2", 224, "sha224"),
        ("sha2", 256, "sha256"),
        ("SHA-2", 512, "sha512"),
        ("sha3", 256, "sha3-256"),
        ("sha3", 384, "sha3-384"),
    ] {
        let expected: Algorithm = hash.parse().unwrap();
        let digest = vec![0xa5; bits / 8];
        let hex = crate::lists::lines::hex(&digest);
        let base64 = BASE64_STANDARD.encode(&digest);
        for line in [format!("{hex}  f"), format!("{base64}  f")] {
            assert_eq!(taken(&of(family), &line), hash);
        }
        let tagged = format!("{} (f) = {hex}", expected.id().entry().title);
        assert_eq!(taken(&of(family), &tagged), hash);
    }
    // No hash of the family has such digests, and a tag may not name another hash.
    let short = format!("{}  f", "0".repeat(32));
    let foreign = format!("MD5 (f) = {}", "0".repeat(32));
    for line in [short, foreign] {
        assert!(matches!(of("sha2").line(line.as_bytes()), Line::Malformed(_)), "{line}");
    }
}

#[test]
fn an_algorithm_that_is_asked_for_binds_tags() {
    let tags = [
        "MD5",
        "SHA1",
        "SHA256",
        "SHA2-256",
        "SHA-256",
        "SHA512/256",
        "SHA3-256",
        "SHAKE128-128",
        "SHAKE128-256",
        "Skein-512",
        "Skein-512-256",
        "skein512-256",
        "HMAC-SHA256",
        "HMAC-Skein-512-256",
    ];
    let bits = |name: &str| Some(8 * names::parse(name).unwrap().hash().digest_bytes());
    for (rule, good) in [
        (parser("sha256").bound(true), &["SHA256", "SHA2-256", "SHA-256"][..]),
        (parser("sha512-256").bound(true), &["SHA512/256"]),
        (parser("skein512").bound(true), &["Skein-512", "Skein-512-256", "skein512-256"]),
        (
            parser("skein512-256").bits(bits("skein512-256")).bound(true),
            &["Skein-512-256", "skein512-256"],
        ),
        (parser("shake128").bits(Some(256)).bound(true), &["SHAKE128-256"]),
        (parser("sha256").keyed(true).bound(true), &["HMAC-SHA256"]),
        (parser("skein512").keyed(true).bound(true), &["HMAC-Skein-512-256"]),
        (parser("sha256"), &tags[..12]),
    ] {
        for tag in tags {
            let named = names::by_tag(tag.as_bytes()).unwrap();
            let line = format!("{tag} (a) = {}", "0f".repeat(named.hash().digest_bytes()));
            match good.contains(&tag) {
                true => assert_eq!(taken(&rule, &line), named.hash().to_string()),
                false => assert!(
                    matches!(
                        fault(&rule, &line),
                        Fault::OtherAlgorithm { .. }
                            | Fault::OtherLength { .. }
                            | Fault::NeedsKey(_)
                    ),
                    "{line}"
                ),
            }
        }
    }
}

#[test]
fn faults_are_told_apart() {
    let sha256 = parser("sha256");
    let digest = |digits: usize| "0".repeat(digits);
    for (line, expected) in [
        (format!("{}  a", digest(32)), "32 hexadecimal digits look like MD5"),
        (format!("{} a", digest(128)), "128 hexadecimal digits look like SHA-512"),
        (format!("{}  a", digest(66)), "not a line"),
        (digest(32), "not a line"),
        (format!("SHA257 (a) = {}", digest(64)), "unknown algorithm SHA257; did you mean sha2"),
        (format!("SHA257(a)= {}", digest(64)), "unknown algorithm SHA257"),
        (format!("BLAKE2b (a) = {}", digest(128)), "another function"),
        (format!("RC5 (a) = {}", digest(64)), "block cipher"),
        (format!("SHA3 (a) = {}", digest(64)), "name sha3-224"),
        (format!("SHA 257 (a) = {}", digest(64)), "not a line"),
        (format!("S\x1b (a) = {}", digest(64)), "unknown algorithm 'S'$'\\033'"),
        (format!("{} (a) = {}", "S".repeat(65), digest(64)), "not a line"),
        (format!("SHA256 (a) = {}", digest(62)), "not a line"),
        (format!("HMAC-SHA256 (a) = {}", digest(64)), "HMAC-SHA256 needs a key"),
        (format!("SHAKE128-8 (a) = {}", digest(2)), "-a shake128 -l 8 checks it"),
        (format!("{}  a\0", digest(64)), "--zero"),
        ("see SHA257 (a) = b".to_owned(), "not a line"),
    ] {
        let message = fault(&sha256, &line).to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
}

/// However a line is damaged, an entry that is read from it stands in the line and was asked for.
#[test]
fn spoiled_lines_are_taken_for_what_they_say_or_not_at_all() {
    let mut state = 1u64;
    let mut below = |end: usize| {
        // Xorshift: any stream of numbers will do.
        for shift in [13, -7, 17] {
            state ^= if shift > 0 { state << shift } else { state >> -shift };
        }
        (state % end as u64) as usize
    };
    let rules = [
        parser("sha256"),
        parser("sha256").bound(true),
        parser("sha256").bound(true).keyed(true),
        parser("shake128").bound(true),
        parser("shake128-8").bound(true).bits(Some(8)),
        parser("sha256").bits(Some(8)),
    ];
    let digest = "0123456789abcdef".repeat(4);
    let seeds = [
        format!("{digest}  name"),
        format!("\\{digest} *na\\nme"),
        format!("SHA256 (name) = {digest}"),
        format!("\\SHA2-256(na\\\\me)= {digest}"),
        format!("HMAC-SHA256 (name) = {digest}"),
        "SHAKE128-8 (name) = 0f".to_owned(),
        "MD5 (name) = 0123456789abcdef0123456789abcdef".to_owned(),
    ];
    let bytes = b" \t*\\()=#\r\n\0-/_0189afAFsSHMDk\xff\xc3\xb8";
    let mut taken = [0; 6];
    for _ in 0..20_000 {
        let mut line = seeds[below(seeds.len())].clone().into_bytes();
        for _ in 0..below(6) {
            let at = below(line.len());
            match below(4) {
                0 => line[at] = bytes[below(bytes.len())],
                1 => line.insert(at, bytes[below(bytes.len())]),
                2 if line.len() > 1 => _ = line.remove(at),
                _ => line.truncate(at.max(1)),
            }
        }
        for (rule, taken) in rules.iter().zip(&mut taken) {
            let Line::Entry(entry) = rule.clone().line(&line) else { continue };
            *taken += 1;
            let hex: String = entry.digest.iter().map(|byte| format!("{byte:02x}")).collect();
            let text = String::from_utf8_lossy(&line).to_lowercase();
            assert!(text.contains(&hex), "{text:?}: {entry:?}");
            assert_eq!(entry.digest.len(), entry.algorithm.digest_bytes());
            assert!(8 * hex.len() / 2 >= MIN_DIGEST_BITS || rule.bits == Some(8), "{text:?}");
            if rule.bound {
                assert_eq!(entry.algorithm.id(), rule.algorithm.id(), "{text:?}");
            }
            if entry.tagged {
                assert_eq!(text.contains("hmac"), rule.keyed, "{text:?}");
            }
        }
    }
    assert!(taken.iter().all(|&taken| taken > 100), "{taken:?}");
}
