//! The memories and registers of a chip, as the two cores see them.

use super::chip::{Chip, MemoryKind, PAGE};
use super::interrupts::Interrupts;
use super::object::Space;
use super::xgate::{Owner, REGISTERS_SIZE, Registers, Signals};
use super::{Bus, CoreName, GLOBAL, Wrong};

/// Pages of a core's 64 KiB.
const PAGES: usize = 0x1_0000 / PAGE as usize;
/// Accesses of one instruction that are remembered; further ones overwrite the first.
const KEPT: usize = 32;
/// No memory.
const NONE: u8 = u8::MAX;
/// GPAGE, which the CPU's global instructions use.
const GPAGE: u16 = 0x10;
/// DIRECT, the high byte of direct addresses.
const DIRECT: u16 = 0x11;

/// Where a page of local addresses is.
#[derive(Clone, Copy)]
struct Page {
    /// The place of its first byte in [`Memory::bytes`].
    place: u32,
    memory: u8,
}

/// Number of accesses of each core to one memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Accesses by the CPU.
    pub cpu: u64,
    /// Accesses by XGATE.
    pub xgate: u64,
}

/// The memories and registers of a chip.
pub(super) struct Memory {
    chip: Chip,
    /// All memories one after the other. Those of registers are among them, but only plain
    /// registers keep their values there.
    bytes: Vec<u8>,
    /// The place of each memory in `bytes`, its kind, and its accesses in a bus cycle.
    places: Vec<u32>,
    kinds: Vec<MemoryKind>,
    cpu: [Page; PAGES],
    xgate: [Page; PAGES],
    gpage: u8,
    /// XGATE's registers.
    pub registers: Registers,
    /// The interrupt controller's.
    pub interrupts: Interrupts,
    /// What is wrong with an access of this instruction.
    pub wrong: Option<Wrong>,
    /// Whether a register was written that may start a thread or interrupt the CPU.
    pub signalled: bool,
    /// The memories of this instruction's accesses, in order.
    used: [u8; KEPT],
    uses: usize,
    /// Accesses to each memory.
    pub accesses: Vec<Accesses>,
}

impl Memory {
    /// The memories of a chip, filled with 0.
    pub fn new(chip: Chip) -> Self {
        let mut places = Vec::new();
        let mut size = 0;
        for memory in &chip.memories {
            places.push(size);
            size += memory.size;
        }
        let nowhere = [Page { place: 0, memory: NONE }; PAGES];
        let mut memory = Self {
            bytes: vec![0; size as usize],
            places,
            kinds: chip.memories.iter().map(|memory| memory.kind).collect(),
            cpu: nowhere,
            xgate: nowhere,
            gpage: 0,
            registers: Registers::default(),
            interrupts: Interrupts::default(),
            wrong: None,
            signalled: false,
            used: [NONE; KEPT],
            uses: 0,
            accesses: vec![Accesses::default(); chip.memories.len()],
            chip,
        };
        for window in 0..memory.chip.cpu.len() {
            memory.show(window, 0);
        }
        for window in 0..memory.chip.cpu.len() {
            let Some(page) = memory.chip.cpu[window].page.clone() else { continue };
            memory.show(window, page.reset);
            let place = memory.register_place(page.register);
            memory.bytes[place] = page.reset;
        }
        for window in memory.chip.xgate.clone() {
            for local in (window.from..=window.to).step_by(PAGE as usize) {
                let global = window.global + u32::from(local - window.from);
                memory.xgate[usize::from(local) / PAGE as usize] = memory.page(global);
            }
        }
        memory
    }

    /// The chip that this is.
    pub fn chip(&self) -> &Chip {
        &self.chip
    }

    /// Lets a window of the CPU show a page.
    fn show(&mut self, window: usize, page: u8) {
        let window = self.chip.cpu[window].clone();
        let size = u32::from(window.to - window.from) + 1;
        let number = window.page.map_or(0, |_| u32::from(page));
        for local in (window.from..=window.to).step_by(PAGE as usize) {
            let global = window.global + number * size + u32::from(local - window.from);
            self.cpu[usize::from(local) / PAGE as usize] = self.page(global);
        }
    }

