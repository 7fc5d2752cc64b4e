//! Proofs of the rules and sequences, by execution: pattern and replacement are assembled, and run
//! on the simulated core with random registers and flags. A pattern is computed by shifts, AND, OR
//! and XNOR alone, a replacement by the instructions that are selected for it.
//!
//! A rule of one word is run with all 65,536 words, a rule with a mask with all 65,536 masks, every
//! rule in at least [`LEAST`] states.

use super::super::code::{Code, increase, number_into};
use super::super::random::Random;
use super::*;
use manylane_simulate::s12x::Flat;
use manylane_simulate::s12x::assembler::assemble;
use manylane_simulate::s12x::xgate::{AddlCarry, BareBus, Registers, Timing, Xgate, XgateSet};
use std::collections::HashMap;

/// The states in which a rule is run, at least.
const LEAST: usize = 100_000;

/// The states in which a rule with several amounts is run, at most, beside one for each mask.
const MOST: usize = 1_000_000;

/// Where code and data lie.
const CODE: u16 = 0x1000;
const DATA: usize = 0x8000;

/// The words of data: four words, the mask, its complement, the description of the mask's field,
/// then the values of terms.
const MASK: usize = 4;
const UNMASKED: usize = 5;
const FIELD: usize = 6;
const FIRST: usize = 7;

/// Code as text, with values in words of data.
struct Text {
    lines: String,
    next: usize,
}

impl Text {
    fn new() -> Self {
        Self { lines: String::new(), next: FIRST }
    }

    fn line(&mut self, line: &str) {
        self.lines += &format!("\t{line}\n");
    }

    fn load(&mut self, register: u8, word: usize) {
        self.line(&format!("ldw r7,#{}", DATA + 2 * word));
        self.line(&format!("ldw r{register},(r7,#0)"));
    }

    /// Stores R1 in a new word.
    fn store(&mut self) -> usize {
        self.next += 1;
        self.line(&format!("ldw r7,#{}", DATA + 2 * (self.next - 1)));
        self.line("stw r1,(r7,#0)");
        self.next - 1
    }

    /// Loads words into R1, R2 and so on, executes lines, and stores R1.
    fn execute(&mut self, words: &[usize], lines: &[String]) -> usize {
        for (i, &word) in words.iter().enumerate() {
            self.load(1 + i as u8, word);
        }
        lines.iter().for_each(|line| self.line(line));
        self.store()
    }

    fn number(&mut self, number: u16) -> usize {
        self.line(&format!("ldw r1,#{number}"));
        self.store()
    }

