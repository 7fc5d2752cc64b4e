//! Batches whose messages lie in several places or go on from hashers, and digests at a stride.

use super::batch::{Batch, Options};
use super::hasher::Hasher;
use super::resources::Resources;
use crate::drive::layout::Start;
use crate::drive::segments::{self, Segmented};
use crate::drive::single::Single;
use crate::drive::stream::Stream;
use crate::error::{self, Error};
use crate::kernels::kernel::MAX_LANES;
use crate::kernels::runs::Runs;
use crate::select::choice::Choice;
use crate::select::visit::{Visit, try_visit};
use smallvec::SmallVec;
use std::ops::Range;

/// Messages whose digests [`Batch::run_strided`] keeps at a time, for each thread.
const HELD_DIGESTS: usize = 1024;

/// The most bytes of all messages that are copied from their segments.
const MOST_JOINED: usize = 4096;

/// Returns a segment, given the numbers of a message and of the segment in it; `None` after the
/// message's last.
type Segment<'a, 'm> = &'a (dyn Fn(usize, usize) -> Option<&'m [u8]> + Sync);

impl Batch<'_> {
    /// [`Batch::run`] of messages that consist of segments in different places, such as a header
    /// and a body. Segments may have any lengths. No message is put together in memory, unless all
    /// messages together have 4 KiB or less.
    ///
    /// ```
    /// use manylane::{Batch, HashId, hash};
    ///
    /// let blobs = ["one file", "another"];
    /// // An object of git begins with its kind and its length.
    /// let headers = blobs.map(|blob| format!("blob {}\0", blob.len()));
    /// let objects = [0, 1].map(|i| [&headers[i][..], blobs[i]]);
    /// let mut names = [0; 2 * 20];
    /// Batch::new(HashId::Sha1).run_segments(&objects, &mut names)?;
    /// assert_eq!(names[..20], hash(HashId::Sha1, b"blob 8\0one file"));
    /// # Ok::<(), manylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Batch::run`].
    pub fn run_segments<M, S>(&self, messages: &[M], out: &mut [u8]) -> Result<(), Error>
    where
        M: AsRef<[S]> + Sync,
        S: AsRef<[u8]> + Sync,
    {
        let segments = |i: usize| messages[i].as_ref().iter().map(S::as_ref);
        let bytes = (0..messages.len()).flat_map(segments).map(<[u8]>::len);
        if bytes.fold(0, usize::saturating_add) <= MOST_JOINED {
            let (mut joined, mut ends) =
                (SmallVec::<[u8; 1024]>::new(), SmallVec::<[_; 16]>::new());
            for i in 0..messages.len() {
                segments(i).for_each(|segment| joined.extend_from_slice(segment));
                ends.push(joined.len());
            }
            let begin = |i: usize| i.checked_sub(1).map_or(0, |before| ends[before]);
            let message = |i: usize| &joined[begin(i)..ends[i]];
            return self.run_indexed(messages.len(), message, out);
        }
        let segment = |i: usize, n: usize| messages[i].as_ref().get(n).map(S::as_ref);
        self.run_scattered(messages.len(), &segment, None, out)
    }

    /// [`Batch::run`] of messages that hashers have begun: message i comes after all that was
    /// appended to hasher number `begun_by[i]`. The hashers stay as they are. Many messages can go
    /// on from one hasher, which has then hashed their common beginning once.
    ///
    /// ```
    /// use manylane::{Batch, HashId, Hasher, hash};
    ///
    /// let mut hashers = ["red ", "blue "].map(|color| {
    ///     let mut hasher = Hasher::new(HashId::Sha256);
    ///     hasher.update(color.as_bytes());
    ///     hasher
    /// });
    /// let mut digests = [0; 3 * 32];
    /// let things = ["hat", "coat", "shoe"];
    /// Batch::new(HashId::Sha256).run_after(&hashers, &[1, 0, 1], &things, &mut digests)?;
    /// assert_eq!(digests[64..], hash(HashId::Sha256, b"blue shoe"));
    /// # Ok::<(), manylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Batch::run`], or if there are not as many messages as numbers in `begun_by`, there is
    /// no hasher of a number, or one of the hashers computes another algorithm.
    pub fn run_after<M: AsRef<[u8]> + Sync>(
        &self,
        hashers: &[Hasher],
        begun_by: &[usize],
        messages: &[M],
        out: &mut [u8],
    ) -> Result<(), Error> {
        let count = begun_by.len();
        if messages.len() != count {
            let (what, given, of) = ("messages", messages.len(), "numbers of hashers");
            return Err(Error::Count { what, given, of, count });
        }
        if let Some(&hasher) = begun_by.iter().find(|number| **number >= hashers.len()) {
            return Err(Error::NoHasher { hasher, hashers: hashers.len() });
        }
        let needed = self.algorithm();
        if let Some(other) = hashers.iter().find(|hasher| hasher.algorithm() != needed) {
            let given = other.algorithm().to_string();
            return Err(Error::OtherAlgorithm { given, needed: needed.to_string() });
        }
        let prefix = self.prefix_bytes();
        let segment = |i: usize, n: usize| match n.checked_sub(usize::from(!prefix.is_empty())) {
            None => Some(prefix),
            Some(0) => Some(messages[i].as_ref()),
            Some(_) => None,
        };
        self.run_scattered(count, &segment, Some(Begun { hashers, by: begun_by }), out)
    }

    /// [`Batch::run`] that writes the first `bytes` bytes of each digest, and those of message i
    /// from byte `i * stride` of `out`. What lies between them stays as it is.
    ///
    /// ```
    /// use manylane::{Batch, HashId, hash};
    ///
    /// // A table of records of ten bytes, each with the first four bytes of a digest at its start.
    /// let mut table = [b'.'; 30];
    /// Batch::new(HashId::Sha256).run_strided(&["a", "b", "c"], 4, 10, &mut table)?;
    /// assert_eq!(table[10..14], hash(HashId::Sha256, b"b")[..4]);
    /// assert_eq!(&table[14..20], b"......");
    /// # Ok::<(), manylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `bytes` is 0 or more than a digest has, `stride` is less than `bytes`, `out` is not as
    /// long as all strides together, whose last may end after its digest, or the engine cannot
    /// serve.
    pub fn run_strided<M: AsRef<[u8]> + Sync>(
        &self,
        messages: &[M],
        bytes: usize,
        stride: usize,
        out: &mut [u8],
    ) -> Result<(), Error> {
        let digest = self.algorithm().digest_bytes();
        if !(1..=digest).contains(&bytes) {
            return Err(Error::OutputBytes { given: bytes, digest });
        }
        if stride < bytes {
            return Err(Error::Stride { stride, bytes });
        }
        let given = Some(out.len());
        let needed = messages.len().checked_mul(stride);
        let to_last = messages.len().saturating_sub(1).checked_mul(stride);
        let last = if messages.is_empty() { 0 } else { bytes };
        let least = to_last.and_then(|start| start.checked_add(last));
        if given != needed && given != least {
            let (given, messages) = (out.len(), messages.len());
            let needed = needed.unwrap_or(usize::MAX);
            return Err(Error::OutputLength { given, messages, digest: stride, needed });
        }
        if bytes == digest && stride == digest && needed == given {
            return self.run(messages, out);
        }
        let window = HELD_DIGESTS.saturating_mul(self.options().threads().count());
        let window = window.min(messages.len()).max(1);
        let mut digests = error::try_with_capacity(window.saturating_mul(digest))?;
        digests.resize(window * digest, 0);
        // An engine that cannot serve is an error even where there are no messages.
        self.run::<M>(&[], &mut [])?;
        // One stride may be longer than memory where there is one message.
        let rows = window.saturating_mul(stride);
        for (messages, out) in messages.chunks(window).zip(out.chunks_mut(rows)) {
            let digests = &mut digests[..messages.len() * digest];
            self.run(messages, digests)?;
            for (place, digest) in out.chunks_mut(stride).zip(digests.chunks_exact(digest)) {
                place[..bytes].copy_from_slice(&digest[..bytes]);
            }
        }
        Ok(())
    }

    fn run_scattered<'m>(
        &self,
        count: usize,
        segment: Segment<'_, 'm>,
        begun: Option<Begun<'_>>,
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.check_output(count, out)?;
        let options = self.options();
        try_visit(self.algorithm(), Scattered { options, count, segment, begun, out })
    }
}

