//! XGATE's registers on the peripheral bus (MC9S12XDP512 data sheet, §9.3): 64 bytes.

use super::super::CoreName;

/// Bytes that the registers take.
pub const SIZE: u16 = 0x40;

/// Offsets of the registers that are simulated.
mod offset {
    /// Module control.
    pub const XGMCTL: u16 = 0x00;
    /// The channel of the thread that runs.
    pub const XGCHID: u16 = 0x02;
    /// The base of the vectors.
    pub const XGVBR: u16 = 0x06;
    /// The interrupt flags of the channels: 16 bytes.
    pub const XGIF: u16 = 0x08;
    /// The software triggers.
    pub const XGSWT: u16 = 0x18;
    /// The semaphores.
    pub const XGSEM: u16 = 0x1a;
}

/// Bits of XGMCTL's low byte.
const XGE: u8 = 0x80;
const XGIE: u8 = 0x01;
/// The software error flag, which writing 1 clears.
const XGSWEIF: u8 = 0x02;
/// Debug mode and single step.
const XGDBG_XGSS: u8 = 0x30;

/// The channel of software trigger 0. Trigger n has the channel 0x39 − n.
const FIRST_TRIGGER: u8 = 0x39;

/// The owner of a semaphore.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// Nobody.
    #[default]
    Free,
    /// XGATE.
    Xgate,
    /// The CPU.
    Cpu,
}

/// The registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registers {
    /// XGMCTL, low byte.
    control: u8,
    /// XGCHID: the channel of the thread that runs, 0 without one.
    pub channel: u8,
    /// XGVBR: where the vectors begin in XGATE's memory.
    vector_base: u16,
    /// XGIF: bit n is the interrupt flag of channel n.
    pub flags: u128,
    /// XGSWT: bit n is software trigger n.
    triggers: u8,
    /// XGSEM.
    pub semaphores: [Owner; 8],
}

impl Registers {
    /// Whether XGATE takes requests: XGE.
    pub fn enabled(&self) -> bool {
        self.control & XGE != 0
    }

    /// Whether the flags of channels interrupt the CPU: XGIE.
    pub fn interrupts(&self) -> bool {
        self.control & XGIE != 0
    }

    /// Returns the address in XGATE's memory of a channel's vector: two words, the thread's address
    /// and its R1.
    pub fn vector(&self, channel: u8) -> u16 {
        self.vector_base.wrapping_add(4 * u16::from(channel))
    }

    /// Returns the channels of the software triggers that are set.
    pub fn triggered(&self) -> impl Iterator<Item = u8> {
        let triggers = self.triggers;
        (0..8).filter(move |n| triggers >> n & 1 != 0).map(|n| FIRST_TRIGGER - n)
    }

    /// Does what the instruction SSEM does.
    pub fn lock(&mut self, semaphore: usize, core: Owner) -> bool {
        let owner = &mut self.semaphores[semaphore & 7];
        if *owner == Owner::Free {
            *owner = core;
        }
        *owner == core
    }

    /// Does what the instruction CSEM does.
    pub fn release(&mut self, semaphore: usize, core: Owner) {
        let owner = &mut self.semaphores[semaphore & 7];
        if *owner == core {
            *owner = Owner::Free;
        }
    }

    /// Does what the instruction SIF does. Channel 0 has no flag.
    pub fn raise(&mut self, channel: u8) {
        self.flags |= 1 << (channel & 0x7f) & !1;
    }

    /// Returns the byte at an offset below [`SIZE`].
    pub fn read8(&self, at: u16) -> u8 {
        let [high, low] = self.read16(at & !1).to_be_bytes();
        if at & 1 == 0 { high } else { low }
    }

    /// Returns the word at an even offset below [`SIZE`].
    pub fn read16(&self, at: u16) -> u16 {
        match at {
            offset::XGMCTL => self.control.into(),
            offset::XGCHID => u16::from(self.channel) << 8,
            offset::XGVBR => self.vector_base,
            offset::XGSWT => self.triggers.into(),
            offset::XGSEM => (0..8)
                .filter(|&n| self.semaphores[n] == Owner::Cpu)
                .fold(0, |bits, n| bits | 1 << n),
            // The highest channels come first.
            offset::XGIF..offset::XGSWT => (self.flags >> (8 * (offset::XGSWT - 2 - at))) as u16,
            _ => 0,
        }
    }

