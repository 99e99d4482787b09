//! The layout of the clutter: something on every plot of 8 m. Plots are centred on the borders of
//! sectors and on their corners too.

use marchland_terrain::Collision;
use marchland_terrain::bake::props::{PropHeight, PropInput, PropKind, PropSource};
use marchland_terrain::math::angle::tan_degrees;
use marchland_terrain::math::{Rotation, lesser};
use marchland_terrain::props::MeshError;

use super::land::{self, LOW};
use super::meshes::{self, Mesh, RAMP_HEIGHT, RAMPS, STAIRS, STEPS};
use crate::recipe::noise::fraction;
use crate::shapes::{prepared, solid};

/// Metres along a plot.
const PLOT: f64 = 8.0;
/// Plots along a side; there are none at the world's edge.
const PLOTS: u32 = 15;

/// All props.
pub(super) fn props(seed: u64) -> Result<PropInput, MeshError> {
    let mut layout = Layout { props: Vec::new(), meshes: meshes::all(), seed, draws: 0 };
    for (row, column) in (1..=PLOTS).flat_map(|row| (1..=PLOTS).map(move |column| (row, column))) {
        layout.plot([LOW + f64::from(column) * PLOT, LOW + f64::from(row) * PLOT]);
    }
    layout.pit();
    let meshes = prepared(layout.meshes.into_iter().map(Mesh::source))?;
    Ok(PropInput { meshes, props: layout.props, scatters: Vec::new() })
}

/// The props so far, and how many random numbers they have used.
struct Layout {
    props: Vec<PropSource>,
    meshes: Vec<Mesh>,
    seed: u64,
    draws: i64,
}

/// The site of a group of props: its middle, its level, and its rotation about Y.
#[derive(Clone, Copy)]
struct Site {
    middle: [f64; 2],
    level: f64,
    yaw: f64,
}

impl Site {
    /// A place of the site, metres along its own X and Z.
    fn at(&self, along: f64, across: f64) -> [f64; 2] {
        let turn = Rotation::from_degrees([0.0, self.yaw, 0.0]).columns();
        let [x, z] = self.middle;
        [x + along * turn[0].x + across * turn[2].x, z + along * turn[0].z + across * turn[2].z]
    }
}

impl Layout {
    /// Places one of twelve things on a plot.
    fn plot(&mut self, middle: [f64; 2]) {
        let corner = [middle[0] + self.draw(-1.0, 1.0), middle[1] + self.draw(-1.0, 1.0)];
        // Half of the plots are parallel to the borders, and some of those lie exactly on them.
        let (square, on_line) = (self.draw(0.0, 1.0) < 0.5, self.draw(0.0, 1.0) < 0.5);
        let yaw = if square { 90.0 * self.draw(0.0, 4.0).floor() } else { self.draw(0.0, 360.0) };
        let middle = if square && on_line { middle } else { corner };
        let site = Site { middle, level: self.level_under(middle, 1.5), yaw };
        match self.pick(12) {
            0 => self.steps(site),
            1 => self.stairs(site),
            2 => self.stack(site),
            3 | 4 => self.rocks(site),
            5 => self.ramp(site),
            6 => self.slit(site),
            7 => self.low_ceiling(site),
            8 => self.corner(site),
            9 => self.litter(site),
            10 => self.furniture(site),
            _ => self.sheets(site),
        }
    }

    /// Two steps, the second on the first or beside it.
    fn steps(&mut self, site: Site) {
        let [first, second] = [0; 2].map(|_| self.pick(STEPS.len()));
        self.stand(Mesh::Step(first), site, [0.0, 0.0], 0.0);
        if self.pick(2) == 0 {
            self.stand(Mesh::Step(second), site, [0.6, 0.3], STEPS[first]);
        } else {
            self.stand(Mesh::Step(second), site, [2.5, 0.0], 0.0);
        }
    }

