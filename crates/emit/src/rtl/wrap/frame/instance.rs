//! The core, with registers before it.
//!
//! ```text
//!  tag, chain, block, counter, mode ──► registers ──► core ──► result
//! ```

use super::{FrameBuilder, Words};
use crate::rtl::Core;
use crate::rtl::netlist::SignalId;

/// The handshake of the registers before the core.
pub(super) struct Issue {
    /// The registers hold a call.
    pub(super) valid: SignalId,
    /// The core takes the call.
    pub(super) ready: SignalId,
    /// The registers take a call.
    pub(super) load: SignalId,
    /// For a core in memory, the block's words, which go into it one by one.
    pub(super) words: Option<Words>,
}

/// The values that the core takes with a call.
pub(super) struct Inputs {
    /// Context and flags, which come back with the result.
    pub(super) tag: SignalId,
    /// The chaining value before the block.
    pub(super) chain: SignalId,
    /// The padded block, or the word of it that is offered.
    pub(super) block: SignalId,
    pub(super) counter: Option<SignalId>,
    /// With modes, the message's mode, and whether the block is its first one.
    pub(super) mode: Option<[SignalId; 2]>,
}

/// The signals by which the core offers a result.
pub(super) struct Offered {
    /// A result is offered.
    pub(super) valid: SignalId,
    /// Driven later: the result is taken.
    pub(super) ready: SignalId,
    /// The tag of the call that it is of.
    pub(super) tag: SignalId,
    /// With modes, the mode and the digest.
    pub(super) digest: Option<[SignalId; 2]>,
}

impl FrameBuilder<'_> {
    /// Makes the handshake; `chosen` says whether there is a call, and `loads` is driven.
    pub(super) fn issue(&mut self, chosen: SignalId, loads: SignalId) -> Issue {
        let core = self.shape.core;
        let l = &mut *self.logic;
        let valid = l.state("issue_valid", 1);
        let ready = l.driven("core_ready", 1);
        let stays = l.but("issue_stays", valid, ready);
        let free = l.not("issue_free", stays);
        // A block that goes in word by word is offered with its last word.
        let words = core.words().map(|words| Words::new(l, words, chosen, free));
        let load = match &words {
            None => l.and("loads", &[chosen, free]),
            Some(words) => words.last,
        };
        l.drive(loads, load);
        let next = l.or("next_issue_valid", &[load, stays]);
        l.connect(valid, next);
        Issue { valid, ready, load, words }
    }

    /// Makes the registers and the core, which drives `out_chain`.
    pub(super) fn instance(
        &mut self,
        issue: &Issue,
        inputs: Inputs,
        out_chain: SignalId,
    ) -> Offered {
        let core = self.shape.core;
        let mut ports = vec![("in_valid", issue.valid), ("in_ready", issue.ready)];
        if let Some(words) = &issue.words {
            ports.push((Core::WORD, inputs.block));
            ports.push(("word_valid", words.valid));
            ports.push(("word_ready", words.ready));
        }
        let l = &mut *self.logic;
        let leaves = core.clears.then(|| l.and("issue_leaves", &[issue.valid, issue.ready]));
        for (port, value) in [
            ("in_tag", Some(inputs.tag)),
            ("in_chain", Some(inputs.chain)),
            ("in_block", issue.words.is_none().then_some(inputs.block)),
            ("in_counter", inputs.counter),
            ("in_mode", inputs.mode.map(|[mode, _]| mode)),
            ("in_first", inputs.mode.map(|[_, first]| first)),
        ] {
            if let Some(value) = value {
                let name = format!("issue_{}", &port[3..]);
                ports.push((port, l.passing(&name, value, issue.load, leaves)));
            }
        }
        ports.extend(l.net.zero.map(|clear| ("clear", clear)));
        let valid = l.driven("result_valid", 1);
        let ready = l.later("result_ready", 1);
        let tag = l.driven("result_tag", l.width(inputs.tag));
        ports.extend([
            ("out_valid", valid),
            ("out_ready", ready),
            ("out_tag", tag),
            ("out_chain", out_chain),
        ]);
        let digest = inputs.mode.map(|[mode, _]| {
            let mode = l.driven("result_mode", l.width(mode));
            let digest = l.driven("result_digest", l.width(out_chain));
            ports.extend([("out_mode", mode), ("out_digest", digest)]);
            [mode, digest]
        });
        let ports = ports.into_iter().map(|(port, signal)| (port.to_owned(), signal));
        l.instance(&core.netlist.name, ports.collect());
        Offered { valid, ready, tag, digest }
    }
}
