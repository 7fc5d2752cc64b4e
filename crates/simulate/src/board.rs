//! The files that turn a simulator into a machine for our programs.

/// The folder of our files in the folder of a program.
pub const FOLDER: &str = "board";

/// The header that programs include as `board.h`.
pub const BOARD_H: &str = include_str!("../board/board.h");

/// A file of ours: its name and its text.
pub type File = (&'static str, &'static str);

/// Headers of every machine.
pub const HEADERS: [File; 2] =
    [("board.h", BOARD_H), ("worker.h", include_str!("../board/worker.h"))];

/// The functions by which programs print.
pub const PRINT: File = ("board-print.c", include_str!("../board/print.c"));

/// How core 0 gives work to core 1 where there is no operating system.
pub const WORKER: File = ("board-worker.c", include_str!("../board/worker.c"));

/// The start of both cores where they are two Cortex-M.
pub const START_ARM: File = ("board-start.S", include_str!("../board/start-arm.S"));

/// The linker script's name, wherever there is one.
pub const LINKER_SCRIPT: &str = "board.ld";

/// Sources of a machine, and its linker script.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// C and assembly, each compiled alone, and the simulator's driver if it is a text.
    pub sources: &'static [File],
    /// Where code and data lie, if the system does not decide it.
    pub script: Option<&'static str>,
}

/// Two Ibex cores.
pub const IBEX: Board = Board {
    sources: &[
        ("board-start.S", include_str!("../ibex/start.S")),
        ("board.c", include_str!("../ibex/board.c")),
        PRINT,
        WORKER,
    ],
    script: Some(include_str!("../ibex/link.ld")),
};

/// Two Cortex-M0+.
pub const RP2040: Board = Board {
    sources: &[
        START_ARM,
        ("board.c", include_str!("../rp2040/board.c")),
        PRINT,
        WORKER,
        ("run.mjs", include_str!("../rp2040/run.mjs")),
    ],
    script: Some(include_str!("../rp2040/link.ld")),
};

/// Two Cortex-M33.
pub const AN521: Board = Board {
    sources: &[START_ARM, ("board.c", include_str!("../an521/board.c")), PRINT, WORKER],
    script: Some(include_str!("../an521/link.ld")),
};

/// Two threads of a system with POSIX.
pub const POSIX: Board =
    Board { sources: &[("board.c", include_str!("../host/board.c")), PRINT], script: None };
