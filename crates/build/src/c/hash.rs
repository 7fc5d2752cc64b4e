//! A hash or HMAC with one, planned from the definition for a C library.

use crate::error::Error;
use manylane_emit::c::{About, Cores, Folder, Hash, Library, Options, Programs, Subject};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::{ByteOrder, Stream, stream};
use manylane_graph::trace;
use manylane_plan::Platform;
use manylane_plan::program::shape::{Shape, two};
use manylane_plan::program::{Program, scaled_by};
use manylane_primitives::catalog::Algorithm;
use std::borrow::Cow;

/// A hash function with the programs of its compression.
pub struct HashPrograms {
    /// The hash.
    pub algorithm: Algorithm,
    /// Its padding, counter and output.
    pub stream: Stream,
    /// The program for one core.
    pub one: Program,
    /// The program with a share for a second core, if one is asked for.
    pub two: Option<Program>,
    /// The program for one core without options, as it is measured on the platform; `None` if it is
    /// `one`.
    usual: Option<Program>,
}

/// Plans hashes for a platform, each compression once: many hashes have the same one.
pub struct Planner<'p> {
    /// The requirements on the programs.
    pub shape: Shape,
    /// The platform that splits are planned for.
    pub platform: &'p Platform,
    known: Vec<PlannedCompression>,
}

/// A compression that is planned.
struct PlannedCompression {
    /// The byte order in which it loads the words of messages.
    order: ByteOrder,
    one: Program,
    two: Program,
}

impl<'p> Planner<'p> {
    /// A planner that has planned nothing yet.
    pub fn new(shape: Shape, platform: &'p Platform) -> Self {
        Self { shape, platform, known: Vec::new() }
    }

    /// The programs of a hash, for one core or for both.
    ///
    /// # Errors
    /// If the hash has no known form, or the platform lacks a cost.
    pub fn plan(&mut self, algorithm: Algorithm, cores: Cores) -> Result<HashPrograms, Error> {
        let mut programs = HashPrograms::alone(algorithm, cores, self.shape, self.platform)?;
        if cores == Cores::One {
            return Ok(programs);
        }
        let (one, order) = (&programs.one, programs.stream.framing.order);
        let is_same = |known: &&PlannedCompression| {
            known.order == order && known.one.rolled.is_alike(&one.rolled)
        };
        let two = match self.known.iter().find(is_same) {
            Some(known) => known.two.renamed_as(one),
            None => {
                let platform = programs.priced(self.platform)?;
                two(one, order, &platform)?
            }
        };
        self.known.push(PlannedCompression { order, one: one.clone(), two: two.clone() });
        programs.two = Some(two);
        Ok(programs)
    }
}

impl HashPrograms {
    /// Plans a hash for one core or two of a platform.
    ///
    /// # Errors
    /// If the hash has no known form, or the platform lacks a cost.
    pub fn new(
        algorithm: Algorithm,
        cores: Cores,
        shape: Shape,
        platform: &Platform,
    ) -> Result<Self, Error> {
        let mut programs = Self::alone(algorithm, cores, shape, platform)?;
        if cores == Cores::Two {
            let order = programs.stream.framing.order;
            let platform = programs.priced(platform)?;
            programs.two = Some(two(&programs.one, order, &platform)?);
        }
        Ok(programs)
    }

    /// Plans the program of one core, for a folder of one core or of two: the cores of a folder
    /// have the same word size.
    ///
    /// # Errors
    /// If the hash has no known form.
    pub fn alone(
        algorithm: Algorithm,
        cores: Cores,
        shape: Shape,
        platform: &Platform,
    ) -> Result<Self, Error> {
        let stream = stream(algorithm)?;
        let compression = trace::literal_compression(algorithm);
        let on = |shape: Shape, cores| shape.on(platform, &usual_name(algorithm), number(cores));
        let (asked, measured) = (on(shape, cores), on(Shape::default(), Cores::One));
        let one = asked.one(&compression);
        let usual = (asked != measured).then(|| measured.one(&compression));
        Ok(Self { algorithm, stream, one, two: None, usual })
    }

    /// The platform with the model's time of the program without options. The measured time of that
    /// program scales the other programs of the hash.
    ///
    /// # Errors
    /// If the platform lacks a cost.
    pub fn priced<'p>(&self, platform: &'p Platform) -> Result<Cow<'p, Platform>, Error> {
        let usual = self.usual.as_ref().unwrap_or(&self.one);
        Ok(scaled_by(platform, usual, self.stream.framing.order)?)
    }

    /// Whether a second core has a share of a compression.
    pub fn has_share(&self) -> bool {
        self.two.as_ref().is_some_and(|two| two.processors > 1)
    }

    /// Bytes of the digest.
    pub fn digest_bytes(&self) -> usize {
        self.stream.digest_bytes
    }

    /// Calls of the compression for a message of `bytes` bytes.
    pub fn blocks(&self, bytes: usize) -> usize {
        let framing = &self.stream.framing;
        framing.blocks(&vec![0; bytes]).len() + usize::from(framing.closing.is_some())
    }

    /// The library, with HMAC if that is asked for.
    ///
    /// # Errors
    /// As [`Library::make`].
    pub fn folder(
        &self,
        is_keyed: bool,
        about: &About<'_>,
        options: &Options,
    ) -> Result<Folder, Error> {
        let digest = |message: &[u8]| digest(self.algorithm, message);
        let mac = |key: &[u8], message: &[u8]| hmac(self.algorithm, key, message);
        let compression = Programs { one: &self.one, two: self.two.as_ref() };
        let hash = Hash { stream: &self.stream, compression, digest: &digest };
        let subject = Subject::Hash { hash: &hash, mac: if is_keyed { Some(&mac) } else { None } };
        Ok(Library { about, options }.make(&subject)?)
    }
}

/// The name under which platforms have what was measured of a hash, whatever its digest's length.
pub fn usual_name(algorithm: Algorithm) -> String {
    Algorithm::from(algorithm.id()).to_string()
}

/// The number of processors.
pub fn number(cores: Cores) -> usize {
    match cores {
        Cores::One => 1,
        Cores::Two => 2,
    }
}