    /// Computes a term from its definition, or by the instructions that are selected for it.
    fn term(&mut self, term: Term, of: Numbers, is_selected: bool) -> usize {
        let amount = |amount: Amount| amount.value(of);
        match term {
            Term::Word(i) | Term::Some(i) => return i,
            Mask => return MASK,
            Unmasked => return UNMASKED,
            Is(number) => return self.number(number),
            Exchange(a, by) => {
                let a = self.term(*a, of, is_selected);
                return self.sequence(&exchange(amount(by)), &[a])[0];
            }
            _ => {}
        }
        let parts: Vec<usize> =
            term.parts().iter().map(|&part| self.term(part, of, is_selected)).collect();
        // A shift by 16 bits is written as the number 0: the machine takes 0 for 16.
        let shift = |name: &str, register: u8, by: u8| match by {
            0 => String::new(),
            _ => format!("{name} r{register},#{}", by % 16),
        };
        let complement = "xnor r1,r0,r1".to_owned();
        let lines: Vec<String> = match term {
            Not(_) => vec![complement],
            And(_) => vec!["and r1,r1,r2".into()],
            Or(_) => vec!["or r1,r1,r2".into()],
            Xor(_) => vec!["xnor r1,r1,r2".into(), complement],
            Choose(_) if is_selected => {
                ["xnor r4,r2,r3", "or r4,r1,r4", "xnor r1,r2,r4"].map(String::from).into()
            }
            Choose(_) => ["and r2,r1,r2", "xnor r1,r0,r1", "and r3,r1,r3", "or r1,r2,r3"]
                .map(String::from)
                .into(),
            Funnel(&[Is(0), _], by) if is_selected => {
                let by = amount(by);
                vec![
                    format!("ldw r3,#{}", u16::from(15 - by) << 4 | u16::from(by)),
                    "bfext r1,r2,r3".into(),
                ]
            }
            Funnel(&[_, Is(0)], by) if is_selected => vec![shift("lsl", 1, 16 - amount(by))],
            Funnel(_, by) if is_selected => {
                let by = u16::from(amount(by));
                vec![
                    format!("ldw r3,#{}", (15 - by) << 4 | by),
                    "bfext r4,r2,r3".into(),
                    format!("ldw r3,#{}", (by - 1) << 4 | (16 - by)),
                    "bfins r4,r1,r3".into(),
                    "or r1,r0,r4".into(),
                ]
            }
            Funnel(_, by) => {
                let by = amount(by);
                let shifts = [shift("lsl", 1, 16 - by), shift("lsr", 2, by)];
                shifts.into_iter().chain(["or r1,r1,r2".to_owned()]).collect()
            }
            Rotate(_, by) if is_selected => match amount(by) {
                0 => Vec::new(),
                by => vec![format!("rol r1,#{by}")],
            },
            Rotate(_, by) => {
                let by = amount(by);
                let shifts = [shift("lsl", 1, by), shift("lsr", 2, 16 - by)];
                let copy = "or r2,r0,r1".to_owned();
                [copy].into_iter().chain(shifts).chain(["or r1,r1,r2".to_owned()]).collect()
            }
            Insert(..) => {
                self.load(3, FIELD);
                vec!["bfins r1,r2,r3".into()]
            }
            Pack(_) if is_selected => {
                ["ldw r3,#0x78", "bfins r2,r1,r3", "or r1,r0,r2"].map(String::from).into()
            }
            Pack(_) => ["lsl r1,#8", "ldw r3,#0xff", "and r2,r2,r3", "or r1,r1,r2"]
                .map(String::from)
                .into(),
            Term::Word(_) | Term::Some(_) | Is(_) | Mask | Unmasked | Exchange(..) => Vec::new(),
        };
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        self.execute(&parts, &lines)
    }

    /// Executes a sequence on words; neither loads nor stores change flags. Returns the words of
    /// its results.
    fn sequence(&mut self, sequence: &Sequence, words: &[usize]) -> Vec<usize> {
        let mut made: Vec<usize> = Vec::new();
        for (kind, args, _) in &sequence.steps {
            let args: Vec<usize> = args
                .iter()
                .map(|&arg| match arg {
                    Arg::Word(i) => words[i],
                    Arg::Step(i) => made[i],
                    Arg::Is(number) => self.number(number),
                })
                .collect();
            let line = match *kind {
                InstKind::Tri(tri) => format!("{} r1,r1,r2", tri.mnemonic()),
                InstKind::Shift(name, by) => format!("{name} r1,#{by}"),
                _ => unreachable!("{}: no sequence has {kind:?}", sequence.name),
            };
            made.push(self.execute(&args, &[line]));
        }
        sequence.results.iter().map(|&step| made[step]).collect()
    }

    fn assembled(&self) -> Vec<u8> {
        let text = format!("{}\trts\n", self.lines);
        let object = assemble(&XgateSet, &text, CODE).unwrap_or_else(|error| panic!("{error:?}"));
        object.segments.into_iter().flat_map(|of| of.bytes).collect()
    }
}

/// A core, its memory, and random numbers.
struct Bench {
    core: Xgate,
    alone: BareBus,
    random: Random,
}

impl Bench {
    fn new() -> Self {
        Self {
            core: Xgate::new(Timing::default(), AddlCarry::default()),
            alone: BareBus { memory: Flat::new(), registers: Registers::default() },
            random: Random::new(3),
        }
    }

    fn load(&mut self, code: &[u8]) {
        let at = usize::from(CODE);
        self.alone.memory.bytes_mut()[at..at + code.len()].copy_from_slice(code);
    }

    fn set(&mut self, word: usize, value: u16) {
        let at = DATA + 2 * word;
        self.alone.memory.bytes_mut()[at..at + 2].copy_from_slice(&value.to_be_bytes());
    }