    /// Returns where the page at a global address is.
    fn page(&self, global: u32) -> Page {
        match self.place(global) {
            Some((place, memory)) => Page { place: place as u32, memory: memory as u8 },
            None => Page { place: 0, memory: NONE },
        }
    }

    /// Returns the place in `bytes` of a global address, and its memory.
    fn place(&self, global: u32) -> Option<(usize, usize)> {
        let number = self.chip.memory_at(global)?;
        let place = self.places[number] + (global - self.chip.memories[number].global);
        Some((place as usize, number))
    }

    /// Returns the place of an address of a space, and its memory.
    pub fn find(&self, space: Space, address: u32) -> Option<(usize, usize)> {
        let pages = match space {
            Space::Cpu => &self.cpu,
            Space::Xgate => &self.xgate,
            Space::Global => return self.place(address),
        };
        let page = pages.get((address / PAGE) as usize)?;
        let place = page.place + address % PAGE;
        (page.memory != NONE).then_some((place as usize, page.memory.into()))
    }

    /// Returns the global address of a place in a memory.
    pub fn global(&self, place: usize, memory: usize) -> u32 {
        self.chip.memories[memory].global + (place as u32 - self.places[memory])
    }

    /// The bytes of all memories.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The bytes of all memories.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Forgets the accesses of the instruction before.
    #[inline]
    pub fn begin(&mut self) {
        self.uses = 0;
    }

    /// The memories of this instruction's accesses, in order.
    #[inline]
    pub fn used(&self) -> &[u8] {
        &self.used[..self.uses.min(KEPT)]
    }

    #[inline]
    fn note(&mut self, memory: u8) {
        self.used[self.uses % KEPT] = memory;
        self.uses += 1;
    }

    /// Notes the first thing that is wrong with an instruction.
    #[cold]
    fn complain(&mut self, wrong: Wrong) {
        self.wrong.get_or_insert(wrong);
    }

    #[inline]
    fn read8(&mut self, core: CoreName, address: u16, page: Page) -> u8 {
        self.count(core, page.memory);
        match self.kinds.get(usize::from(page.memory)) {
            Some(MemoryKind::Ram | MemoryKind::Rom) => {
                self.bytes[(page.place + u32::from(address) % PAGE) as usize]
            }
            Some(MemoryKind::Registers) => self.read_register(address),
            None => {
                self.complain(Wrong::Nothing(address.into()));
                0
            }
        }
    }

    #[inline]
    fn read16(&mut self, core: CoreName, address: u16, page: Page, next: Page) -> u16 {
        let offset = u32::from(address) % PAGE;
        let plain = matches!(
            self.kinds.get(usize::from(page.memory)),
            Some(MemoryKind::Ram | MemoryKind::Rom)
        );
        if plain && offset != PAGE - 1 {
            self.count(core, page.memory);
            let place = (page.place + offset) as usize;
            return u16::from_be_bytes([self.bytes[place], self.bytes[place + 1]]);
        }
        let block = address.wrapping_sub(self.chip.xgate_registers);
        if block < REGISTERS_SIZE && address & 1 == 0 && page.memory != NONE {
            self.count(core, page.memory);
            return self.registers.read16(block);
        }
        let high = self.read8(core, address, page);
        let uses = self.uses;
        let low = self.read8(core, address.wrapping_add(1), next);
        // This counts as one access, although it goes to two places.
        self.uses = uses;
        u16::from_be_bytes([high, low])
    }

