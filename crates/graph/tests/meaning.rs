//! A graph computes what the definition that it was traced from computes.

use manylane_graph::interpret::run_main;
use manylane_graph::passes::inline;
use manylane_graph::trace::{self, Loading, Rc5, Traceable, Visitor, visit};
use manylane_graph::{Module, Op};
use manylane_primitives::catalog::{Algorithm, HashId};
use manylane_primitives::cipher::rc5::{self, Magic};
use manylane_primitives::hash::{LONGEST_END, Padded, Tail, digest};
use manylane_primitives::word::{ByteOrder, Native};

fn algorithms() -> Vec<Algorithm> {
    let all = HashId::ALL.iter().copied().map(Algorithm::new);
    let sized = ["skein512-256", "skein256-1000", "shake128-3000", "skein1024-8"];
    all.chain(sized.map(|name| name.parse().unwrap())).collect()
}

/// Message bytes in which exchanged words or bytes show.
fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 131 + i / 7 + 1) as u8).collect()
}

/// Checks the message's graph against the definition, for one message and one way of loading it.
struct Check<'m>(Algorithm, &'m [u8], Loading);

impl Visitor for Check<'_> {
    type Output = ();
    fn visit<H: Traceable>(self, hash: &H) {
        let Check(algorithm, message, loading) = self;
        let order = match (loading, H::ORDER) {
            (Loading::Ordered, order) | (Loading::Native(order) | Loading::Program(order), _) => {
                order
            }
            (Loading::Swapped | Loading::Buffered, ByteOrder::Big) => ByteOrder::Little,
            (Loading::Swapped | Loading::Buffered, ByteOrder::Little) => ByteOrder::Big,
        };
        let word_bytes = H::Native::BYTES;
        let mut filled = message.to_vec();
        filled.resize(message.len().next_multiple_of(word_bytes), 0);
        let mut counters = Vec::new();
        if matches!(loading, Loading::Buffered | Loading::Program(_)) {
            let whole = hash.whole_blocks(message.len() as u64) as usize;
            let zeros = vec![0; message.len() - whole * hash.block_bytes()];
            let mut end = [0; LONGEST_END];
            let mut padded = Padded::new(&mut end);
            let total_bits = 8 * message.len() as u128;
            hash.pad(&Tail { bytes: &zeros, total_bits }, &mut padded);
            filled.resize((whole + padded.blocks) * hash.block_bytes(), 0);
            filled.extend(&padded.bytes[..padded.blocks * hash.block_bytes()]);
            if loading != Loading::Buffered {
                let of_whole = (0..whole as u64).map(|block| hash.counter(block));
                let all = of_whole.chain(padded.counters.into_iter().take(padded.blocks));
                counters.extend(all.flat_map(|t| t.words().into_iter().take(H::COUNTER_WORDS)));
            }
        }
        let words = filled.chunks(word_bytes).map(|chunk| H::Native::read(chunk, order).number());
        let initial = hash.initial_value();
        let constants = counters.iter().chain(initial.as_ref());
        let inputs: Vec<u64> = words.chain(constants.map(|word| word.number())).collect();

        let module = trace::message(algorithm, message.len(), loading);
        let blocks = run_main(&module, &inputs);
        let inlined = Module::of(inline(&module));
        assert_eq!(run_main(&inlined, &inputs), blocks, "{algorithm} inlined");
        let mut ours = vec![0; hash.digest_bytes()];
        let words = initial.as_ref().len();
        for (out, block) in ours.chunks_mut(hash.output_block_bytes()).zip(blocks.chunks(words)) {
            let mut state = initial;
            for (word, &value) in state.as_mut().iter_mut().zip(block) {
                *word = H::Native::of_number(value);
            }
            hash.write_output(&state, out);
        }
        let mut expected = vec![0; hash.digest_bytes()];
        digest(hash, message, &mut expected);
        assert_eq!(ours, expected, "{algorithm}, {} bytes, {loading:?}", message.len());
    }
}

#[test]
fn messages_have_the_digests_of_their_definitions() {
    for algorithm in algorithms() {
        let block = algorithm.id().entry().shape.block_bytes;
        for length in [0, 1, block - 9, block - 1, block, 2 * block + 3] {
            visit(algorithm, Check(algorithm, &bytes(length), Loading::Swapped));
        }
        visit(algorithm, Check(algorithm, &bytes(block + 1), Loading::Buffered));
        for length in [0, block - 9, block] {
            let loading = Loading::Program(ByteOrder::Big);
            visit(algorithm, Check(algorithm, &bytes(length), loading));
        }
        visit(algorithm, Check(algorithm, &bytes(block - 1), Loading::Program(ByteOrder::Little)));
        for loading in [Loading::Ordered, Loading::Native(ByteOrder::Big)] {
            visit(algorithm, Check(algorithm, &bytes(block / 2 + 3), loading));
        }
    }
}

