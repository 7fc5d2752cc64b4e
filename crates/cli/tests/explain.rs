//! `manylane explain`, and the pages in a browser.

mod common;

use common::{MANYLANE, Ran, Sandbox, has};
use manylane_pages::svg::NAMESPACE;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn explain(sandbox: &Sandbox, args: &[&str]) -> Ran {
    sandbox.run(MANYLANE, [&["explain"], args].concat())
}

/// What `--json` prints is what the graph crate's golden files pin.
#[test]
fn json_is_the_pinned_report() {
    let sandbox = Sandbox::new();
    for (name, file) in [("sha256", "sha256"), ("BLAKE_256", "blake256"), ("rc5", "rc5-32-12-16")] {
        let printed = explain(&sandbox, &[name, "--json"]).good();
        let golden = format!("../graph/tests/golden/explain/{file}.json");
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join(golden);
        let golden = std::fs::read(&golden).expect("a golden file of manylane-graph");
        let [printed, golden] =
            [printed, golden].map(|text| serde_json::from_slice::<Value>(&text).unwrap());
        assert_eq!(printed, golden, "{name}");
    }
}

#[test]
fn the_first_line_answers() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        (&["sha256"][..], "one compression is"),
        (&["sha256", "--part", "round"], "round[32] of 64 is"),
        (&["sha256", "--part", "schedule"], "schedule[40] of 48 is"),
        (&["sha3-512", "--part", "message", "--length", "7"], "a message of 7 bytes is"),
        (&["skein512-256"], "skein512-256: at most"),
        (&["hmac-sha256", "--part", "message", "--length", "7"], "hmac-sha256: at most"),
        (&["rc5-16/8/4"], "key expansion with the encryption of one block is"),
    ] {
        let text = String::from_utf8(explain(&sandbox, args).good()).unwrap();
        let answer = text.split("\n\n").next().unwrap().replace("\n  ", " ");
        assert!(answer.contains(words) && answer.contains("the longest chain"), "{answer}");
    }
}

#[test]
fn errors_say_what_to_do() {
    let sandbox = Sandbox::new();
    for (args, words) in [
        (&["sha257"][..], &["unknown algorithm sha257", "did you mean sha2"][..]),
        (&["eta-t", "--part", "round"], &["as a whole", "leave out --part"]),
        (&["eta-t", "--length", "3"], &["as a whole", "leave out --part, --length"]),
        (&["eta-t", "--fixed-length"], &["as a whole", "--fixed-length"]),
        (&["hmac-sha256"], &["twice", "manylane explain sha256 --part message --length 96"]),
        (&["hmac-sha256"], &["manylane explain hmac-sha256 --part message"]),
        (&["hmac-md5", "--part", "round"], &["twice"]),
        (
            &["hmac-skein256-512", "--part", "message"],
            &["hmac-skein256-512 is not defined", "ask for a shorter digest"],
        ),
        (&["md5", "--part", "schedule"], &["md5 has no schedule step", "its steps are round"]),
        (&["rc5", "--part", "message"], &["block cipher", "leave out --part"]),
        (&["rc5-31/12/16"], &["words of 8, 16, 32 or 64 bits"]),
        (&["md5", "--length", "3"], &["--part message"]),
        (&["md5", "--part", "message", "--length", "1000000000"], &["at most 1000000"]),
        // The message has 2^65 bits, and products of its length exceed 64 bits.
        (
            &["md5", "--part", "message", "--length", "4611686018427387904"],
            &["4611686018427387904 bytes are 42", "which is up to 10"],
        ),
        (&["md5", "--dot", "no/such/directory"], &["no/such/directory: No such file"]),
    ] {
        let ran = explain(&sandbox, args);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.starts_with("manylane: "), "{ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{ran:?}");
        }
    }
    let ran = explain(&sandbox, &["md5", "--part", "rounds"]);
    assert!(ran.stderr.contains("[possible values: compression, round,"), "{ran:?}");
}

