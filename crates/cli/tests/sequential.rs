//! `manylane sum --sequential` reads one file after the other, from its beginning to its end.
#![cfg(target_os = "linux")]

mod common;

use common::{Rng, Sandbox};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use std::mem::MaybeUninit;

/// What happened to the files of a folder, in order: `true` when a file of that name was opened,
/// `false` when it was closed.
fn watch(sandbox: &Sandbox, folder: &str, run: impl FnOnce()) -> Vec<(String, bool)> {
    let watcher = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    let kinds = WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE;
    inotify::add_watch(&watcher, sandbox.path(folder), kinds).unwrap();
    run();
    let mut buffer = [MaybeUninit::uninit(); 64 * 1024];
    let mut events = inotify::Reader::new(&watcher, &mut buffer);
    let mut all = Vec::new();
    while let Ok(event) = events.next() {
        // The folder itself has no name.
        if let Some(name) = event.file_name().filter(|_| !event.events().contains(ReadFlags::ISDIR))
        {
            let opened = event.events().contains(ReadFlags::OPEN);
            all.push((name.to_str().unwrap().to_owned(), opened));
        }
    }
    all
}

#[test]
fn each_file_is_closed_before_the_next_is_opened() {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("each file is closed");
    let names: Vec<String> = (0..60).map(|i| format!("{:02}", (i * 37) % 60)).collect();
    for (i, name) in names.iter().enumerate() {
        // Short ones, some that are read in pieces, and both sides of the boundary.
        let length = match i % 6 {
            1 => 1_500_000 + rng.below(100),
            3 => (512 << 10) - 1 + i % 4,
            5 => 0,
            _ => rng.below(30_000),
        };
        sandbox.write(format!("d/{name}"), rng.bytes(length));
    }
    let paths: Vec<String> = names.iter().map(|name| format!("d/{name}")).collect();
    let expected = sandbox.sum(&paths).good();
    let mut sorted = names.clone();
    sorted.sort();
    let walked = sandbox.sum(["-r", "d"]).good();
    sandbox.write("list", &expected);
    let good: String = paths.iter().map(|path| format!("{path}: OK\n")).collect();
    let named: Vec<&str> = paths.iter().map(String::as_str).collect();
    for threads in ["-j1", "-j2", "-j8"] {
        let runs: [(&[&str], &[u8], &[String]); 3] = [
            (&named, &expected, &names),
            (&["-r", "d"], &walked, &sorted),
            (&["-c", "list"], good.as_bytes(), &names),
        ];
        // One reader alone goes through the files in the same way, whoever hashes them.
        for (args, printed, order) in runs {
            for how in ["--sequential", "--io-threads=1"] {
                let args = [&[how, threads], args].concat();
                let happened =
                    watch(&sandbox, "d", || assert!(sandbox.sum(&args).good() == printed));
                let expected =
                    order.iter().flat_map(|name| [(name.clone(), true), (name.clone(), false)]);
                // Where there are several threads, each may open its next file meanwhile.
                if how == "--sequential" || threads == "-j1" {
                    assert!(happened == expected.collect::<Vec<_>>(), "{args:?}: {happened:?}");
                }
            }
        }
    }
    // Without the option, files are read side by side.
    let happened = watch(&sandbox, "d", || _ = sandbox.sum([&["-j1"], &named[..]].concat()).good());
    assert!(happened.windows(2).any(|pair| pair[0].1 && pair[1].1));
}

/// However files are read, their digests are the same.
#[test]
fn ways_of_reading_change_no_digest() {
    let sandbox = Sandbox::new();
    let mut rng = Rng::from_name("ways of reading");
    for (i, length) in
        [0, 1, 4095, 4096, 4097, 524_287, 524_288, 1 << 20, (1 << 20) + 1, 9_000_001, 12 << 20]
            .into_iter()
            .enumerate()
    {
        sandbox.write(format!("d/{i:02}"), rng.bytes(length));
    }
    let names = ["-r", "d", "-a", "sha256,md5"];
    let expected = sandbox.sum(names).good();
    for args in [
        &["--direct"][..],
        &["--drop-cache"],
        &["--direct", "--drop-cache", "--sequential"],
        &["--io-threads", "auto"],
        &["--io-threads", "1", "--direct"],
        &["--io-threads", "2", "-j3"],
        &["--io-threads", "16", "-j1"],
        &["--io-threads", "1", "-j4", "--drop-cache"],
        &["--checkpoint", "RUN", "--checkpoint-every", "1M", "--direct"],
        &["--checkpoint", "RUN", "--checkpoint-every", "1500000", "--drop-cache", "-j2"],
    ] {
        assert!(sandbox.sum([&names, args].concat()).good() == expected, "{args:?}");
    }
    for (args, word) in [
        (&["--io-threads", "0"][..], "auto or a number"),
        (&["--io-threads", "many"], "auto or a number"),
        (&["--on-change", "never"], "retry"),
        (&["--slowest", "x"], "--slowest"),
    ] {
        let ran = sandbox.sum([&["-r", "d"], args].concat());
        assert_eq!((ran.text(), ran.status), ("", Some(1)), "{args:?}");
        assert!(ran.stderr.contains(word), "{args:?}: {ran:?}");
    }
    // What is said beside the digests.
    let said = sandbox.sum(["-r", "d", "--summary", "--slowest", "2", "--percents"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.stderr.contains("11 files read, 23.59 MiB in "), "{said:?}");
    assert_eq!(said.stderr.matches(" s for ").count(), 2, "{said:?}");
    assert!(said.stderr.contains("(100 %)"), "{said:?}");
}
