//! Backends check a program, then write it into a folder. The errors of refused programs name the
//! remedy.

use manylane_emit::backend::{BACKENDS, Backend, Error, Folder, FolderError};
use manylane_emit::rtl::{
    Interface, Made, Message, Options, Project, Rtl, Storage, Style, Surroundings,
};
use manylane_graph::calls::digest;
use manylane_graph::framing::framing;
use manylane_graph::trace::{self, Rc5};
use manylane_plan::hardware::{self, DelayModel, HardwareProgram, plan};

fn program(name: &str, options: &hardware::Options) -> HardwareProgram {
    let graph = trace::compression(name.parse().unwrap());
    plan(&graph, options, &DelayModel::load("gate").unwrap()).unwrap().program
}

fn rtl<'r>(options: &'r Options, surroundings: Option<Surroundings<'r>>) -> Rtl<'r> {
    let style = Style::default();
    let about =
        Project { title: "A hash", warning: None, command: "manylane emit", blocks: &[], style };
    Rtl { options, about, surroundings }
}

#[test]
fn hardware_is_checked_then_emitted() {
    let program = program("sha256", &hardware::Options { stages: 2, ..Default::default() });
    let options = Options::new("sha256");
    let bare = rtl(&options, None);
    assert_eq!(bare.check(&program), Ok(()));
    let mut folder = Folder::new();
    bare.emit(&program, &mut folder).unwrap();
    assert!(folder.text("rtl/sha256.v").unwrap().contains("module sha256 ("));
    assert!(folder.text("core.json").is_some() && folder.text("Makefile").is_some());
    assert!(BACKENDS.contains(bare.description()));
    // A folder cannot take a core twice.
    let twice = bare.emit(&program, &mut folder).unwrap_err();
    assert!(matches!(twice, Error::Folder(FolderError::Twice { .. })), "{twice}");

    let framing = framing("sha256".parse().unwrap()).unwrap();
    let interface = Interface::Stream(8);
    let digest = digest("sha256".parse().unwrap(), b"");
    let messages = [Message { bytes: Vec::new(), digest, mode: 0, chain: Vec::new() }];
    let surroundings = Surroundings { interface, framing: &framing, messages: &messages };
    let wrapped = rtl(&options, Some(surroundings));
    assert_eq!(wrapped.check(&program), Ok(()));
    let mut folder = Folder::new();
    wrapped.emit(&program, &mut folder).unwrap();
    assert!(folder.text("rtl/sha256_core.v").is_some() && folder.text("rtl/sha256.v").is_some());
    let Made { core, wrapper } = wrapped.make(&program).unwrap();
    assert_eq!((core.cycles_per_block, wrapper.unwrap().interface), (32, interface));
}

/// The error names the backend, what is wrong where, and what to do.
#[test]
fn what_hardware_cannot_have_is_refused() {
    let options = Options::new("core");
    let sha256 = program("sha256", &hardware::Options::default());
    let md5 = trace::compression("md5".parse().unwrap());
    let said = |options: &Options, program: &HardwareProgram| {
        let mut folder = Folder::new();
        let backend = rtl(options, None);
        let error = backend.check(program).unwrap_err();
        if !matches!(error, Error::Program { .. }) {
            assert_eq!(backend.emit(program, &mut folder).as_ref(), Err(&error));
            assert_eq!(folder, Folder::new());
        }
        error.to_string()
    };
    let other = HardwareProgram { function: md5.clone(), ..sha256.clone() };
    let of_other = said(&options, &other);
    for part in ["rtl: md5.compression: ", "rule 1", "plan it anew", "; give the program as"] {
        assert!(of_other.contains(part), "{of_other}");
    }
    let mut early = sha256.clone();
    early.regions[0].schedule.registers.clear();
    assert!(said(&options, &early).contains("no register has the value"));
    let of_kinds = said(&options, &plan_of(&md5));
    assert!(of_kinds.contains("rtl: ") && of_kinds.contains("merge as many"), "{of_kinds}");
    let in_memory = Options { window: Storage::Ram, ..Options::new("core") };
    let keccak = program("keccak256", &hardware::Options::default());
    let of_memory = said(&in_memory, &keccak);
    assert!(of_memory.contains("; or say --window registers"), "{of_memory}");
    let clears = Options { clear: true, ..in_memory.clone() };
    assert!(said(&clears, &sha256).contains("memory cannot be cleared"));
}

fn plan_of(graph: &manylane_graph::Function) -> HardwareProgram {
    let model = DelayModel::load("gate").unwrap();
    plan(graph, &hardware::Options::default(), &model).unwrap().program
}

/// Rotations by amounts that are computed, and benches without messages.
#[test]
fn what_has_no_text_is_named() {
    let program = plan_of(&trace::rc5::<u32>(Rc5::Block, 4, 2));
    let options = Options::new("rc5");
    let error = rtl(&options, None).check(&program).unwrap_err();
    assert_eq!(
        error.to_string(),
        "rtl: v15 of rc5-32-4-8.block is `rotl_var`, which no core has; rotate by constant amounts \
         and \
         choose among them, or take a hash of `manylane list`"
    );
    let framing = framing("sha256".parse().unwrap()).unwrap();
    let interface = Interface::Stream(8);
    let silent = Surroundings { interface, framing: &framing, messages: &[] };
    let sha256 = self::program("sha256", &hardware::Options::default());
    let error = rtl(&options, Some(silent)).check(&sha256).unwrap_err();
    assert!(error.to_string().ends_with("there are none; give one"), "{error}");
}
