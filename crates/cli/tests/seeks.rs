//! `--io-threads auto` on a disk that turns goes from place to place hardly more often than
//! `--sequential`.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

mod common;

use common::{MANYLANE, Rng, Sandbox, has};
use std::collections::HashSet;

/// A library that puts the folder DISK on a disk: the partition 8:1, of which sysfs says what the
/// folder SYSFS holds. A read that does not begin where the last one ended is a seek. At the end
/// their number is written to the file SEEKS.
const DISK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t head = PTHREAD_MUTEX_INITIALIZER;
static char last_file[4096];
static off_t last_end;
static long seeks;

static int is_on_disk(const char *path) {
    const char *disk = getenv("DISK");
    return disk && !strncmp(path, disk, strlen(disk));
}

int statx(int folder, const char *restrict path, int flags, unsigned mask,
          struct statx *restrict about) {
    int (*real)(int, const char *, int, unsigned, struct statx *) = dlsym(RTLD_NEXT, "statx");
    int result = real(folder, path, flags, mask, about);
    char whole[4096];
    if (result == 0 && path[0] && realpath(path, whole) && is_on_disk(whole)) {
        about->stx_dev_major = 8;
        about->stx_dev_minor = 1;
    }
    return result;
}

char *realpath(const char *restrict path, char *restrict resolved) {
    char *(*real)(const char *, char *) = dlsym(RTLD_NEXT, "realpath");
    if (!strcmp(path, "/sys/dev/block/8:1")) {
        char part[4096];
        snprintf(part, sizeof part, "%s/sda/sda1", getenv("SYSFS"));
        return real(part, resolved);
    }
    return real(path, resolved);
}

ssize_t read(int file, void *buffer, size_t count) {
    ssize_t (*real)(int, void *, size_t) = dlsym(RTLD_NEXT, "read");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    if (!is_on_disk(path))
        return real(file, buffer, count);
    pthread_mutex_lock(&head);
    off_t at = lseek(file, 0, SEEK_CUR);
    ssize_t result = real(file, buffer, count);
    if (result > 0) {
        seeks += at != last_end || strcmp(path, last_file);
        strcpy(last_file, path);
        last_end = at + result;
    }
    pthread_mutex_unlock(&head);
    return result;
}

__attribute__((destructor)) static void say(void) {
    FILE *out = getenv("SEEKS") ? fopen(getenv("SEEKS"), "w") : NULL;
    if (out) {
        fprintf(out, "%ld", seeks);
        fclose(out);
    }
}
"#;

#[test]
fn a_disk_that_turns_is_read_from_place_to_place() {
    if !has("cc", "a_disk_that_turns_is_read_from_place_to_place") {
        return;
    }
    let sandbox = Sandbox::new();
    sandbox.write("disk.c", DISK);
    let compile = ["-shared", "-fPIC", "-o", "disk.so", "disk.c", "-ldl", "-lpthread"];
    assert_eq!(sandbox.run("cc", compile).status, Some(0));
    sandbox.write("sys/sda/sda1/partition", "1\n");
    sandbox.write("sys/sda/device/vendor", "ATA     \n");
    let mut rng = Rng::from_name("seeks");
    let mut whole = HashSet::new();
    for i in 0..120 {
        // Most files are read at once; every tenth is read in pieces.
        let length = if i % 10 == 3 { 1_500_000 + rng.below(9) } else { 1 + rng.below(60_000) };
        let path = sandbox.write(format!("par/disk/{:02}/{i:03}", i % 7), rng.bytes(length));
        whole.insert(path);
    }
    let seeks_of = |rotational: &str, names: &[&str], args: &[&str]| -> (usize, Vec<u8>) {
        sandbox.write("sys/sda/queue/rotational", rotational);
        let mut command = sandbox.command(MANYLANE);
        command.arg("sum").args(args).args(names).env("LD_PRELOAD", sandbox.path("disk.so"));
        command.env("DISK", sandbox.path("par/disk").canonicalize().unwrap());
        command.env("SYSFS", sandbox.path("sys")).env("SEEKS", sandbox.path("seeks"));
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{names:?} {args:?}: {told}");
        let seeks = std::fs::read_to_string(sandbox.path("seeks")).unwrap().parse().unwrap();
        (seeks, output.stdout)
    };
    let names = ["-r", "par/disk"];
    let expected = sandbox.sum(names).good();
    let seeks = |rotational: &str, args: &[&str]| {
        let (seeks, printed) = seeks_of(rotational, &names, args);
        assert!(printed == expected, "{args:?}");
        seeks
    };
    let sequential = seeks("1\n", &["--sequential"]);
    assert_eq!(sequential, whole.len());
    for threads in ["-j1", "-j2", "-j4", "-j8"] {
        for args in [&[threads][..], &[threads, "--io-threads=auto", "--drop-cache"]] {
            let auto = seeks("1\n", args);
            assert!(auto * 10 <= sequential * 11, "{args:?}: {auto} seeks, not {sequential}");
        }
    }
    // Nor does it matter how the files are named: in a list, in a file of names, by a folder that
    // the disk is mounted below.
    sandbox.write("LIST", &expected);
    let mut listed = String::new();
    for i in 0..20 {
        sandbox.write(format!("par/before/{i}"), i.to_string());
        listed += &format!("par/before/{i}\n");
    }
    let text = String::from_utf8(expected.clone()).unwrap();
    listed.extend(text.lines().map(|line| format!("{}\n", &line[66..])));
    sandbox.write("NAMES", listed);
    for threads in ["-j1", "-j2", "-j8"] {
        for names in [
            &["-c", "LIST"][..],
            &["--files-from", "NAMES"],
            &["--update", "NEW", "--files-from", "NAMES"],
            &["-r", "par"],
        ] {
            let _ = std::fs::remove_file(sandbox.path("NEW"));
            let (auto, _) = seeks_of("1\n", names, &[threads]);
            assert!(auto * 10 <= sequential * 11, "{names:?}: {auto} seeks, not {sequential}");
        }
    }
    // Where nothing turns, files are read side by side: the disk above was recognised.
    let side_by_side = seeks("0\n", &["-j2"]);
    assert!(side_by_side * 10 > sequential * 11, "{side_by_side} seeks, not {sequential}");
}
