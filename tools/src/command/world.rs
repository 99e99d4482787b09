//! Worlds for the verbs: mapped, loaded on demand.

use std::io::ErrorKind;
use std::path::Path;

use marchland_terrain::error::SectorError;
use marchland_terrain::store::{ManifestError, PackError, StoreError, World};
use marchland_terrain::{Ground, SectorCoord, SectorState, TerrainView, WorldPos};

use crate::command::failure::{Failure, chain};
use crate::command::output::{count, note};
use crate::command::render::PixelGround;

/// Opens a world through memory maps.
///
/// # Errors
/// If there is no world, or its manifest is damaged.
pub fn open(path: &Path) -> Result<World, Failure> {
    Ok(open_mapped(path)?)
}

/// As [`open`], for callers that report errors themselves.
///
/// # Errors
/// As [`open`].
#[allow(unsafe_code)]
pub fn open_mapped(path: &Path) -> Result<World, StoreError> {
    // SAFETY: `open_mapped` requires that no program writes to the world's sector, mesh or pack files or
    // shortens them as long as the world, or anything that came from it, lives: here at most until this
    // process ends. This command and the library write such files under a different name, rename them and
    // never open them for writing again. Another program could still do so; a command-line tool may be
    // terminated by that, and FORMAT.md forbids it.
    unsafe { World::open_mapped(path) }
}

/// Loads every sector.
///
/// # Errors
/// If one cannot be loaded: the first of them.
pub fn load_all(world: &mut World) -> Result<(), Failure> {
    let failed = world.load_all()?.failed;
    failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error.into()))
}

/// The message for a budget into which no sector of a world fits.
pub fn no_room(path: &Path, budget_bytes: u64) -> Failure {
    let (path, budget) = (path.display(), count(budget_bytes, "byte"));
    Failure::input(format!("{path}: a budget of {budget} has no room for a sector"))
        .hint("give a larger `--budget`; `marchland info WORLD` shows the sizes")
}

/// The message for a store's error.
pub fn store_failure(error: &StoreError) -> Failure {
    if let StoreError::Io { path, source, .. } = error
        && source.kind() == ErrorKind::NotADirectory
    {
        return not_a_folder(path);
    }
    Failure::of(chain(error), error.is_io()).or_hint(hint(error).map(str::to_owned))
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        store_failure(&error)
    }
}

/// The message for a file where a world's folder should be.
pub fn not_a_folder(path: &Path) -> Failure {
    Failure::input(format!("{}: a file, expected the folder of a world", path.display()))
}

fn hint(error: &StoreError) -> Option<&'static str> {
    Some(match error {
        StoreError::Locked { .. } => "wait until the other bake has finished",
        StoreError::NotAWorld { .. } => "give a world, or a folder that is empty or does not exist",
        StoreError::Packed { .. } => {
            "unpack it with `marchland unpack PACKED OUT`, and bake into OUT"
        }
        StoreError::Occupied { .. } | StoreError::LastGeneration { .. } => {
            "give a folder that is empty or does not exist"
        }
        StoreError::NoFolder { .. } | StoreError::NoManifest { .. } => {
            "make a world with `marchland bake SOURCE --out DIR.world`"
        }
        StoreError::Pack { source: PackError::Version { .. }, .. } => {
            "pack it with this version of `marchland pack`"
        }
        StoreError::Pack { .. } => "pack the world again, or copy the pack again",
        StoreError::Manifest { source: ManifestError::Version { .. }, .. }
        | StoreError::Sector { source: SectorError::Version { .. }, .. } => {
            "bake it from its source with this version of `marchland bake`"
        }
        StoreError::Manifest { .. }
        | StoreError::Sector { .. }
        | StoreError::Missing { .. }
        | StoreError::Mesh { .. }
        | StoreError::MissingMesh { .. }
        | StoreError::OtherMesh { .. }
        | StoreError::UnnamedMesh { .. } => "bake the world again from its source with --force",
        StoreError::Io { .. }
        | StoreError::NotAFile { .. }
        | StoreError::Radius { .. }
        | StoreError::OtherGrid { .. }
        | StoreError::Panicked { .. } => return None,
    })
}

/// The position at world metres.
///
/// # Errors
/// If it is not finite or beyond the last sector.
pub fn position(world: &World, [x, y, z]: [f64; 3]) -> Result<WorldPos, Failure> {
    WorldPos::from_metres(x, y, z, world.info().facts.grid.sector_size())
        .map_err(|error| Failure::input(error.to_string()))
}

/// The sectors of a world, in the order of its manifest.
///
/// # Errors
/// If the manifest is damaged.
pub fn coords(world: &World) -> Result<Vec<SectorCoord>, Failure> {
    world.records().map(|record| Ok(record?.coord)).collect()
}

/// Whether a sector of the world is not in memory.
pub fn is_absent(world: &World, coord: SectorCoord) -> bool {
    matches!(world.view().sector(coord), SectorState::NotResident)
}

/// Loads a sector, if the world has it and it is not in memory. Returns whether it could not be loaded, which is
/// reported; it remains not resident.
pub fn load(world: &mut World, coord: SectorCoord) -> bool {
    if is_absent(world, coord)
        && let Err(error) = world.load(coord)
    {
        note(&format!("warning: sector {coord}: {}", chain(&error)));
        return true;
    }
    false
}

/// Whether a place is below ground that is in memory.
pub fn is_below(view: TerrainView<'_>, place: WorldPos) -> bool {
    matches!(view.ground(place), Ground::Height(height) if place.local().y < height)
}

/// Sectors that a sampler keeps in memory.
const SECTORS_KEPT: usize = 4096;

/// The ground under a pixel of a map; loads what it needs and keeps at most `SECTORS_KEPT` sectors.
pub struct PixelSampler<'a> {
    world: &'a mut World,
    failed: Vec<SectorCoord>,
}

impl<'a> PixelSampler<'a> {
    /// A sampler over `world`.
    pub fn new(world: &'a mut World) -> Self {
        Self { world, failed: Vec::new() }
    }

    /// The ground at world metres.
    pub fn ground(&mut self, x: f64, z: f64) -> PixelGround {
        let size = self.world.info().facts.grid.sector_size();
        let Ok(place) = WorldPos::from_metres(x, 0.0, z, size) else {
            return PixelGround::Outside;
        };
        let coord = place.sector();
        if is_absent(self.world, coord)
            && let Err(at) = self.failed.binary_search(&coord)
        {
            self.make_room();
            if load(self.world, coord) {
                self.failed.insert(at, coord);
            }
        }
        let view = self.world.view();
        match view.ground(place) {
            Ground::Height(height) => PixelGround::Ground {
                height,
                surface: view.surface(place).map_or(0, |surface| surface.0),
            },
            Ground::Hole => PixelGround::Hole,
            Ground::Outside => PixelGround::Outside,
            Ground::NotResident => PixelGround::Missing,
        }
    }

    /// Rows are sampled from the north: the northernmost sectors will not be needed again.
    fn make_room(&mut self) {
        let resident = self.world.resident().resident();
        if resident.len() < SECTORS_KEPT {
            return;
        }
        let mut rows: Vec<i32> = resident.iter().map(|coord| coord.z).collect();
        rows.sort_unstable();
        let middle = rows[rows.len() / 2];
        let north: Vec<SectorCoord> =
            resident.iter().copied().filter(|coord| coord.z <= middle).collect();
        for coord in north {
            self.world.unload(coord);
        }
    }
}
