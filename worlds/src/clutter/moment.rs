//! Writes a part of a world as a scenario file, so that an event there can be reproduced alone.

use std::fmt::Write as _;

use marchland_controller::{Body, Wish};
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::Aabb;
use marchland_terrain::props::{MeshView, Placer};
use marchland_terrain::{CellKind, PropId, SectorCoord, SectorState, TerrainView, WorldPos};

/// The unit concerned, in its state before the tick.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Its feet.
    pub position: WorldPos,
    /// Metres a second.
    pub velocity: Vec3,
    /// Its body. Of its angles only the greatest slope is written, to the precision of a cosine.
    pub body: &'a Body,
    /// Layers of the props that it meets.
    pub mask: u32,
    /// Its wish.
    pub wish: Wish,
}

/// Samples to each side of the unit.
const SAMPLES: i32 = 7;
/// Metres to each side within which props are written.
const MARGIN: f64 = 5.0;

/// The text of a scenario: the ground and the props around a unit, with every vertex in place, the unit, and
/// `ticks` ticks. Later changes of a prop's motion are not included, nor are surfaces.
#[must_use]
pub fn scenario(view: TerrainView<'_>, moment: &Moment<'_>, name: &str, ticks: u32) -> String {
    let mut text = format!("version = 1\nname = {name:?}\nticks = {ticks}\n");
    let _ = writeln!(text, "sector_size = {:?}", view.grid().sector_size().metres());
    ground(&mut text, view, moment.position);
    props(&mut text, view, moment.position);
    unit(&mut text, view, moment);
    text
}

fn ground(text: &mut String, view: TerrainView<'_>, middle: WorldPos) {
    let size = view.grid().sector_size();
    let cell = f64::from(view.grid().cell());
    let [x, _, z] = middle.to_metres(size);
    let origin = [x, z].map(|metres| ((metres / cell).floor() - f64::from(SAMPLES)) * cell);
    let along = 2 * SAMPLES + 2;
    let (mut samples, mut holes) = (Vec::new(), Vec::new());
    for (row, column) in (0..along).flat_map(|row| (0..along).map(move |column| (row, column))) {
        let place = |half: f64| {
            let x = origin[0] + (f64::from(column) + half) * cell;
            WorldPos::from_metres(x, 0.0, origin[1] + (f64::from(row) + half) * cell, size)
        };
        // The cell that begins at the sample has its height at its first corner. Without such a cell, the
        // sample belongs only to holes, or to the world's last cells, which take it from the other side.
        let cell_here = place(0.5).ok().and_then(|place| {
            let SectorState::Resident(sector) = view.sector(place.sector()) else { return None };
            let field = sector.field();
            let at = field.place(place.local().x, place.local().z);
            let is_solid = field.cell_kind(at.column as i32, at.row as i32) == CellKind::Solid;
            Some((field.corners(at.column, at.row)[0], is_solid))
        });
        samples.push(cell_here.map_or(0.0, |(height, _)| height));
        let is_solid = cell_here.is_some_and(|(_, is_solid)| is_solid);
        if !is_solid && row < along - 1 && column < along - 1 {
            holes.push([column, row]);
        }
    }
    let _ = writeln!(
        text,
        "\n[terrain]\nheights = {{ columns = {along}, rows = {along}, spacing = {cell:?}, \
         origin = {origin:?}, samples = {samples:?} }}\nholes = {holes:?}"
    );
}

