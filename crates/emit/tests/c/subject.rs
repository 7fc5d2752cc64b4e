//! Libraries of the catalogue's primitives.

use manylane_emit::c::{
    About, Cipher, Cores, Error, Folder, Hash, Options, Programs, Subject, folder,
};
use manylane_graph::calls::{digest, hmac};
use manylane_graph::framing::stream;
use manylane_graph::trace::{self, Rc5};
use manylane_plan::Platform;
use manylane_plan::program::shape::{Shape, two};
use manylane_primitives::catalog::Algorithm;
use manylane_primitives::cipher::rc5::{Magic, initialize};
use manylane_primitives::cipher::{BlockCipher, Rc5 as Keyed, Rc5Params, modes};
use manylane_primitives::word::ByteOrder;

/// What C names of a primitive begin with.
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
    let platform = Platform::load("ibex-duo").unwrap();
    let order = stream(algorithm).unwrap().framing.order;
    let pair = (options.cores == Cores::Two).then(|| two(&one, order, &platform).unwrap());
    of_programs(algorithm, Programs { one: &one, two: pair.as_ref() }, keyed, options)
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
    folder(&subject, &about(if keyed { &hmac_name } else { &name }, &name), options)
}

/// RC5 with any parameters, over words of its width.
pub fn of_rc5(name: &str, options: &Options) -> Result<Folder, Error> {
    let params: Rc5Params = name.parse().unwrap();
    match params.word_bits() {
        8 => of_words::<u8>(params, options),
        16 => of_words::<u16>(params, options),
        32 => of_words::<u32>(params, options),
        _ => of_words::<u64>(params, options),
    }
}

fn of_words<N: Magic>(params: Rc5Params, options: &Options) -> Result<Folder, Error> {
    let function = |part| trace::rc5::<N>(part, params.rounds(), params.key_words());
    let (expansion, encryption, decryption) =
        (function(Rc5::KeyExpansion), function(Rc5::Block), function(Rc5::Inverse));
    let mut table = vec![N::default().scalar(); params.table_words()];
    initialize(&mut table);
    let value = |word| {
        let mut bytes = [0; 8];
        N::from_scalar(word).write(&mut bytes, ByteOrder::Little);
        u64::from_le_bytes(bytes)
    };
    let table: Vec<u64> = table.into_iter().map(value).collect();
    let encrypt = |key: &[u8], data: &[u8]| {
        let mut data = data.to_vec();
        modes::ecb_encrypt(&*cipher(params, key), &mut data).unwrap();
        data
    };
    let cipher = Cipher {
        expansion: &expansion,
        table: &table,
        encryption: &encryption,
        decryption: &decryption,
        key_bytes: params.key_bytes(),
        encrypt: &encrypt,
    };
    let prefix = prefix(&params.to_string());
    folder(&Subject::Cipher(&cipher), &about(&prefix, &prefix), options)
}

/// RC5 under a key, by the definition.
pub fn cipher(params: Rc5Params, key: &[u8]) -> Box<dyn BlockCipher> {
    match params.word_bits() {
        8 => Box::new(Keyed::<u8>::new(params.rounds(), key).unwrap()),
        16 => Box::new(Keyed::<u16>::new(params.rounds(), key).unwrap()),
        32 => Box::new(Keyed::<u32>::new(params.rounds(), key).unwrap()),
        _ => Box::new(Keyed::<u64>::new(params.rounds(), key).unwrap()),
    }
}
