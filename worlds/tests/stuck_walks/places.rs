//! Places by hand: a V of two slabs, a gorge of the ground, a ramp over steep ground.

use std::sync::Arc;

use marchland_terrain::glam::DVec2;
use marchland_terrain::math::{Rotation, greater, lesser};
use marchland_terrain::props::{LiveProp, LoadedMesh, MeshSource, Placement, PreparedMesh};
use marchland_terrain::{LiveProps, ResidentSectors, TerrainView, WorldPos};
use marchland_worlds::shapes::{crate_box, pillar, stairs, torn};
use marchland_worlds::terrain::{grid_of, world_from_fn};

/// Half of the only sector. Metres.
const HALF: f64 = 32.0;

/// Ground and props.
pub(crate) struct Place {
    sectors: ResidentSectors,
    live: LiveProps,
    pub(crate) walks: Vec<Route>,
}

/// A unit of the default body that begins at a place and gets requests in turn.
pub(crate) struct Route {
    pub(crate) name: String,
    pub(crate) at: [f64; 3],
    /// From which second on, and x and z of the request. Metres a second.
    pub(crate) requests: Vec<(f64, [f64; 2])>,
}

impl Place {
    /// Heights at samples 4 m apart, by x and z around the middle.
    fn new(height: impl Fn(f64, f64) -> f64) -> Self {
        let grid = grid_of(4.0, 16).unwrap();
        let sectors = world_from_fn(grid, 1, |x, z| height(x - HALF, z - HALF)).unwrap();
        let live = LiveProps::new(grid.sector_size());
        Self { sectors, live, walks: Vec::new() }
    }

    fn put(&mut self, size: [f64; 3], at: [f64; 3], roll: f64) {
        // Boxes stand on their origin; these turn about their middle.
        let rotation = Rotation::from_degrees([0.0, 0.0, roll]);
        let up = rotation.columns()[1] * (size[1] / 2.0);
        let at = [at[0] - up.x, at[1] - up.y, at[2] - up.z];
        self.put_mesh(&crate_box(size[0], size[1], size[2]), at, rotation);
    }

    fn put_mesh(&mut self, mesh: &MeshSource, at: [f64; 3], rotation: Rotation) {
        let mesh = PreparedMesh::new(mesh).unwrap().0.encode();
        let place = self.place(at);
        let mut prop = LiveProp::new(Arc::new(LoadedMesh::new(mesh).unwrap()), place);
        prop.placement = Placement::new(rotation, 1.0).unwrap();
        self.live.add(prop).unwrap();
    }

    fn ask(&mut self, name: String, at: [f64; 3], requests: Vec<(f64, [f64; 2])>) {
        self.walks.push(Route { name, at, requests });
    }

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.sectors.view().with_live(&self.live)
    }

    pub(crate) fn place(&self, at: [f64; 3]) -> WorldPos {
        let size = self.sectors.grid().sector_size();
        WorldPos::from_metres(at[0], at[1], at[2], size).unwrap()
    }
}

/// Units walk along a V of two slabs, out of its end, aslant in it, and back; and from its end in all
/// directions.
pub(crate) fn v_of_slabs() -> Place {
    let mut place = Place::new(|_, _| 0.0);
    place.put([10.0, 0.2, 20.0], [-2.6, 4.0, 0.0], -60.0);
    place.put([10.0, 0.2, 20.0], [2.6, 4.0, 0.0], 60.0);
    for speed in [0.5, 1.0, 2.0, 3.0, 5.0, 8.0] {
        let at = |z: f64| [0.0, 0.8, z];
        let out = (1.0, [0.0, -speed]);
        place.ask(format!("out at {speed}"), at(-8.0), vec![out]);
        let aslant = (1.0, [0.3 * speed, -speed]);
        place.ask(format!("aslant at {speed}"), at(-5.0), vec![aslant]);
        let back = (11.0, [0.0, speed]);
        place.ask(format!("out and back at {speed}"), at(-6.0), vec![out, back]);
    }
    for request in [[0.0, -2.0], [0.0, 2.0], [2.0, 0.0], [-2.0, 0.0], [1.4, 1.4], [0.0, -9.0]] {
        let out = (1.0, [0.0, -1.0]);
        let name = format!("from its end at {request:?}");
        place.ask(name, [0.0, 0.8, -8.0], vec![out, (6.7, request)]);
    }
    place.ask("at rest".to_owned(), [0.3, 6.0, 0.0], vec![]);
    place
}