    #[inline]
    fn write8(&mut self, core: CoreName, address: u16, page: Page, value: u8) {
        self.count(core, page.memory);
        match self.kinds.get(usize::from(page.memory)) {
            Some(MemoryKind::Ram) => {
                self.bytes[(page.place + u32::from(address) % PAGE) as usize] = value;
            }
            Some(MemoryKind::Registers) => self.write_register(core, address, value),
            Some(MemoryKind::Rom) => {
                let name = self.chip.memories[usize::from(page.memory)].name.clone();
                self.complain(Wrong::ReadOnly(address.into(), name));
            }
            None => self.complain(Wrong::Nothing(address.into())),
        }
    }

    #[inline]
    fn write16(&mut self, core: CoreName, address: u16, pages: [Page; 2], value: u16) {
        let [page, next] = pages;
        let [high, low] = value.to_be_bytes();
        let offset = u32::from(address) % PAGE;
        let is_ram = matches!(self.kinds.get(usize::from(page.memory)), Some(MemoryKind::Ram));
        if is_ram && offset != PAGE - 1 {
            self.count(core, page.memory);
            let place = (page.place + offset) as usize;
            self.bytes[place] = high;
            self.bytes[place + 1] = low;
            return;
        }
        let block = address.wrapping_sub(self.chip.xgate_registers);
        if block < REGISTERS_SIZE && address & 1 == 0 && page.memory != NONE {
            self.count(core, page.memory);
            self.signalled = true;
            if let Err(why) = self.registers.write16(block, value, core) {
                self.complain(Wrong::Register(address, why));
            }
            return;
        }
        self.write8(core, address, page, high);
        let uses = self.uses;
        self.write8(core, address.wrapping_add(1), next, low);
        self.uses = uses;
    }

    #[inline]
    fn count(&mut self, core: CoreName, memory: u8) {
        self.note(memory);
        if let Some(accesses) = self.accesses.get_mut(usize::from(memory)) {
            match core {
                CoreName::Cpu => accesses.cpu += 1,
                CoreName::Xgate => accesses.xgate += 1,
            }
        }
    }

    /// The window of the CPU that a register pages.
    fn paged(&self, register: u16) -> Option<usize> {
        self.chip
            .cpu
            .iter()
            .position(|window| window.page.as_ref().is_some_and(|page| page.register == register))
    }

    fn is_plain(&self, register: u16) -> bool {
        self.chip.plain_registers.iter().any(|(from, to)| (*from..=*to).contains(&register))
    }

    fn read_register(&mut self, address: u16) -> u8 {
        let block = address.wrapping_sub(self.chip.xgate_registers);
        if block < REGISTERS_SIZE {
            return self.registers.read8(block);
        }
        if let Some(value) = self.interrupts.read(address) {
            return value;
        }
        match address {
            GPAGE => self.gpage,
            DIRECT => 0,
            _ if self.paged(address).is_some() || self.is_plain(address) => {
                self.bytes[self.register_place(address)]
            }
            _ => {
                self.complain(Wrong::Nothing(address.into()));
                0
            }
        }
    }

    fn write_register(&mut self, core: CoreName, address: u16, value: u8) {
        let block = address.wrapping_sub(self.chip.xgate_registers);
        if block < REGISTERS_SIZE {
            self.signalled = true;
            if let Err(why) = self.registers.write8(block, value, core) {
                self.complain(Wrong::Register(address, why));
            }
        } else if self.interrupts.write(address, value) {
            self.signalled = true;
        } else if let Some(window) = self.paged(address) {
            let place = self.register_place(address);
            self.bytes[place] = value;
            self.show(window, value);
        } else if self.is_plain(address) {
            let place = self.register_place(address);
            self.bytes[place] = value;
        } else {
            match address {
                GPAGE => self.gpage = value & 0x7f,
                DIRECT if value == 0 => {}
                DIRECT => {
                    let why = "direct addresses of another page than 0 are not simulated";
                    self.complain(Wrong::Register(address, why));
                }
                _ => self.complain(Wrong::Nothing(address.into())),
            }
        }
    }

    /// The place of a register that holds what is written; both cores see registers at 0.
    fn register_place(&self, address: u16) -> usize {
        let page = self.cpu[usize::from(address) / PAGE as usize];
        (page.place + u32::from(address) % PAGE) as usize
    }

