//! The bindings below the npm package `manylane`: `js/api.js` is what its users call.
//!
//! That script checks the types of arguments. Names, engines and lengths of digests, which only the
//! library knows, are checked here; a wrong one gives a JavaScript `Error`.

use manylane::{Batch, Engine, HashId, Security};
use wasm_bindgen::prelude::*;

fn refused(error: impl ToString) -> JsError {
    JsError::new(&error.to_string())
}

fn engine(name: Option<String>) -> Result<Option<Engine>, JsError> {
    name.map(|name| name.parse().map_err(refused)).transpose()
}

/// The entry of the catalogue for a hash function.
#[wasm_bindgen(getter_with_clone)]
pub struct Entry {
    /// Its name, which [`Algorithm::new`] takes.
    pub name: String,
    /// Its name in its standard.
    pub title: String,
    /// The document that defines it.
    pub standard: String,
    /// Bytes of a digest; the default where the length is free.
    #[wasm_bindgen(js_name = digestBytes)]
    pub digest_bytes: usize,
    /// Bytes of message per compression.
    #[wasm_bindgen(js_name = blockBytes)]
    pub block_bytes: usize,
    /// Whether a name may say the digest's bits.
    #[wasm_bindgen(js_name = anyLength)]
    pub any_length: bool,
    /// The reason for which it is not for new use, if there is one.
    pub warning: Option<String>,
}

/// Every hash function, in the catalogue's order.
#[wasm_bindgen]
pub fn catalogue() -> Vec<Entry> {
    let entry = |id: &HashId| {
        let entry = id.entry();
        let warning = match entry.security {
            Security::Aged(why) | Security::Broken(why) => Some(why.to_owned()),
            Security::Standard | Security::Finalist => None,
        };
        Entry {
            name: entry.name.to_owned(),
            title: entry.title.to_owned(),
            standard: entry.standard.to_owned(),
            digest_bytes: entry.shape.digest_bytes,
            block_bytes: entry.shape.block_bytes,
            any_length: entry.shape.any_length,
            warning,
        }
    };
    HashId::ALL.iter().map(entry).collect()
}

/// A hash function with the length of its digest: made once for each name, since reading a name
/// takes longer than hashing a short message.
#[wasm_bindgen]
pub struct Algorithm(manylane::Algorithm);

#[wasm_bindgen]
impl Algorithm {
    /// The function of a name, with the digest's bits where the length is free: `skein512-256`.
    ///
    /// # Errors
    /// If there is none.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<Self, JsError> {
        name.parse().map(Self).map_err(|error| refused(format!("no hash `{name}`: {error}")))
    }

    /// The name, spelled as the catalogue spells it.
    pub fn name(&self) -> String {
        self.0.to_string()
    }

    /// Bytes of a digest.
    #[wasm_bindgen(js_name = digestBytes)]
    pub fn digest_bytes(&self) -> usize {
        self.0.digest_bytes()
    }

    /// The names of the engines that compute it here.
    ///
    /// # Errors
    /// None on WebAssembly, which has no environment that could forbid one.
    pub fn engines(&self) -> Result<Vec<String>, JsError> {
        let engines = manylane::engines(self.0).map_err(refused)?;
        Ok(engines.into_iter().map(|engine| engine.name().to_owned()).collect())
    }

    /// The digest of one message.
    ///
    /// # Errors
    /// If the memory has no room for the digest.
    pub fn hash(&self, message: &[u8]) -> Result<Vec<u8>, JsError> {
        let mut digest = room_for_digests(1, self.0)?;
        manylane::hash_many(self.0, &[message], &mut digest).map_err(refused)?;
        Ok(digest)
    }
}

/// Room for so many digests, filled with zeros.
///
/// # Errors
/// If the memory has no room for them.
fn room_for_digests(count: usize, algorithm: manylane::Algorithm) -> Result<Vec<u8>, JsError> {
    let mut digests = Vec::new();
    let bytes = count.checked_mul(algorithm.digest_bytes());
    match bytes.filter(|&bytes| digests.try_reserve_exact(bytes).is_ok()) {
        Some(bytes) => digests.resize(bytes, 0),
        None if count == 1 => {
            let bytes = algorithm.digest_bytes();
            return Err(refused(format!("no memory for a digest of {bytes} bytes: ask for less")));
        }
        None => {
            return Err(refused(format!("no memory for {count} digests: hash fewer at a time")));
        }
    }
    Ok(digests)
}

/// One message in pieces.
#[wasm_bindgen]
pub struct Hasher(manylane::Hasher);

