//! Several messages that arrive in pieces, side by side.

use crate::borrow::{CallerBytes, array, free, hand_over, object};
use crate::hasher::check_length;
use crate::names::{algorithm, engine};
use crate::status::{Failure, answer, manylane_status};
use manylane::{Algorithm, Group};
use std::ffi::{c_char, c_void};

/// Several hashers of one algorithm whose messages are hashed side by side. One thread at a time
/// may use it.
pub struct manylane_group {
    group: Group,
    algorithm: Algorithm,
}

impl manylane_group {
    fn check(&self, member: usize) -> Result<(), Failure> {
        if member < self.group.members() {
            return Ok(());
        }
        let text = format!("there is no member {member} of {}", self.group.members());
        Err(Failure::new(manylane_status::WrongLength, text))
    }
}

/// Makes `members` hashers. `engine` is null for the best ones. Free them with
/// `manylane_group_free`.
///
/// # Safety
/// `algorithm` and `engine` are null or strings; `group` is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_group_new(
    algorithm: *const c_char,
    engine: *const c_char,
    members: usize,
    group: *mut *mut manylane_group,
) -> manylane_status {
    answer(|| {
        let make = || {
            // SAFETY: the caller vouches for it.
            let (algorithm, engine) =
                unsafe { (self::algorithm(algorithm)?, self::engine(engine)?) };
            Ok(manylane_group { group: Group::new(algorithm, members, engine)?, algorithm })
        };
        // SAFETY: the caller vouches for it.
        unsafe { hand_over(group, "the place of the group", make) }
    })
}

/// Appends `sizes[i]` bytes at `pieces[i]` to the message of member i, for every member: an empty
/// piece, which may be null, changes nothing. Pieces of like size are hashed fastest.
///
/// # Safety
/// `group` is null or a group; `pieces` and `sizes` are null or point to as many elements as it has
/// members, and `sizes[i]` bytes at `pieces[i]` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_group_update(
    group: *mut manylane_group,
    pieces: *const *const c_void,
    sizes: *const usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let group = &mut unsafe { object(group, "the group") }?.group;
        let count = group.members();
        // SAFETY: the caller vouches for both.
        let (starts, sizes) = unsafe {
            (
                array(pieces, count, CallerBytes::NONE, "the list of pieces")?,
                array(sizes, count, CallerBytes::NONE, "the list of sizes")?,
            )
        };
        let pieces = starts.iter().zip(sizes).map(|(&start, &size)| {
            // SAFETY: the caller vouches for it.
            Ok(unsafe { CallerBytes::new(start, size, "a piece")?.read() })
        });
        let pieces: Result<Vec<&[u8]>, Failure> = pieces.collect();
        group.update(&pieces?);
        Ok(())
    })
}

/// Writes the digest of the message of `member` so far, exactly as many bytes as the algorithm's.
/// The message can go on.
///
/// # Safety
/// `group` is null or a group; `digest` is null or has room for `digest_size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_group_digest(
    group: *mut manylane_group,
    member: usize,
    digest: *mut u8,
    digest_size: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let group = unsafe { object(group, "the group") }?;
        group.check(member)?;
        check_length("digest", digest_size, group.algorithm.digest_bytes())?;
        let digest = CallerBytes::new(digest.cast(), digest_size, "the digest")?;
        // SAFETY: the caller vouches for it.
        unsafe { digest.write() }.copy_from_slice(&group.group.finalize(member));
        Ok(())
    })
}

/// Forgets the message of `member`, which then takes another.
///
/// # Safety
/// `group` is null or a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_group_reset(
    group: *mut manylane_group,
    member: usize,
) -> manylane_status {
    answer(|| {
        // SAFETY: the caller vouches for it.
        let group = unsafe { object(group, "the group") }?;
        group.check(member)?;
        group.group.reset(member);
        Ok(())
    })
}

/// Frees a group. A null pointer is ignored.
///
/// # Safety
/// `group` is null, or a group that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn manylane_group_free(group: *mut manylane_group) {
    answer(|| {
        // SAFETY: the caller vouches for it.
        unsafe { free(group) };
        Ok(())
    });
}
