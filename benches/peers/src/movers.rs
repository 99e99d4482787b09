//! Props that move. Only ours meet them: what the others are given here is static.

use std::sync::Arc;

use marchland_terrain::glam::Vec3;
use marchland_terrain::props::{LiveProp, LivePropRef, LiveProps, LoadedMesh, MeshSource};
use marchland_terrain::{PropId, SectorSize, WorldPos};
use marchland_worlds::shapes::loaded;

use crate::setup::{DT, Failure};

/// Ticks until a prop that travels turns back.
const ONE_WAY: usize = 120;

/// All of them, each going back and forth or round and round.
#[derive(Clone)]
pub(crate) struct Movers {
    /// As ours meet them.
    pub(crate) live: LiveProps,
    meshes: Vec<(Arc<LoadedMesh>, MeshSource)>,
    /// Which, of which mesh, and its velocities: metres and radians a second.
    each: Vec<(PropId, usize, [Vec3; 2])>,
    tick: usize,
}

impl Movers {
    /// None of these meshes yet, for sectors of this size.
    pub(crate) fn new(meshes: Vec<MeshSource>, size: SectorSize) -> Result<Self, Failure> {
        let load = |mesh: MeshSource| Ok((loaded(&mesh)?, mesh));
        let meshes = meshes.into_iter().map(load).collect::<Result<_, Failure>>()?;
        Ok(Self { live: LiveProps::new(size), meshes, each: Vec::new(), tick: 0 })
    }

    /// Adds one that begins at a place.
    pub(crate) fn add(
        &mut self,
        mesh: usize,
        at: WorldPos,
        velocities: [Vec3; 2],
    ) -> Result<(), Failure> {
        let id = self.live.add(LiveProp::new(self.meshes[mesh].0.clone(), at))?;
        self.each.push((id, mesh, velocities));
        Ok(())
    }

    /// Moves all of them by a tick.
    pub(crate) fn advance(&mut self) -> Result<(), Failure> {
        if self.tick.is_multiple_of(ONE_WAY) {
            let back = if (self.tick / ONE_WAY).is_multiple_of(2) { 1.0 } else { -1.0 };
            for &(id, _, [linear, angular]) in &self.each {
                self.live.set_velocity(id, linear * back, angular)?;
            }
        }
        self.tick += 1;
        Ok(self.live.advance(DT)?)
    }

    /// Their meshes.
    pub(crate) fn meshes(&self) -> impl Iterator<Item = &MeshSource> {
        self.meshes.iter().map(|(_, mesh)| mesh)
    }

    /// Of which mesh each is, and as it is now.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, LivePropRef<'_>)> {
        self.each.iter().filter_map(|&(id, mesh, _)| Some((mesh, self.live.get(id)?)))
    }
}
