//! The primitives that can be chosen: those of the program's `explain` and `plan`.

use manylane_graph::part::{Subject, hmac_title};
use manylane_nearest::suggestion;
use manylane_primitives::catalog::{Algorithm, HashId, Security};
use manylane_primitives::cipher::Rc5Params;
use serde::Serialize;
use std::fmt;

/// A cipher of the list; others of its family are understood too.
const CIPHER: &str = "rc5-32/12/16";

/// What is asked about.
#[derive(Clone, Copy)]
pub enum Primitive {
    /// A hash function or a block cipher.
    Of(Subject),
    /// HMAC with this hash function.
    Hmac(Algorithm),
}

impl Primitive {
    /// The primitive of a name.
    pub fn named(name: &str) -> Result<Self, String> {
        let lower = name.trim().to_lowercase();
        if lower.starts_with("rc5") {
            let name = if lower == "rc5" { CIPHER } else { lower.as_str() };
            let params = name.parse().map_err(|error| format!("{error}"))?;
            return Ok(Self::Of(Subject::Rc5(params)));
        }
        let (keyed, hash) = match lower.strip_prefix("hmac-") {
            Some(hash) => (true, hash),
            None => (false, lower.as_str()),
        };
        let known = hash.parse().map_err(|_| {
            let names: Vec<&str> = HashId::ALL.iter().map(|id| id.name()).collect();
            format!("no primitive `{name}`: {}", suggestion(hash, &names))
        })?;
        Ok(if keyed { Self::Hmac(known) } else { Self::Of(Subject::Hash(known)) })
    }

    /// Its name in its standard.
    pub fn title(&self) -> String {
        match self {
            Self::Of(subject) => subject.title(),
            Self::Hmac(hash) => hmac_title(*hash),
        }
    }

    /// The primitive whose compression, rounds and cores it uses: of HMAC its hash, of others
    /// itself.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Of(subject) => *subject,
            Self::Hmac(hash) => Subject::Hash(*hash),
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(subject) => subject.fmt(f),
            Self::Hmac(hash) => write!(f, "hmac-{hash}"),
        }
    }
}

/// A line of the list.
#[derive(Serialize)]
pub struct Listed {
    name: String,
    title: String,
    /// The heading that it is listed under.
    group: &'static str,
    warning: Option<String>,
}

/// Every hash function, HMAC with each, and one block cipher.
pub fn list() -> Vec<Listed> {
    let hash = |id: &HashId| {
        let entry = id.entry();
        let warning = match entry.security {
            Security::Aged(why) | Security::Broken(why) => Some(why.to_owned()),
            Security::Standard | Security::Finalist => None,
        };
        let (name, title) = (entry.name.to_owned(), entry.title.to_owned());
        Listed { name, title, group: "Hash functions", warning }
    };
    let hmac = |id: &HashId| {
        let entry = id.entry();
        let title = hmac_title(Algorithm::new(*id));
        let warning = match entry.security {
            Security::Broken(why) => {
                Some(format!("{title} is not broken itself, but {} is ({why})", entry.title))
            }
            Security::Aged(why) => Some(format!("{} is outdated ({why})", entry.title)),
            Security::Standard | Security::Finalist => None,
        };
        Listed { name: format!("hmac-{}", entry.name), title, group: "HMAC", warning }
    };
    let cipher = Listed {
        name: CIPHER.to_owned(),
        title: CIPHER.to_uppercase(),
        group: "Block cipher",
        warning: Some(Rc5Params::AGED.to_owned()),
    };
    let ids = || HashId::ALL.iter();
    ids().map(hash).chain(ids().map(hmac)).chain([cipher]).collect()
}
