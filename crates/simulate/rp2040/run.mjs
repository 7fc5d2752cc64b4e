// Runs a program on two Cortex-M0+ over one memory, timed by rp2040js's core.
//
//   node run.mjs RP2040JS PROGRAM.elf COUNTS.json MOST_CYCLES
//       [SEED PER_MILLE_0 PER_MILLE_1 LONGEST]
//
// RP2040JS is the folder of that package. What the program prints goes to standard output; the
// counts, and how the program ended, go to COUNTS.json. Of the cores, the one with fewer cycles
// executes its next instruction, core 0 if they are equal. All code and data are in RAM, which
// answers both cores at once: there is no flash and no contention. With a SEED, after each
// instruction of core c, it waits with probability PER_MILLE_c / 1000 for 1 to LONGEST cycles.

import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const RAM = 0x20000000;
const RAM_BYTES = 264 * 1024;
// What memory holds before the program writes it: a stack's untouched part is known by it.
const UNTOUCHED = 0xa5a5a5a5;
// The stacks lie at the end of memory, core 1's below core 0's.
const STACK_BYTES = 8 * 1024;
// A stack of which so little is untouched is taken for one that grew out of its place: frames have
// holes.
const GUARD_BYTES = 256;

// The SIO block has the number of the core and the FIFOs between the cores, as on the chip.
const CPUID = 0xd0000000;
const FIFO_STATUS = 0xd0000050;
const FIFO_WRITE = 0xd0000054;
const FIFO_READ = 0xd0000058;
const FIFO_WORDS = 8;
// Registers that the chip does not have.
const CYCLES = 0xd0010000;
const PUT = 0xd0010004;
const EXIT = 0xd0010008;
const WATCH = 0xd001000c;
// Bytes that are watched, and most accesses to them that are noted.
const WATCHED_BYTES = 4096;
const MOST_NOTED = 1 << 18;

class Fault extends Error {}

const hex = (value) => "0x" + (value >>> 0).toString(16).padStart(8, "0");

class Machine {
  constructor(CortexM0Core) {
    this.words = new Uint32Array(RAM_BYTES / 4).fill(UNTOUCHED);
    this.halves = new Uint16Array(this.words.buffer);
    this.bytes = new Uint8Array(this.words.buffer);
    this.cores = [new CortexM0Core(this), new CortexM0Core(this)];
    this.instructions = [0, 0];
    this.fifos = [[], []]; // to core 0, to core 1
    this.current = 0;
    this.status = null;
    this.text = [];
    this.watched = -WATCHED_BYTES; // the offset in memory of what is watched
    this.noted = [];
    // The core tells its logger what it leaves to the chip.
    this.logger = {
      debug() {},
      error() {},
      info: (_, message) => {
        if (message === "SEV") this.event();
      },
      warn: (_, message) => {
        throw new Fault(message);
      },
    };
  }

  load(file) {
    const elf = readFileSync(file);
    if (elf.length < 52 || elf.toString("latin1", 0, 6) !== "\x7fELF\x01\x01")
      throw new Error(`${file}: is no 32-bit little-endian ELF file`);
    const [headers, each, count] =
      [elf.readUInt32LE(28), elf.readUInt16LE(42), elf.readUInt16LE(44)];
    for (let i = 0; i < count; i++) {
      const header = headers + i * each;
      if (elf.readUInt32LE(header) !== 1) continue; // PT_LOAD
      const offset = elf.readUInt32LE(header + 4);
      const address = elf.readUInt32LE(header + 12) - RAM;
      const bytes = elf.readUInt32LE(header + 16);
      if (bytes === 0) continue;
      if (address < 0 || address + bytes > RAM_BYTES)
        throw new Error(`${file}: has a part that lies in no memory`);
      this.bytes.set(elf.subarray(offset, offset + bytes), address);
    }
    for (const core of this.cores) {
      core.VTOR = RAM;
      core.reset();
    }
  }

  // Notes an access to what is watched. Nothing counts other accesses: no core waits for them.
  note(offset, store) {
    if (this.noted.length >= MOST_NOTED) return;
    const cycles = this.cores[this.current].cycles;
    this.noted.push([cycles, this.current, offset - this.watched, store, 0]);
  }

  // A core told the others that something happened.
  event() {
    for (const core of this.cores) {
      core.eventRegistered = !core.waiting;
      core.waiting = false;
    }
  }

  fault(what, address) {
    throw new Fault(`${what} ${hex(address)}`);
  }

  // The index in memory of an address that is a multiple of `bytes`.
  index(address, bytes) {
    const offset = (address >>> 0) - RAM;
    if (offset < 0 || offset + bytes > RAM_BYTES) this.fault("nothing is at", address);
    if (offset % bytes !== 0) this.fault(`no multiple of ${bytes} is`, address);
    return offset / bytes;
  }

