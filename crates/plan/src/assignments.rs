//! The steps that papers put on a coprocessor, by primitive, as data: `assignments/*.toml`,
//! described in `docs/platforms.md`. A primitive that no paper names has no assignment, whatever
//! its steps are called.

use crate::platform::Pattern;
use crate::source::{BuiltIn, Source, SourceError};
use manylane_graph::{Function, Kind, StepId};
use serde::Deserialize;
use std::sync::LazyLock;
use toml::Spanned;

/// One paper's assignments.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignments {
    /// The name of the set, which is that of the paper.
    pub name: String,
    /// s: the time that the paper's coprocessor takes for work, divided by the main core's time for
    /// the same work. The shares are those for this s.
    pub speed: f64,
    /// The assignments, in the file's order.
    pub all: Vec<Assignment>,
}

/// The steps of some primitives that go to the coprocessor.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Names of primitives in the catalogue.
    pub primitives: Vec<String>,
    /// The section of the paper that says so.
    pub section: String,
    /// The steps that go to the coprocessor.
    pub steps: Vec<Share>,
}

/// The steps of one pattern and kind that go to the coprocessor: of every `of` consecutive ones,
/// all but the first `main`.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The end of the steps' paths.
    pub path: Pattern,
    /// The steps' kind.
    pub kind: Kind,
    /// How many steps of each group stay on the main core.
    pub main: u32,
    /// How many steps a group has.
    pub of: u32,
}

/// The assignments that are built into the program.
const BUILT_IN: [BuiltIn; 1] = [BuiltIn::new(
    "dual-core-microcontrollers",
    include_str!("../assignments/dual-core-microcontrollers.toml"),
)];

/// The term for a file of assignments in errors.
const WHAT: &str = "file of assignments";

static READ: LazyLock<Vec<Assignments>> = LazyLock::new(|| {
    let read = |BuiltIn { name, text, .. }: &BuiltIn| {
        let file = format!("assignments/{name}.toml");
        Assignments::parse(&file, text).unwrap_or_else(|error| panic!("{error}"))
    };
    BUILT_IN.iter().map(read).collect()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "kind")]
    _kind: String,
    name: String,
    speed: Spanned<f64>,
    assignment: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    primitives: Vec<Spanned<String>>,
    section: String,
    steps: Vec<StepEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepEntry {
    path: Spanned<String>,
    kind: Spanned<String>,
    main: Option<Spanned<u32>>,
    of: Option<Spanned<u32>>,
}

impl Assignments {
    /// The assignments that are built into the program.
    ///
    /// # Panics
    /// Never: a test reads them.
    pub fn built_in() -> &'static [Self] {
        &READ
    }

    /// Reads a file of assignments; `file` is the name that errors carry.
    ///
    /// # Errors
    /// If it says something wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, SourceError> {
        let source = Source { file, text };
        source.check_kind(WHAT, Some("assignments"))?;
        let read: File = source.parse()?;
        let speed = *read.speed.get_ref();
        if !(speed.is_finite() && speed > 0.0) {
            let problem = format!("a speed of {speed}");
            let remedy = "give how long the coprocessor takes for 1 of the main core's, above 0";
            return Err(source.error(read.speed.span(), problem, remedy));
        }
        let all = read.assignment.into_iter().map(|entry| entry.check(source));
        let all = all.collect::<Result<_, _>>()?;
        Ok(Self { name: read.name, speed, all })
    }

    /// The shares of a function's steps, from all assignments of its primitive.
    pub fn of<'a>(&'a self, function: &Function) -> Vec<&'a Share> {
        let own = |entry: &&Assignment| entry.primitives.iter().any(|name| names(name, function));
        self.all.iter().filter(own).flat_map(|entry| &entry.steps).collect()
    }
}

impl Entry {
    fn check(self, source: Source<'_>) -> Result<Assignment, SourceError> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        for name in &self.primitives {
            let text = name.get_ref();
            if text.is_empty() || !text.chars().all(legal) {
                let problem = format!("`{text}` is no name of a primitive");
                let remedy = "write it as the catalogue does, in small letters, digits and dashes";
                return Err(source.error(name.span(), problem, remedy));
            }
        }
        Ok(Assignment {
            primitives: self.primitives.into_iter().map(Spanned::into_inner).collect(),
            section: self.section,
            steps: self
                .steps
                .into_iter()
                .map(|step| step.check(source))
                .collect::<Result<_, _>>()?,
        })
    }
}

impl StepEntry {
    fn check(self, source: Source<'_>) -> Result<Share, SourceError> {
        let path = Pattern::parse(self.path.get_ref()).map_err(|problem| {
            let remedy = "write the end of its path, such as \"round/g\"";
            source.error(self.path.span(), problem, remedy)
        })?;
        let given = self.kind.get_ref();
        let Some(kind) = Kind::by_name(given) else {
            let remedy = manylane_nearest::suggestion(given, &Kind::ALL.map(Kind::name));
            return Err(source.error(self.kind.span(), format!("no kind `{given}`"), remedy));
        };
        let value = |number: &Option<Spanned<u32>>, default| {
            number.as_ref().map_or(default, |number| *number.get_ref())
        };
        let (main, of) = (value(&self.main, 0), value(&self.of, 1));
        if main >= of {
            let at = self.main.or(self.of).map_or(self.path.span(), |number| number.span());
            let problem = format!("{main} of {of} stay on the main core");
            let remedy = "give `main` less than `of`, or neither, and all go to the coprocessor";
            return Err(source.error(at, problem, remedy));
        }
        Ok(Share { path, kind, main, of })
    }
}

/// Whether a function belongs to the primitive of this name in the catalogue. The function's name
/// up to the dot must be this name; a digest's length or parameters in digits may follow.
fn names(primitive: &str, function: &Function) -> bool {
    let own = function.name.split('.').next().unwrap_or_default();
    own.strip_prefix(primitive).is_some_and(|rest| {
        let mut numbers = rest.split('-');
        let digits = |n: &str| !n.is_empty() && n.chars().all(|c| c.is_ascii_digit());
        numbers.next() == Some("") && numbers.all(digits)
    })
}

impl Share {
    /// Whether the share applies to a step.
    pub fn is_about(&self, function: &Function, step: StepId) -> bool {
        function.steps()[step.index()].kind == self.kind && self.path.matches(function, step)
    }

    /// The shares that give the coprocessor `part` of a group, in whole steps, rounded down and
    /// rounded up. A share that is not divided between the cores stays as it is.
    pub fn scaled(&self, part: f64) -> [Self; 2] {
        let exact = f64::from(self.of) * part;
        [exact.floor(), exact.ceil()].map(|there| {
            let there = if self.main == 0 { self.of } else { there as u32 };
            Self { main: self.of.saturating_sub(there), ..self.clone() }
        })
    }
}
