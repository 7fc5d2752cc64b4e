//! The registry: every way in which this machine computes a hash or a MAC. One test body runs on
//! all of them:
//!
//! ```
//! use manylane_engine::HashId;
//! use manylane_kat::{Backend, Rng};
//!
//! let messages = Rng::from_name("doc").messages(0..100);
//! let expected = Backend::Definition.digest_many(HashId::Sha1, &messages);
//! for backend in Backend::all(HashId::Sha1) {
//!     assert_eq!(backend.digest_many(HashId::Sha1, &messages), expected, "{backend}");
//! }
//! ```
//!
//! An engine that this machine lacks is left out, and named on stderr once.

use crate::Rng;
use manylane_engine::{Algorithm, Batch, Engine, Group, Hasher, Hmac, engines, hash_bits};
use manylane_primitives::hash::{Compress, Scalar};
use manylane_primitives::{mac, match_hash};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt;
use std::sync::{Once, OnceLock};

/// No kernel of any engine has more lanes.
pub const MOST_LANES: usize = 64;

/// One way to compute a hash. An engine of `None` means the engine's own choice, by the number of
/// messages in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The definition over scalar words, which needs nothing of the engine: the reference.
    Definition,
    /// One message after the other through `Hasher`.
    Hasher(Option<Engine>),
    /// All messages through `Batch`.
    Batch(Option<Engine>, Threads),
    /// All messages side by side through `Group`, in pieces.
    Group(Option<Engine>),
}

/// The threads of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// A number of threads that the batch starts.
    Count(usize),
    /// The test's own pool of two threads.
    Pool,
}

impl Threads {
    /// Each way to spread a batch on this platform. A pool cannot start where no thread can.
    pub const ALL: &[Self] = match cfg!(target_family = "wasm") {
        true => &[Self::Count(1), Self::Count(2), Self::Count(3), Self::Count(4)],
        false => &[Self::Count(1), Self::Count(2), Self::Count(3), Self::Count(4), Self::Pool],
    };
}

/// The engines that compute `algorithm` on this machine, and `None`, the choice among them.
fn choices(algorithm: Algorithm) -> impl Iterator<Item = Option<Engine>> {
    static SKIPS: Once = Once::new();
    SKIPS.call_once(|| {
        let available = Engine::available().unwrap_or_else(|error| panic!("{error}"));
        for engine in Engine::ALL.iter().filter(|engine| !available.contains(engine)) {
            eprintln!("skipped engine {engine}: not on this machine");
        }
    });
    let engines = engines(algorithm).unwrap_or_else(|error| panic!("{error}"));
    [None].into_iter().chain(engines.into_iter().map(Some))
}

impl Backend {
    /// Every implementation of `algorithm` on this machine.
    pub fn all(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        let mut all = vec![Self::Definition];
        for engine in choices(algorithm.into()) {
            all.extend([Self::Hasher(engine), Self::Group(engine)]);
            let some = [Threads::Count(1), Threads::Count(3), Threads::Pool];
            let possible = some.into_iter().filter(|threads| Threads::ALL.contains(threads));
            all.extend(possible.map(|threads| Self::Batch(engine, threads)));
        }
        all
    }

    /// The backends of [`Backend::all`] without those that share the code of another: one `Hasher`
    /// and one single-threaded `Batch` for each engine. It is for tests that do much work.
    pub fn each_engine(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        let one = |engine| [Self::Hasher(engine), Self::Batch(engine, Threads::Count(1))];
        choices(algorithm.into()).flat_map(one).collect()
    }

    /// The batch of every engine on every arrangement of threads.
    pub fn batches(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        choices(algorithm.into())
            .flat_map(|engine| {
                Threads::ALL.iter().map(move |&threads| Self::Batch(engine, threads))
            })
            .collect()
    }

    /// The digests of messages of whole bytes.
    pub fn digest_many<M: AsRef<[u8]> + Sync>(
        self,
        algorithm: impl Into<Algorithm>,
        messages: &[M],
    ) -> Vec<Vec<u8>> {
        let algorithm = algorithm.into();
        match self {
            Self::Definition => {
                let digest =
                    |message: &[u8]| hash_bits(algorithm, message, 8 * message.len() as u64);
                messages.iter().map(|message| digest(message.as_ref())).collect()
            }
            Self::Hasher(engine) => {
                let mut hasher = Hasher::on(algorithm, engine).unwrap();
                let mut digest = |message: &M| {
                    hasher.reset();
                    hasher.update(message.as_ref());
                    hasher.finalize()
                };
                messages.iter().map(&mut digest).collect()
            }
            Self::Batch(engine, threads) => {
                let batch = match threads {
                    Threads::Count(count) => batch_on(algorithm, engine).threads(count),
                    Threads::Pool => batch_on(algorithm, engine).pool(pool()),
                };
                // The pattern shows digests that are not written.
                let mut out = vec![0xa5; messages.len() * algorithm.digest_bytes()];
                batch.run(messages, &mut out).unwrap();
                out.chunks_exact(algorithm.digest_bytes()).map(<[u8]>::to_vec).collect()
            }
            Self::Group(engine) => {
                in_pieces(Group::new(algorithm, messages.len(), engine).unwrap(), messages)
            }
        }
    }

    /// The digest of one message.
    pub fn digest(self, algorithm: impl Into<Algorithm>, message: &[u8]) -> Vec<u8> {
        self.digest_many(algorithm, &[message]).remove(0)
    }
}

/// The pool of [`Threads::Pool`].
fn pool() -> &'static ThreadPool {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    POOL.get_or_init(|| ThreadPoolBuilder::new().num_threads(2).build().unwrap())
}

