//! Points and pairs as people write them, with errors that say where and what.

use anyhow::{Context, anyhow, bail};
use manylane_engine::pairing::{Element, Point};
use manylane_files::lists::lines::from_hex;
use manylane_files::quote::quote;
use manylane_files::system::os;
use manylane_files::system::reason;
use serde::Deserialize;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;

/// The remedy that errors about a point give.
const REMEDY: &str = "`manylane pair --help` shows what a point looks like; --hash makes one";

/// The most bytes of a line, many times those of the longest pair. An input without line feeds,
/// such as `/dev/zero`, may have no end.
const MOST_BYTES: u64 = 1 << 16;

/// A point as it was written.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a point is digits in quotes or {\"x\": \"...\", \"y\": \"...\"}")]
enum Written {
    Word(String),
    Coordinates(Coordinates),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Coordinates {
    x: String,
    y: String,
}

/// A line of JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    p: Written,
    q: Written,
}

/// Two points, not yet decoded.
pub struct PointPair {
    /// The file and the number of the line.
    place: Option<(String, usize)>,
    points: Points,
}

enum Points {
    Both([String; 2]),
    Together(String),
}

/// The pairs that the arguments give: one of two points, or those of a file.
pub fn lines(arguments: &[OsString]) -> anyhow::Result<Vec<PointPair>> {
    let file = match arguments {
        [file] => file,
        [p, q] => {
            let both = [p, q].map(|point| point.to_string_lossy().into_owned());
            return Ok(vec![PointPair { place: None, points: Points::Both(both) }]);
        }
        _ => unreachable!("clap asks for one or two"),
    };
    let name = || match file == "-" {
        true => "standard input".to_owned(),
        false => quote(file.as_encoded_bytes()),
    };
    let said = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::InvalidFilename => anyhow!(
            "{}: {}; give two points, or a file with a pair on each line (- for standard input)",
            shortened(&name()),
            reason(&error)
        ),
        _ => anyhow!("{}: {}", shortened(&name()), reason(&error)),
    };
    let opened = match file == "-" {
        true => os::stdin(),
        false => os::open_patiently(Path::new(file)),
    };
    let mut reader = BufReader::new(opened.map_err(said)?);
    let mut lines = Vec::new();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let read = (&mut reader).take(MOST_BYTES + 1).read_until(b'\n', &mut bytes);
        if read.map_err(said)? == 0 {
            break;
        }
        let place = || format!("{}:{number}", name());
        if bytes.len() as u64 > MOST_BYTES {
            bail!("{}: more than {MOST_BYTES} bytes, which no pair has; {REMEDY}", place());
        }
        let line = std::str::from_utf8(&bytes)
            .map_err(|_| anyhow!("{}: this is no text; {REMEDY}", place()))?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let points = match words[..] {
            [] => continue,
            [word, ..] if word.starts_with('{') => Points::Together(line.to_owned()),
            [p, q] => Points::Both([p, q].map(str::to_owned)),
            _ => bail!(
                "{}: {} where a pairing takes two points, with a blank between them",
                place(),
                if words.len() == 1 { "one word".into() } else { format!("{} words", words.len()) },
            ),
        };
        lines.push(PointPair { place: Some((name(), number)), points });
    }
    Ok(lines)
}

/// The beginning of an argument that was read as a file's name but may be a point.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// A point as people write it, over one of the fields.
pub trait Readable: Copy + Send {
    /// Reads one word that is no JSON.
    fn from_word(word: &str) -> anyhow::Result<Self>;
    /// Reads two coordinates.
    fn from_coordinates(x: &str, y: &str) -> anyhow::Result<Self>;
}

/// Decodes the pairs, on several threads: a point takes longer to check than to pair.
pub fn decode<P: Readable>(
    lines: &[PointPair],
    threads: NonZeroUsize,
) -> anyhow::Result<Vec<(P, P)>> {
    let share = lines.len().div_ceil(threads.get()).max(1);
    let decode = |lines: &[PointPair]| {
        lines.iter().map(PointPair::decode).collect::<anyhow::Result<Vec<_>>>()
    };
    thread::scope(|scope| {
        let start = |lines| {
            let thread = thread::Builder::new().spawn_scoped(scope, move || decode(lines));
            (lines, thread.ok())
        };
        let shares: Vec<_> = lines.chunks(share).map(start).collect();
        // The share of a thread that could not be started is decoded on this one.
        let pairs = shares.into_iter().map(|(lines, thread)| match thread {
            Some(thread) => thread.join().expect("decoding does not panic"),
            None => decode(lines),
        });
        // In order, so that the first wrong line is reported.
        Ok(pairs.collect::<anyhow::Result<Vec<_>>>()?.concat())
    })
}

impl PointPair {
    fn decode<P: Readable>(&self) -> anyhow::Result<(P, P)> {
        let pair = match &self.points {
            Points::Both([p, q]) => both(written(p), written(q)),
            Points::Together(line) => match serde_json::from_str::<Pair>(line) {
                Ok(Pair { p, q }) => both(Ok(p), Ok(q)),
                Err(error) => Err(anyhow!("no pair {{\"p\": POINT, \"q\": POINT}}: {error}")),
            },
        };
        pair.map_err(|error| match &self.place {
            Some((file, line)) => anyhow!("{file}:{line}: {error:#}\n{REMEDY}"),
            None => anyhow!("{error:#}\n{REMEDY}"),
        })
    }
}

fn both<P: Readable>(
    p: anyhow::Result<Written>,
    q: anyhow::Result<Written>,
) -> anyhow::Result<(P, P)> {
    let p = p.and_then(|p| p.decode()).context("P")?;
    let q = q.and_then(|q| q.decode()).context("Q")?;
    Ok((p, q))
}

/// A point of an argument or a line: JSON if it looks like it.
fn written(text: &str) -> anyhow::Result<Written> {
    match text.starts_with('{') {
        true => serde_json::from_str(text)
            .map(Written::Coordinates)
            .map_err(|error| anyhow!("no point {{\"x\": \"...\", \"y\": \"...\"}}: {error}")),
        false => Ok(Written::Word(text.to_owned())),
    }
}

impl Written {
    fn decode<P: Readable>(&self) -> anyhow::Result<P> {
        match self {
            Self::Word(word) => P::from_word(word),
            Self::Coordinates(Coordinates { x, y }) => P::from_coordinates(x, y),
        }
    }
}

impl Readable for Point {
    fn from_word(word: &str) -> anyhow::Result<Self> {
        Ok(Self::decode(&bytes(word)?)?)
    }
    fn from_coordinates(x: &str, y: &str) -> anyhow::Result<Self> {
        let mut encoded = vec![4];
        for (name, digits) in [("x", x), ("y", y)] {
            let coordinate = bytes(digits).context(name)?;
            Element::from_bytes(&coordinate).context(name)?;
            encoded.extend(coordinate);
        }
        Ok(Self::decode(&encoded)?)
    }
}

/// Bytes of two hexadecimal digits each.
fn bytes(digits: &str) -> anyhow::Result<Vec<u8>> {
    if let Some((i, c)) = digits.chars().enumerate().find(|(_, c)| !c.is_ascii_hexdigit()) {
        bail!("{} at place {} is no hexadecimal digit", quote(c.to_string().as_bytes()), i + 1);
    }
    if digits.len() % 2 == 1 {
        bail!("{} hexadecimal digits, where each byte has two", digits.len());
    }
    Ok(from_hex(digits.as_bytes()).expect("an even number of digits"))
}
