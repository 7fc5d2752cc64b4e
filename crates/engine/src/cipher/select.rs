//! Which kernel of the cipher an engine, or this CPU, has.

use super::kernel::{CipherKernel, CipherWord};
use crate::cpu::{Engine, names};
use crate::error::Error;
use manylane_primitives::cipher::rc5::Rc5Params;

/// The engines of this CPU for a word size, the preferred one last.
pub fn engines<N: CipherWord>() -> Result<Vec<Engine>, Error> {
    let available = Engine::available()?;
    let engines = N::kernels().iter().map(|kernel| kernel.engine);
    Ok(engines.filter(|engine| available.contains(engine)).collect())
}

/// The kernel of the engine given, or of the best one.
pub fn kernel_on<N: CipherWord>(
    params: Rc5Params,
    engine: Option<Engine>,
) -> Result<&'static CipherKernel<N>, Error> {
    if let Some(engine) = engine {
        engine.require()?;
    }
    let engines = engines::<N>()?;
    let wanted = engine.or(engines.last().copied());
    let kernel = N::kernels().iter().find(|kernel| Some(kernel.engine) == wanted);
    kernel.ok_or_else(|| Error::EngineLacksPrimitive {
        engine: wanted.map_or("", Engine::name),
        primitive: params.to_string(),
        available: names(&engines),
    })
}