/// The length that the refusal of a longer message names is the longest that is not refused.
#[test]
fn the_longest_message_is_named() {
    let sandbox = Sandbox::new();
    let of = |length: usize| {
        explain(&sandbox, &["sha256", "--part", "message", "--length", &length.to_string()])
    };
    for length in [29_200, 40_000, 58_400, 1 << 40] {
        let ran = of(length);
        assert!(ran.stderr.contains("which is up to 29119 bytes"), "{ran:?}");
    }
    of(29_119).good();
    assert_eq!(of(29_120).status, Some(1));
}

#[test]
fn graphviz_reads_the_dot_file() {
    let test = "graphviz_reads_the_dot_file";
    let sandbox = Sandbox::new();
    explain(&sandbox, &["keccak256", "--part", "round", "--dot", "round.dot"]).good();
    let runs = Command::new("dot").arg("-V").output().is_ok();
    if !runs {
        return common::skip(test, "graphviz's dot is missing");
    }
    let svg = sandbox.run("dot", ["-Tsvg", "round.dot"]).good();
    let svg = String::from_utf8(svg).unwrap();
    assert!(svg.contains("theta[0]") && svg.contains("iota[0]"));
}

/// The only address in a page is the name of SVG's namespace.
fn assert_self_contained(page: &str) {
    let without = page.replace(NAMESPACE, "");
    for address in ["http:", "https:", "src=", "href=", "url(", "@import", "//cdn"] {
        assert!(!without.contains(address), "{address}");
    }
}

#[test]
fn pages_need_no_network() {
    let sandbox = Sandbox::new();
    for args in [&["sha1"][..], &["md5", "--part", "round"], &["jh256", "--part", "message"]] {
        explain(&sandbox, &[args, &["--html", "page.html"]].concat()).good();
        let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
        assert_self_contained(&page);
        assert!(page.contains("<title>") && page.contains("class=\"unit "), "{args:?}");
        assert_eq!(page.matches("<svg ").count(), 2, "{args:?}");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Light,
    Dark,
}

/// Runs chromium on a page of the sandbox to its end; returns what it prints.
fn browse(sandbox: &Sandbox, page: &str, args: &[String]) -> String {
    let mut chromium = sandbox.command("chromium");
    chromium
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
        .args(["--disable-dev-shm-usage", "--window-size=1200,2000"])
        .arg(format!("--user-data-dir={}", sandbox.path("profile").display()))
        .args(args)
        .arg(format!("file://{}", sandbox.path(page).display()))
        .stdout(std::fs::File::create(sandbox.path("printed")).unwrap())
        .stderr(Stdio::null());
    let mut child = chromium.spawn().expect("chromium starts");
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("chromium does not end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(sandbox.path("printed")).unwrap()
}

/// The colours of a page in chromium, each with the number of its pixels.
fn colours(sandbox: &Sandbox, page: &str, scheme: Scheme) -> Vec<([u8; 3], usize)> {
    let shot = sandbox.path("shot.png");
    let mut args = vec![format!("--screenshot={}", shot.display())];
    if scheme == Scheme::Dark {
        args.push("--blink-settings=preferredColorScheme=0".to_owned());
    }
    browse(sandbox, page, &args);
    let file = std::fs::File::open(&shot).expect("chromium makes a screenshot");
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().expect("it fits in memory")];
    let info = reader.next_frame(&mut pixels).unwrap();
    let mut counts = std::collections::HashMap::new();
    for pixel in pixels[..info.buffer_size()].chunks(info.color_type.samples()) {
        *counts.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
    }
    counts.into_iter().collect()
}

/// The wheel zooms about the pointer, a drag moves, a button shows the whole; a box says what it is
/// and shows its edges.
#[test]
fn the_graph_can_be_zoomed_and_asked() {
    if !has("chromium", "the_graph_can_be_zoomed_and_asked") {
        return;
    }
    let sandbox = Sandbox::new();
    explain(&sandbox, &["sha512", "--html", "page.html"]).good();
    let page = std::fs::read_to_string(sandbox.path("page.html")).unwrap();
    let play = "<script>
        const svg = document.querySelector('.zoom svg');
        svg.setPointerCapture = () => {};
        const size = () => svg.getAttribute('viewBox').split(' ').map(Number);
        const frame = svg.getBoundingClientRect();
        const at = { clientX: frame.x + frame.width / 2, clientY: frame.y + 40, bubbles: true };
        const whole = size();
        svg.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY: -400, cancelable: true }));
        const near = size();
        svg.dispatchEvent(new PointerEvent('pointerdown', at));
        svg.dispatchEvent(new PointerEvent('pointermove', { ...at, clientX: at.clientX - 100 }));
        svg.dispatchEvent(new PointerEvent('pointerup', at));
        const moved = size();
        document.querySelector('[data-zoom=\"0\"]').click();
        const again = size();
        const unit = document.querySelector('.unit[data-unit=\"7\"] rect');
        unit.dispatchEvent(new PointerEvent('pointerover', at));
        const said = document.querySelector('.said').textContent;
        const shown = document.querySelectorAll('.edge.on').length;
        const result = { whole, near, moved, again, said, shown };
        document.body.textContent = 'RESULT' + JSON.stringify(result) + 'END';
        </script></body>";
    sandbox.write("play.html", page.replace("</body>", play));
    let dom = browse(&sandbox, "play.html", &["--dump-dom".to_owned()]);
    let (_, result) = dom.split_once("RESULT").unwrap_or_else(|| panic!("no result in {dom}"));
    let result: Value = serde_json::from_str(result.split_once("END").unwrap().0).unwrap();
    let size = |name: &str, i: usize| result[name][i].as_f64().unwrap();
    assert!(size("near", 2) < 0.5 * size("whole", 2), "{result}");
    let middle = |name: &str| size(name, 0) + size(name, 2) / 2.0;
    assert!((middle("near") - middle("whole")).abs() < 1.0, "{result}");
    assert!(size("moved", 0) > size("near", 0) && size("moved", 2) == size("near", 2), "{result}");
    assert_eq!(result["again"], result["whole"]);
    assert!(result["said"].as_str().unwrap().contains("operations, alone a chain of"), "{result}");
    assert!(result["shown"].as_u64().unwrap() > 1, "{result}");
}

