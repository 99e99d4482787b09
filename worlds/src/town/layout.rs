//! The layout of the town's props.
//!
//! ```text
//!        32 m
//!  ┌──────────────┬──       256 blocks, by a seeded order:
//!  │  ┌────────┐  │          rocks     58 blocks of  6, turned freely, sunk into the slope
//!  │  │  lot   │  │          stacks    55 blocks of  8, crates flush on each other, barrels
//!  │  │ 24 m   │  │          platforms 50 blocks of  6, stairs and ramps flush against a platform
//!  │  └────────┘  │          rows      50 blocks of 11, walls end to end, an arch, pillars
//!  │    street    │          litter    34 blocks of 10, anything anywhere, some of it tilted
//!  ├──────────────┼──        squares    9 blocks of  0
//!                           and 22 props across the borders of sectors, in the streets
//! ```

use marchland_terrain::bake::props::{PropHeight, PropSource};
use marchland_terrain::math::{Rotation, lesser};

use super::land::{HIGH, LOW, height};
use super::meshes::TownMesh;
use crate::recipe::noise::{fraction, hash};
use crate::shapes::solid;

/// Number of props.
pub const PROPS: usize = 2000;

/// Metres along a block, including its half of the surrounding streets.
const BLOCK: f64 = 32.0;
const BLOCKS: i64 = ((HIGH - LOW) / BLOCK) as i64;
const SEED: u64 = 2000;

const ROCKS: usize = 58;
const STACKS: usize = ROCKS + 55;
const PLATFORMS: usize = STACKS + 50;
const ROWS: usize = PLATFORMS + 50;
const LITTER: usize = ROWS + 34;

/// Every prop, block by block.
pub(super) fn props() -> Vec<PropSource> {
    let mut town = Town { props: Vec::with_capacity(PROPS), draws: 0 };
    let mut blocks: Vec<(i64, i64)> =
        (0..BLOCKS).flat_map(|row| (0..BLOCKS).map(move |column| (column, row))).collect();
    blocks.sort_by_key(|&(column, row)| (hash(SEED, column, row), column, row));
    for (place, (column, row)) in blocks.into_iter().enumerate() {
        let centre = [column, row].map(|along| LOW + (along as f64 + 0.5) * BLOCK);
        match place {
            _ if place < ROCKS => town.rocks(centre),
            _ if place < STACKS => town.stack(centre),
            _ if place < PLATFORMS => town.platform(centre),
            _ if place < ROWS => town.row(centre),
            _ if place < LITTER => town.litter(centre),
            _ => {}
        }
    }
    town.borders();
    town.props
}

/// The props so far, and how many random numbers they have used.
struct Town {
    props: Vec<PropSource>,
    draws: i64,
}

impl Town {
    /// The next number in `low..high`.
    fn draw(&mut self, low: f64, high: f64) -> f64 {
        self.draws += 1;
        low + (high - low) * fraction(SEED, self.draws, -1)
    }

    /// The next of `count` numbers.
    fn pick(&mut self, count: usize) -> usize {
        (self.draw(0.0, count as f64)) as usize
    }

    fn add(
        &mut self,
        mesh: TownMesh,
        position: [f64; 2],
        height: PropHeight,
        rotation: Rotation,
        scale: f32,
    ) {
        let name = format!("{mesh:?} {}", self.props.len());
        let kind = solid(mesh.number(), 0);
        self.props.push(PropSource { kind, name, position, height, rotation, scale });
    }

    /// Places a prop, rotated about Y, `above` metres above a common level.
    fn stand(&mut self, mesh: TownMesh, position: [f64; 2], level: f64, yaw: f64) {
        self.add(mesh, position, PropHeight::At(level), yawed(yaw), 1.0);
    }

    /// Six rocks around a block's middle, at any angle.
    fn rocks(&mut self, [x, z]: [f64; 2]) {
        for place in 0..6 {
            let mesh = [TownMesh::Boulder, TownMesh::Ledge, TownMesh::Spire, TownMesh::Stone];
            let mesh = mesh[self.pick(mesh.len())];
            let east = f64::from(place % 3 - 1) * 8.0 + self.draw(-2.0, 2.0);
            let south = f64::from(place / 3) * 11.0 - 5.5 + self.draw(-3.0, 3.0);
            let turn = [0; 3].map(|_| self.draw(0.0, 360.0));
            let scale = self.draw(0.6, 1.6) as f32;
            let sunk = PropHeight::AboveGround(-self.draw(0.0, 0.5));
            self.add(mesh, [x + east, z + south], sunk, Rotation::from_degrees(turn), scale);
        }
    }

