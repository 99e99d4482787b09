//! Buildings: houses to enter, towers to climb.

use marchland_terrain::props::MeshSource;

use super::builder::{Builder, blocks};

/// The measures of a house. Metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HouseSize {
    /// Outside, along X.
    pub width: f64,
    /// Outside, along Z.
    pub depth: f64,
    /// From the foot of the walls to the eaves; more than [`HouseSize::DOOR_HEIGHT`].
    pub walls: f64,
    /// From the eaves to the ridge.
    pub roof: f64,
}

impl HouseSize {
    /// Thickness of the walls.
    pub const WALL: f64 = 0.3;
    /// Width of the door.
    pub const DOOR_WIDTH: f64 = 1.5;
    /// Height of the door, from the foot of the walls.
    pub const DOOR_HEIGHT: f64 = 2.5;
    /// How far the roof stands out over the walls, on all sides.
    pub const OVERHANG: f64 = 0.4;
    /// Thickness of the roof at its edge.
    pub const EAVES: f64 = 0.2;

    /// From the foot of the walls to the ridge.
    #[must_use]
    pub fn height(self) -> f64 {
        self.walls + Self::EAVES + self.roof
    }
}

/// A house of one room, with a door in the middle of its front, which faces +Z, a flat ceiling at
/// the eaves and a pitched roof whose ridge runs along Z. The ground is its floor. Closed.
#[must_use]
pub fn house(size: HouseSize) -> MeshSource {
    let (w, d) = (size.width / 2.0, size.depth / 2.0);
    let (wall, door, out) = (HouseSize::WALL, HouseSize::DOOR_WIDTH / 2.0, HouseSize::OVERHANG);
    let x = [-w - out, -w, -w + wall, -door, 0.0, door, w - wall, w, w + out];
    let z = [-d - out, -d, -d + wall, d - wall, d, d + out];
    let full = |[i, j, k]: [usize; 3]| {
        let roof = j == 2;
        let inside_walls = (1..7).contains(&i) && (1..4).contains(&k);
        let room = (2..6).contains(&i) && k == 2;
        let doorway = j == 0 && k == 3 && (3..5).contains(&i);
        roof || (inside_walls && !room && !doorway)
    };
    blocks([8, 3, 5], full, |[i, j, k]| {
        let pitch = size.roof * (1.0 - x[i].abs() / (w + out));
        let roof = size.walls + HouseSize::EAVES + pitch;
        [x[i], [0.0, HouseSize::DOOR_HEIGHT, size.walls, roof][j], z[k]]
    })
}

/// A square tower to stand on, with stairs up its outside: `side` metres square and as high as `steps`
/// steps of `rise` metres. The stairs are `stair_width` metres wide, lie along its side at +X and climb
/// towards +Z, the last step level with the top. Its foot, tower and stairs together, is centred.
/// Closed.
#[must_use]
pub fn tower(side: f64, steps: u32, rise: f64, stair_width: f64) -> MeshSource {
    let mut builder = Builder::default();
    let half_x = (side + stair_width) / 2.0;
    let (west, middle, east) = (-half_x, side - half_x, half_x);
    let z = |step: u32| side * (f64::from(step) / f64::from(steps) - 0.5);
    let top = rise * f64::from(steps);
    let (north, south) = (z(0), z(steps));
    // The steps' edges from the lowest: riser, tread, riser, tread.
    let edges: Vec<[f64; 2]> = (0..steps)
        .flat_map(|step| {
            let level = rise * f64::from(step + 1);
            [[z(step), level], [z(step + 1), level]]
        })
        .collect();
    let at = |x: f64| move |[z, y]: &[f64; 2]| [x, *y, *z];

    // Foot, and the sides away from the stairs.
    for (from, to) in [(west, middle), (middle, east)] {
        builder.face(&[[from, 0.0, north], [to, 0.0, north], [to, 0.0, south], [from, 0.0, south]]);
    }
    builder.face(&[[west, 0.0, south], [west, top, south], [west, top, north], [west, 0.0, north]]);
    // The lowest riser's top stands on the corner of tower and stairs.
    builder.face(&[
        [west, top, north],
        [middle, top, north],
        [middle, rise, north],
        [middle, 0.0, north],
        [west, 0.0, north],
    ]);
    builder.face(&[
        [west, 0.0, south],
        [middle, 0.0, south],
        [middle, top, south],
        [west, top, south],
    ]);
    builder.face(&[
        [middle, 0.0, south],
        [east, 0.0, south],
        [east, top, south],
        [middle, top, south],
    ]);
    // The top; its edge has a corner where the last tread begins.
    builder.face(&[
        [west, top, north],
        [west, top, south],
        [middle, top, south],
        [middle, top, z(steps - 1)],
        [middle, top, north],
    ]);
    // The tower's wall above the stairs, visible from its high corner; the last tread is its rim.
    let mut above = vec![[middle, top, north]];
    above.extend(edges[..edges.len() - 1].iter().rev().map(at(middle)));
    builder.face(&above);
    // The stairs' side, visible from the foot of their back; their risers and treads.
    let mut beside = vec![[east, 0.0, south], [east, 0.0, north]];
    beside.extend(edges.iter().map(at(east)));
    builder.face(&beside);
    let mut from = [north, 0.0];
    for to in edges {
        let [inner, outer] = [middle, east].map(|x| [at(x)(&from), at(x)(&to)]);
        builder.face(&[inner[0], inner[1], outer[1], outer[0]]);
        from = to;
    }
    builder.finish()
}
