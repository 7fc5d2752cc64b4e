//! The registry: every way in which this machine computes a hash or a MAC. One test body runs on all
//! of them:
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
use manylane_engine::{Algorithm, Batch, Engine, Group, HashId, Hasher, engines, hash_bits};
use manylane_primitives::for_each_hash;
use manylane_primitives::hash::{Compress, Hash, Scalar};
use manylane_primitives::mac::hmac::{IPAD, OPAD, padded_key};
use manylane_primitives::mac::{Hmac, hmac};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt;
use std::sync::{Once, OnceLock};

/// No kernel of any engine has more lanes.
pub const MOST_LANES: usize = 32;

/// One way to compute a hash. An engine of `None` means the engine's own choice, by the number of
/// messages.
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
    /// So many, started by the batch.
    Count(usize),
    /// The test's own pool of two.
    Pool,
}

impl Threads {
    /// Each way to spread a batch.
    pub const ALL: [Self; 5] =
        [Self::Count(1), Self::Count(2), Self::Count(3), Self::Count(4), Self::Pool];
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
            all.extend(
                [Threads::Count(1), Threads::Count(3), Threads::Pool]
                    .map(|threads| Self::Batch(engine, threads)),
            );
        }
        all
    }

    /// As [`Backend::all`], without what shares the code of another: one `Hasher` and one
    /// single-threaded `Batch` per engine. For tests of much work.
    pub fn each_engine(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        let one = |engine| [Self::Hasher(engine), Self::Batch(engine, Threads::Count(1))];
        choices(algorithm.into()).flat_map(one).collect()
    }

    /// The batch of every engine on every arrangement of threads.
    pub fn batches(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        choices(algorithm.into())
            .flat_map(|engine| Threads::ALL.map(|threads| Self::Batch(engine, threads)))
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
            Self::Batch(engine, threads) => self::batch(algorithm, engine, threads, &[], messages),
            Self::Group(engine) => group(algorithm, engine, messages),
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

fn batch<M: AsRef<[u8]> + Sync>(
    algorithm: Algorithm,
    engine: Option<Engine>,
    threads: Threads,
    prefix: &[u8],
    messages: &[M],
) -> Vec<Vec<u8>> {
    let mut batch = Batch::new(algorithm).prefix(prefix);
    if let Some(engine) = engine {
        batch = batch.engine(engine);
    }
    batch = match threads {
        Threads::Count(count) => batch.threads(count),
        Threads::Pool => batch.pool(pool()),
    };
    // Digests that are not written are seen.
    let mut out = vec![0xa5; messages.len() * algorithm.digest_bytes()];
    batch.run(messages, &mut out).unwrap();
    out.chunks_exact(algorithm.digest_bytes()).map(<[u8]>::to_vec).collect()
}

/// Rounds of pieces of 0 to 600 bytes, other lengths for every member.
fn group<M: AsRef<[u8]>>(
    algorithm: Algorithm,
    engine: Option<Engine>,
    messages: &[M],
) -> Vec<Vec<u8>> {
    let mut rng = Rng::from_name("group");
    let mut group = Group::new(algorithm, messages.len(), engine).unwrap();
    let mut rests: Vec<&[u8]> = messages.iter().map(AsRef::as_ref).collect();
    while rests.iter().any(|rest| !rest.is_empty()) {
        // A long message is not to take long.
        let longest = rests.iter().map(|rest| rest.len()).max().unwrap_or_default();
        let most = (longest / 4).max(600);
        let pieces: Vec<&[u8]> = rests
            .iter_mut()
            .map(|rest| {
                let (piece, later) = rest.split_at(rng.below(most + 1).min(rest.len()));
                *rest = later;
                piece
            })
            .collect();
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

/// One way to compute HMAC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacBackend {
    /// FIPS 198-1 §4 as it stands: the reference.
    Definition,
    /// From the chaining values after the key's two blocks.
    Prepared,
    /// Two batches, the key's block their prefix.
    Batch(Option<Engine>),
}

impl MacBackend {
    /// Every implementation of HMAC over `algorithm` on this machine.
    pub fn all(algorithm: impl Into<Algorithm>) -> Vec<Self> {
        let engines = choices(algorithm.into()).map(Self::Batch);
        [Self::Definition, Self::Prepared].into_iter().chain(engines).collect()
    }

    /// The codes of many messages under one key, in full length.
    pub fn mac_many<M: AsRef<[u8]> + Sync>(
        self,
        algorithm: impl Into<Algorithm>,
        key: &[u8],
        messages: &[M],
    ) -> Vec<Vec<u8>> {
        let algorithm = algorithm.into();
        let each = |mac: &dyn Fn(&[u8], &mut [u8])| {
            let mac = |message: &M| {
                let mut out = vec![0; algorithm.digest_bytes()];
                mac(message.as_ref(), &mut out);
                out
            };
            messages.iter().map(mac).collect()
        };
        match self {
            Self::Definition => {
                each(&|message, out| definition_of(algorithm).mac(key, message, out))
            }
            Self::Prepared => {
                let prepared = definition_of(algorithm).prepare(key);
                each(&|message, out| prepared(message, out))
            }
            Self::Batch(engine) => {
                let k0 = definition_of(algorithm).padded_key(key);
                let pad = |pad: u8| k0.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
                let one = Threads::Count(1);
                let inner = batch(algorithm, engine, one, &pad(IPAD), messages);
                batch(algorithm, engine, one, &pad(OPAD), &inner)
            }
        }
    }
}

impl fmt::Display for MacBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition => f.write_str("definition"),
            Self::Prepared => f.write_str("prepared key"),
            Self::Batch(engine) => write!(f, "batches on {}", name(*engine)),
        }
    }
}

/// HMAC of a hash that is known at run time, by the definition.
trait Mac {
    fn mac(&self, key: &[u8], message: &[u8], out: &mut [u8]);
    /// Writes the code of its first argument to its second.
    fn prepare(&self, key: &[u8]) -> Box<dyn Fn(&[u8], &mut [u8])>;
    /// One block.
    fn padded_key(&self, key: &[u8]) -> Vec<u8>;
}

impl<H: Compress<Scalar<H>>> Mac for H {
    fn mac(&self, key: &[u8], message: &[u8], out: &mut [u8]) {
        hmac(self, key, message, out);
    }
    fn prepare(&self, key: &[u8]) -> Box<dyn Fn(&[u8], &mut [u8])> {
        let prepared = Hmac::new(self.clone(), key);
        Box::new(move |message, out| prepared.mac(message, out))
    }
    fn padded_key(&self, key: &[u8]) -> Vec<u8> {
        padded_key(self, key)[..self.block_bytes()].to_vec()
    }
}

macro_rules! dispatch {
    ($($id:ident $name:literal $aliases:tt $title:literal $standard:literal
       $security:ident $(($why:literal))? => $value:expr;)*) => {
        fn definition_of(algorithm: Algorithm) -> Box<dyn Mac> {
            match algorithm.id() {
                $( HashId::$id => Box::new(sized($value, algorithm.digest_bytes())), )*
            }
        }
    };
}
for_each_hash!(dispatch);

fn sized<H: Hash>(hash: H, digest_bytes: usize) -> H {
    if hash.digest_bytes() == digest_bytes {
        hash
    } else {
        hash.with_digest_bytes(digest_bytes).expect("an Algorithm's length is checked")
    }
}