    fn get(&self, word: usize) -> u16 {
        let at = DATA + 2 * word;
        u16::from_be_bytes([self.alone.memory.bytes()[at], self.alone.memory.bytes()[at + 1]])
    }

    /// A word of which one in four is at an edge.
    fn word(&mut self) -> u16 {
        const EDGES: [u16; 8] = [0, 1, 0x7f, 0x80, 0x7fff, 0x8000, 0xfffe, 0xffff];
        match self.random.below(4) {
            0 => EDGES[self.random.below(EDGES.len())],
            _ => self.random.below(0x1_0000) as u16,
        }
    }

    /// Runs the code that was loaded, with random registers and flags.
    fn run(&mut self) {
        let random: Vec<u16> = (0..8).map(|_| self.random.below(0x1_0000) as u16).collect();
        self.core.r[1..].copy_from_slice(&random[1..]);
        self.core.ccr = random[0] as u8 & 15;
        self.core.start(1, CODE, random[1]);
        while self.core.running {
            self.core.step(&mut self.alone).unwrap_or_else(|fault| panic!("{fault}"));
        }
    }
}

/// Whether `is` holds for a term or a part of it.
fn has(term: Term, is: fn(Term) -> bool) -> bool {
    is(term) || term.parts().iter().any(|&part| has(part, is))
}

fn words_of(term: Term) -> usize {
    let own = if let Term::Word(i) | Term::Some(i) = term { i + 1 } else { 0 };
    term.parts().iter().map(|&part| words_of(part)).fold(own, usize::max)
}

fn amounts(term: Term) -> Vec<Amount> {
    let own = if let Funnel(_, by) | Rotate(_, by) = term { Some(by) } else { None };
    let parts = term.parts().iter().flat_map(|&part| amounts(part));
    own.into_iter().chain(parts).collect()
}

/// All numbers for which a rule holds.
fn all_numbers(rule: &Rule) -> Vec<Numbers> {
    let used = amounts(rule.pattern);
    let has_by = used.iter().any(|amount| matches!(amount, By | Rest));
    let has_more = used.iter().any(|amount| matches!(amount, More));
    // Funnels are by 1 to 15 bits where a rule does not say otherwise.
    let first = if matches!(rule.pattern, Rotate(..)) { 0 } else { 1 };
    let bys = if has_by { first..16_u8 } else { 0..1 };
    let mores = if has_more { 1..16_u8 } else { 0..1 };
    let has_mask = has(rule.pattern, |term| matches!(term, Mask | Unmasked));
    let masks = if has_mask { 0..=u16::MAX } else { 0..=0 };
    let mut all = Vec::new();
    for by in bys {
        for more in mores.clone() {
            let of = masks.clone().map(|mask| Numbers { mask, by, more });
            all.extend(of.filter(|&of| (rule.when)(of)));
        }
    }
    all
}

/// Pattern and replacement of a rule have the same value in every state. Returns how many states
/// were run.
fn prove(rule: &Rule, bench: &mut Bench) -> usize {
    let all = all_numbers(rule);
    assert!(!all.is_empty(), "{}: no numbers fulfil its condition", rule.name);
    let words = words_of(rule.pattern);
    let is_whole = words == 1 && all.iter().all(|of| of.mask == 0);
    let each = match is_whole {
        true => (MOST / all.len()).min(0x1_0000),
        false => LEAST.div_ceil(all.len()),
    };
    // The code depends on amounts and on the mask's field alone; masks are data.
    let mut codes: HashMap<_, (Vec<u8>, [usize; 2])> = HashMap::new();
    let mut loaded = None;
    let mut states = 0;
    for of in all {
        let place = field(of.mask);
        let key = (of.by, of.more, place);
        let (code, results) = codes.entry(key).or_insert_with(|| {
            let mut text = Text::new();
            let results =
                [text.term(rule.pattern, of, false), text.term(rule.replacement, of, true)];
            (text.assembled(), results)
        });
        if loaded.replace(key) != Some(key) {
            bench.load(code);
        }
        bench.set(MASK, of.mask);
        bench.set(UNMASKED, !of.mask);
        let (width, offset) = place.unwrap_or((1, 0));
        bench.set(FIELD, u16::from(width.max(1) - 1) << 4 | u16::from(offset));
        for i in 0..each {
            for word in 0..words {
                let value = bench.word();
                bench.set(word, if is_whole && each == 0x1_0000 { i as u16 } else { value });
            }
            bench.run();
            let [pattern, replacement] = results.map(|word| bench.get(word));
            let words: Vec<u16> = (0..words).map(|word| bench.get(word)).collect();
            let name = rule.name;
            assert_eq!(pattern, replacement, "{name}: {of:x?}, words {words:04x?}");
            states += 1;
        }
    }
    states
}

