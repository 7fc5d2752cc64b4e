//! Requests that cannot be met, and the cap on the instruction set.

use manylane_engine::pairing::Pairing;
use manylane_engine::{
    Algorithm, Batch, Engine, Error, Group, HashId, Hasher, MAX_ISA_VARIABLE, engines, hash_many,
};
use manylane_kat::Backend;
use std::process::{Command, Output};

#[test]
fn outputs_of_a_wrong_length_are_refused() {
    let messages = ["a", "b", "c"];
    for given in [0, 31, 32, 95, 97, 128] {
        let mut out = vec![7; given];
        let error = hash_many(HashId::Sha256, &messages, &mut out).unwrap_err();
        let expected = Error::OutputLength { given, messages: 3, digest: 32, needed: 96 };
        assert_eq!(error, expected);
        assert!(error.to_string().contains("96"), "{error}");
        assert!(out.iter().all(|&byte| byte == 7), "written to in spite of the error");
    }
    let none: [&str; 0] = [];
    assert_eq!(hash_many(HashId::Sha256, &none, &mut []), Ok(()));
    assert!(hash_many(HashId::Sha256, &none, &mut [0]).is_err());
}

#[test]
fn a_group_wants_a_piece_for_each_member() {
    let mut group = Group::new(HashId::Md5, 2, None).unwrap();
    let update = std::panic::AssertUnwindSafe(|| group.update(&[b"a"]));
    assert!(std::panic::catch_unwind(update).is_err());
}

/// Every way to force an engine that cannot serve is an error that says which can.
#[test]
fn forced_engines_that_cannot_serve() {
    let here = Engine::available().unwrap();
    for &id in HashId::ALL {
        let computing = engines(id).unwrap();
        assert!(computing.iter().all(|engine| here.contains(engine)));
        for engine in Engine::ALL {
            let algorithm = Algorithm::new(id);
            let mut out = vec![0; algorithm.digest_bytes()];
            let results = [
                Hasher::on(algorithm, Some(engine)).map(|hasher| {
                    assert_eq!(hasher.engine(), engine);
                }),
                Group::new(algorithm, 2, Some(engine)).map(|_| ()),
                Batch::new(algorithm).engine(engine).run(&[b""], &mut out),
            ];
            for result in results {
                match result {
                    Ok(()) => assert!(computing.contains(&engine), "{engine} for {algorithm}"),
                    Err(error) => {
                        assert!(!computing.contains(&engine), "{error}");
                        let text = error.to_string();
                        assert!(text.contains(engine.name()), "{text}");
                        let named = if here.contains(&engine) { &computing } else { here };
                        for other in named {
                            assert!(text.contains(other.name()), "{text}: no {other}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn names_of_engines() {
    for engine in Engine::ALL {
        for name in [engine.name().to_string(), engine.name().to_uppercase().replace('-', "_")] {
            assert_eq!(name.parse(), Ok(engine));
        }
    }
    let error = "avx3".parse::<Engine>().unwrap_err().to_string();
    assert!(error.contains("avx3") && error.contains("avx512-gfni"), "{error}");
}

const CHILD: &str = "MANYLANE_TEST_CHILD";

/// Not a test by itself: what [`capped`] runs. Prints the engines of every hash and computes each.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    if let Err(error) = Engine::available() {
        println!("error: {error}");
        let errors = [
            Hasher::on(HashId::Md5, None).err(),
            engines(HashId::Md5).err(),
            hash_many(HashId::Md5, &[b""], &mut [0; 16]).err(),
            Pairing::new().err(),
        ];
        assert!(errors.iter().all(|other| other.as_ref() == Some(&error)), "{errors:?}");
        return;
    }
    for engine in Pairing::engines().unwrap() {
        println!("engine: {engine}");
        Pairing::on(Some(engine)).unwrap();
    }
    for &id in HashId::ALL {
        for engine in engines(id).unwrap() {
            println!("engine: {engine}");
        }
        let chosen = Hasher::new(id).engine();
        assert!(engines(id).unwrap().contains(&chosen));
        let messages: Vec<_> = (0..70u8).map(|i| vec![i; 3 * usize::from(i)]).collect();
        let expected = Backend::Definition.digest_many(id, &messages);
        for backend in Backend::all(id) {
            assert_eq!(backend.digest_many(id, &messages), expected, "{id:?}, {backend}");
        }
    }
}

/// The lines that a process under the cap prints.
fn capped(cap: impl AsRef<std::ffi::OsStr>) -> (Output, Vec<String>) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, "1")
        .env(MAX_ISA_VARIABLE, cap)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter(|line| line.contains(": ")).map(String::from).collect();
    (output, lines)
}

/// A process capped at each engine has the engines up to it that run here, and computes with them.
#[test]
fn the_variable_caps_the_instruction_set() {
    for cap in Engine::ALL {
        let (output, lines) = capped(cap.name());
        assert!(output.status.success(), "{cap}: {}", String::from_utf8_lossy(&output.stderr));
        for engine in Engine::ALL {
            let expected = engine <= cap && engine.runs_here();
            let found = lines.iter().any(|line| line.ends_with(&format!("engine: {engine}")));
            assert_eq!(found, expected, "{engine} under {cap}: {lines:?}");
        }
    }
    let (output, lines) = capped("");
    assert!(output.status.success() && !lines.is_empty(), "an empty variable is none");
}

#[test]
fn an_unknown_cap_is_an_error() {
    let (output, lines) = capped("avx3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let error = lines.iter().find(|line| line.contains("error: ")).expect("an error");
    for part in ["MANYLANE_MAX_ISA", "avx3", "scalar", "avx512-gfni"] {
        assert!(error.contains(part), "{error}");
    }
}

/// A value that is no text is not passed over.
#[cfg(unix)]
#[test]
fn a_cap_that_is_no_text_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let (output, lines) = capped(std::ffi::OsStr::from_bytes(b"avx2\xff"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(lines.iter().any(|line| line.contains("error: ")), "{lines:?}");
}
