//! A world that is being written, as the sink of a bake with props.

use super::write::WorldWriter;
use crate::bake::{PropSink, SinkError};
use crate::format::EncodedSector;
use crate::math::SectorCoord;
use crate::props::MeshHash;

impl PropSink for WorldWriter {
    fn spool(&self, sector: &EncodedSector) -> Result<(), SinkError> {
        Ok(Self::spool(self, sector)?)
    }

    fn spooled(&self, coord: SectorCoord) -> Result<Vec<u8>, SinkError> {
        Self::spooled(self, coord)?.ok_or_else(|| format!("sector {coord} was not spooled").into())
    }

    fn put_mesh(&self, bytes: &[u8]) -> Result<MeshHash, SinkError> {
        let (hash, _) = Self::put_mesh(self, bytes)?;
        Ok(hash)
    }

    fn put(&self, sector: EncodedSector) -> Result<(), SinkError> {
        Self::put(self, &sector)?;
        Ok(())
    }
}
