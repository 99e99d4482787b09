//! The triangles around a place, read from what is in memory: heights at points, and the meshes of props.

use marchland_reference::most;
use marchland_reference::piece::{Kind, Piece};
use marchland_terrain::glam::{DVec2, DVec3, Vec3};
use marchland_terrain::props::{MeshView, Placer};
use marchland_terrain::{Ground, LiveProps, PropId, SectorState, TerrainView, WorldPos};

/// All triangles no farther than `margin` metres from a place along X and Z. Metres from that place at height 0.
/// `None` at the world's edge, and where something is not in memory.
pub(super) fn pieces(
    view: TerrainView<'_>,
    middle: WorldPos,
    margin: f64,
    mask: u32,
) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    if !ground(view, middle, margin, &mut pieces) {
        return None;
    }
    let mut keep = |mesh: MeshView<'_>, placer: &Placer, origin: DVec3| {
        for triangle in 0..mesh.triangles() {
            let corners = mesh.triangle(triangle);
            let corners = corners.map(|corner| placer.place(corner).as_dvec3() + origin);
            let piece = Piece::new(corners, Kind::Prop);
            if piece.at_least(DVec2::ZERO) <= margin {
                pieces.push(piece);
            }
        }
    };
    baked(view, middle, margin, mask, &mut keep);
    let size = view.grid().sector_size();
    for prop in view.live().into_iter().flat_map(LiveProps::iter) {
        if prop.layers() & mask != 0
            && touches(&prop.mesh(), 1.0, prop.position(), middle, view, margin)
        {
            let origin = away(prop.position(), middle, f64::from(size.metres()));
            keep(prop.mesh(), &prop.placer(), origin);
        }
    }
    Some(pieces)
}

/// Whether a live prop that moves is no farther than `margin` metres.
pub(super) fn has_mover(view: TerrainView<'_>, middle: WorldPos, margin: f64) -> bool {
    view.live().into_iter().flat_map(LiveProps::iter).any(|prop| {
        let moves = prop.linear_velocity() != Vec3::ZERO || prop.angular_velocity() != Vec3::ZERO;
        moves && touches(&prop.mesh(), 1.0, prop.position(), middle, view, margin)
    })
}

type MeshVisitor<'a> = &'a mut dyn FnMut(MeshView<'_>, &Placer, DVec3);

fn baked(view: TerrainView<'_>, middle: WorldPos, margin: f64, mask: u32, keep: MeshVisitor<'_>) {
    let size = view.grid().sector_size();
    let home = middle.sector();
    let mut seen: Vec<PropId> = Vec::new();
    for coord in (-1..=1).flat_map(|dz| (-1..=1).filter_map(move |dx| home.offset(dx, dz))) {
        let SectorState::Resident(sector) = view.sector(coord) else { continue };
        let props = sector.props();
        for record in (0..props.len()).map(|at| props.record(at)) {
            let Ok(place) = WorldPos::new(record.sector, record.position, size) else { continue };
            let (mesh, placement) = (props.mesh(&record), record.placement);
            let is_near = touches(&mesh, placement.scale(), place, middle, view, margin);
            if record.layers & mask != 0 && is_near && !seen.contains(&record.id()) {
                seen.push(record.id());
                keep(mesh, &placement.placer(), away(place, middle, f64::from(size.metres())));
            }
        }
    }
}

/// Whether any turn of a mesh could come there.
fn touches(
    mesh: &MeshView<'_>,
    scale: f32,
    place: WorldPos,
    middle: WorldPos,
    view: TerrainView<'_>,
    margin: f64,
) -> bool {
    let bounds = mesh.bounds();
    let far = bounds.min.length() + bounds.max.length();
    let side = f64::from(view.grid().sector_size().metres());
    let off = away(place, middle, side);
    most(off.x.abs(), off.z.abs()) < margin + f64::from(far * scale)
}

/// From `middle`, at height 0, to a place. Metres.
fn away(place: WorldPos, middle: WorldPos, side: f64) -> DVec3 {
    let metres = |to: i32, from: i32| (f64::from(to) - f64::from(from)) * side;
    let (to, from) = (place.local().as_dvec3(), middle.local().as_dvec3());
    let x = metres(place.sector().x, middle.sector().x) + to.x - from.x;
    DVec3::new(x, to.y, metres(place.sector().z, middle.sector().z) + to.z - from.z)
}

/// Whether all of it is in memory.
fn ground(view: TerrainView<'_>, middle: WorldPos, margin: f64, pieces: &mut Vec<Piece>) -> bool {
    let size = view.grid().sector_size();
    let (cell, half) = (f64::from(view.grid().cell()), f64::from(size.half()));
    let [x, _, z] = middle.to_metres(size);
    let first = |at: f64| ((at - margin + half) / cell).floor();
    let count = (2.0 * margin / cell).ceil() as u32 + 1;
    for (row, column) in (0..count).flat_map(|row| (0..count).map(move |column| (row, column))) {
        let west = (first(x) + f64::from(column)) * cell - half;
        let north = (first(z) + f64::from(row)) * cell - half;
        // Heights inside each triangle give its corners, also where a neighbour is a hole.
        let at = |u: f64, v: f64| {
            let place = WorldPos::from_metres(west + u * cell, 0.0, north + v * cell, size).ok()?;
            match view.ground(place) {
                Ground::Height(height) => Some(f64::from(height)),
                _ => None,
            }
        };
        let quantum = f64::from(view.grid().quantum());
        let corner = |u: f64, v: f64, height: f64| {
            let height = (height / quantum).round() * quantum;
            DVec3::new(west + u * cell - x, height, north + v * cell - z)
        };
        let mut put = |swap: bool| {
            let turned = |u: f64, v: f64| if swap { at(v, u) } else { at(u, v) };
            let middle = turned(0.75, 0.25)?;
            let by_u = (middle - turned(0.5, 0.25)?) / 0.25;
            let by_v = (turned(0.75, 0.5)? - middle) / 0.25;
            let height = |u: f64, v: f64| middle + by_u * (u - 0.75) + by_v * (v - 0.25);
            let (near, far) = (height(0.0, 0.0), height(1.0, 1.0));
            let aside = height(1.0, 0.0);
            let corners = if swap {
                [corner(0.0, 0.0, near), corner(0.0, 1.0, aside), corner(1.0, 1.0, far)]
            } else {
                [corner(0.0, 0.0, near), corner(1.0, 1.0, far), corner(1.0, 0.0, aside)]
            };
            pieces.push(Piece::new(corners, Kind::Ground));
            Some(())
        };
        let _ = (put(false), put(true));
        let middle = WorldPos::from_metres(west + 0.5 * cell, 0.0, north + 0.5 * cell, size);
        let known = middle.map_or(Ground::Outside, |middle| view.ground(middle));
        if matches!(known, Ground::Outside | Ground::NotResident) {
            return false;
        }
    }
    true
}