#[test]
fn every_rule_is_proved_by_execution() {
    let mut bench = Bench::new();
    for rule in &RULES {
        let states = prove(rule, &mut bench);
        assert!(states >= LEAST.min(0x1_0000), "{}: {states} states", rule.name);
        println!("{}: {states} states", rule.name);
    }
    let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len(), "each rule has a name of its own");
}

/// A wrong rule does not pass: the mask covers one bit less than it should.
#[test]
#[should_panic(expected = "wrong")]
fn a_wrong_rule_is_found() {
    let wrong = rule_if(
        "wrong",
        And(&[Funnel(&[ZERO, X], By), Mask]),
        |of| of.mask & from_low(of.by) == from_low(of.by) >> 1,
        Funnel(&[ZERO, X], By),
    );
    prove(&wrong, &mut Bench::new());
}

#[test]
fn every_sequence_is_proved_by_execution() {
    let mut bench = Bench::new();
    let sequences = [1, 2, 4].map(exchange).into_iter();
    let turns = [2, 4].into_iter().flat_map(|limbs| [turn_left(limbs), turn_right(limbs)]);
    for sequence in sequences.chain(turns) {
        let mut text = Text::new();
        let made = text.sequence(&sequence, &[0, 1, 2, 3]);
        let none = Numbers::default();
        let patterns: Vec<usize> =
            sequence.patterns.iter().map(|&of| text.term(of, none, false)).collect();
        bench.load(&text.assembled());
        assert_eq!(made.len(), patterns.len(), "{}", sequence.name);
        for state in 0..LEAST {
            for word in 0..4 {
                let value = bench.word();
                bench.set(word, if word == 0 { state as u16 } else { value });
            }
            bench.run();
            for (&made, &pattern) in made.iter().zip(&patterns) {
                let words = [0, 1, 2, 3].map(|word| bench.get(word));
                let name = &sequence.name;
                assert_eq!(bench.get(made), bench.get(pattern), "{name}: {words:04x?}");
            }
        }
        println!("{}: {LEAST} states", sequence.name);
    }
}

/// A number is put into a register, or added to one, by as few instructions as it needs: LDL alone
/// below 256, ADDL or ADDH alone where a byte is 0. All 65,536 numbers are run.
#[test]
fn short_numbers_are_proved_by_execution() {
    let mut bench = Bench::new();
    for batch in 0..128_u16 {
        let mut text = Text::new();
        text.lines += "\tldl r5,#0\n";
        for number in (0..512).map(|i| batch << 9 | i) {
            let of = bench.word();
            // R5 gathers the bits that differ.
            text.lines += &number_into(1, number).to_string();
            text.lines += &format!("\tldl r2,#{0}\n\tldh r2,#{1}\n", number & 255, number >> 8);
            text.lines += "\txnor r1,r1,r2\n\txnor r1,r0,r1\n\tor r5,r5,r1\n";
            text.lines += &Code::Wide(1, of.to_string()).to_string();
            text.lines.extend(increase(1, number.into()).iter().map(Code::to_string));
            text.lines += &Code::Wide(2, of.wrapping_add(number).to_string()).to_string();
            text.lines += "\txnor r1,r1,r2\n\txnor r1,r0,r1\n\tor r5,r5,r1\n";
        }
        text.line("or r1,r0,r5");
        let result = text.store();
        bench.load(&text.assembled());
        bench.run();
        assert_eq!(bench.get(result), 0, "a number from {:#06x} on", batch << 9);
    }
}