/// The drawings are there, in colours that only they have.
#[test]
fn a_browser_shows_the_drawings() {
    if !has("chromium", "a_browser_shows_the_drawings") {
        return;
    }
    let sandbox = Sandbox::new();
    explain(&sandbox, &["sha256", "--html", "explain.html"]).good();
    let plan = ["plan", "blake256", "--on", "s12x-xgate", "--html", "plan.html"];
    sandbox.run(MANYLANE, plan).good();
    // Ground; then boxes of two kinds, chains, bars; then the bars of two cores and handshakes.
    let colours_of = |scheme| match scheme {
        Scheme::Light => ([0xffffff], [0xdbe9fb, 0xd9f2e0, 0xbc4c00, 0x2f6fbd]),
        Scheme::Dark => ([0x0f1419], [0x1d3a5f, 0x1c4530, 0xf0a35e, 0x5b9bea]),
    };
    for scheme in [Scheme::Light, Scheme::Dark] {
        let ([ground], drawn) = colours_of(scheme);
        let in_plan = [0x2f6fbd, 0x1a7f5a, drawn[2]];
        for (page, drawn) in [("explain.html", &drawn[..]), ("plan.html", &in_plan)] {
            let found = colours(&sandbox, page, scheme);
            let pixels = |rgb: u32| {
                let [_, rgb @ ..] = rgb.to_be_bytes();
                found.iter().find(|(colour, _)| *colour == rgb).map_or(0, |(_, count)| *count)
            };
            assert!(pixels(ground) > 500_000, "{page}, {scheme:?}: {}", pixels(ground));
            assert!(found.len() > 100, "{page}, {scheme:?}: {} colours", found.len());
            for &colour in drawn {
                assert!(
                    pixels(colour) > 300,
                    "{page}, {scheme:?}: {colour:06x}: {}",
                    pixels(colour)
                );
            }
        }
    }
}
