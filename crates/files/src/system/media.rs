//! The storage of files: whether it is fastest for one reader at a time.

use std::path::Path;

pub use system::Watch;

/// Whether several readers at once would slow each other down, because one of these paths is on a
/// rotating disk, NFS or SMB. Unknown storage counts as fast.
pub fn want_one_reader<'p>(paths: impl IntoIterator<Item = &'p Path>) -> bool {
    system::want_one_reader(paths)
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{HashMap, HashSet};
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Path, PathBuf};

    /// Network file systems, by the magic numbers of statfs(2): NFS, SMB, SMB2 and CIFS.
    const NETWORK: [u32; 4] = [0x6969, 0x517b, 0xfe53_4d42, 0xff53_4d42];

    /// The number of files of a folder whose storage is looked up. Links and mounts can lead a file
    /// elsewhere, but looking up thousands takes as long as hashing some of them.
    pub(super) const ASKED: usize = 16;

    /// Whether one of the file systems of these paths is slow for several readers.
    pub fn want_one_reader<'p>(paths: impl IntoIterator<Item = &'p Path>) -> bool {
        // Each file system is asked about once: even thousands of files are on a few, and sysfs is
        // slow.
        let mut known = HashSet::new();
        let is_slow = |path: &Path| {
            let Ok(about) = path.metadata() else { return false };
            known.insert(about.dev()) && wants_one_reader(path, about.dev())
        };
        first_of_folders(paths).any(is_slow)
    }

    /// The first [`ASKED`] of the paths in each folder.
    pub(super) fn first_of_folders<'p>(
        paths: impl IntoIterator<Item = &'p Path>,
    ) -> impl Iterator<Item = &'p Path> {
        let mut seen: HashMap<&Path, usize> = HashMap::new();
        paths.into_iter().filter(move |path| {
            let of_folder = seen.entry(path.parent().unwrap_or(path)).or_default();
            *of_folder += 1;
            *of_folder <= ASKED
        })
    }

    /// Looks at the storage of files as they are found: only when the folder changes, because most
    /// folders are on one file system.
    #[derive(Default)]
    pub struct Watch {
        /// The folder of the last file.
        folder: PathBuf,
        /// File systems that were looked at.
        known: HashSet<u64>,
    }

    impl Watch {
        /// Whether this file shows that several readers at once would slow each other down. A file
        /// system is looked at once.
        pub fn wants_one_reader(&mut self, path: &Path) -> bool {
            let folder = path.parent().unwrap_or(path);
            if !self.known.is_empty() && self.folder == folder {
                return false;
            }
            self.folder = folder.to_owned();
            let Ok(about) = path.metadata() else { return false };
            self.known.insert(about.dev()) && wants_one_reader(path, about.dev())
        }
    }

    fn wants_one_reader(path: &Path, of: u64) -> bool {
        let is_network =
            rustix::fs::statfs(path).is_ok_and(|about| NETWORK.contains(&(about.f_type as u32)));
        is_network || device(of).is_some_and(|device| is_rotating(Path::new("/sys"), device))
    }

    /// The device numbers of a file system's block device. Some file systems (btrfs, overlays) have
    /// numbers of their own; for these the table of mounts names the device.
    fn device(of: u64) -> Option<(u32, u32)> {
        let (major, minor) = (rustix::fs::major(of), rustix::fs::minor(of));
        if major != 0 {
            return Some((major, minor));
        }
        let source = source(&fs::read_to_string("/proc/self/mountinfo").ok()?, (major, minor))?;
        let device = fs::metadata(source).ok()?.rdev();
        Some((rustix::fs::major(device), rustix::fs::minor(device)))
    }

    /// The device of the file system with these numbers, by the table of mounts (proc(5)).
    pub(super) fn source(mounts: &str, (major, minor): (u32, u32)) -> Option<String> {
        let numbers = format!("{major}:{minor}");
        let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some(&numbers))?;
        let source = line.split_once(" - ")?.1.split(' ').nth(1)?;
        source.starts_with("/dev/").then(|| source.to_owned())
    }

    /// Whether sysfs says that a disk, or the disk of a partition, rotates. Virtual disks say so
    /// whatever they are stored on, and do not count.
    pub(super) fn is_rotating(sysfs: &Path, (major, minor): (u32, u32)) -> bool {
        let Ok(block) = fs::canonicalize(sysfs.join(format!("dev/block/{major}:{minor}"))) else {
            return false;
        };
        let disk = if block.join("partition").exists() { block.parent() } else { Some(&*block) };
        let Some(disk) = disk else { return false };
        let name = disk.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let vendor = fs::read_to_string(disk.join("device/vendor")).unwrap_or_default();
        let vendor = vendor.trim().to_ascii_lowercase();
        let is_virtual =
            ["vd", "xvd", "nbd", "zram", "ram"].iter().any(|kind| name.starts_with(kind))
                || ["qemu", "google", "msft", "vmware", "xen", "amazon"].contains(&&vendor[..]);
        !is_virtual
            && fs::read_to_string(disk.join("queue/rotational"))
                .is_ok_and(|rotational| rotational.trim() == "1")
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    /// A placeholder: nothing is known of storage on this system.
    #[derive(Default)]
    pub struct Watch;

    impl Watch {
        /// Always false: unknown storage counts as fast.
        pub fn wants_one_reader(&mut self, _: &Path) -> bool {
            false
        }
    }

    /// Always false: unknown storage counts as fast.
    pub fn want_one_reader<'p>(_: impl IntoIterator<Item = &'p Path>) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::system::{ASKED, first_of_folders, is_rotating, source};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    #[test]
    fn some_files_of_each_folder_are_asked() {
        let paths: Vec<PathBuf> =
            (0..100).map(|i| format!("{}{i}", ["", "a/", "/", "a/b/"][i % 4]).into()).collect();
        let asked: Vec<&Path> = first_of_folders(paths.iter().map(PathBuf::as_path)).collect();
        let expected: Vec<&Path> = paths[..4 * ASKED].iter().map(PathBuf::as_path).collect();
        assert_eq!(asked, expected);
        assert!(first_of_folders([Path::new("/"), Path::new("")]).count() == 2);
    }

    #[test]
    fn disks_that_turn_are_known_by_sysfs() {
        let sysfs = tempfile::tempdir().unwrap();
        let path = |name: &str| sysfs.path().join(name);
        fs::create_dir_all(path("dev/block")).unwrap();
        for (disk, vendor, rotational, numbers) in [
            ("sda", "ATA     ", "1", "8:0"),
            ("sdb", "ATA     ", "0", "8:16"),
            ("sdc", "QEMU    ", "1", "8:32"),
            ("vda", "0x1af4", "1", "254:0"),
            ("dm-0", "", "1", "253:0"),
        ] {
            let folder = path(&format!("devices/{disk}"));
            fs::create_dir_all(folder.join("queue")).unwrap();
            fs::create_dir_all(folder.join("device")).unwrap();
            fs::write(folder.join("queue/rotational"), format!("{rotational}\n")).unwrap();
            fs::write(folder.join("device/vendor"), format!("{vendor}\n")).unwrap();
            symlink(&folder, path(&format!("dev/block/{numbers}"))).unwrap();
        }
        for (disk, numbers) in [("sda", "8:1"), ("sdb", "8:17"), ("vda", "254:1")] {
            let folder = path(&format!("devices/{disk}/{disk}1"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("partition"), "1\n").unwrap();
            symlink(&folder, path(&format!("dev/block/{numbers}"))).unwrap();
        }
        for (numbers, turns) in [
            ((8, 0), true),
            ((8, 1), true),
            ((8, 16), false),
            ((8, 17), false),
            ((8, 32), false),
            ((254, 0), false),
            ((254, 1), false),
            ((253, 0), true),
            ((9, 9), false),
        ] {
            assert_eq!(is_rotating(sysfs.path(), numbers), turns, "{numbers:?}");
        }
    }

    #[test]
    fn mounts_say_what_file_systems_are_on() {
        let mounts = "29 1 0:26 /@ / rw shared:1 - btrfs /dev/sda2 rw,subvol=/@\n\
                      30 29 0:27 / /tmp rw - tmpfs tmpfs rw\n";
        assert_eq!(source(mounts, (0, 26)).as_deref(), Some("/dev/sda2"));
        assert_eq!(source(mounts, (0, 27)), None);
        assert_eq!(source(mounts, (0, 2)), None);
    }
}