    /// Returns the page of a local or global address of the CPU.
    #[inline]
    fn cpu_page(&self, address: u32) -> Page {
        if address & GLOBAL == 0 {
            return self.cpu[(address / PAGE) as usize % PAGES];
        }
        self.page((u32::from(self.gpage) << 16 | address & 0xffff) & !(PAGE - 1))
    }

    #[inline]
    fn xgate_page(&self, address: u32) -> Page {
        self.xgate[(address / PAGE) as usize % PAGES]
    }
}

/// The memory as the CPU sees it.
pub(super) struct CpuBus<'a>(pub &'a mut Memory);

impl CpuBus<'_> {
    /// The pages of a word's two bytes.
    #[inline]
    fn pages(&self, address: u32) -> [Page; 2] {
        let next = address & GLOBAL | u32::from((address as u16).wrapping_add(1));
        [self.0.cpu_page(address), self.0.cpu_page(next)]
    }
}

impl Bus for CpuBus<'_> {
    #[inline]
    fn read8(&mut self, address: u32) -> u8 {
        let page = self.0.cpu_page(address);
        self.0.read8(CoreName::Cpu, address as u16, page)
    }

    #[inline]
    fn read16(&mut self, address: u32) -> u16 {
        let [page, next] = self.pages(address);
        self.0.read16(CoreName::Cpu, address as u16, page, next)
    }

    fn vector(&mut self, low: u8) -> u16 {
        let address = self.0.interrupts.vector(low >> 1);
        self.read16(address.into())
    }

    #[inline]
    fn write8(&mut self, address: u32, value: u8) {
        let page = self.0.cpu_page(address);
        self.0.write8(CoreName::Cpu, address as u16, page, value);
    }

    #[inline]
    fn write16(&mut self, address: u32, value: u16) {
        let pages = self.pages(address);
        self.0.write16(CoreName::Cpu, address as u16, pages, value);
    }
}

/// The memory as XGATE sees it; its words are even, and lie in one page.
pub(super) struct XgateBus<'a>(pub &'a mut Memory);

impl Bus for XgateBus<'_> {
    #[inline]
    fn read8(&mut self, address: u32) -> u8 {
        let page = self.0.xgate_page(address);
        self.0.read8(CoreName::Xgate, address as u16, page)
    }

    #[inline]
    fn read16(&mut self, address: u32) -> u16 {
        let page = self.0.xgate_page(address);
        self.0.read16(CoreName::Xgate, address as u16, page, page)
    }

    #[inline]
    fn fetch16(&mut self, address: u32) -> u16 {
        let page = self.0.xgate_page(address);
        if self.0.kinds.get(usize::from(page.memory)) == Some(&MemoryKind::Registers) {
            let why = "XGATE can neither execute registers nor find its vectors there";
            self.0.complain(Wrong::Register(address as u16, why));
        }
        self.0.read16(CoreName::Xgate, address as u16, page, page)
    }

    #[inline]
    fn write8(&mut self, address: u32, value: u8) {
        let page = self.0.xgate_page(address);
        self.0.write8(CoreName::Xgate, address as u16, page, value);
    }

    #[inline]
    fn write16(&mut self, address: u32, value: u16) {
        let page = self.0.xgate_page(address);
        self.0.write16(CoreName::Xgate, address as u16, [page, page], value);
    }
}

impl Signals for XgateBus<'_> {
    fn lock(&mut self, semaphore: usize) -> bool {
        self.0.registers.lock(semaphore, Owner::Xgate)
    }

    fn release(&mut self, semaphore: usize) {
        self.0.registers.release(semaphore, Owner::Xgate);
    }

    fn raise(&mut self, channel: u8) {
        self.0.signalled = true;
        self.0.registers.raise(channel);
    }

    #[inline]
    fn fetch_again(&mut self) {
        let code = self.0.used[0];
        self.0.count(CoreName::Xgate, code);
    }
}
