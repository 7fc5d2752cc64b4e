//! RC5: key expansion, blocks and modes.

use crate::compile::{STRICT, Written, driver, has};
use crate::subject::{of_rc5, of_rc5_shaped, prefix};
use crate::{for_each, hex, sources};
use manylane_emit::c::{Cores, Options};
use manylane_graph::calls::rc5;
use manylane_plan::program::shape::{Shape, Worth};
use manylane_primitives::cipher::{Rc5Params, modes};

/// What the driver prints, by the definition.
fn expected(params: Rc5Params) -> String {
    let block = params.block_bytes();
    let mut out = String::new();
    for length in 0..=3 * block + 1 {
        let key: Vec<u8> = (0..params.key_bytes()).map(|i| (i * 31 + length) as u8).collect();
        let cipher = rc5(params, &key);
        let plain: Vec<u8> = (0..length).map(|i| (i * 89 + length) as u8).collect();
        let mut say = |what: &dyn Fn(&mut Vec<u8>)| {
            let mut data = plain.clone();
            what(&mut data);
            out.push_str(&format!("{}\n", hex(&data)));
        };
        if length % block == 0 {
            say(&|data| modes::ecb_encrypt(&*cipher, data).unwrap());
            say(&|data| modes::cbc_encrypt(&*cipher, &vec![7; block], data).unwrap());
        }
        let mut counter = vec![255; block];
        counter[0] = 254;
        say(&|data| modes::ctr(&*cipher, &counter, data).unwrap());
        let next = |data: &mut Vec<u8>| {
            data.resize(block, 0);
            modes::counter_block(&counter, length.div_ceil(block) as u64, data);
        };
        say(&next);
        let pad = |data: &mut Vec<u8>| {
            data.resize(modes::padded_bytes(length, block), 0);
            modes::cbc_pad_encrypt(&*cipher, &vec![9; block], data, length).unwrap();
        };
        say(&pad);
    }
    out
}

#[test]
fn rc5_is_its_definition_whatever_its_parameters() {
    if !has("gcc") {
        return;
    }
    let names = [
        "rc5-32/12/16",
        "rc5-8/12/4",
        "rc5-16/16/8",
        "rc5-64/24/24",
        "rc5-32/0/0",
        "rc5-64/1/1",
        "rc5-16/3/255",
        "rc5-8/255/255",
    ];
    for_each(&names, |name| {
        let folder = of_rc5(name, &Options::default()).unwrap();
        let params: Rc5Params = name.parse().unwrap();
        let written = Written::new(&folder);
        let prefix = prefix(&params.to_string());
        written.add("driver.c", &driver("cipher_driver.c", &prefix, &prefix));
        let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
        // The sanitizers take long to compile the long ones.
        let sanitized = params.rounds() * params.key_bytes() <= 16 * 8;
        let sanitizers: &[&str] = if sanitized { &["-fsanitize=undefined,address"] } else { &[] };
        let flags = [&STRICT[..], sanitizers].concat();
        let said = written.build_and_run("gcc", &flags, &sources);
        assert!(said == expected(params), "{name}:\n{said}\n{}", expected(params));
    });
}

/// Words of 64 bits are rotated by halves where the processor has words of 32; here a definition
/// makes the compiler take that branch.
#[test]
fn rotations_by_halves_are_the_definition() {
    if !has("gcc") {
        return;
    }
    let name = "rc5-64/12/16";
    let folder = of_rc5(name, &Options::default()).unwrap();
    let params: Rc5Params = name.parse().unwrap();
    let written = Written::new(&folder);
    let prefix = prefix(&params.to_string());
    written.add("driver.c", &driver("cipher_driver.c", &prefix, &prefix));
    written.add(
        "narrow.h",
        "#include <stdint.h>\n#undef UINTPTR_MAX\n#define UINTPTR_MAX 0xffffffff\n",
    );
    let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
    for flags in [&[][..], &["-include", "narrow.h"]] {
        let said = written.build_and_run("gcc", &[&STRICT[..], flags].concat(), &sources);
        assert!(said == expected(params), "{flags:?}:\n{said}");
    }
}

/// A rotation by a word of limbs takes its amount from the lowest limb, so that loops carry limbs
/// that nobody reads. In loops of whole words, results replace those of the pass before; keys may
/// have more words than the table.
#[test]
fn rc5_is_its_definition_in_every_loop() {
    if !has("gcc") {
        return;
    }
    let shapes = |word| [Some(1), Some(2), Some(3), None].map(|unroll| (word, unroll));
    for_each(&[8, 16, 32, 64].map(shapes).concat(), |&(word, unroll)| {
        for name in ["rc5-32/12/16", "rc5-64/5/20", "rc5-16/7/3", "rc5-8/3/40", "rc5-32/0/0"] {
            let shape = Shape { unroll, word: Some(word), ..Shape::default() };
            let folder = of_rc5_shaped(name, &Options::default(), "ibex-duo", shape).unwrap();
            let written = Written::new(&folder);
            let prefix = prefix(&name.parse::<Rc5Params>().unwrap().to_string());
            written.add("driver.c", &driver("cipher_driver.c", &prefix, &prefix));
            let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
            let said = written.build_and_run("gcc", &STRICT, &sources);
            assert!(said == expected(name.parse().unwrap()), "{name}, {word} bits, {unroll:?}");
        }
    });
}

