//! Output of any length.

use crate::compile::{STRICT, Written, has};
use crate::subject::{of_hash, prefix};
use crate::{for_each, hex, sources};
use manylane_emit::c::Options;
use manylane_graph::calls::{digest, hmac};
use manylane_primitives::catalog::Algorithm;

/// Long digests, of hashes that have a length and of those that have none; every cut of the output.
#[test]
fn long_outputs_are_the_definitions() {
    if !has("gcc") {
        return;
    }
    let names = [
        "shake128-4096",
        "shake256",
        "shake256-1096",
        "skein256-2056",
        "skein1024-8",
        "skein512-4104",
    ];
    for_each(&names, |name| {
        let algorithm: Algorithm = name.parse().unwrap();
        let folder = of_hash(algorithm, false, &Options::default()).unwrap();
        let (written, p) = (Written::new(&folder), prefix(&algorithm.to_string()));
        let is_xof = name.starts_with("shake");
        let squeeze = format!(
            "    {{\n        static uint8_t all[1000], part[1000];\n        unsigned cut;\n\
             \x20       {p}_xof(all, sizeof all, message, sizeof message);\n\
             \x20       for (i = 0; i < sizeof all; i++) printf(\"%02x\", (unsigned)all[i]);\n\
             \x20       for (cut = 0; cut <= 400; cut += 7) {{\n\
             \x20           unsigned at = 0, n = 1;\n            {p}_init(&c);\n\
             \x20           {p}_update(&c, message, sizeof message);\n\
             \x20           {p}_squeeze(&c, part, cut);\n            {p}_squeeze(&c, part, 0);\n\
             \x20           for (at = cut; at < sizeof part; at += n) {{\n\
             \x20               n = (at * 13) % 211 + 1;\n\
             \x20               if (n > sizeof part - at) n = (unsigned)sizeof part - at;\n\
             \x20               {p}_squeeze(&c, part + at, n);\n            }}\n\
             \x20           if (memcmp(part + cut, all + cut, sizeof all - cut) != 0) return 3;\n\
             \x20       }}\n    }}\n"
        );
        let squeeze = if is_xof { &squeeze[..] } else { "" };
        let text = format!(
            "#include \"{p}.h\"\n#include <stdio.h>\n#include <string.h>\n\
             int main(void)\n{{\n    uint8_t message[201];\n    static uint8_t \
             out[{P}_DIGEST_BYTES];\n\
             \x20   unsigned i;\n    {p}_ctx c;\n\
             \x20   for (i = 0; i < sizeof message; i++) message[i] = (uint8_t)i;\n\
             \x20   {p}_init(&c);\n    {p}_update(&c, message, sizeof message);\n    {p}_final(&c, \
             out);\n\
             \x20   for (i = 0; i < sizeof out; i++) printf(\"%02x\", (unsigned)out[i]);\n    \
             printf(\"\\n\");\n\
             {squeeze}    return {p}_self_test();\n}}\n",
            P = p.to_uppercase(),
        );
        written.add("driver.c", &text);
        let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
        let flags = [&STRICT[..], &["-fsanitize=address,undefined"]].concat();
        let said = written.build_and_run("gcc", &flags, &sources);
        let message: Vec<u8> = (0..201).collect();
        let mut wanted = hex(&digest(algorithm, &message)) + "\n";
        if is_xof {
            let long = algorithm.with_digest_bytes(1000).unwrap();
            wanted.push_str(&hex(&digest(long, &message)));
        }
        assert_eq!(said, wanted, "{name}");
    });
}

/// A MAC of fewer bytes than a cut one needs is verified as a whole, and no part of it is.
#[test]
fn short_macs_are_verified() {
    if !has("gcc") {
        return;
    }
    let names = ["skein256-8", "skein512-16", "shake128-24", "skein1024-32", "shake256-40"];
    for_each(&names, |name| {
        let algorithm: Algorithm = name.parse().unwrap();
        let folder = of_hash(algorithm, true, &Options::default()).unwrap();
        let (written, p) = (Written::new(&folder), prefix(&algorithm.to_string()));
        // Prints the MAC, and how many bytes of it are accepted.
        let text = format!(
            "#include \"hmac_{p}.h\"\n#include <stdio.h>\nint main(void)\n{{\n\
             \x20   uint8_t mac[HMAC_{P}_BYTES + 1] = {{0}};\n    size_t i;\n\
             \x20   hmac_{p}(mac, \"key\", 3, \"message\", 7);\n\
             \x20   for (i = 0; i < HMAC_{P}_BYTES; i++) printf(\"%02x\", (unsigned)mac[i]);\n\
             \x20   for (i = 0; i <= sizeof mac; i++) {{\n\
             \x20       if (hmac_{p}_verify(mac, i, \"key\", 3, \"message\", 7)) printf(\" %u\", \
             (unsigned)i);\n    }}\n\
             \x20   return hmac_{p}_self_test();\n}}\n",
            P = p.to_uppercase(),
        );
        written.add("driver.c", &text);
        let sources = [sources(&folder), vec!["driver.c".to_owned()]].concat();
        let said = written.build_and_run("gcc", &STRICT, &sources);
        let bytes = algorithm.digest_bytes();
        let mut wanted = hex(&hmac(algorithm, b"key", b"message"));
        (bytes.min(4)..=bytes).for_each(|accepted| wanted.push_str(&format!(" {accepted}")));
        assert_eq!(said, wanted, "{name}");
    });
}
