//! A body for two cores: the second computes what depends on the block and its counter alone, such as
//! a message schedule, and hands it over in groups; the first computes the rest.
//!
//! ```text
//!  core 1   a copy of m ──► schedule ──► exchange[0..n], a post after each group
//!  core 0   h ──► rounds,             a wait before the first value of a group ──► h
//! ```
//!
//! The second core reads a copy of the block: if the first one gives up waiting, it goes on with other blocks
//! in the same memory while the second still reads.

use super::expr::integer;
use super::straight::{Signature, Writer, live, needed, straight};
use super::{Body, Error, Shared};
use manylane_graph::{Function, NodeId, Op, Role};
use std::fmt::Write;

/// Values that one post hands over: fewer cost handshakes, more let the first core wait.
const GROUP: usize = 4;

/// The body for two cores, and that for one, which serves where the second one is busy.
///
/// # Errors
/// As [`straight`]; if nothing but inputs is independent of the chaining value.
pub(super) fn pair(function: &Function, signature: &Signature<'_>) -> Result<Body, Error> {
    let alone = straight(function, signature)?;
    let live = live(function);
    let own = depends_on_chaining(function);
    let is_cheap = |node: NodeId| matches!(function.op(node), Op::Const(_) | Op::Input(_));
    // What the first core takes from the second, in the order in which the second has it.
    let mut taken = vec![false; function.len()];
    for node in function.nodes().filter(|node| live[node.index()] && own[node.index()]) {
        for &arg in function.args(node) {
            taken[arg.index()] |= !own[arg.index()] && !is_cheap(arg);
        }
    }
    for output in function.outputs() {
        taken[output.value.index()] |= !own[output.value.index()] && !is_cheap(output.value);
    }
    let handed: Vec<NodeId> = function.nodes().filter(|node| taken[node.index()]).collect();
    if handed.is_empty() {
        return Err(Error::Cores {
            function: function.name.clone(),
            why: "every step needs the chaining value, and so nothing is there for a second core",
        });
    }
    let place = |node: NodeId| handed.binary_search(&node).ok();
    let groups = handed.len().div_ceil(GROUP);
    let width = function.width(handed[0]);

    let mut worker = Writer::new(function, signature);
    let share = needed(function, handed.iter().copied());
    for node in function.nodes().filter(|node| share[node.index()]) {
        if !matches!(function.op(node), Op::Const(_)) {
            worker.define(node)?;
        }
        if let Some(at) = place(node) {
            let _ = writeln!(worker.lines, "    pair->exchange[{at}] = {node};");
            if (at + 1).is_multiple_of(GROUP) || at + 1 == handed.len() {
                let post =
                    format!("    MANYLANE_POST(&second->posted, base + {}u);", at / GROUP + 1);
                let _ = writeln!(worker.lines, "{post}");
            }
        }
    }

    let mut main = Writer::new(function, signature);
    let mut awaited = 0;
    for node in function.nodes().filter(|node| live[node.index()] && own[node.index()]) {
        for &arg in function.args(node) {
            fetch(&mut main, function, arg, &place, &mut awaited, &mut taken)?;
        }
        main.define(node)?;
    }
    for output in function.outputs() {
        fetch(&mut main, function, output.value, &place, &mut awaited, &mut taken)?;
    }
    main.outputs();

    let Signature { prefix, name, parameters, about, .. } = signature;
    let (worker, main) = (worker.lines, main.lines);
    let counted = parameters.contains(" t0");
    let (give, take) = match counted {
        true => (
            "    pair->t[0] = t0;\n    pair->t[1] = t1;\n",
            "    const WORD t0 = pair->t[0];\n    const WORD t1 = pair->t[1];\n",
        ),
        false => ("", ""),
    };
    let take = take.replace("WORD", &integer(width));
    let taken = match worker.contains("(block") {
        true => "    const uint8_t *const block = (const uint8_t *)pair->block;\n",
        false => "",
    };
    let used = if worker.contains("t0") || worker.contains("t1") { &take[..] } else { "" };
    let text = format!(
        "{}\n\
         /* The second core's share of one call: what does not depend on the chaining value. */\n\
         static void MANYLANE_CODE({name}_worker)(void *argument)\n{{\n\
         \x20   {prefix}_pair *const pair = ({prefix}_pair *)argument;\n\
         \x20   manylane_second *const second = pair->second;\n\
         \x20   const uint32_t base = pair->base;\n\
{taken}{used}{worker}}}\n\n\
         /* {about} The second core computes its share meanwhile. Returns 0, with h unchanged, if that\n\
         \x20  core is busy or does not answer. */\n\
         static int MANYLANE_CODE({name}_pair)({prefix}_pair *pair, {parameters})\n{{\n\
         \x20   manylane_second *const second = pair->second;\n\
         \x20   uint32_t base;\n\
         \x20   if (!manylane_is_free(second)) {{\n        return 0;\n    }}\n\
         \x20   base = manylane_claim(second, {groups}u);\n\
         \x20   pair->base = base;\n\
         \x20   memcpy(pair->block, block, sizeof pair->block);\n{give}\
         \x20   if (!MANYLANE_START(second, {name}_worker, pair)) {{\n        return 0;\n    }}\n\
         {main}    return 1;\n}}\n",
        alone.text,
    );
    let integer = integer(width);
    let mut fields = vec![format!("{integer} exchange[{}];", handed.len())];
    if counted {
        fields.push(format!("{integer} t[2];"));
    }
    let words = handed.len() + if counted { 2 } else { 0 };
    let shared = Shared { fields, bytes: words * usize::from(width) / 8, handshakes: groups };
    Ok(Body { text, shared: Some(shared) })
}

/// Declares what the first core takes from elsewhere: a handed value, once its group is there, or an
/// input that it reads itself.
fn fetch(
    main: &mut Writer<'_>,
    function: &Function,
    arg: NodeId,
    place: &impl Fn(NodeId) -> Option<usize>,
    awaited: &mut usize,
    open: &mut [bool],
) -> Result<(), Error> {
    let is_input = matches!(function.op(arg), Op::Input(i)
        if function.inputs()[i as usize].role != Role::Chaining);
    match place(arg) {
        Some(at) if open[arg.index()] => {
            open[arg.index()] = false;
            let group = at / GROUP + 1;
            if group > *awaited {
                *awaited = group;
                let wait = format!("    if (!MANYLANE_WAIT(&second->posted, base + {group}u)) {{");
                let _ = writeln!(main.lines, "{wait}\n        return 0;\n    }}");
            }
            main.declare(arg, &format!("pair->exchange[{at}]"));
        }
        None if is_input && !open[arg.index()] => {
            open[arg.index()] = true;
            main.define(arg)?;
        }
        Some(_) | None => {}
    }
    Ok(())
}

/// For each node, whether it depends on the chaining value.
fn depends_on_chaining(function: &Function) -> Vec<bool> {
    let mut depends = vec![false; function.len()];
    for input in function.inputs() {
        depends[input.node.index()] = matches!(input.role, Role::Chaining);
    }
    for node in function.nodes() {
        let any = function.args(node).iter().any(|arg| depends[arg.index()]);
        depends[node.index()] |= any;
    }
    depends
}
