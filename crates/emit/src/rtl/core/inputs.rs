//! The input side of a core: the ports, and the inputs as they are kept for each stage.
//!
//! ```text
//!  in_chain ──► opening           clock 0: the port itself
//!          └──► kept0 ──► kept1 ──► …   a register for each stage, until the ending
//! ```

use super::asked::Asked;
use super::control::Control;
use super::made::Core;
use super::mode::ByMode;
use super::stage::stage_section;
use super::timetable::Timetable;
use super::window::Window;
use super::window::plan::WindowPlan;
use crate::rtl::modes;
use crate::rtl::netlist::{Driver, Expr, Netlist, SignalId, Value};
use manylane_graph::{NodeId, Role};
use std::collections::HashMap;

/// A value that accompanies a block through the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Carried {
    /// An input of the compression.
    Input(NodeId),
    /// The tag.
    Tag,
    /// The mode, of a core that has modes.
    Mode,
}

/// The inputs of a block, and their copies.
#[derive(Debug)]
pub(super) struct Inputs<'m> {
    asked: Asked<'m>,
    ports: HashMap<Carried, SignalId>,
    /// Inputs as they are kept for a stage.
    kept: HashMap<(usize, Carried), SignalId>,
    /// Words of a message schedule's window, by their clock after clock 0. They are kept nowhere
    /// else.
    late: HashMap<(NodeId, i64), Value>,
}

/// The input side of the core.
pub(super) struct Opened<'m> {
    pub(super) inputs: Inputs<'m>,
    pub(super) window: Option<Window<'m>>,
    /// Name of the port and the compression's inputs that it carries.
    pub(super) ports: Vec<(&'static str, Vec<NodeId>)>,
    /// A block is offered.
    pub(super) valid: SignalId,
    /// The block is taken; driven later.
    pub(super) ready: SignalId,
    /// With modes, the words of the chaining value that a block is compressed with.
    pub(super) started: Vec<SignalId>,
}

impl<'m> Inputs<'m> {
    /// Makes the ports.
    pub(super) fn open(
        asked: Asked<'m>,
        net: &mut Netlist,
        control: &mut Control<'_>,
        times: &'m Timetable,
        window: Option<&'m WindowPlan>,
    ) -> Opened<'m> {
        let Asked { options, .. } = asked;
        let compression = asked.compression();
        let mut carried = HashMap::new();
        let section = net.section("Inputs");
        let valid = net.add(section, "in_valid", 1, Driver::Input);
        let ready = net.later(section, "ready", 1);
        net.output("in_ready", ready);
        let tag = net.add(section, "in_tag", options.tag_bits, Driver::Input);
        carried.insert(Carried::Tag, tag);
        let by_mode = (!options.modes.is_empty()).then(|| {
            let bits = modes::bits(options.modes.len());
            let mode = net.add(section, "in_mode", bits, Driver::Input);
            carried.insert(Carried::Mode, mode);
            let first = net.add(section, "in_first", 1, Driver::Input);
            (ByMode { modes: &options.modes, mode }, first)
        });
        let (mut ports, mut started, mut words) = (Vec::new(), Vec::new(), None);
        let roles = [
            ("in_chain", &[Role::Chaining][..]),
            ("in_block", &[Role::Message][..]),
            ("in_counter", &[Role::Counter, Role::Key, Role::Constant][..]),
        ];
        for (name, roles) in roles {
            let inputs = compression.inputs().iter();
            let inputs: Vec<_> = inputs.filter(|input| roles.contains(&input.role)).collect();
            if inputs.is_empty() {
                continue;
            }
            if let Some(plan) = window.filter(|_| roles.contains(&Role::Message)) {
                words = Some(Window::open(plan, times, net, control, section));
                ports.push((Core::WORD, plan.words().to_vec()));
                continue;
            }
            let mut low: u32 = inputs.iter().map(|input| asked.width(input.node)).sum();
            let port = net.add(section, name, low, Driver::Input);
            for input in &inputs {
                let width = asked.width(input.node);
                low -= width;
                let slice = Expr::Slice(port, low);
                let signal = match (&by_mode, roles) {
                    (Some((by_mode, first)), [Role::Chaining]) => {
                        let i = started.len();
                        let chosen =
                            by_mode.started(net, section, (i, &input.name, width), *first, slice);
                        started.push(chosen);
                        chosen
                    }
                    _ => net.wire(section, &input.name, width, slice),
                };
                carried.insert(Carried::Input(input.node), signal);
            }
            ports.push((name, inputs.iter().map(|input| input.node).collect()));
        }
        let (kept, late) = (HashMap::new(), HashMap::new());
        let inputs = Inputs { asked, ports: carried, kept, late };
        Opened { inputs, window: words, ports, valid, ready, started }
    }

    /// The value of a port in clock 0.
    pub(super) fn port(&self, what: Carried) -> SignalId {
        self.ports[&what]
    }

    /// A value that accompanies a block, as it is kept for stage `stage`.
    pub(super) fn kept(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        stage: usize,
        what: Carried,
    ) -> SignalId {
        if let Some(&known) = self.kept.get(&(stage, what)) {
            return known;
        }
        let from = match stage {
            0 => self.ports[&what],
            _ => self.kept(net, control, stage - 1, what),
        };
        let load = Some(control.kept_from(net, stage));
        let section = stage_section(net, stage);
        let name = match what {
            Carried::Mode => "mode",
            Carried::Tag => "tag",
            Carried::Input(node) => self.asked.name(node).expect("it is an input"),
        };
        let width = net.signal(from).width;
        let register = net.register(section, &format!("kept{stage}_{name}"), width, from, load);
        self.kept.insert((stage, what), register);
        register
    }

    /// A value that accompanies a block, in clock `time`: the port itself in clock 0, later a
    /// register that is kept for the stage.
    pub(super) fn at(
        &mut self,
        net: &mut Netlist,
        control: &mut Control<'_>,
        what: Carried,
        time: i64,
    ) -> SignalId {
        assert!(time >= 0, "nothing is there before it is taken");
        match time {
            0 => self.ports[&what],
            _ => {
                let clocks = self.asked.program.cycles_per_block;
                self.kept(net, control, (time as usize - 1) / clocks, what)
            }
        }
    }

    /// A word of a message schedule's window in clock `time`: these words are not kept for stages.
    pub(super) fn passing(&mut self, net: &mut Netlist, node: NodeId, time: i64) -> Value {
        assert!(time >= 0, "nothing is there before it is taken");
        if time == 0 {
            return self.ports[&Carried::Input(node)].into();
        }
        if let Some(&known) = self.late.get(&(node, time)) {
            return known;
        }
        let before = self.passing(net, node, time - 1);
        let value = net.delayed(before);
        self.late.insert((node, time), value);
        value
    }
}
