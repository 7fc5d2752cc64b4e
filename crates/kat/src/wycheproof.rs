//! Wycheproof's tests of message authentication codes (`mac_test_schema`), valid and invalid.

use crate::files::load_text;
use crate::{Error, hex};
use serde::{Deserialize, Deserializer, de};

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacTest {
    /// Wycheproof's number of the test.
    pub id: u32,
    /// What the test is about.
    pub comment: String,
    /// The key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The authentication code, maybe cut; correct only if `valid`.
    pub tag: Vec<u8>,
    /// Whether verification must succeed.
    pub valid: bool,
}

/// The tests of a file.
pub fn mac(file: &str) -> Vec<MacTest> {
    load_text(file, parse_mac)
}

/// See [`mac`].
pub fn parse_mac(file: &str, text: &str) -> Result<Vec<MacTest>, Error> {
    let content: File = serde_json::from_str(text)
        .map_err(|error| Error::line(file, error.line(), error.to_string()))?;
    let mut tests = Vec::new();
    for group in content.test_groups {
        for test in group.tests {
            if 8 * test.tag.len() != group.tag_size {
                let what =
                    format!("test {}: the tag is not of {} bits", test.tc_id, group.tag_size);
                return Err(Error::line(file, 1, what));
            }
            tests.push(MacTest {
                id: test.tc_id,
                comment: test.comment,
                key: test.key,
                message: test.msg,
                tag: test.tag,
                valid: test.result == Verdict::Valid,
            });
        }
    }
    if tests.len() != content.number_of_tests {
        let what = format!("{} tests, not {}", tests.len(), content.number_of_tests);
        return Err(Error::line(file, 1, what));
    }
    Ok(tests)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    number_of_tests: usize,
    test_groups: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Group {
    tag_size: usize,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    tc_id: u32,
    comment: String,
    #[serde(deserialize_with = "bytes")]
    key: Vec<u8>,
    #[serde(deserialize_with = "bytes")]
    msg: Vec<u8>,
    #[serde(deserialize_with = "bytes")]
    tag: Vec<u8>,
    result: Verdict,
}

/// "acceptable", which leaves the answer open, does not occur for MACs and is refused.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Verdict {
    Valid,
    Invalid,
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    hex::decode(&String::deserialize(deserializer)?).map_err(de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{ "algorithm": "HMACSHA256", "numberOfTests": 2, "testGroups": [
        { "type": "MacTest", "keySize": 8, "tagSize": 16, "tests": [
            { "tcId": 1, "comment": "short", "flags": [],
              "key": "1e", "msg": "", "tag": "b175", "result": "valid" },
            { "tcId": 2, "comment": "altered",
              "key": "81", "msg": "77", "tag": "dfc5", "result": "invalid" }
        ] } ] }"#;

    #[test]
    fn groups_are_joined() {
        let tests = parse_mac("f", TEXT).unwrap();
        let expected = MacTest {
            id: 2,
            comment: "altered".into(),
            key: vec![0x81],
            message: vec![0x77],
            tag: vec![0xdf, 0xc5],
            valid: false,
        };
        assert!(tests[0].valid);
        assert_eq!(tests[1..], [expected]);
    }

    #[test]
    fn errors_name_file_and_line() {
        for (from, to, expected) in [
            ("b175", "b17", "f:4: 3 hexadecimal digits: an odd number at line 4"),
            ("\"invalid\"", "\"maybe\"", "f:6: unknown variant `maybe`"),
            ("\"b175\"", "\"b1\"", "f:1: test 1: the tag is not of 16 bits"),
            ("\"numberOfTests\": 2", "\"numberOfTests\": 3", "f:1: 2 tests, not 3"),
        ] {
            let error = parse_mac("f", &TEXT.replace(from, to)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
