//! `manylane-glue MODULE NAME FOLDER`: writes the module as a page and Node can load it, and the
//! script that calls it, to a folder.

use anyhow::{Context, bail};
use std::env;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, name, folder] = &arguments[..] else {
        bail!("say manylane-glue MODULE NAME FOLDER");
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).web(true)?.typescript(false).out_name(name);
    bindgen.generate(folder).with_context(|| format!("{module} cannot be made callable"))
}
