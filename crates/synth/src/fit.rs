//! Whether a chip has room for a core. A placer searches for minutes before it gives up, and so
//! does synthesis of a core that is many times too large.

use crate::flows::synthesis::Synthesized;
use crate::{Error, Request, Target, harness};
use manylane_graph::trace;
use manylane_plan::hardware::{DelayModel, plan};

/// The planner counts operations and their registers. Synthesis adds other logic, multiplexers
/// above all, and makes every core larger than predicted: a core predicted to be larger than this
/// many chips fits none.
const HOPELESS: f64 = 2.0;

/// Refuses a core that the planner predicts to be far too large for the chip.
///
/// # Errors
/// [`Error::DoesNotFit`], if the predicted area is more than that of two chips.
pub fn foreseen(request: &Request) -> Result<(), Error> {
    let (Some(capacity), Some(area)) = (request.target.capacity(), planned_area(request)) else {
        return Ok(());
    };
    if area > HOPELESS * capacity as f64 {
        let why = format!("about {area:.0} tables by the planner; there are {capacity}");
        return Err(does_not_fit(request, why));
    }
    Ok(())
}

/// The predicted area in tables, by the chip's delay model; `None` if the planner does not know
/// core or chip.
fn planned_area(request: &Request) -> Option<f64> {
    let sheet = &request.core.sheet;
    let model = match request.target {
        Target::Ice40Hx8k => "ice40",
        Target::Ecp5_85k => "ecp5",
        Target::GenericGates => return None,
    };
    let compression = trace::compression(sheet.primitive.parse().ok()?);
    let model = DelayModel::load(model).expect("the model of a chip is there");
    Some(plan(&compression, &sheet.options, &model).ok()?.resources.all.area)
}

/// Refuses a core that synthesis made too large for the chip.
///
/// # Errors
/// [`Error::DoesNotFit`], if the chip has fewer tables or flip-flops than core and harness need.
pub fn fits(request: &Request, found: &Synthesized) -> Result<(), Error> {
    let Some(capacity) = request.target.capacity() else { return Ok(()) };
    let harness = u64::from(harness::flip_flops(&request.core.sheet));
    for (kind, needed) in [("tables", found.cells.luts), ("flip-flops", found.cells.flip_flops)] {
        if needed + harness > capacity {
            let why = format!("{needed} {kind}, {harness} of the harness; there are {capacity}");
            return Err(does_not_fit(request, why));
        }
    }
    Ok(())
}

/// The error that a chip has no room for the core.
pub fn does_not_fit(request: &Request, why: String) -> Error {
    Error::DoesNotFit { core: request.core.sheet.module.clone(), target: request.target, why }
}
