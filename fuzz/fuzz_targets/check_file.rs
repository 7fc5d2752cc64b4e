//! The parser of check files takes any bytes; what it accepts, it accepts again when written anew.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manylane_engine::Algorithm;
use manylane_files::lists::checkfile::{Line, MIN_DIGEST_BITS, Parser};

fuzz_target!(|input: (bool, bool, &[u8])| {
    let (sha256, bound, content) = input;
    let algorithm: Algorithm = if sha256 { "sha256" } else { "skein512" }.parse().unwrap();
    let new = || Parser::new(algorithm).bound(bound);
    let mut parser = new();
    for line in content.split_inclusive(|&byte| byte == b'\n') {
        let Line::Entry(entry) = parser.line(line) else { continue };
        assert_eq!(entry.digest.len(), entry.algorithm.digest_bytes());
        assert!(8 * entry.digest.len() >= MIN_DIGEST_BITS);
        assert!(entry.algorithm.id() == algorithm.id() || entry.tagged && !bound);
        assert!(!entry.name.contains(&0));
        // `TAG (NAME) = HEX`, where the name needs no escape.
        if entry.name.iter().any(|byte| b"\\\n\r".contains(byte)) {
            continue;
        }
        let hex: String = entry.digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut tagged = format!("{} (", entry.algorithm).into_bytes();
        tagged.extend(&entry.name);
        tagged.extend(format!(") = {hex}\n").into_bytes());
        match new().line(&tagged) {
            Line::Entry(again) => {
                assert!(again.tagged);
                assert_eq!((again.digest, again.name), (entry.digest, entry.name));
                assert_eq!(again.algorithm, entry.algorithm);
            }
            other => panic!("{other:?} from {tagged:?}"),
        }
    }
});
