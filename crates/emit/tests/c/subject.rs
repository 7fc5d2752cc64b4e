//! Libraries of the catalogue's primitives.

use manylane_emit::backend::Error;
use manylane_emit::c::{About, Cipher, Cores, Folder, Hash, Library, Options, Programs, Subject};
use manylane_graph::Module;
use manylane_graph::calls::{digest, hmac, rc5, rc5_table};
use manylane_graph::framing::{ByteOrder, stream};
use manylane_graph::part;
use manylane_graph::trace::{self, Rc5};
use manylane_plan::Platform;
use manylane_plan::program::Program;
use manylane_plan::program::shape::{Shape, two};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::{Rc5Params, modes};

/// Words of each width, keys without bytes and longer than the table, no rounds and many.
pub const CIPHERS: [&str; 7] = [
    "rc5-32/12/16",
    "rc5-8/0/5",
    "rc5-64/2/255",
    "rc5-16/3/0",
    "rc5-64/24/24",
    "rc5-16/16/8",
    "rc5-8/12/4",
];

/// Whether a hash has the compression and the length field of no hash before it in the catalogue.
pub fn is_first_of_its_kind(id: HashId) -> bool {
    let kind = |id: HashId| {
        let algorithm = Algorithm::from(id);
        let framing = stream(algorithm).unwrap().framing;
        let compression = Module::of(trace::literal_compression(algorithm)).to_string();
        (compression.replace(id.name(), ""), framing.padding, framing.counter)
    };
    HashId::ALL.iter().find(|&&other| kind(other) == kind(id)) == Some(&id)
}

/// The prefix of a primitive's names in C.
pub fn prefix(name: &str) -> String {
    name.replace(['-', '/'], "_")
}

fn about<'a>(prefix: &'a str, hash_prefix: &'a str) -> About<'a> {
    About {
        title: prefix,
        standard: "the definition",
        warning: None,
        command: "a test",
        prefix,
        hash_prefix,
        measured: None,
    }
}

/// The library of a hash, with HMAC if asked for, for two Ibex cores.
pub fn of_hash(algorithm: Algorithm, keyed: bool, options: &Options) -> Result<Folder, Error> {
    let one = Shape::default().one(&trace::literal_compression(algorithm));
    let pair = (options.cores == Cores::Two).then(|| split(algorithm, &one, "ibex-duo"));
    of_programs(algorithm, Programs { one: &one, two: pair.as_ref() }, keyed, options)
}

/// A program for two cores of a platform, if that saves time there.
fn split(algorithm: Algorithm, one: &Program, platform: &str) -> Program {
    let order = stream(algorithm).unwrap().framing.order;
    two(one, order, &Platform::load(platform).unwrap()).unwrap()
}

/// The library of a hash for two cores. Where no split saves time on the platform, the split is
/// planned for handshakes that cost next to nothing, for which every hash has one.
pub fn divided(algorithm: Algorithm, keyed: bool, platform: &str) -> Folder {
    let one = Shape::default().one(&trace::literal_compression(algorithm));
    let pair = Some(split(algorithm, &one, platform)).filter(|pair| pair.processors == 2);
    let pair = pair.unwrap_or_else(|| split(algorithm, &one, "unit"));
    assert_eq!(pair.processors, 2, "{algorithm}");
    let options = Options { cores: Cores::Two, ..Options::default() };
    of_programs(algorithm, Programs { one: &one, two: Some(&pair) }, keyed, &options).unwrap()
}

/// The library of a hash whose compression is planned.
pub fn of_programs(
    algorithm: Algorithm,
    compression: Programs<'_>,
    keyed: bool,
    options: &Options,
) -> Result<Folder, Error> {
    let stream = stream(algorithm).unwrap();
    let of = |message: &[u8]| digest(algorithm, message);
    let mac = |key: &[u8], message: &[u8]| hmac(algorithm, key, message);
    let hash = Hash { stream: &stream, compression, digest: &of };
    let name = prefix(&algorithm.to_string());
    let hmac_name = format!("hmac_{name}");
    let subject = Subject::Hash { hash: &hash, mac: if keyed { Some(&mac) } else { None } };
    made(&subject, &about(if keyed { &hmac_name } else { &name }, &name), options)
}

/// RC5 with any parameters, planned for two Ibex cores.
pub fn of_rc5(name: &str, options: &Options) -> Result<Folder, Error> {
    of_rc5_on(name, options, "ibex-duo")
}

/// RC5 with any parameters, planned for two cores of a platform.
pub fn of_rc5_on(name: &str, options: &Options, platform: &str) -> Result<Folder, Error> {
    of_rc5_shaped(name, options, platform, Shape::default())
}

/// RC5 with any parameters, planned for two cores of a platform, in this shape.
pub fn of_rc5_shaped(
    name: &str,
    options: &Options,
    platform: &str,
    shape: Shape,
) -> Result<Folder, Error> {
    let params: Rc5Params = name.parse().unwrap();
    let (pass, rounds) = (params.iterations() / 3, params.rounds());
    let parts = [(Rc5::KeyExpansion, pass), (Rc5::Block, rounds), (Rc5::Inverse, rounds)];
    let [expansion, encryption, decryption] =
        parts.map(|(part, period)| shape.periodic(&part::literal_cipher(&params, part), period));
    let one = shape.one(&part::cipher_beside(&params, 3));
    let platform = Platform::load(platform).unwrap();
    let pair =
        (options.cores == Cores::Two).then(|| two(&one, ByteOrder::Little, &platform).unwrap());
    let encrypt = |key: &[u8], data: &[u8]| {
        let mut data = data.to_vec();
        modes::ecb_encrypt(&*rc5(params, key), &mut data).unwrap();
        data
    };
    let cipher = Cipher {
        word_bits: params.word_bits() as u8,
        expansion: &expansion,
        table: &rc5_table(params),
        encryption: &encryption,
        decryption: &decryption,
        beside: Some(Programs { one: &one, two: pair.as_ref() }),
        key_bytes: params.key_bytes(),
        encrypt: &encrypt,
    };
    let prefix = prefix(&params.to_string());
    made(&Subject::Cipher(&cipher), &about(&prefix, &prefix), options)
}

fn made(subject: &Subject<'_>, about: &About<'_>, options: &Options) -> Result<Folder, Error> {
    Library { about, options }.make(subject)
}
