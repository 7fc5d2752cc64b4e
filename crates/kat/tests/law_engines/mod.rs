//! The table of `docs/engines.md` has the kernels that the built-in tables of times have.

use super::read;
use manylane_primitives::catalog::HashId;
use std::collections::BTreeSet;

/// The cores whose times are built in.
const CORES: [&str; 4] = ["sapphire_rapids", "zen3", "zen4", "zen5"];

/// The engines that have a column of their own in the table, and kernels on these cores.
const ENGINES: [&str; 4] = ["portable", "avx2", "avx512", "avx512-gfni"];

fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// The numbers of lanes of an engine's kernels for a hash, by the tables of times. Of hashes that
/// share kernels, the tables name the first.
fn timed(tables: &str, hash: &str, engine: &str) -> BTreeSet<usize> {
    let begin = format!("{hash} {engine} ");
    let lines = tables.lines().filter_map(|line| line.strip_prefix(&begin));
    lines.map(|rest| rest.split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn the_table_of_engines_has_every_kernel() {
    let page = read("docs/engines.md");
    let file = |core| read(format!("crates/engine/src/select/{core}.txt"));
    let tables: String = CORES.into_iter().map(file).collect();
    let mut rows = page.lines().skip_while(|line| !line.starts_with("| hash |"));
    let header = cells(rows.next().expect("a table of hashes"));
    let mut compared = 0;
    for row in rows.take_while(|line| line.starts_with('|')).map(cells) {
        let titles: Vec<_> = row[0].split(',').map(|t| t.trim_matches([' ', '†', '‡'])).collect();
        for id in HashId::ALL.iter().filter(|id| titles.contains(&id.entry().title)) {
            let name = id.entry().name;
            if timed(&tables, name, "scalar").is_empty() {
                continue;
            }
            for engine in ENGINES {
                let column = header.iter().position(|of| *of == engine).expect(engine);
                let lanes = row[column].split(", ").filter_map(|lanes| lanes.parse().ok());
                let said: BTreeSet<usize> = lanes.collect();
                assert_eq!(said, timed(&tables, name, engine), "{engine} of {name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 60, "{compared} cells compared: the search is broken");
}