    /// Three crates, two on top of them, one on top of those, flush; two barrels.
    fn stack(&mut self, [x, z]: [f64; 2]) {
        let [x, z] = [x + self.draw(-8.0, 8.0).floor(), z + self.draw(-8.0, 8.0).floor()];
        let along_x = self.pick(2) == 0;
        let level = level_under([x, z], 1.5);
        for (along, up) in
            [(-1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (-0.5, 1.0), (0.5, 1.0), (0.0, 2.0)]
        {
            let place = if along_x { [x + along, z] } else { [x, z + along] };
            self.stand(TownMesh::Crate, place, level + up, 0.0);
        }
        for side in [-2.0, 2.0] {
            let aside = self.draw(-1.0, 1.0);
            let place = if along_x { [x + aside, z + side] } else { [x + side, z + aside] };
            let yaw = self.draw(0.0, 30.0);
            self.add(TownMesh::Barrel, place, PropHeight::AboveGround(-0.05), yawed(yaw), 1.0);
        }
    }

    /// A platform with a way up on each side, flush against it, and a chest on top.
    fn platform(&mut self, [x, z]: [f64; 2]) {
        let [x, z] = [x + self.draw(-4.0, 4.0).floor(), z + self.draw(-4.0, 4.0).floor()];
        let level = level_under([x, z], 2.0);
        self.stand(TownMesh::Platform, [x, z], level, 0.0);
        self.stand(TownMesh::Chest, [x + 0.5, z - 0.75], level + 2.0, 90.0);
        // Each climbs along its own +X, towards the platform.
        let ways = [
            (TownMesh::Stairs, 2.5),
            (TownMesh::Ramp30, 2.0 * 3.0_f64.sqrt()),
            (TownMesh::WalledStairs, 2.5),
            (TownMesh::Ramp55, 2.0 / marchland_terrain::math::angle::tan_degrees(55.0)),
        ];
        let first = self.pick(4);
        for (side, [east, south]) in
            [[-1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]].iter().enumerate()
        {
            let (mesh, run) = ways[(first + side) % 4];
            let away = 2.0 + run / 2.0;
            self.stand(mesh, [x + east * away, z + south * away], level, 90.0 * side as f64);
        }
    }

    /// Walls end to end with an arch in their middle, pillars at the ends, low walls in front.
    fn row(&mut self, [x, z]: [f64; 2]) {
        let along_x = self.pick(2) == 0;
        let [aside, before] = [self.draw(-6.0, 0.0).floor(), self.draw(3.0, 6.0).floor()];
        let at = |along: f64, across: f64| {
            if along_x { [x + along, z + across] } else { [x + across, z + along] }
        };
        let yaw = if along_x { 0.0 } else { 90.0 };
        let ground = [-8.0, -4.0, 0.0, 4.0, 8.0].map(|along| height_at(at(along, aside)));
        let level = eighths(ground.into_iter().fold(f64::INFINITY, lesser)) - 0.25;
        for piece in -2..=2 {
            let mesh = if piece == 0 { TownMesh::Arch } else { TownMesh::Wall };
            self.stand(mesh, at(f64::from(piece) * 4.0, aside), level, yaw);
        }
        for end in [-10.5, 10.5] {
            self.add(
                TownMesh::Pillar,
                at(end, aside),
                PropHeight::AboveGround(-0.1),
                yawed(0.0),
                1.0,
            );
        }
        // Steps of the ground show between these: each pair is flush, the pairs are not.
        for pair in [-6.0, 6.0] {
            let level = eighths(height_at(at(pair, aside + before))) - 0.125;
            for half in [-2.0, 2.0] {
                self.stand(TownMesh::LowWall, at(pair + half, aside + before), level, yaw);
            }
        }
    }

    /// Ten objects anywhere in a lot; every third is tilted.
    fn litter(&mut self, [x, z]: [f64; 2]) {
        use TownMesh::{Barrel, Chest, Crate, LowWall, Pillar, Ramp30, Stairs, Wall};
        for thing in 0..10 {
            let meshes = [Crate, Chest, Barrel, Crate, LowWall, Pillar, Ramp30, Stairs, Wall];
            let mesh = meshes[self.pick(meshes.len())];
            let place = [x + self.draw(-10.0, 10.0), z + self.draw(-10.0, 10.0)];
            let yaw = self.draw(0.0, 360.0);
            let tilt = if thing % 3 == 0 { self.draw(-40.0, 40.0) } else { 0.0 };
            let rotation = Rotation::from_degrees([tilt, yaw, 0.5 * tilt]);
            let scale = self.draw(0.75, 1.25) as f32;
            self.add(mesh, place, PropHeight::AboveGround(-0.1), rotation, scale);
        }
    }

    /// Props deliberately placed across borders of sectors: at the corner that four of them share,
    /// and along the two lines where they meet.
    fn borders(&mut self) {
        let middle = (LOW + HIGH) / 2.0;
        let level = level_under([middle; 2], 2.0);
        self.stand(TownMesh::Platform, [middle; 2], level - 1.5, 0.0);
        let turn = Rotation::from_degrees([12.0, 34.0, 56.0]);
        let sunk = PropHeight::AboveGround(-0.25);
        self.add(TownMesh::Boulder, [middle + 0.4, middle - 0.3], sunk, turn, 1.0);
        let meshes =
            [TownMesh::Crate, TownMesh::Arch, TownMesh::Ledge, TownMesh::Stairs, TownMesh::Ramp30];
        for number in 0..20_usize {
            let along = LOW + 12.0 + 51.0 * (number / 2) as f64;
            let off = self.draw(-0.4, 0.4);
            let place = if number % 2 == 0 { [middle + off, along] } else { [along, middle + off] };
            let yaw = self.draw(0.0, 360.0);
            self.add(meshes[number % 5], place, PropHeight::AboveGround(-0.1), yawed(yaw), 1.0);
        }
    }
}

fn yawed(degrees: f64) -> Rotation {
    Rotation::from_degrees([0.0, degrees, 0.0])
}

fn height_at([x, z]: [f64; 2]) -> f64 {
    height(x, z)
}

/// A level slightly below the ground of a square, on which props stand flush with each other.
fn level_under([x, z]: [f64; 2], half: f64) -> f64 {
    let corners =
        [[x - half, z - half], [x + half, z - half], [x - half, z + half], [x + half, z + half]];
    eighths(corners.map(height_at).into_iter().fold(f64::INFINITY, lesser)) - 0.125
}

/// Rounded down to eighths of a metre.
fn eighths(metres: f64) -> f64 {
    (metres * 8.0).floor() / 8.0
}
