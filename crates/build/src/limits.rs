//! Limits of splits of a hash's block over two cores, on a platform.

use crate::c::usual_name;
use crate::error::Error;
use crate::message::Lengths;
use crate::primitive::Primitive;
use manylane_graph::framing::stream;
use manylane_graph::trace::literal_compression;
use manylane_plan::Platform;
use manylane_plan::program::ahead::Ahead;
use manylane_plan::program::shape::Shape;
use manylane_plan::program::whole::WholeSteps;

impl Primitive {
    /// The limit of splits of a hash's block in which the second core is ahead of the main one. A
    /// program for one length has blocks of which a part is known beforehand, and no such limit.
    ///
    /// # Errors
    /// If the platform lacks a cost, or the hash's framing is of no known form.
    pub fn ahead(self, lengths: Lengths, platform: &Platform) -> Result<Option<Ahead>, Error> {
        let (Self::Hash(hash) | Self::Hmac(hash)) = self else { return Ok(None) };
        if platform.cores.len() < 2 || lengths.fixed {
            return Ok(None);
        }
        let of_block = platform.of_block(self.blocks(lengths)?);
        let shape = Shape::default().on(platform, &usual_name(hash), 2);
        let one = shape.one(&literal_compression(hash));
        Ok(Ahead::of(&one.rolled, stream(hash)?.framing.order, &of_block)?)
    }

    /// The limit of splits of a hash's block into whole steps, of programs for any length.
    ///
    /// # Errors
    /// As [`Primitive::ahead`].
    pub fn whole_steps(
        self,
        lengths: Lengths,
        platform: &Platform,
    ) -> Result<Option<WholeSteps>, Error> {
        let (Self::Hash(hash) | Self::Hmac(hash)) = self else { return Ok(None) };
        if lengths.fixed {
            return Ok(None);
        }
        let of_block = platform.of_block(self.blocks(lengths)?);
        let function = Shape::written_out(&literal_compression(hash));
        Ok(WholeSteps::of(&function, &of_block)?)
    }
}
