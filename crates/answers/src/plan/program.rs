//! The planned program as text, in place of the answer.

use super::args::Args;
use anyhow::bail;
use manylane_build::Primitive;
use manylane_build::c::usual_name;
use manylane_graph::Module;
use manylane_graph::framing::stream;
use manylane_graph::part::cipher;
use manylane_graph::trace::{Rc5, literal_compression};
use manylane_plan::Platform;
use manylane_plan::program::fingerprint_of;
use manylane_plan::program::shape::{Shape, two};
use manylane_plan::threads::Mode;
use manylane_plan::threads::program::{Results, Work};

/// Checks that exactly one program is asked for, of a primitive that has programs.
pub fn check(args: &Args) -> anyhow::Result<()> {
    if !args.program {
        return Ok(());
    }
    let lengths = [args.two_core.length, args.two_core.key_length];
    let is_of_messages =
        args.threads_options.messages.is_some() || lengths.iter().any(Option::is_some);
    match args.threads().len() {
        0 if is_of_messages => bail!(
            "--program prints the program of one block, whatever the message: leave out \
             --messages, \
             --length and --key-length"
        ),
        0 | 1 => Ok(()),
        _ => bail!("--program prints one program: give --threads one number"),
    }
}

/// Plans how two cores of a platform compute a block of a hash, as `manylane emit c --cores 2`
/// writes it.
pub fn block(primitive: Primitive, platform: &str) -> anyhow::Result<String> {
    let hash = match primitive {
        Primitive::Hash(hash) => hash,
        Primitive::Hmac(hash) => bail!(
            "{primitive} has no program of its own, as its blocks are those of {hash}: name {hash}"
        ),
        Primitive::Rc5(_) => bail!(
            "{primitive} is a block cipher: --program prints how two cores compute a block of a \
             hash"
        ),
    };
    let platform = Platform::load(platform)?;
    let shape = Shape::default().on(&platform, &usual_name(hash), 2);
    let one = shape.one(&literal_compression(hash));
    Ok(two(&one, stream(hash)?.framing.order, &platform)?.to_string())
}

/// The work that threads share: messages, named by the compression of their hash, or a cipher's
/// blocks.
pub fn work(primitive: Primitive, mode: Option<Mode>, pieces: u64) -> Work {
    let function = match primitive {
        Primitive::Hash(hash) | Primitive::Hmac(hash) => literal_compression(hash),
        Primitive::Rc5(params) => match mode {
            Some(Mode::CbcDecryption) => cipher(&params, Rc5::Inverse),
            Some(Mode::Ecb | Mode::Ctr | Mode::CbcEncryption) | None => cipher(&params, Rc5::Block),
        },
    };
    let results = match mode {
        Some(mode) if !mode.is_parallel() => Results::Chain,
        Some(_) | None => Results::Apart,
    };
    of(&Module::of(function), pieces, results)
}

/// Pieces of a module's last function.
pub fn of(module: &Module, pieces: u64, results: Results) -> Work {
    let name = module.main().name.clone();
    Work { name, fingerprint: fingerprint_of(module), pieces, results }
}
