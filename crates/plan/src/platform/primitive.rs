//! The names of primitives and of their steps in a platform's file.

use super::steps::Pattern;
use super::table::{Key, Result, Table};
use crate::source::Remedy;
use crate::work;
use manylane_graph::Function;
use manylane_graph::part::{self, Subject};
use manylane_graph::trace::{self, Loading};
use manylane_nearest::{listed, nearest, suggestion};
use manylane_primitives::catalog::{Algorithm, HashId};

/// The prefix of a hash's name that means its keyed form.
const KEYED: &str = "hmac-";

/// The longest digest that is traced, in bytes. Longer ones have no other steps, only more of them.
const MOST_DIGEST_BYTES: usize = 1024;

/// Refuses a key of `table` that does not begin with the name of a primitive, or of the keyed form
/// of one where `is_keyed`. What follows a dot names one of its functions or programs.
pub(super) fn check_name(table: &Table<'_>, key: &Key<'_>, is_keyed: bool) -> Result<()> {
    let name = stem(key.get_ref());
    let (prefix, base) = match name.strip_prefix(KEYED).filter(|_| is_keyed) {
        Some(base) => (KEYED, base),
        None => ("", name),
    };
    if hash(base).is_some() || (prefix.is_empty() && cipher(base).is_some()) {
        return Ok(());
    }
    let spelled = spelled_cipher(base).filter(|_| prefix.is_empty()).map(|(name, _)| name);
    let near = match base.parse::<Algorithm>().map(|hash| hash.to_string()).ok().or(spelled) {
        Some(other) => vec![other],
        None => {
            let base = base.strip_prefix(KEYED).unwrap_or(base);
            let names = HashId::ALL.iter().map(|id| id.name());
            nearest(base, names).into_iter().map(str::to_owned).collect()
        }
    };
    let near: Vec<String> = near.iter().map(|near| format!("{prefix}{near}")).collect();
    let near: Vec<&str> = near.iter().map(String::as_str).collect();
    let remedy = match near[..] {
        [] => Remedy::Primitives,
        _ => listed(&near, &[]).into(),
    };
    Err(table.wrong(key, format!("no primitive `{name}` in `{}`", table.what), remedy))
}

/// Whether a key begins with the name of a cipher, which has no messages of other lengths.
pub(super) fn is_cipher(key: &str) -> bool {
    cipher(stem(key)).is_some()
}

/// The steps of a primitive in all its functions.
pub(super) struct Steps {
    /// The names of the steps that every block has.
    of_block: Vec<String>,
    functions: Vec<Function>,
    of_cipher: bool,
    /// A hash, whose keyed form is traced only if no other function has the step that is looked
    /// for.
    keyed: Option<Algorithm>,
}

impl Steps {
    /// The steps of the primitive that a key begins with.
    pub(super) fn of(key: &str) -> Option<Self> {
        let name = stem(key);
        let Some(hash) = hash(name) else {
            return cipher(name).map(Self::of_cipher);
        };
        let bytes = hash.digest_bytes().min(MOST_DIGEST_BYTES);
        let hash = hash.with_digest_bytes(bytes).unwrap_or(hash);
        let block = trace::literal_compression(hash);
        let bytes = hash.id().entry().shape.block_bytes;
        // The programs that swap every word have all steps that others have.
        let message = part::message(&Subject::Hash(hash), bytes, Loading::Buffered).ok();
        let of_block = names(&block);
        let functions: Vec<Function> = std::iter::once(block).chain(message).collect();
        work::add(functions.iter().map(|function| function.steps().len()).sum());
        Some(Self { of_block, functions, of_cipher: false, keyed: Some(hash) })
    }

    /// The steps of the key expansion and of a block of a cipher.
    fn of_cipher(cipher: Function) -> Self {
        let (of_block, functions) = (names(&cipher), vec![cipher]);
        Self { of_block, functions, of_cipher: true, keyed: None }
    }

    /// Whether a hash has no function of this name. The functions of a cipher are not checked.
    pub(super) fn lack_function(&mut self, key: &str) -> bool {
        if self.of_cipher || !key.contains('.') || self.functions.iter().any(|of| of.name == key) {
            return false;
        }
        self.add_keyed();
        !self.functions.iter().any(|function| function.name == key)
    }