/// A batch on the engine given, or on the best ones.
fn batch_on<'p>(algorithm: Algorithm, engine: Option<Engine>) -> Batch<'p> {
    match engine {
        Some(engine) => Batch::new(algorithm).engine(engine),
        None => Batch::new(algorithm),
    }
}

/// The digests of all members, fed in rounds of pieces, of other lengths for every member.
fn in_pieces<M: AsRef<[u8]>>(mut group: Group, messages: &[M]) -> Vec<Vec<u8>> {
    let mut rng = Rng::from_name("in_pieces");
    let mut rests: Vec<&[u8]> = messages.iter().map(AsRef::as_ref).collect();
    let longest = rests.iter().map(|rest| rest.len()).max().unwrap_or_default();
    let most = (longest / 4).max(600);
    while rests.iter().any(|rest| !rest.is_empty()) {
        let mut pieces = Vec::with_capacity(rests.len());
        for rest in &mut rests {
            let (piece, later) = rest.split_at(rng.below(most + 1).min(rest.len()));
            pieces.push(piece);
            *rest = later;
        }
        group.update(&pieces);
    }
    (0..messages.len()).map(|member| group.finalize(member)).collect()
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition => f.write_str("definition"),
            Self::Hasher(engine) => write!(f, "hasher on {}", name(*engine)),
            Self::Group(engine) => write!(f, "group on {}", name(*engine)),
            Self::Batch(engine, Threads::Count(1)) => write!(f, "batch on {}", name(*engine)),
            Self::Batch(engine, Threads::Count(count)) => {
                write!(f, "batch on {}, {count} threads", name(*engine))
            }
            Self::Batch(engine, Threads::Pool) => write!(f, "batch on {}, a pool", name(*engine)),
        }
    }
}

fn name(engine: Option<Engine>) -> &'static str {
    engine.map_or("the engine chosen", Engine::name)
}

/// One way to compute HMAC. An engine of `None` means the engine's own choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacBackend {
    /// FIPS 198-1 §4 as it stands: the reference.
    Definition,
    /// The definition from the chaining values after the key's two blocks.
    Prepared,
    /// One message after the other through the engine's `Hmac`.
    Hmac(Option<Engine>),
    /// All messages through `Batch::run_hmac`.
    Batch(Option<Engine>),
    /// All messages side by side through `Group::hmac`, in pieces.
    Group(Option<Engine>),
}

impl MacBackend {
    /// Every implementation of HMAC over `algorithm` on this machine.
    pub fn all(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        let mut all = vec![Self::Definition, Self::Prepared];
        for engine in choices(algorithm.into()) {
            all.extend([Self::Hmac(engine), Self::Batch(engine), Self::Group(engine)]);
        }
        all
    }

    /// The codes of many messages under one key, in full length.
    pub fn mac_many<M: AsRef<[u8]> + Sync>(
        self,
        algorithm: impl Into<Algorithm>,
        key: &[u8],
        messages: &[M],
    ) -> Vec<Vec<u8>> {
        let algorithm = algorithm.into();
        let digest_bytes = algorithm.digest_bytes();
        let defined = |mac: &dyn Fn(&[u8], &mut [u8])| {
            let mac = |message: &M| {
                let mut out = vec![0; digest_bytes];
                mac(message.as_ref(), &mut out);
                out
            };
            messages.iter().map(mac).collect()
        };
        match self {
            Self::Definition => {
                defined(&|message, out| definition_of(algorithm).mac(key, message, out))
            }
            Self::Prepared => {
                let prepared = definition_of(algorithm).prepare(key);
                defined(&|message, out| prepared(message, out))
            }
            Self::Hmac(engine) => {
                let mut hmac = Hmac::on(algorithm, key, engine).unwrap();
                let mut mac = |message: &M| {
                    hmac.reset();
                    hmac.update(message.as_ref());
                    hmac.finalize()
                };
                messages.iter().map(&mut mac).collect()
            }
            Self::Batch(engine) => {
                let mut out = vec![0xa5; messages.len() * digest_bytes];
                batch_on(algorithm, engine).run_hmac(key, messages, &mut out).unwrap();
                out.chunks_exact(digest_bytes).map(<[u8]>::to_vec).collect()
            }
            Self::Group(engine) => {
                let group = Group::hmac(algorithm, key, messages.len(), engine).unwrap();
                in_pieces(group, messages)
            }
        }
    }
}

impl fmt::Display for MacBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition => f.write_str("definition"),
            Self::Prepared => f.write_str("definition, its key prepared"),
            Self::Hmac(engine) => write!(f, "one by one on {}", name(*engine)),
            Self::Batch(engine) => write!(f, "batch on {}", name(*engine)),
            Self::Group(engine) => write!(f, "group on {}", name(*engine)),
        }
    }
}

/// Writes the code of its first argument to its second.
type Prepared = Box<dyn Fn(&[u8], &mut [u8])>;

/// HMAC of a hash that is known at run time, by the definition.
trait Mac {
    /// Writes the code to `out`.
    fn mac(&self, key: &[u8], message: &[u8], out: &mut [u8]);
    /// Returns a function that writes the codes of messages under one key.
    fn prepare(&self, key: &[u8]) -> Prepared;
}

impl<H: Compress<Scalar<H>>> Mac for H {
    fn mac(&self, key: &[u8], message: &[u8], out: &mut [u8]) {
        mac::hmac(self, key, message, out);
    }
    fn prepare(&self, key: &[u8]) -> Prepared {
        let prepared = mac::Hmac::new(self.clone(), key);
        Box::new(move |message, out| prepared.mac(message, out))
    }
}

fn definition_of(algorithm: Algorithm) -> Box<dyn Mac> {
    match_hash!(algorithm.id(), |hash| Box::new(algorithm.sized(hash)))
}
