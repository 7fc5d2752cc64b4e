//! The interrupt controller's registers (S12XINTV1): to which core each channel's requests go, at
//! which level.

/// Local addresses.
mod address {
    /// The interrupt vector base.
    pub const IVBR: u16 = 0x121;
    /// The priority of XGATE's own interrupt.
    pub const INT_XGPRIO: u16 = 0x126;
    /// Chooses the eight channels whose configuration can be read and written.
    pub const INT_CFADDR: u16 = 0x127;
    /// The configuration of the first of these channels.
    pub const INT_CFDATA0: u16 = 0x128;
    /// The configuration of the last of these channels.
    pub const INT_CFDATA7: u16 = 0x12f;
}

/// The bit of a channel's configuration that sends its requests to XGATE.
const RQST: u8 = 0x80;

/// The registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Interrupts {
    /// IVBR: the high byte of the addresses of the CPU's vectors.
    vector_base: u8,
    /// INT_XGPRIO: the level of XGATE's own interrupt.
    xgate_priority: u8,
    /// INT_CFADDR: which eight channels INT_CFDATA shows.
    selected: u8,
    /// For each channel RQST and the level, 0 to 7.
    channels: [u8; 128],
}

impl Default for Interrupts {
    /// Returns the state after a reset: all requests go to the CPU, at level 1.
    fn default() -> Self {
        Self { vector_base: 0xff, xgate_priority: 1, selected: 0x10, channels: [1; 128] }
    }
}

impl Interrupts {
    /// Returns a register, none if the address is no register of this module.
    pub fn read(&self, address: u16) -> Option<u8> {
        Some(match address {
            address::IVBR => self.vector_base,
            address::INT_XGPRIO => self.xgate_priority,
            address::INT_CFADDR => self.selected,
            address::INT_CFDATA0..=address::INT_CFDATA7 => self.channels[self.channel(address)],
            _ => return None,
        })
    }

    /// Writes a register. Returns whether the address is one of this module.
    pub fn write(&mut self, address: u16, value: u8) -> bool {
        match address {
            address::IVBR => self.vector_base = value,
            address::INT_XGPRIO => self.xgate_priority = value & 7,
            address::INT_CFADDR => self.selected = value & 0xf0,
            address::INT_CFDATA0..=address::INT_CFDATA7 => {
                self.channels[self.channel(address)] = value & (RQST | 7);
            }
            _ => return false,
        }
        true
    }

    /// The channel that a register INT_CFDATA shows: INT_CFADDR is the low byte of its vector's
    /// address, and vectors have two bytes.
    fn channel(&self, address: u16) -> usize {
        usize::from(self.selected >> 1) + usize::from(address - address::INT_CFDATA0)
    }

    /// Whether requests of a channel go to XGATE.
    pub fn to_xgate(&self, channel: u8) -> bool {
        self.channels[usize::from(channel & 0x7f)] & RQST != 0
    }

    /// Lets requests of a channel go to XGATE, at a level of 1 to 7.
    pub fn route_to_xgate(&mut self, channel: u8, level: u8) {
        self.channels[usize::from(channel & 0x7f)] = RQST | level & 7;
    }

    /// The level of a channel's requests, of which 0 is none.
    pub fn level(&self, channel: u8) -> u8 {
        self.channels[usize::from(channel & 0x7f)] & 7
    }

    /// The address of the CPU's vector of a channel.
    pub fn vector(&self, channel: u8) -> u16 {
        u16::from(self.vector_base) << 8 | u16::from(channel & 0x7f) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence of initialising code: INT_CFADDR = 0x70, INT_CFDATA1 = 0x81 for the vector at
    /// 0x72, software trigger 0.
    #[test]
    fn software_trigger_0_is_routed_to_xgate() {
        let mut interrupts = Interrupts::default();
        assert!(interrupts.write(0x127, 0x72));
        assert_eq!(interrupts.read(0x127), Some(0x70));
        assert!(interrupts.write(0x129, 0x83));
        assert!(interrupts.to_xgate(0x39) && !interrupts.to_xgate(0x38));
        assert_eq!((interrupts.level(0x39), interrupts.level(0x38)), (3, 1));
        assert_eq!(interrupts.vector(0x39), 0xff72);
        assert!(!interrupts.write(0x130, 0));
    }
}