  readUint32(address) {
    const offset = address - RAM;
    if (offset >= 0 && offset < RAM_BYTES && (offset & 3) === 0) {
      if (offset - this.watched < WATCHED_BYTES && offset >= this.watched) this.note(offset, 0);
      return this.words[offset >> 2];
    }
    switch (address >>> 0) {
      case CPUID:
        return this.current;
      case CYCLES:
        return this.cores[this.current].cycles >>> 0;
      case FIFO_STATUS:
        return (
          (this.fifos[this.current].length > 0 ? 1 : 0) |
          (this.fifos[1 - this.current].length < FIFO_WORDS ? 2 : 0)
        );
      case FIFO_READ:
        return this.fifos[this.current].shift() ?? 0;
    }
    return this.words[this.index(address, 4)];
  }

  readUint16(address) {
    const offset = address - RAM;
    if (offset >= 0 && offset < RAM_BYTES && (offset & 1) === 0) return this.halves[offset >> 1];
    return this.halves[this.index(address, 2)];
  }

  readUint8(address) {
    return this.bytes[this.index(address, 1)];
  }

  writeUint32(address, value) {
    const offset = address - RAM;
    if (offset >= 0 && offset < RAM_BYTES && (offset & 3) === 0) {
      if (offset - this.watched < WATCHED_BYTES && offset >= this.watched) this.note(offset, 1);
      this.words[offset >> 2] = value;
      return;
    }
    switch (address >>> 0) {
      case FIFO_WRITE: {
        const fifo = this.fifos[1 - this.current];
        if (fifo.length < FIFO_WORDS) fifo.push(value >>> 0);
        this.event();
        return;
      }
      case PUT:
        this.text.push(value & 0xff);
        if (this.text.length >= 4096) this.flush();
        return;
      case WATCH:
        this.watched = value === 0 ? -WATCHED_BYTES : (value >>> 0) - RAM;
        return;
      case EXIT:
        this.status ??= value >>> 0;
        return;
    }
    this.words[this.index(address, 4)] = value;
  }

  writeUint16(address, value) {
    this.halves[this.index(address, 2)] = value;
  }

  writeUint8(address, value) {
    this.bytes[this.index(address, 1)] = value;
  }

  onBreak(code) {
    throw new Fault(`breakpoint ${code}`);
  }

  flush() {
    for (let bytes = Uint8Array.from(this.text); bytes.length > 0; )
      bytes = bytes.subarray(writeSync(1, bytes));
    this.text = [];
  }

  // Runs until the program ends, or until the core that is behind has done `most` cycles.
  run(most, delay) {
    const [first, second] = this.cores;
    while (this.status === null) {
      let next = first.cycles <= second.cycles ? 0 : 1;
      if (this.cores[next].waiting) {
        const other = this.cores[1 - next];
        if (other.waiting) throw new Fault("both cores wait for an event");
        // It goes on when the other core tells it to, and not before this instruction of that core.
        this.cores[next].cycles = Math.max(this.cores[next].cycles, other.cycles);
        next = 1 - next;
      }
      const core = this.cores[next];
      if (core.cycles >= most) return;
      this.current = next;
      core.executeInstruction();
      this.instructions[next]++;
      if (delay !== null) core.cycles += delay(next);
    }
  }

  // Bytes of a core's stack that were ever written.
  stack(core) {
    const end = RAM_BYTES / 4 - core * (STACK_BYTES / 4);
    let at = end - STACK_BYTES / 4;
    while (at < end && this.words[at] === UNTOUCHED) at++;
    return 4 * (end - at);
  }
}

// xorshift32; seeds that follow each other begin far apart, and the state is never zero.
function delays(seed, perMille, longest) {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return (core) => (next() % 1000 < perMille[core] ? 1 + (next() % longest) : 0);
}

const [library, program, counts, most, ...random] = process.argv.slice(2);
const { CortexM0Core } = await import(pathToFileURL(`${library}/dist/esm/cortex-m0-core.js`));
const machine = new Machine(CortexM0Core);
machine.load(program);
const [seed, first, second, longest] = random.map(Number);
let end;
try {
  machine.run(Number(most), random.length > 0 ? delays(seed, [first, second], longest) : null);
  end = machine.status === null ? "limit" : { exit: machine.status };
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  const at = hex(machine.cores[machine.current].PC);
  end = { fault: `core ${machine.current}: ${error.message}, before ${at}` };
}
const stack = [machine.stack(0), machine.stack(1)];
const full = stack.findIndex((bytes) => bytes > STACK_BYTES - GUARD_BYTES);
if (full >= 0 && end.fault === undefined)
  end = { fault: `core ${full}: its stack of ${STACK_BYTES} bytes is full` };
machine.flush();
writeFileSync(
  counts,
  JSON.stringify({
    cycles: machine.cores.map((core) => core.cycles),
    instructions: machine.instructions,
    stack,
    watched: machine.noted,
    end,
  }),
);