fn props(text: &mut String, view: TerrainView<'_>, middle: WorldPos) {
    let size = view.grid().sector_size();
    let home = middle.sector();
    let local = middle.local().as_dvec3();
    let (low, high) = (local - DVec3::splat(MARGIN), local + DVec3::splat(MARGIN));
    let mut seen: Vec<PropId> = Vec::new();
    for coord in (-1..=1).flat_map(|dz| (-1..=1).filter_map(move |dx| home.offset(dx, dz))) {
        let SectorState::Resident(sector) = view.sector(coord) else { continue };
        let from = offset(coord, home, f64::from(size.metres()));
        let region = Aabb { min: (low - from).as_vec3(), max: (high - from).as_vec3() };
        let props = sector.props();
        props.in_box(&region, |range| {
            for record in range.map(|at| props.record(at)) {
                let bounds = record.box_in(coord, size, &props.mesh(&record).bounds());
                if bounds.touches(&region) && !seen.contains(&record.id()) {
                    seen.push(record.id());
                    let place = WorldPos::new(record.sector, record.position, size);
                    let Ok(place) = place else { continue };
                    let mesh = props.mesh(&record);
                    prop(text, seen.len(), mesh, &record.placement.placer(), place.to_metres(size));
                    let _ = writeln!(
                        text,
                        "layers = {}\ncollision = {:?} # {:?}",
                        record.layers,
                        format!("{:?}", record.collision).to_lowercase(),
                        record.id()
                    );
                }
            }
        });
    }
    let Some(live) = view.live() else { return };
    live.in_box(home, low, high, |moving| {
        seen.push(moving.id());
        let place = moving.position().to_metres(size);
        prop(text, seen.len(), moving.mesh(), &moving.placer(), place);
        let turning = moving.angular_velocity().to_array();
        let turning = turning.map(|part| f64::from(part) * (180.0 / std::f64::consts::PI));
        let _ = writeln!(
            text,
            "velocity = {:?}\nangular_velocity = {turning:?}\nlayers = {} # {:?}, as it stands after \
             the tick",
            moving.linear_velocity().to_array(),
            moving.layers(),
            moving.id()
        );
    });
}

/// A mesh with its vertices placed, and a prop of it.
fn prop(text: &mut String, number: usize, mesh: MeshView<'_>, placer: &Placer, at: [f64; 3]) {
    let vertices: Vec<_> = mesh.vertices().map(|vertex| placer.place(vertex).to_array()).collect();
    let triangles: Vec<_> = (0..mesh.triangles()).map(|triangle| mesh.indices(triangle)).collect();
    let _ = writeln!(
        text,
        "\n[meshes.m{number}]\nvertices = {vertices:?}\ntriangles = {triangles:?}\n\n[[props]]\n\
         mesh = \"m{number}\"\nposition = {at:?}"
    );
}

fn unit(text: &mut String, view: TerrainView<'_>, moment: &Moment<'_>) {
    let body = moment.body;
    let degrees = libm::acos(body.max_slope_cos()) * (180.0 / std::f64::consts::PI);
    let _ = writeln!(
        text,
        "\n[bodies.it]\nradius = {:?}\nheight = {:?}\nknee = {:?}\nstep_up = {:?}\nstep_down = {:?}\n\
         climb = {:?}\nmax_slope = {:?}\nslide_control = {:?}\nair_control = {:?}\n\
         jump_speed = {:?}\nslide_speed = {:?}\nterminal_speed = {:?}",
        body.radius(),
        body.height(),
        body.knee(),
        body.step_up(),
        body.step_down(),
        body.climb(),
        degrees,
        body.slide_control(),
        body.air_control(),
        body.jump_speed(),
        body.slide_speed(),
        body.terminal_speed()
    );
    let _ = writeln!(
        text,
        "\n[[units]]\nname = \"it\"\nbody = \"it\"\nposition = {:?}\nvelocity = {:?}\n\
         controls = [{{ tick = 0, move = {:?}, jump = {}, mask = {} }}]",
        moment.position.to_metres(view.grid().sector_size()),
        moment.velocity.to_array(),
        moment.wish.velocity(),
        moment.wish.jumps(),
        moment.mask
    );
}

fn offset(coord: SectorCoord, home: SectorCoord, side: f64) -> DVec3 {
    let metres = |to: i32, from: i32| (f64::from(to) - f64::from(from)) * side;
    DVec3::new(metres(coord.x, home.x), 0.0, metres(coord.z, home.z))
}