/// Units walk along a gorge of faces of 63°, and out of its end.
pub(crate) fn gorge() -> Place {
    let mut place = Place::new(|x, z| {
        let is_in = (-16.0..=12.0).contains(&z);
        if is_in { 2.0 * lesser(x.abs(), 8.0) } else { 0.0 }
    });
    for (index, speed) in [0.5, 1.0, 2.0, 5.0].into_iter().enumerate() {
        let at = [0.0, 1.0, -10.0 + 0.5 * index as f64];
        place.ask(format!("out at {speed}"), at, vec![(1.0, [0.0, -speed])]);
        place.ask(format!("aslant at {speed}"), at, vec![(1.0, [0.2 * speed, -speed])]);
    }
    place
}

/// Units walk up a ramp over steep ground and off its side.
pub(crate) fn ramp() -> Place {
    let mut place = Place::new(|x, _| {
        let rise = 1.5 * x;
        greater(0.0, lesser(12.0, rise))
    });
    place.put([16.0, 0.2, 3.0], [6.0, 5.3, 0.0], 40.0);
    let up = (0.0, [3.0, 0.0]);
    let aside = [
        (2.0, 14.0),
        (2.0, 0.0),
        (2.0, 30.0),
        (2.0, 60.0),
        (4.0, 14.0),
        (1.0, 14.0),
        (3.0, 80.0),
        (5.0, 45.0),
    ];
    for (index, (speed, degrees)) in aside.into_iter().enumerate() {
        let heading = DVec2::from_angle(f64::to_radians(90.0 - degrees)) * speed;
        let at = [-6.0, 0.0, 0.1 * index as f64];
        let name = format!("off the side at {speed}, {degrees} degrees");
        place.ask(name, at, vec![up, (4.0, heading.to_array())]);
    }
    for request in [[0.0, 2.0], [0.0, -2.0], [-2.0, 0.0], [2.0, 0.0], [-2.0, 2.0], [0.0, 9.0]] {
        let off = (4.0, [0.26, 0.96]);
        let name = format!("from its side at {request:?}");
        place.ask(name, [-6.0, 0.0, 0.0], vec![up, off, (8.0, request)]);
    }
    place.ask("on its edge".to_owned(), [-6.0, 0.0, 1.4], vec![up]);
    place.ask("beside it".to_owned(), [-6.0, 0.0, 3.0], vec![up]);
    let off = (4.5, [0.5, 2.0]);
    place.ask("off".to_owned(), [-6.0, 0.0, 0.0], vec![up, off]);
    place
}

/// Units walk into leaning pillars, onto their feet, and along those.
pub(crate) fn leaning_pillars() -> Place {
    let mut place = Place::new(|_, _| 0.0);
    let leans = [10.0, 14.0, 20.0, 27.0];
    for (index, lean) in leans.into_iter().enumerate() {
        for (row, deep) in [0.1, 0.3].into_iter().enumerate() {
            let middle = [-20.0 + 12.0 * index as f64, -deep, -10.0 + 15.0 * row as f64];
            let turn = Rotation::from_degrees([lean, 20.0 * index as f64, 0.0]);
            place.put_mesh(&pillar(0.4, 3.0, 12), middle, turn);
            for way in 0..32 {
                let heading = DVec2::from_angle(f64::to_radians(11.25 * f64::from(way)));
                let at = [middle[0] + 2.0 * heading.x, 0.0, middle[2] + 2.0 * heading.y];
                for aside in [-8.0, 0.0, 8.0] {
                    let request = DVec2::from_angle(f64::to_radians(aside)).rotate(heading) * -5.0;
                    let name = format!("{lean} degrees, {deep} m deep, {way}, aside {aside}");
                    place.ask(name, at, vec![(0.0, request.to_array())]);
                }
            }
        }
    }
    place
}

/// Stairs of which every third triangle is divided at a side, and its neighbour there is not; units fall along them,
/// so near that they are in the skin.
pub(crate) fn divided_stairs() -> Place {
    let mut place = Place::new(|_, _| 0.0);
    let mesh = torn(stairs(8, 0.25, 0.3125, 2.0));
    place.put_mesh(&mesh, [0.0; 3], Rotation::IDENTITY);
    for part in 0..96 {
        let along = -1.6 + 3.2 * f64::from(part) / 96.0;
        for side in [-1.4018, 1.4018] {
            place.ask(format!("beside, at {along}, {side}"), [along, 2.5, side], vec![]);
            place.ask(
                format!("behind, at {along}, {side}"),
                [side.signum() * 1.6518, 2.5, along],
                vec![],
            );
        }
    }
    place
}
