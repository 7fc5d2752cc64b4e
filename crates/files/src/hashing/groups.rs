//! Hashers of long files that advance side by side.

use super::function::{Function, Functions};
use super::stream::Hash;
use manylane_engine::{Engine, Error, Group};

/// The most long files that a worker advances side by side: the messages of the widest kernels.
pub const LONGS: usize = 64;

/// The groups of a worker, one for each function.
pub struct Groups {
    engine: Option<Engine>,
    groups: Vec<Members>,
}

/// A group of [`LONGS`] hashers, and which of them no file has.
struct Members {
    function: Function,
    group: Group,
    free: Vec<usize>,
}

/// A file's hasher for one of its functions.
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

    /// A hasher for each of the functions.
    pub fn join(&mut self, functions: &Functions) -> Result<Vec<Seat>, Error> {
        let mut seats = Vec::with_capacity(functions.len());
        for function in functions.iter() {
            match self.seat(function) {
                Ok(seat) => seats.push(seat),
                Err(error) => {
                    self.leave(&seats);
                    return Err(error);
                }
            }
        }
        Ok(seats)
    }

    fn seat(&mut self, function: &Function) -> Result<Seat, Error> {
        let is_it = |members: &Members| members.function == *function;
        let group = match self.groups.iter().position(is_it) {
            Some(at) => at,
            None => {
                let group = function.group(self.engine, LONGS)?;
                let free = (0..LONGS).rev().collect();
                self.groups.push(Members { function: function.clone(), group, free });
                self.groups.len() - 1
            }
        };
        let member = self.groups[group].free.pop().expect("there are no more longs than members");
        Ok(Seat { group, member })
    }

    /// Hashes the next piece of each file.
    pub fn update<'l>(&mut self, longs: impl Iterator<Item = (&'l [Seat], &'l [u8])> + Clone) {
        for (at, members) in self.groups.iter_mut().enumerate() {
            let mut pieces = [&[][..]; LONGS];
            for (seats, piece) in longs.clone() {
                for seat in seats.iter().filter(|seat| seat.group == at) {
                    pieces[seat.member] = piece;
                }
            }
            if pieces.iter().any(|piece| !piece.is_empty()) {
                members.group.update(&pieces);
            }
        }
    }

    /// The hashers of one file, each by itself.
    pub fn alone(&mut self, seats: &[Seat]) -> Vec<Hash<'_>> {
        let of = |(at, members)| {
            let member = seats.iter().find(|seat| seat.group == at)?.member;
            Some(hash_alone(members, member))
        };
        self.groups.iter_mut().enumerate().filter_map(of).collect()
    }

    /// The digests of a file's functions; its hashers are free again.
    pub fn leave(&mut self, seats: &[Seat]) -> Vec<Vec<u8>> {
        let digest = |seat: &Seat| {
            let members = &mut self.groups[seat.group];
            let digest = members.group.finalize(seat.member);
            members.group.reset(seat.member);
            members.free.push(seat.member);
            digest
        };
        seats.iter().map(digest).collect()
    }
}

/// A hasher to which the other members of its group have nothing to add.
fn hash_alone(members: &mut Members, member: usize) -> Hash<'_> {
    Box::new(move |piece| {
        let mut pieces = [&[][..]; LONGS];
        pieces[member] = piece;
        members.group.update(&pieces);
    })
}
