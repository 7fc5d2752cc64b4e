//! Hashers of long files that advance side by side.

use super::call::{Call, Members};
use super::function::Functions;
use super::stream::Hash;
use manylane_engine::{Engine, Error};

/// The most long files that a worker advances side by side: the messages of the widest kernels.
pub const LONGS: usize = 64;

/// The groups of a worker, one for each call.
pub struct Groups {
    engine: Option<Engine>,
    groups: Vec<Seats>,
}

/// A group of [`LONGS`] messages, and the members that belong to no file.
struct Seats {
    call: Call,
    members: Members,
    free: Vec<usize>,
}

/// A file's hasher for one of its calls.
#[derive(Clone, Copy)]
pub struct Seat {
    group: usize,
    member: usize,
}

impl Groups {
    /// No groups yet.
    pub fn new(engine: Option<Engine>) -> Self {
        Self { engine, groups: Vec::new() }
    }

    /// Takes a seat for each call that computes the functions.
    pub fn join(&mut self, functions: &Functions) -> Result<Vec<Seat>, Error> {
        let mut seats: Vec<Seat> = Vec::new();
        for call in functions.calls(self.engine) {
            match self.seat(&call, &seats) {
                Ok(seat) => seats.push(seat),
                Err(error) => {
                    for seat in &seats {
                        self.end(seat);
                    }
                    return Err(error);
                }
            }
        }
        Ok(seats)
    }

    /// A free seat for a call, in a group in which the file has none yet: a function that was asked
    /// for twice needs two groups.
    fn seat(&mut self, call: &Call, of_file: &[Seat]) -> Result<Seat, Error> {
        let is_new = |at: usize| of_file.iter().all(|seat| seat.group != at);
        let mut groups = self.groups.iter().enumerate();
        let group = match groups.position(|(at, seats)| seats.call.is_like(call) && is_new(at)) {
            Some(at) => at,
            None => {
                let members = call.members(self.engine, LONGS)?;
                let free = (0..LONGS).rev().collect();
                self.groups.push(Seats { call: call.clone(), members, free });
                self.groups.len() - 1
            }
        };
        let member = self.groups[group].free.pop().expect("there are no more longs than members");
        Ok(Seat { group, member })
    }

    /// Hashes the next piece of each file.
    pub fn update<'l>(&mut self, longs: impl Iterator<Item = (&'l [Seat], &'l [u8])> + Clone) {
        for (at, group) in self.groups.iter_mut().enumerate() {
            let mut pieces = [&[][..]; LONGS];
            for (seats, piece) in longs.clone() {
                for seat in seats.iter().filter(|seat| seat.group == at) {
                    pieces[seat.member] = piece;
                }
            }
            if pieces.iter().any(|piece| !piece.is_empty()) {
                group.members.update(&pieces);
            }
        }
    }

    /// The hashers of a file that is the only one to grow from now on.
    pub fn alone(&mut self, seats: &[Seat]) -> Vec<Hash<'_>> {
        let mut hashes = Vec::new();
        for (at, group) in self.groups.iter_mut().enumerate() {
            if let Some(seat) = seats.iter().find(|seat| seat.group == at) {
                hashes.extend(group.members.alone(LONGS, seat.member));
            }
        }
        hashes
    }

    /// Returns the digests of a file's functions and frees its seats.
    pub fn leave(&mut self, functions: &Functions, seats: &[Seat]) -> Vec<Vec<u8>> {
        let mut digests = vec![Vec::new(); functions.len()];
        for (call, seat) in functions.calls(self.engine).iter().zip(seats) {
            call.put(&self.end(seat), &mut digests);
        }
        digests
    }

    /// Ends the message of a seat, and frees the seat.
    fn end(&mut self, seat: &Seat) -> Vec<u8> {
        let group = &mut self.groups[seat.group];
        group.free.push(seat.member);
        group.members.finalize(seat.member)
    }
}