/// HMAC's graph against the definition, its inputs given by their names.
struct CheckHmac<'m>(Algorithm, &'m [u8], &'m [u8], Loading);

impl Visitor for CheckHmac<'_> {
    type Output = ();
    fn visit<H: Traceable>(self, hash: &H) {
        let CheckHmac(algorithm, key, message, loading) = self;
        let (block, digest_bytes) = (hash.block_bytes(), hash.digest_bytes());
        let order = match loading {
            Loading::Ordered => H::ORDER,
            Loading::Native(order) | Loading::Program(order) => order,
            Loading::Swapped | Loading::Buffered => unreachable!("not tried"),
        };
        let word = |bytes: &[u8], i: usize| {
            let mut word = vec![0; H::Native::BYTES];
            let rest = &bytes[bytes.len().min(i * H::Native::BYTES)..];
            let count = rest.len().min(word.len());
            word[..count].copy_from_slice(&rest[..count]);
            H::Native::read(&word, order).number()
        };
        // What is hashed, in order: the key if it is long, the inner message, the outer one.
        let long = (key.len() > block).then_some(key.len());
        let hashed = long.into_iter().chain([block + message.len(), block + digest_bytes]);
        let (mut padding, mut counters) = (Vec::new(), Vec::new());
        for bytes in hashed {
            let whole = hash.whole_blocks(bytes as u64);
            let zeros = vec![0; bytes - whole as usize * block];
            let mut end = [0; LONGEST_END];
            let mut padded = Padded::new(&mut end);
            hash.pad(&Tail { bytes: &zeros, total_bits: 8 * bytes as u128 }, &mut padded);
            padding.extend(&padded.bytes[..padded.blocks * block]);
            let of_whole = (0..whole).map(|block| hash.counter(block));
            let all = of_whole.chain(padded.counters.into_iter().take(padded.blocks));
            counters.extend(all.flat_map(|t| t.words().into_iter().take(H::COUNTER_WORDS)));
        }
        let initial = hash.initial_value();
        let module = trace::hmac(algorithm, key.len(), message.len(), loading);
        let inputs = module.main().inputs().iter().map(|input| {
            let (kind, number) = input.name.split_at(1);
            let number: usize = number.parse().unwrap();
            match kind {
                "k" => word(key, number),
                "m" => word(message, number),
                "p" => word(&padding, number),
                "t" => counters[number].number(),
                "h" => initial.as_ref()[number].number(),
                _ => 0,
            }
        });
        let inputs: Vec<u64> = inputs.collect();
        let words = run_main(&module, &inputs);
        assert_eq!(run_main(&Module::of(inline(&module)), &inputs), words, "{algorithm} inlined");
        let mut ours = vec![0; digest_bytes];
        let blocks = words.chunks(initial.as_ref().len());
        for (out, block) in ours.chunks_mut(hash.output_block_bytes()).zip(blocks) {
            let mut state = initial;
            for (word, &value) in state.as_mut().iter_mut().zip(block) {
                *word = H::Native::of_number(value);
            }
            hash.write_output(&state, out);
        }
        let mut expected = vec![0; digest_bytes];
        manylane_primitives::mac::hmac(hash, key, message, &mut expected);
        let lengths = (key.len(), message.len());
        assert_eq!(ours, expected, "hmac-{algorithm}, key and message {lengths:?}, {loading:?}");
    }
}

#[test]
fn hmac_is_that_of_its_definition() {
    for algorithm in algorithms() {
        let block = algorithm.id().entry().shape.block_bytes;
        if algorithm.digest_bytes() > block {
            continue;
        }
        let key = bytes(2 * block + 9);
        for (key_bytes, length) in [(0, 0), (5, 3), (block + 1, block - 9)] {
            let [big, little] = [ByteOrder::Big, ByteOrder::Little].map(Loading::Program);
            let loading = if length == 3 { little } else { big };
            let message = &bytes(2 * length)[length..];
            visit(algorithm, CheckHmac(algorithm, &key[..key_bytes], message, loading));
        }
        let folded = Loading::Native(ByteOrder::Little);
        visit(algorithm, CheckHmac(algorithm, &key, &bytes(7), folded));
    }
}

