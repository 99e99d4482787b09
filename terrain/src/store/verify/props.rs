//! Checks the meshes and props of a world's files against each other.

use std::collections::{BTreeMap, BTreeSet};

use super::sectors::{RecentSectors, has_name};
use crate::format::LoadedSector;
use crate::math::{Aabb, SectorCoord};
use crate::props::{MeshHash, PropRecord, SectorProps};
use crate::store::error::StoreError;
use crate::store::manifest::WorldProps;
use crate::store::names;
use crate::store::problem::{Problem, VerifyReport};
use crate::store::world::World;

/// Reads every mesh that the manifest names. Returns the totals that the manifest should have.
pub(crate) fn check_meshes(world: &World, report: &mut VerifyReport) -> Solids {
    let mut solids = Solids::default();
    let meshes = match world.files().manifest.meshes() {
        Ok(meshes) => meshes,
        Err(error) => {
            report.add(Problem::Manifest { error });
            return solids;
        }
    };
    for record in meshes {
        report.meshes += 1;
        match world.files().read_mesh(record.hash) {
            Ok(mesh) => {
                let triangles = u64::from(mesh.view().triangles());
                solids.totals.unique_triangles += triangles;
                solids.unused.insert(record.hash);
            }
            Err(error) => {
                solids.is_partial = true;
                report.add(Problem::Mesh { error });
            }
        }
    }
    solids
}

/// The totals of meshes and sectors.
#[derive(Default)]
pub(crate) struct Solids {
    totals: WorldProps,
    /// Valid meshes that no sector uses, among the sectors checked.
    unused: BTreeSet<MeshHash>,
    /// Whether something could not be read, so that totals are unknown.
    is_partial: bool,
}

impl Solids {
    pub(crate) fn add(&mut self, sector: &LoadedSector) {
        let props = sector.view().props();
        for record in own(&props, sector.layout().coord()) {
            self.totals.props += 1;
            self.totals.placed_triangles += u64::from(props.mesh(&record).triangles());
        }
        for mesh in sector.meshes() {
            self.unused.remove(&mesh.hash());
        }
    }

    pub(crate) fn check(&self, world: &World, report: &mut VerifyReport) {
        let info = world.info();
        report.props = self.totals.props;
        if self.is_partial || report.unread > 0 {
            return;
        }
        let WorldProps { props, unique_triangles, placed_triangles, .. } = self.totals;
        report.compare("number of props", info.props, props);
        report.compare("triangles of meshes", info.unique_triangles, unique_triangles);
        report.compare("triangles of props", info.placed_triangles, placed_triangles);
        report.compare("number of unused meshes", self.unused.len(), 0);
    }
}

/// Checks the props of a sector: each of its own against the sectors that it reaches, each of others
/// against its owner.
pub(crate) fn check_props(
    world: &World,
    kept: &mut RecentSectors,
    sector: &LoadedSector,
    report: &mut VerifyReport,
) {
    let coord = sector.layout().coord();
    let props = sector.view().props();
    let names = world.info().facts.surface_names.len();
    for record in all(&props) {
        if !has_name(record.surface, names) {
            report.add(Problem::PropSurface { prop: record, coord, names });
        }
    }
    let mut reached: BTreeMap<SectorCoord, Vec<PropRecord>> = BTreeMap::new();
    for record in own(&props, coord) {
        for neighbour in sectors_of(world, &record, &props.mesh(&record).bounds()) {
            reached.entry(neighbour).or_default().push(record);
        }
    }
    reached.remove(&coord);
    for (neighbour, records) in reached {
        let Some(other) = find(world, kept, neighbour) else { continue };
        let theirs = OwnerProps::of(&other.view().props(), coord);
        for prop in records {
            match theirs.compare(&prop, props.mesh_hash(&prop)) {
                Some(true) => {}
                Some(false) => report.add(Problem::PropDiffers { prop, coord: neighbour }),
                None => report.add(Problem::PropUnknown { prop, coord: neighbour }),
            }
        }
    }
    check_owners(world, kept, &props, coord, report);
}

/// Checks that the owner of each foreign prop knows it. Whether it knows the same is reported from
/// the owner's side, unless the prop that the owner knows does not reach here.
fn check_owners(
    world: &World,
    kept: &mut RecentSectors,
    props: &SectorProps<'_>,
    coord: SectorCoord,
    report: &mut VerifyReport,
) {
    let mut owners: BTreeMap<SectorCoord, Vec<PropRecord>> = BTreeMap::new();
    for record in all(props).filter(|record| record.sector != coord) {
        owners.entry(record.sector).or_default().push(record);
    }
    for (owner, records) in owners {
        // A damaged part of the manifest is reported when its records are iterated.
        let Ok(found) = world.files().find(owner) else { continue };
        let sector = find(world, kept, owner);
        if found.is_some() && sector.is_none() {
            // An owner that cannot be read is reported when it is checked itself.
            continue;
        }
        let theirs = sector.map(|sector| OwnerProps::of(&sector.view().props(), owner));
        for prop in records {
            let known = theirs.as_ref();
            match known.and_then(|known| known.compare(&prop, props.mesh_hash(&prop))) {
                None => report.add(Problem::PropWithoutOwner { prop, coord }),
                Some(false) if !known.is_some_and(|known| known.reaches(world, &prop, coord)) => {
                    report.add(Problem::PropDiffers { prop, coord });
                }
                Some(_) => {}
            }
        }
    }
}