    fn stairs(&mut self, site: Site) {
        let which = self.pick(STAIRS.len());
        let [rise, tread] = STAIRS[which];
        self.stand(Mesh::Stairs(which), site, [-3.0 * tread, 0.0], 0.0);
        // Flush with the last step, or with headroom above it.
        let above = if self.pick(2) == 0 { 6.0 * rise - RAMP_HEIGHT } else { 6.0 * rise + 1.6 };
        self.stand(Mesh::Block, site, [1.0, 0.0], above);
    }

    /// Crates flush on each other, and one that is not flush.
    fn stack(&mut self, site: Site) {
        for place in [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]] {
            self.stand(Mesh::Crate, site, place, 0.0);
        }
        self.stand(Mesh::Crate, site, [-0.5, 0.0], 1.0);
        let (along, across) = (self.draw(-0.5, 1.0), self.draw(0.0, 1.5));
        self.stand(Mesh::Crate, site, [along, across], 1.0);
    }

    fn rocks(&mut self, site: Site) {
        for place in [[-1.4, -1.0], [1.2, -0.6], [0.1, 1.5]] {
            let which = self.pick(8);
            let turn = if self.pick(2) == 0 { 0.0 } else { 180.0 };
            let turn = [0; 3].map(|_| self.draw(-turn, turn));
            let turn = [turn[0], turn[1] + site.yaw, turn[2]];
            let scale = self.draw(0.5, 1.5) as f32;
            let sunk = site.level + self.draw(0.0, 0.4);
            self.add(Mesh::Rock(which), site.at(place[0], place[1]), sunk, turn, scale);
        }
    }

    /// A ramp with a block flush behind it, and another way down.
    fn ramp(&mut self, site: Site) {
        let run = |which: usize| RAMP_HEIGHT / tan_degrees(RAMPS[which]);
        let [up, down] = [0; 2].map(|_| self.pick(RAMPS.len()));
        // Long ramps would reach over several plots.
        let [up, down] = [up, down].map(|which| if which == 0 { 1 } else { which });
        self.stand(Mesh::Block, site, [0.0, 0.0], 0.0);
        self.stand(Mesh::Ramp(up), site, [-1.0 - run(up) / 2.0, 0.0], 0.0);
        let back = Site { yaw: site.yaw + 180.0, ..site };
        self.stand(Mesh::Ramp(down), back, [-1.0 - run(down) / 2.0, 0.0], 0.0);
    }

    /// Two walls with a slit between them, side by side or end to end.
    fn slit(&mut self, site: Site) {
        let gap = self.draw(0.5, 1.2);
        let wall = if self.pick(3) == 0 { Mesh::Board } else { Mesh::Wall };
        if self.pick(2) == 0 {
            let apart = (gap + 0.3) / 2.0;
            self.stand(wall, site, [0.0, -apart], 0.0);
            self.stand(wall, site, [0.3, apart], 0.0);
        } else {
            self.stand(wall, site, [-2.0 - gap / 2.0, 0.0], 0.0);
            self.stand(wall, site, [2.0 + gap / 2.0, 0.0], 0.0);
        }
    }

    /// A slab that may or may not leave room for bodies below it, level or tilted.
    fn low_ceiling(&mut self, site: Site) {
        let above = self.draw(0.6, 2.3);
        let tilt = if self.pick(2) == 0 { 0.0 } else { self.draw(5.0, 30.0) };
        let turn = [tilt, site.yaw, 0.0];
        self.add(Mesh::Slab, site.at(0.0, 0.0), site.level + above, turn, 1.0);
        self.stand(Mesh::Wall, site, [0.0, 1.8], 0.0);
    }

    /// Two walls that meet at an angle.
    fn corner(&mut self, site: Site) {
        let yaw = site.yaw + self.draw(15.0, 150.0);
        let bent = Site { yaw, ..site };
        self.stand(Mesh::Wall, site, [1.9, 0.0], 0.0);
        self.stand(Mesh::Wall, bent, [1.9, 0.0], 0.0);
    }

    /// Boxes at any angle.
    fn litter(&mut self, site: Site) {
        for _ in 0..5 {
            let mesh = [Mesh::Crate, Mesh::Barrel, Mesh::Slab, Mesh::Pillar, Mesh::Board];
            let mesh = mesh[self.pick(mesh.len())];
            let place = [self.draw(-2.5, 2.5), self.draw(-2.5, 2.5)];
            let turn = [0; 3].map(|_| self.draw(-180.0, 180.0));
            let scale = self.draw(0.4, 1.2) as f32;
            let level = site.level + self.draw(0.0, 0.8);
            self.add(mesh, site.at(place[0], place[1]), level, turn, scale);
        }
    }

    fn furniture(&mut self, site: Site) {
        self.stand(Mesh::Well, site, [-1.5, -1.0], 0.0);
        self.stand(Mesh::Arch, site, [0.0, 2.0], 0.0);
        let gap = self.draw(0.9, 2.0);
        self.stand(Mesh::Pillar, site, [1.0, 0.0], 0.0);
        self.stand(Mesh::Barrel, site, [1.0 + gap, 0.0], 0.0);
    }

    /// Triangles without an inside: one leaning, one upright, one level.
    fn sheets(&mut self, site: Site) {
        let lean = self.draw(10.0, 80.0);
        let places = [([-1.5, 0.0], 0.6, lean), ([1.5, 0.5], 1.2, 90.0), ([0.0, 2.0], 0.4, 0.0)];
        for ([along, across], above, tilt) in places {
            let turn = [tilt, site.yaw + 30.0 * along, 0.0];
            self.add(Mesh::Sheet, site.at(along, across), site.level + above, turn, 1.0);
        }
    }

    /// A floor below the rim of the pit, and something to climb out on.
    fn pit(&mut self) {
        let [west, north, wide, long] = land::PIT;
        let middle = [west + wide / 2.0, north + long / 2.0];
        let rim = self.level_under(middle, 3.0);
        let site = Site { middle, level: rim - 1.6, yaw: 0.0 };
        self.stand(Mesh::Floor, site, [0.0, 0.0], -1.0);
        self.stand(Mesh::Crate, site, [1.4, 0.8], -0.2);
    }

    fn stand(&mut self, mesh: Mesh, site: Site, [along, across]: [f64; 2], above: f64) {
        let turn = [0.0, site.yaw, 0.0];
        self.add(mesh, site.at(along, across), site.level + above, turn, 1.0);
    }

    fn add(&mut self, mesh: Mesh, position: [f64; 2], level: f64, turn: [f64; 3], scale: f32) {
        let number = self.meshes.iter().position(|known| *known == mesh).unwrap_or_default();
        let collision = if mesh == Mesh::Sheet { Collision::Soup } else { Collision::Solid };
        let kind = PropKind { collision, ..solid(number, 0) };
        let name = format!("{mesh:?} {}", self.props.len());
        let (height, rotation) = (PropHeight::At(level), Rotation::from_degrees(turn));
        self.props.push(PropSource { kind, name, position, height, rotation, scale });
    }

    /// A level a little below the ground around a place.
    fn level_under(&self, [x, z]: [f64; 2], half: f64) -> f64 {
        let around = [[-half, -half], [half, -half], [-half, half], [half, half], [0.0, 0.0]];
        let lowest = around
            .map(|[east, south]| land::height(x + east, z + south, self.seed))
            .into_iter()
            .fold(f64::INFINITY, lesser);
        (lowest * 8.0).floor() / 8.0
    }

    /// The next number in `low..high`.
    fn draw(&mut self, low: f64, high: f64) -> f64 {
        self.draws += 1;
        low + (high - low) * fraction(self.seed, self.draws, -1)
    }

    /// The next of `count` numbers.
    fn pick(&mut self, count: usize) -> usize {
        self.draw(0.0, count as f64) as usize
    }
}
