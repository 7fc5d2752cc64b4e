//! From a machine to a run: looks for its tools, prepares it, compiles and runs.

use crate::machine::Machine;
use crate::program::Program;
use crate::{Error, Job, Outcome, Run, compile, ibex, process, tools};
use std::process::Command;

impl Machine {
    /// Looks for everything that is needed to compile and to run.
    ///
    /// # Errors
    /// If something is missing: what, and the command that installs it.
    pub fn check(self) -> Result<(), Error> {
        let toolchain = self.toolchain();
        let compiler = self.tool(&format!("{}{}", toolchain.prefix, toolchain.compiler))?;
        self.tool(&format!("{}size", toolchain.prefix))?;
        if let Some((library, title)) = toolchain.library {
            // The compiler answers with the path of a library that it has, else with the name
            // alone.
            let option = format!("-print-file-name={library}");
            let asked = Command::new(compiler).arg(option).output();
            let answer = asked.map(|answer| answer.stdout).unwrap_or_default();
            if String::from_utf8_lossy(&answer).trim() == library {
                let missing = format!("{title} for {}gcc", toolchain.prefix);
                return Err(tools::missing(self.name(), missing));
            }
        }
        match self {
            Self::IbexDuo => ibex::check(),
            Self::Rp2040 => {
                self.tool("node")?;
                tools::rp2040js(self.name()).map(drop)
            }
            Self::Mps2An521 => self.tool("qemu-system-arm").map(drop),
            Self::S390x => self.tool("qemu-s390x").map(drop),
            Self::Host => Ok(()),
        }
    }

    /// Whether [`Self::prepare`] has nothing to do.
    pub fn is_prepared(self) -> bool {
        self != Self::IbexDuo || ibex::is_built()
    }

    /// Builds its simulator if there is something to build: for Ibex half a minute, once; then it
    /// lies in the user's cache. A run does this by itself.
    ///
    /// # Errors
    /// If a tool is missing or fails.
    pub fn prepare(self) -> Result<(), Error> {
        match self {
            Self::IbexDuo => ibex::simulator().map(drop),
            _ => Ok(()),
        }
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// If a tool is missing, or with the compiler's words.
    pub fn build(self, job: &Job) -> Result<Program, Error> {
        compile::build(self, job)
    }

    /// The name and version of a job's compiler, such as `gcc 12.2.0`.
    ///
    /// # Errors
    /// If it is missing.
    pub fn compiler(self, job: &Job) -> Result<String, Error> {
        compile::version(self, job)
    }

    /// The names and versions of what simulates it; for Ibex's RTL they are those of its package's
    /// folder. A tool that has been removed since the simulator was built has no version. `None` on
    /// the host.
    pub fn simulator(self) -> Option<String> {
        let said = |tool: &str| {
            let found = self.tool(tool).ok()?;
            process::first_line(Command::new(found).arg("--version")).ok()
        };
        match self {
            Self::IbexDuo => {
                let verilator = said("verilator").unwrap_or_else(|| "Verilator".to_owned());
                Some(format!("{verilator}, {}", tools::ibex_version(self.name())))
            }
            Self::Rp2040 => Some(tools::rp2040js_version(self.name())),
            Self::Mps2An521 => said("qemu-system-arm"),
            Self::S390x => said("qemu-s390x"),
            Self::Host => None,
        }
    }

    /// The tools by which programs without flags of their own are measured: compiler, flags and
    /// simulator.
    ///
    /// # Errors
    /// If the compiler is missing.
    pub fn measures_by(self) -> Result<String, Error> {
        let job = Job::default();
        let flags: Vec<&str> = job.all_flags().collect();
        let simulator = self.simulator().map_or(String::new(), |of| format!("; {of}"));
        Ok(format!("{}, {}{simulator}", self.compiler(&job)?, flags.join(" ")))
    }

    /// Compiles a program and runs it.
    ///
    /// # Errors
    /// If it does not compile, does not end, or ends with a status that is not 0.
    pub fn run(self, job: &Job) -> Result<Outcome, Error> {
        self.build(job)?.run(&Run::default())
    }
}
