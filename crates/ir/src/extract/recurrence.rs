//! Recurrences: sequences of words computed from earlier words, such as a message schedule.

use super::{Extracted, Extractor, Line, Side, lines};
use crate::builder::Builder;
use crate::ir::{Function, Kind, NodeId, Op, Role};

/// A sequence of words each of which is computed from earlier ones: W_t from W_{t-2}, W_{t-7}, ….
#[derive(Clone, Debug)]
pub struct Recurrence {
    /// Computes the new word from those that it depends on: inputs `w16`, `w7`, … for the words 16,
    /// 7, … places before it, then side inputs.
    pub function: Function,
    /// For each word among the function's inputs, how many places before the new word it stands,
    /// largest first.
    pub distances: Vec<usize>,
    /// The sequence: the words at the beginning, oldest first, then the new ones.
    pub words: Vec<NodeId>,
    /// Number of words in the window: the latest words, which are kept for computing new ones.
    pub window: usize,
    /// The steps; their states are the words of the window, oldest first.
    pub line: Line,
}

/// The recurrence of a line of steps that each put one new word in the place of the oldest word of
/// a window; `None` if the steps do not.
pub fn recurrence(extractor: &Extractor<'_>, line: &Line) -> Option<Recurrence> {
    let window = line.states[0].len();
    let mut places = Vec::with_capacity(line.len());
    for pair in line.states.windows(2) {
        let mut changed = (0..window).filter(|&i| pair[0][i] != pair[1][i]);
        places.push(changed.next().filter(|_| changed.next().is_none())?);
    }
    // The oldest word is replaced first; words that are never replaced come last.
    let mut order: Vec<usize> = Vec::with_capacity(window);
    for place in places.iter().copied().chain(0..window) {
        if !order.contains(&place) {
            order.push(place);
        }
    }
    let in_turn = places.iter().enumerate().all(|(t, &place)| order[t % window] == place);
    if !in_turn {
        return None;
    }
    let mut words: Vec<NodeId> = order.iter().map(|&place| line.states[0][place]).collect();
    words.extend(places.iter().zip(&line.states[1..]).map(|(&place, state)| state[place]));
    let states = words.windows(window).map(<[NodeId]>::to_vec).collect();
    let line = Line { states, ..line.clone() };
    let first = extractor.merged(std::slice::from_ref(&line), 0..1, Side::Inside);
    let (function, distances) = new_word(&first, window);
    Some(Recurrence { function, distances, words, window, line })
}

/// The message schedule: a recurrence of words that do not depend on the chaining value.
pub fn message_schedule(extractor: &Extractor<'_>) -> Option<Recurrence> {
    let from_message =
        |line: &Line| line.states[0].iter().all(|&word| extractor.role(word) != Role::Chaining);
    let schedules = lines(extractor.function()).into_iter();
    let schedules = schedules.filter(|line| line.kind == Kind::Schedule && from_message(line));
    schedules.into_iter().find_map(|line| recurrence(extractor, &line))
}

/// The last output alone, with the inputs that it needs.
fn new_word(step: &Extracted, window: usize) -> (Function, Vec<usize>) {
    let from = &step.function;
    let last = from.outputs()[window - 1].value;
    let mut needed = vec![false; from.len()];
    needed[last.index()] = true;
    for node in from.nodes().rev() {
        if needed[node.index()] {
            from.args(node).iter().for_each(|arg| needed[arg.index()] = true);
        }
    }
    let mut b = Builder::new(&from.name);
    let mut distances = Vec::new();
    let mut values: Vec<Option<NodeId>> = vec![None; from.len()];
    for node in from.nodes().filter(|node| needed[node.index()]) {
        let value = match from.op(node) {
            Op::Input(i) => {
                let input = &from.inputs()[i as usize];
                let distance = window.checked_sub(i as usize).filter(|&distance| distance > 0);
                distances.extend(distance);
                let name = distance.map_or(input.name.clone(), |distance| format!("w{distance}"));
                b.input(&name, input.role, from.width(node))
            }
            op => {
                let args: Vec<NodeId> = from
                    .args(node)
                    .iter()
                    .map(|arg| values[arg.index()].expect("needed"))
                    .collect();
                b.op(op, &args)
            }
        };
        values[node.index()] = Some(value);
    }
    b.output("w0", values[last.index()].expect("needed"));
    (b.finish(), distances)
}