    /// Writes a byte at an offset below [`SIZE`].
    ///
    /// # Errors
    /// If the register can only be written as a word, or not now: why.
    pub fn write8(&mut self, at: u16, value: u8, core: CoreName) -> Result<(), &'static str> {
        match at & !1 {
            offset::XGMCTL | offset::XGSWT | offset::XGSEM => {
                Err("XGMCTL, XGSWT and XGSEM have a mask in their high byte: write the word")
            }
            offset::XGVBR => {
                let [high, low] = self.vector_base.to_be_bytes();
                let word = if at & 1 == 0 { [value, low] } else { [high, value] };
                self.write16(at & !1, u16::from_be_bytes(word), core)
            }
            _ => {
                let word = if at & 1 == 0 { [value, 0] } else { [0, value] };
                self.write16(at & !1, u16::from_be_bytes(word), core)
            }
        }
    }

    /// Writes a word at an even offset below [`SIZE`].
    ///
    /// # Errors
    /// If the register cannot be written now: why.
    pub fn write16(&mut self, at: u16, value: u16, core: CoreName) -> Result<(), &'static str> {
        let [mask, data] = value.to_be_bytes();
        match at {
            offset::XGMCTL if mask & data & XGDBG_XGSS != 0 => {
                return Err("XGATE's debug mode is not simulated: leave XGDBG and XGSS clear");
            }
            offset::XGMCTL => {
                let kept = self.control & !mask;
                let cleared = mask & data & XGSWEIF;
                self.control = (kept | mask & data & !XGSWEIF) & !cleared;
            }
            offset::XGVBR if self.enabled() => {
                return Err("XGVBR cannot be written while XGATE is enabled: clear XGE first");
            }
            offset::XGVBR => self.vector_base = value & !1,
            offset::XGIF..offset::XGSWT => {
                // Writing 1 clears.
                self.flags &= !(u128::from(value) << (8 * (offset::XGSWT - 2 - at)));
            }
            offset::XGSWT => self.triggers = self.triggers & !mask | mask & data,
            offset::XGSEM if core == CoreName::Cpu => {
                for semaphore in (0..8).filter(|n| mask >> n & 1 != 0) {
                    if data >> semaphore & 1 != 0 {
                        self.lock(semaphore, Owner::Cpu);
                    } else {
                        self.release(semaphore, Owner::Cpu);
                    }
                }
            }
            offset::XGSEM => {
                return Err("XGATE sets and clears semaphores by SSEM and CSEM, not by XGSEM");
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CoreName::{Cpu, Xgate};

    /// Data sheet §9.3.2.1, §9.3.2.6 and §9.3.2.7: a bit changes only where its mask is 1.
    #[test]
    fn masked_registers() {
        let mut r = Registers::default();
        r.write16(0x00, 0x8181, Cpu).unwrap();
        assert!(r.enabled() && r.interrupts());
        r.write16(0x00, 0x0100, Cpu).unwrap();
        assert!(r.enabled() && !r.interrupts());
        assert_eq!(r.read16(0x00), 0x80);
        r.write16(0x18, 0x0505, Cpu).unwrap();
        assert_eq!(r.triggered().collect::<Vec<_>>(), [0x39, 0x37]);
        r.write16(0x18, 0x0100, Xgate).unwrap();
        assert_eq!((r.read8(0x18), r.read8(0x19)), (0, 4));
        assert!(r.write8(0x19, 1, Cpu).is_err());
        assert!(r.write16(0x06, 0xe000, Cpu).is_err());
        assert!(r.write16(0x00, 0x2020, Cpu).is_err());
        assert!(r.write16(0x00, 0x3000, Cpu).is_ok());
        r.write16(0x00, 0x8000, Cpu).unwrap();
        r.write16(0x06, 0xe001, Cpu).unwrap();
        assert_eq!(r.vector(0x39), 0xe000 + 0xe4);
    }

    #[test]
    fn semaphores_have_one_owner() {
        let mut r = Registers::default();
        assert!(r.lock(3, Owner::Xgate));
        r.write16(0x1a, 0x1818, Cpu).unwrap();
        assert_eq!(r.read16(0x1a), 0x10);
        assert!(!r.lock(4, Owner::Xgate));
        assert!(r.lock(3, Owner::Xgate));
        r.write16(0x1a, 0x1800, Cpu).unwrap();
        assert_eq!(r.semaphores[3], Owner::Xgate);
        assert_eq!(r.semaphores[4], Owner::Free);
        assert!(r.write16(0x1a, 0x0101, Xgate).is_err());
    }

    /// XGIF's first byte has channels 0x7F to 0x78, its last one 7 to 0.
    #[test]
    fn flags_of_channels() {
        let mut r = Registers::default();
        for channel in [0x7f, 0x39, 1, 0] {
            r.raise(channel);
        }
        assert_eq!((r.read8(0x08), r.read8(0x10), r.read8(0x17)), (0x80, 2, 2));
        r.write8(0x10, 2, Cpu).unwrap();
        assert_eq!((r.read8(0x08), r.read8(0x10), r.read8(0x17)), (0x80, 0, 2));
    }
}