#[wasm_bindgen]
impl Hasher {
    /// A hasher on the engine of this name, or on the best one.
    ///
    /// # Errors
    /// If there is no such engine, or it does not compute this hash here.
    #[wasm_bindgen(constructor)]
    pub fn new(function: &Algorithm, engine_name: Option<String>) -> Result<Self, JsError> {
        manylane::Hasher::on(function.0, engine(engine_name)?).map(Self).map_err(refused)
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of what was appended so far.
    ///
    /// # Errors
    /// If the memory has no room for it.
    pub fn digest(&self) -> Result<Vec<u8>, JsError> {
        let mut digest = room_for_digests(1, self.0.algorithm())?;
        self.0.finalize_into(&mut digest);
        Ok(digest)
    }

    /// Forgets the message.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// A second hasher that goes on from here.
    pub fn copy(&self) -> Self {
        Self(self.0.clone())
    }
}

/// HMAC of one message in pieces.
#[wasm_bindgen]
pub struct Hmac(manylane::Hmac);

#[wasm_bindgen]
impl Hmac {
    /// HMAC under a key of any length.
    ///
    /// # Errors
    /// As [`Hasher::new`], or if the digest is longer than the hash's block.
    #[wasm_bindgen(constructor)]
    pub fn new(
        function: &Algorithm,
        key: &[u8],
        engine_name: Option<String>,
    ) -> Result<Self, JsError> {
        manylane::Hmac::on(function.0, key, engine(engine_name)?).map(Self).map_err(refused)
    }

    /// Appends bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The tag of what was appended so far.
    pub fn digest(&self) -> Vec<u8> {
        self.0.finalize()
    }

    /// Whether this is the tag, or its first bytes, at least 4; in a time that does not depend on
    /// where they differ.
    pub fn verify(&self, tag: &[u8]) -> bool {
        self.0.verify(tag)
    }

    /// Forgets the message, not the key.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// A second one that goes on from here.
    pub fn copy(&self) -> Self {
        Self(self.0.clone())
    }
}

/// Many messages at once, which the script writes into this module's memory.
#[wasm_bindgen]
pub struct Many {
    batch: Batch<'static>,
    key: Option<Vec<u8>>,
    data: Vec<u8>,
}

#[wasm_bindgen]
impl Many {
    /// A batch on the engine of this name, or on the best ones; `prefix` stands before each
    /// message, and with a key the digests are tags of HMAC.
    ///
    /// # Errors
    /// If there is no such engine.
    #[wasm_bindgen(constructor)]
    pub fn new(
        function: &Algorithm,
        prefix: &[u8],
        key: Option<Vec<u8>>,
        engine_name: Option<String>,
    ) -> Result<Self, JsError> {
        let batch = Batch::new(function.0).prefix(prefix).engine(engine(engine_name)?);
        Ok(Self { batch, key, data: Vec::new() })
    }

    /// Reserves room for `bytes` bytes, and returns its address in the module's memory.
    ///
    /// # Errors
    /// If the memory has no such place.
    pub fn reserve(&mut self, bytes: usize) -> Result<*mut u8, JsError> {
        let more = bytes.saturating_sub(self.data.len());
        let refusal = |_| format!("no memory for {bytes} bytes of messages: hash fewer at a time");
        self.data.try_reserve_exact(more).map_err(refusal).map_err(refused)?;
        self.data.resize(self.data.len() + more, 0);
        Ok(self.data.as_mut_ptr())
    }

    /// The digests of the messages in the place reserved, one after the other: message i ends at
    /// byte `ends[i]`, where the next one begins.
    ///
    /// # Errors
    /// If the ends go down or past the place, the digests have no room, or the engine does not
    /// compute the hash here.
    pub fn run(&self, ends: &[u32]) -> Result<Vec<u8>, JsError> {
        let mut begin = 0;
        let mut messages: Vec<&[u8]> = Vec::with_capacity(ends.len());
        for (i, &end) in ends.iter().enumerate() {
            let end = end as usize;
            let message = self.data.get(begin..end);
            let message = message.ok_or_else(|| {
                let bytes = self.data.len();
                refused(format!("message {i} from byte {begin} to {end} is not in {bytes} bytes"))
            })?;
            messages.push(message);
            begin = end;
        }
        let mut digests = room_for_digests(messages.len(), self.batch.algorithm())?;
        match &self.key {
            Some(key) => self.batch.run_hmac(key, &messages, &mut digests),
            None => self.batch.run(&messages, &mut digests),
        }
        .map_err(refused)?;
        Ok(digests)
    }
}