    /// Adds the keyed form, if it is not there.
    fn add_keyed(&mut self) {
        let keyed = self.keyed.take().and_then(|hash| {
            let bytes = hash.id().entry().shape.block_bytes;
            part::hmac(hash, bytes + 1, bytes, Loading::Buffered).ok()
        });
        work::add(keyed.iter().map(|function| function.steps().len()).sum());
        self.functions.extend(keyed);
    }

    /// The remedy for a pattern that describes none of the steps. The number of blocks depends on
    /// the message, so a step around blocks, such as `block[7]`, may have any number.
    pub(super) fn lack(&mut self, pattern: &Pattern) -> Option<String> {
        let of_block = &self.of_block;
        let pattern = pattern.without_numbers(|name| !of_block.iter().any(|own| own == name));
        if self.functions.iter().any(|function| pattern.is_in(function)) {
            return None;
        }
        self.add_keyed();
        if self.functions.iter().any(|function| pattern.is_in(function)) {
            return None;
        }
        let unnumbered = pattern.without_numbers(|_| true);
        if self.functions.iter().any(|function| unnumbered.is_in(function)) {
            return Some("there is no step of this number".to_owned());
        }
        Some(suggested(&unnumbered, self.names()))
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.functions.iter().flat_map(names)
    }
}

/// The steps of all primitives. Each primitive is traced once, when none that was traced before has
/// the step that is looked for.
#[derive(Default)]
pub(super) struct AllSteps {
    traced: Vec<Steps>,
}

impl AllSteps {
    /// The remedy for a pattern that describes no step of any primitive.
    pub(super) fn lack(&mut self, pattern: &Pattern) -> Option<String> {
        for i in 0.. {
            if i == self.traced.len() {
                let Some(steps) = Self::traced(i) else { break };
                self.traced.push(steps);
            }
            self.traced[i].lack(pattern)?;
        }
        let known = self.traced.iter().flat_map(Steps::names);
        Some(suggested(&pattern.without_numbers(|_| true), known))
    }

    /// The steps of primitive `i`: of a hash, or, behind all hashes, of the cipher.
    fn traced(i: usize) -> Option<Steps> {
        match HashId::ALL.get(i) {
            Some(id) => Steps::of(&Algorithm::from(*id).to_string()),
            None if i == HashId::ALL.len() => {
                Some(Steps::of_cipher(part::cipher_beside(&Default::default(), 1)))
            }
            None => None,
        }
    }
}

/// The names that are near to a pattern, or all of them.
fn suggested(pattern: &Pattern, names: impl IntoIterator<Item = String>) -> String {
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    suggestion(&pattern.to_string(), &names)
}

/// A key up to the dot.
fn stem(key: &str) -> &str {
    key.split_once('.').map_or(key, |(stem, _)| stem)
}

/// The hash of exactly this name, in the form in which functions are named.
fn hash(name: &str) -> Option<Algorithm> {
    name.parse().ok().filter(|hash: &Algorithm| hash.to_string() == name)
}

/// The key expansion and a block of the cipher of exactly this name.
fn cipher(name: &str) -> Option<Function> {
    spelled_cipher(name).filter(|(own, _)| own == name).map(|(_, function)| function)
}

/// The cipher of this name in whatever spelling, as its name and its function. The name is that of
/// functions, with `-` for each `/` of the cipher's name; the function is the key expansion with a
/// block.
fn spelled_cipher(name: &str) -> Option<(String, Function)> {
    let (family, numbers) = name.split_once('-')?;
    let parameters = format!("{family}-{}", numbers.replace('-', "/")).parse().ok()?;
    let function = part::cipher_beside(&parameters, 1);
    Some((parameters.to_string().replace('/', "-"), function))
}

/// The name of every step, once.
fn names(function: &Function) -> Vec<String> {
    // The first step is the function itself.
    let steps = function.steps().iter().skip(1);
    let mut names: Vec<String> = steps.map(|step| step.name.clone()).collect();
    names.sort();
    names.dedup();
    names
}