/// The hashers that have begun messages.
struct Begun<'a> {
    hashers: &'a [Hasher],
    by: &'a [usize],
}

struct Scattered<'a, 'm> {
    options: &'a Options<'a>,
    count: usize,
    segment: Segment<'a, 'm>,
    begun: Option<Begun<'a>>,
    out: &'a mut [u8],
}

impl Visit for Scattered<'_, '_> {
    type Output = Result<(), Error>;
    fn visit<H: Runs>(self, hash: H) -> Self::Output {
        let Self { options, count, segment, begun, out } = self;
        let choice = Choice::new(options.engine())?;
        let bytes = |i| bytes(segment, i);
        let prefixed = Single { hash: &hash, kernel: choice.for_one() }.begin(&options.prefix);
        let streams: Option<Vec<&Stream<H>>> = begun.as_ref().map(|begun| {
            let streams = begun.hashers.iter().map(Hasher::stream::<H>);
            streams.collect::<Option<_>>().expect("hashers of this algorithm")
        });
        let start = |i: usize| match (&begun, &streams) {
            (Some(begun), Some(streams)) => streams[begun.by[i]].checkpoint(),
            _ => {
                let (start, lead) = prefixed.of(usize::from(bytes(i) > 0));
                (*start, lead)
            }
        };
        // Shortens the lifetime of the segments to that of the prefix, which `start` returns.
        let segment = |i: usize, number: usize| segment(i, number);
        let block = hash.block_bytes() as u64;
        let work = (0..count).map(|i| bytes(i).saturating_add(block)).fold(0, u64::saturating_add);
        let (resources, digest) =
            (Resources::new(options.engine(), options.threads()), hash.digest_bytes());
        resources.share(
            count,
            MAX_LANES,
            work,
            &|i| i * digest,
            out,
            &|range: Range<usize>, out| {
                let messages = SegmentedRange { range, segment: &segment, start: &start };
                segments::run(&hash, choice, &messages, out);
            },
        );
        Ok(())
    }
}

/// The bytes of all segments of a message.
fn bytes(segment: Segment<'_, '_>, message: usize) -> u64 {
    let segments = (0..).map_while(|number| segment(message, number));
    segments.map(|segment| segment.len() as u64).fold(0, u64::saturating_add)
}

/// The messages of one thread: those of `range`, counted from 0.
struct SegmentedRange<'a, 'm, H: Runs> {
    range: Range<usize>,
    segment: Segment<'a, 'm>,
    start: &'a (dyn Fn(usize) -> (Start<H>, &'m [u8]) + Sync),
}

impl<'m, H: Runs> Segmented<'m, H> for SegmentedRange<'_, 'm, H> {
    fn count(&self) -> usize {
        self.range.len()
    }
    fn bytes(&self, message: usize) -> u64 {
        bytes(self.segment, self.range.start + message)
    }
    fn start(&self, message: usize) -> (Start<H>, &'m [u8]) {
        (self.start)(self.range.start + message)
    }
    fn segment(&self, message: usize, number: usize) -> Option<&'m [u8]> {
        (self.segment)(self.range.start + message, number)
    }
}