/// A program pads at run time: no operation of it depends on how long the message is, and none of
/// its message schedule is done beforehand.
#[test]
fn programs_know_nothing_of_their_padding() {
    let program = |name: &str, bytes| {
        inline(&trace::message(name.parse().unwrap(), bytes, Loading::Program(ByteOrder::Little)))
    };
    let work = |name: &str, bytes| {
        let function = program(name, bytes);
        function.nodes().filter(|&node| function.op(node).is_work()).count()
    };
    for (name, room) in [("sha256", 55), ("blake256", 55), ("md5", 55), ("sha512", 111)] {
        assert_eq!(work(name, 0), work(name, room), "{name}");
        assert_eq!(work(name, 0), work(name, 17), "{name}");
    }
    // What is left of a block without padding, loading and order of bytes is a compression.
    let blake = program("blake256", 64);
    let compression = trace::compression("blake256".parse().unwrap());
    let of_compression = |function: &manylane_graph::Function| {
        let work = function.nodes().filter(|&node| {
            let path = function.path_name(function.step(node));
            function.op(node).is_work() && !path.contains("padding") && !path.contains("byte swap")
        });
        work.count()
    };
    assert_eq!(of_compression(&blake), 2 * of_compression(&compression));
}

/// RC5's graph against the cipher over plain words.
fn check_rc5<N: Magic>(rounds: usize, key_words: usize) {
    let word =
        |i: usize| N::number(N::of_number(0x9e37_79b9_7f4a_7c15_u64.rotate_left(7 * i as u32)));
    let mut s = vec![N::default().scalar(); 2 * (rounds + 1)];
    rc5::initialize(&mut s);
    let table: Vec<u64> = s.iter().map(|&word| N::from_scalar(word).number()).collect();
    let key: Vec<u64> = (0..key_words).map(word).collect();
    let mut l: Vec<_> = key.iter().map(|&word| N::of_number(word).scalar()).collect();
    rc5::expand(&mut s, &mut l);
    let plain = [word(100), word(200)];
    let block = plain.map(|word| N::of_number(word).scalar());
    let cipher = rc5::encrypt_block(block, s.as_slice()).map(|word| N::from_scalar(word).number());
    let expanded: Vec<u64> = s.iter().map(|&word| N::from_scalar(word).number()).collect();

    let run_on = |part, block: &[u64]| {
        let module = Module::of(trace::rc5::<N>(part, rounds, key_words));
        run_main(&module, &[&key[..], &table, block].concat())
    };
    assert_eq!(run_on(Rc5::KeyExpansion, &[]), expanded);
    assert_eq!(run_on(Rc5::Encryption, &plain), cipher);
    assert_eq!(run_on(Rc5::Decryption, &cipher), plain);
    let block = Module::of(trace::rc5::<N>(Rc5::Block, rounds, key_words));
    assert_eq!(run_main(&block, &[&expanded[..], &plain].concat()), cipher);
    let inverse = Module::of(trace::rc5::<N>(Rc5::Inverse, rounds, key_words));
    assert_eq!(run_main(&inverse, &[&expanded[..], &cipher].concat()), plain);
}

#[test]
fn rc5_is_the_cipher() {
    check_rc5::<u32>(12, 4);
    check_rc5::<u16>(0, 1);
    check_rc5::<u64>(20, 3);
    check_rc5::<u32>(1, 63);
}

/// Every step is there, from the first to the last, with the words that pass through it.
#[test]
fn steps_are_recorded() {
    let rounds = [
        ("md5", 64),
        ("sha1", 80),
        ("sha256", 64),
        ("sha512", 80),
        ("blake256", 14),
        ("jh256", 42),
        ("keccak256", 24),
        ("skein512", 72),
        ("skein1024", 80),
    ];
    for (name, count) in rounds {
        let graph = trace::compression(name.parse().unwrap());
        for i in 0..count {
            let step = graph.find_step(&format!("round[{i}]")).expect(name);
            assert!(!graph.steps()[step.index()].over.is_empty());
            assert!(graph.nodes().any(|node| graph.path(graph.step(node)).first() == Some(&step)));
        }
        assert_eq!(graph.find_step(&format!("round[{count}]")), None, "{name}");
    }
    let rc5 = trace::rc5::<u32>(Rc5::Encryption, 12, 4);
    for k in 0..78 {
        assert!(rc5.find_step(&format!("key expansion[{k}]/S[{}]", k % 26)).is_some());
        assert!(rc5.find_step(&format!("key expansion[{k}]/L[{}]", k % 4)).is_some());
    }
}

#[test]
fn equal_nodes_are_shared_and_constants_folded() {
    for algorithm in algorithms() {
        let graph = trace::compression(algorithm);
        let mut seen = std::collections::HashSet::new();
        for node in graph.nodes() {
            let args = graph.args(node);
            assert!(seen.insert((graph.op(node), graph.width(node), args)), "{algorithm} {node}");
            let constant = |&arg: &_| matches!(graph.op(arg), Op::Const(_));
            assert!(args.is_empty() || !args.iter().all(constant), "{algorithm} {node}");
        }
    }
}

/// The test catches a definition or a builder whose graph has grown by mistake.
#[test]
fn a_trace_has_few_nodes() {
    for algorithm in algorithms() {
        let nodes = trace::compression(algorithm).len();
        assert!(nodes < 20_000, "{algorithm}: {nodes}");
    }
}