/// Under the sanitizers GCC no longer sees which values an int has, so that it warns of one which
/// becomes a word of 16 bits.
#[test]
fn limbs_become_words_without_a_warning() {
    if !has("gcc") {
        return;
    }
    let name = "rc5-16/3/0";
    let shape = Shape { word: Some(8), ..Shape::default() };
    let folder = of_rc5_shaped(name, &Options::default(), "ibex-duo", shape).unwrap();
    let written = Written::new(&folder);
    let prefix = prefix(name);
    written.add("driver.c", &driver("cipher_driver.c", &prefix, &prefix));
    let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
    let flags = [&STRICT[..], &["-fsanitize=undefined,address"]].concat();
    let said = written.build_and_run("gcc", &flags, &sources);
    assert!(said == expected(name.parse().unwrap()), "{said}");
}

/// For small size the three functions are loops, which are as long for many rounds as for few.
#[test]
fn small_rc5_does_not_grow_with_its_rounds() {
    let size = Shape { worth: Worth::Size, ..Shape::default() };
    let lines = |name: &str| {
        let folder = of_rc5_shaped(name, &Options::default(), "ibex-duo", size).unwrap();
        let path = format!("src/{}.c", prefix(name));
        let (_, text) = folder.files.iter().find(|(of, _)| *of == path).unwrap();
        let (_, functions) = text.split_once("/* The table s, with the key's words").unwrap();
        let (functions, _) = functions.split_once("/* The key as words. */").unwrap();
        functions.lines().count()
    };
    assert!(lines("rc5-32/12/16") < 100);
    assert_eq!(lines("rc5-32/200/16"), lines("rc5-32/12/16"));
}

/// A result that only an unused operation would take is not kept, in any loop and on either core.
/// C++ compilers take the sources too.
#[test]
fn rc5_on_two_cores_compiles_without_warnings() {
    if !has("gcc") {
        return;
    }
    let size = Shape { worth: Worth::Size, ..Shape::default() };
    let by_three = Shape { unroll: Some(3), ..Shape::default() };
    let cases = [
        ("rc5-32/12/16", "rp2040", size),
        ("rc5-32/12/16", "ibex-duo", size),
        ("rc5-32/12/16", "rp2040", by_three),
        ("rc5-32/12/16", "ibex-duo", by_three),
        ("rc5-64/20/255", "rp2040", Shape::default()),
        ("rc5-16/3/0", "ibex-duo", size),
        ("rc5-8/12/4", "ibex-duo", by_three),
        // The last hand-over after the loop has a word that the second core does not use.
        ("rc5-64/31/0", "ibex-duo", size),
        ("rc5-16/255/0", "rp2040", size),
    ];
    let options = Options { cores: Cores::Two, ..Options::default() };
    for_each(&cases, |&(name, platform, shape)| {
        let folder = of_rc5_shaped(name, &options, platform, shape).unwrap();
        let written = Written::new(&folder);
        let source = format!("src/{}.c", prefix(name));
        for (compiler, standard) in [("gcc", "-std=c99"), ("g++", "-std=c++17")] {
            if has(compiler) {
                let flags = [standard, "-Wall", "-Wextra", "-Werror", "-Iinclude"];
                written.run(compiler, &[&flags[..], &["-O1", "-fsyntax-only", &source]].concat());
            }
        }
    });
}

/// A counter of two bytes has 65,536 values, and data of more blocks are refused before any is
/// touched.
#[test]
fn a_counter_that_would_repeat_is_refused() {
    if !has("gcc") {
        return;
    }
    let folder = of_rc5("rc5-8/2/1", &Options::default()).unwrap();
    let written = Written::new(&folder);
    written.add(
        "driver.c",
        "#include \"rc5_8_2_1.h\"\n\
         static uint8_t data[2 * 65536 + 1];\n\
         int main(void)\n{\n\
         \x20   const uint8_t key[1] = { 5 };\n\
         \x20   uint8_t counter[2] = { 1, 2 };\n\
         \x20   rc5_8_2_1_ctx c;\n\
         \x20   rc5_8_2_1_init(&c, key);\n\
         \x20   if (rc5_8_2_1_ctr(&c, counter, data, sizeof data)\n\
         \x20       != RC5_8_2_1_COUNTER_EXHAUSTED) return 1;\n\
         \x20   if (data[0] != 0 || data[5] != 0 || counter[0] != 1) return 2;\n\
         \x20   return rc5_8_2_1_ctr(&c, counter, data, sizeof data - 1) != RC5_8_2_1_OK;\n}\n",
    );
    let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
    written.build_and_run("gcc", &STRICT, &sources);
}
