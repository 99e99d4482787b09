//! Combines props and sectors into the files of sectors that know their props.
//!
//! ```text
//! PropInput ─ place ─▶ Placements ─ furnish, sector by sector ─▶ EncodedSector with props
//!           └ MeshUse: what sectors call a mesh ────┘
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use super::place::error::PlaceError;
use super::place::place;
use super::place::placements::Placements;
use super::props::PropInput;
use super::threads::in_order;
use crate::format::{EncodedSector, LoadedSector, MeshUse, with_props};
use crate::grid::Grid;
use crate::math::SectorCoord;
use crate::props::{LoadedMesh, MeshHash, PreparedMesh};
use crate::resident::ResidentSectors;

/// A world in memory, with its props.
#[derive(Clone, Debug)]
pub struct Spread {
    /// Its sectors.
    pub sectors: ResidentSectors,
    /// Its props, and which sectors know them.
    pub placements: Placements,
}

/// Places props on sectors in memory that have none yet. The result is a whole world without a folder. The
/// same input gives the same props as in a bake.
///
/// # Errors
/// As [`place`], and if a sector or a mesh is invalid.
pub fn spread(
    grid: Grid,
    sectors: &[EncodedSector],
    input: &PropInput,
) -> Result<Spread, PlaceError> {
    let bare = sectors.iter().map(|file| Ok((file.coord, load(file, &BTreeMap::new())?)));
    let bare: BTreeMap<SectorCoord, Arc<LoadedSector>> = bare.collect::<Result<_, PlaceError>>()?;
    let coords: Vec<SectorCoord> = bare.keys().copied().collect();
    let placements = place(grid, &coords, input, &|coord| {
        Ok(Arc::clone(bare.get(&coord).ok_or("not among the sectors given")?))
    })?;
    let meshes = load_meshes(input)?;
    let name = |mesh: &Arc<LoadedMesh>| MeshUse { hash: mesh.hash(), bounds: mesh.view().bounds() };
    let uses: Vec<MeshUse> = meshes.iter().map(name).collect();
    let by_hash = meshes.iter().map(|mesh| (mesh.hash(), Arc::clone(mesh))).collect();
    let files: Vec<usize> = (0..sectors.len()).collect();
    let furnished = in_order(&files, &|at: usize| {
        let file = &sectors[at];
        load(&placements.furnish(file.coord, &file.bytes, &uses)?, &by_hash)
    })?;
    let mut resident = ResidentSectors::new(grid);
    for (file, sector) in sectors.iter().zip(furnished) {
        let put = resident.insert(file.coord, sector);
        put.map_err(|source| PlaceError::Sector { sector: file.coord, source })?;
    }
    Ok(Spread { sectors: resident, placements })
}

impl Placements {
    /// The file of a sector with the props that it knows, from its file without props. `meshes` are
    /// all meshes of the input, in its order.
    ///
    /// # Errors
    /// If the file is not a valid sector, or already has props.
    pub fn furnish(
        &self,
        coord: SectorCoord,
        base: &[u8],
        meshes: &[MeshUse],
    ) -> Result<EncodedSector, PlaceError> {
        with_props(base, &self.of_sector(coord), meshes)
            .map_err(|source| PlaceError::Sector { sector: coord, source })
    }
}

fn load_meshes(input: &PropInput) -> Result<Vec<Arc<LoadedMesh>>, PlaceError> {
    let load = |(mesh, prepared): (usize, &PreparedMesh)| {
        let loaded = LoadedMesh::new(prepared.encode());
        loaded.map(Arc::new).map_err(|source| PlaceError::MeshFile { mesh, source })
    };
    input.meshes.iter().enumerate().map(load).collect()
}

fn load(
    file: &EncodedSector,
    meshes: &BTreeMap<MeshHash, Arc<LoadedMesh>>,
) -> Result<Arc<LoadedSector>, PlaceError> {
    let find = &mut |hash| meshes.get(&hash).cloned();
    LoadedSector::with_meshes(file.bytes.clone(), find)
        .map(Arc::new)
        .map_err(|source| PlaceError::Sector { sector: file.coord, source })
}
