//! Requests that cannot be met, and the cap on the instruction set.

use manylane_engine::pairing::Pairing;
use manylane_engine::tree::Verity;
use manylane_engine::{
    Algorithm, Batch, Engine, Error, Group, HashId, Hasher, Hmac, MAX_ISA_VARIABLE, engines,
    hash_many,
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

/// A number of threads is an upper bound, however large. The messages share their memory.
#[test]
fn any_number_of_threads_will_do() {
    let bytes = vec![7; 64 << 10];
    let messages = vec![&bytes[..]; 40];
    let expected = Backend::Definition.digest(HashId::Md5, &bytes).repeat(40);
    for threads in
        [0, 1, 39, 1025, 1 << 31, 1 << 61, 1 << 62, 1 << 63, usize::MAX / 4 + 1, usize::MAX]
    {
        let mut out = vec![0; expected.len()];
        Batch::new(HashId::Md5).threads(threads).run(&messages, &mut out).unwrap();
        assert!(out == expected, "{threads} threads");
        Batch::new(HashId::Md5).threads(threads).run(&messages[..0], &mut []).unwrap();
    }
}

/// What does not fit in memory or in a number is an error that says how much it is.
#[test]
fn what_no_machine_holds_is_refused() {
    let longest = |id| Algorithm::new(id).with_digest_bytes((1 << 61) - 1).unwrap();
    for members in [1 << 44, 1 << 58, isize::MAX as usize, usize::MAX] {
        let group = Group::new(HashId::Md5, members, None).unwrap_err();
        let hmac = Group::hmac(HashId::Md5, b"key", members, None).unwrap_err();
        assert!(matches!(group, Error::Memory { bytes } if bytes > members as u128), "{group}");
        assert_eq!(group, hmac);
    }
    for id in [HashId::Skein512, HashId::Shake256] {
        let needed = (1 << 61) - 1;
        let error = hash_many(longest(id), &[b"abc"], &mut [0; 64]).unwrap_err();
        assert_eq!(error, Error::OutputLength { given: 64, messages: 1, digest: needed, needed });
        let error = hash_many(longest(id), &[b"abc"; 9], &mut [0; 64]).unwrap_err();
        assert!(matches!(error, Error::OutputLength { needed: usize::MAX, .. }), "{error:?}");
        // The text has the number that the field has no room for.
        assert!(error.to_string().contains(&(9 * needed as u128).to_string()), "{error}");
        for messages in [&[b"abc"; 1][..], &[b"abc"; 9]] {
            let error = Batch::new(longest(id)).work(messages).unwrap_err();
            let bytes = messages.len() as u128 * needed as u128;
            assert_eq!(error, Error::Memory { bytes });
            assert!(error.to_string().contains(&bytes.to_string()), "{error}");
        }
        assert!(matches!(Hmac::new(longest(id), b"key"), Err(Error::HmacUndefined { .. })));
    }
}

/// Several algorithms share a type: the error names the one that was asked for, as people write it.
#[test]
fn errors_name_the_title_of_the_hash() {
    let mut refused = 0;
    for &id in HashId::ALL {
        let serving = engines(id).unwrap();
        let others = Engine::available().unwrap().iter().filter(|engine| !serving.contains(engine));
        for &engine in others {
            let on = Some(engine);
            let expected = format!("does not compute {};", id.entry().title);
            let mut digest = vec![0; Algorithm::new(id).digest_bytes()];
            let batch = Batch::new(id).engine(engine);
            for error in [
                Hasher::on(id, on).err(),
                Hmac::on(id, b"key", on).err(),
                Group::new(id, 2, on).err(),
                Group::hmac(id, b"key", 2, on).err(),
                batch.run(&[b"abc"], &mut digest).err(),
                batch.run_hmac(b"key", &[b"abc"], &mut digest).err(),
                batch.work(&[b"abc"]).err(),
            ] {
                let error = error.unwrap_or_else(|| panic!("{id:?} on {engine}")).to_string();
                assert!(error.contains(&expected), "{error}");
                refused += 1;
            }
        }
    }
    // These two compute SHA-1 and SHA-256 alone.
    let few = [Engine::ShaNi, Engine::ShaNiAvx512, Engine::ShaCe];
    if few.iter().any(|engine| Engine::available().unwrap().contains(engine)) {
        assert!(refused > 0, "every engine computes every hash");
    }
}

/// Whole tags of every length, and every beginning of them.
#[test]
fn tags_are_verified_whole_or_cut() {
    for id in HashId::ALL {
        let mut lengths = vec![id.entry().shape.digest_bytes];
        if id.entry().shape.any_length {
            lengths.extend(1..=9);
        }
        for length in lengths {
            let algorithm = Algorithm::new(*id).with_digest_bytes(length).unwrap();
            let mut hmac = Hmac::new(algorithm, b"key").unwrap();
            hmac.update(b"message");
            let tag = hmac.finalize();
            for bytes in 0..=length {
                let whole = bytes == length;
                let accepted = hmac.verify(&tag[..bytes]);
                assert_eq!(accepted, whole || bytes >= 4, "{bytes} bytes of {algorithm}");
            }
            assert!(!hmac.verify(&[&tag[..], &[0]].concat()), "{algorithm}: a byte too many");
            for byte in 0..length {
                let mut wrong = tag.clone();
                wrong[byte] ^= 0x80;
                assert!(!hmac.verify(&wrong), "{algorithm}: byte {byte} altered");
            }
        }
    }
}

/// Neither a prefix nor data are shown, because both may be secrets.
#[test]
fn what_is_shown_of_a_batch_is_no_prefix() {
    let mut verity = Verity::new(HashId::Md5, 4096, &[0xa7; 3]).unwrap();
    verity.update(&[0xa7; 10_000], &mut |_| ()).unwrap();
    for shown in [
        format!("{:?}", Batch::new(HashId::Md5).prefix(&[0xa7; 3]).threads(3)),
        format!("{verity:?}"),
    ] {
        assert!(shown.contains("Md5") && shown.contains("3 bytes"), "{shown}");
        assert!(!shown.contains("167"), "{shown}");
    }
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

/// A process whose address space has room for the stacks of two threads, of a thousand: those that
/// start do the work. Such stacks are large, so that the address space still has room for all else.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_do_not_start_are_done_without() {
    if std::env::var_os(CHILD).is_some() {
        let bytes = vec![7; 64 << 10];
        let expected = Backend::Definition.digest(HashId::Md5, &bytes).repeat(1500);
        let mut out = vec![0; expected.len()];
        let batch = Batch::new(HashId::Md5).engine(Engine::Scalar).threads(1000);
        batch.run(&vec![&bytes[..]; 1500], &mut out).unwrap();
        assert!(out == expected);
        return;
    }
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 600000 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "threads_that_do_not_start_are_done_without"])
        .env(CHILD, "1")
        .env("RUST_MIN_STACK", "200000000")
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}

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
            Hmac::new(HashId::Md5, b"").err(),
            // This key is longer than a block and is hashed.
            Hmac::new(HashId::Md5, &[0; 65]).err(),
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

/// A value that is no text is not ignored.
#[cfg(unix)]
#[test]
fn a_cap_that_is_no_text_is_an_error() {
    use std::os::unix::ffi::OsStrExt;
    let (output, lines) = capped(std::ffi::OsStr::from_bytes(b"avx2\xff"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(lines.iter().any(|line| line.contains("error: ")), "{lines:?}");
}