/// The props of one owner that a sector knows.
struct OwnerProps(BTreeMap<u32, (PropRecord, MeshHash, Aabb)>);

impl OwnerProps {
    fn of(props: &SectorProps<'_>, owner: SectorCoord) -> Self {
        let record = |record: PropRecord| {
            let mesh = (props.mesh_hash(&record), props.mesh(&record).bounds());
            (record.index, (record, mesh.0, mesh.1))
        };
        Self(own(props, owner).map(record).collect())
    }

    /// Whether a known prop is the same; `None` if it is not known.
    fn compare(&self, prop: &PropRecord, mesh: MeshHash) -> Option<bool> {
        let (record, hash, _) = self.0.get(&prop.index)?;
        // Indices in lists of meshes differ from sector to sector.
        Some(*hash == mesh && PropRecord { mesh: prop.mesh, ..*record } == *prop)
    }

    /// Whether the prop of the same index reaches a sector.
    fn reaches(&self, world: &World, prop: &PropRecord, coord: SectorCoord) -> bool {
        let found = self.0.get(&prop.index);
        found.is_some_and(|(record, _, mesh)| sectors_of(world, record, mesh).contains(&coord))
    }
}

fn all<'a>(props: &SectorProps<'a>) -> impl Iterator<Item = PropRecord> + use<'a> {
    let props = *props;
    (0..props.len()).map(move |at| props.record(at))
}

/// The props whose origin lies in a sector.
fn own<'a>(
    props: &SectorProps<'a>,
    owner: SectorCoord,
) -> impl Iterator<Item = PropRecord> + use<'a> {
    all(props).filter(move |record| record.sector == owner)
}

/// The places that a prop reaches, limited to where sectors can exist.
fn sectors_of(world: &World, record: &PropRecord, mesh: &Aabb) -> Vec<SectorCoord> {
    let info = world.info();
    let Some(bounds) = info.bounds else { return Vec::new() };
    let (low, high) = record.sectors_reached(info.facts.grid.sector_size(), mesh);
    let rows = low.z.max(bounds.min.z)..=high.z.min(bounds.max.z);
    let columns = low.x.max(bounds.min.x)..=high.x.min(bounds.max.x);
    rows.flat_map(|z| columns.clone().map(move |x| SectorCoord::new(x, z))).collect()
}

fn find(
    world: &World,
    kept: &mut RecentSectors,
    coord: SectorCoord,
) -> Option<std::sync::Arc<LoadedSector>> {
    let record = world.files().find(coord).ok()??;
    kept.get(world, &record).ok()
}

/// Looks for mesh files that no manifest names, unless a bake is running, whose files are not named
/// yet.
pub(crate) fn check_strays(world: &World, report: &mut VerifyReport) -> Result<(), StoreError> {
    let folder = &world.files().folder;
    let mut strays = Vec::new();
    if is_baking(world) {
        return Ok(());
    }
    for within in folder.inner_folders(names::MESHES)? {
        let names = match folder.list(&within) {
            // A damaged pack is reported separately.
            Err(StoreError::Pack { .. }) => continue,
            other => other?,
        };
        for name in names {
            if let Some(hash) = names::parse_mesh(&name) {
                strays.push((hash, format!("{within}/{name}")));
            }
        }
    }
    let mut manifests = Vec::new();
    for generation in folder.generations()? {
        match folder.open_sound_manifest(generation) {
            Ok(Some(manifest)) => manifests.push(manifest),
            // A manifest that cannot be read may name anything.
            _ => return Ok(()),
        }
    }
    let is_named = |hash| manifests.iter().any(|m| m.find_mesh(hash).map_or(true, |m| m.is_some()));
    strays.retain(|(hash, _)| !is_named(*hash));
    // A bake may have begun in the meantime.
    if !is_baking(world) {
        for (_, path) in strays {
            report.add(Problem::StrayMesh { path: folder.storage.full_path(&path) });
        }
    }
    Ok(())
}

/// Whether another holder has the bake's lock. The lock is released at once.
fn is_baking(world: &World) -> bool {
    match world.files().folder.storage.open(names::LOCK) {
        Ok(lock) => !lock.try_lock_shared().unwrap_or(true),
        Err(_) => false,
    }
}
