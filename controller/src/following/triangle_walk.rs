//! Walking the triangles that a move crosses, and finding the first wall.
//!
//! ```text
//!            north              The cells of the start and of the end are known exactly, by the
//!       a ───────── b           classification that sampling uses. Between them a straight move
//!       │ ╲     NE  │           crosses each grid line once, and what is left to decide is only
//!  west │    ╲      │ east      the order of columns and rows. The sides by which it enters and
//!       │ SW    ╲   │           leaves a cell say whether it crosses the diagonal: north and east
//!       c ───────── e           belong to NE, west and south to SW. So the walk is a chain of
//!            south              triangles that share edges, and rounding cannot make it skip one.
//! ```
//!
//! All coordinates are relative to one sector, the home: cells beyond its border belong to its neighbours.

use marchland_terrain::math::greater;
use marchland_terrain::{SectorCoord, SurfaceSet};

use crate::ground::frame::{Frame, Triangle};
use crate::ground::sectors::{Cell, Sectors};
use crate::limits::{LEVEL_SINE, UPHILL_SINE};
use crate::units::unit::Motion;

/// What counts as a wall to a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walker<'a> {
    pub(crate) motion: Motion,
    /// Whether the unit stands on a prop above the ground: steep ground below its feet is no wall to it.
    pub(crate) is_above: bool,
    /// The lowest height of the feet during the move. Metres.
    pub(crate) feet: f64,
    /// The height above which the rim of a hole is a wall. Metres.
    pub(crate) rim: f64,
    /// Rise over run of the steepest walkable ground, squared.
    pub(crate) slope_squared: f64,
    /// Surfaces that are walkable at any slope.
    pub(crate) never_steep: Option<&'a SurfaceSet>,
    /// Where the unit wants to go: decides whether a move goes up ground along which it is level. The walls above the
    /// knee turn it along the contours of steep ground, and onto it beside its edge.
    pub(crate) heading: [f64; 2],
}

/// How far below the feet of a unit on a prop steep ground already is a wall. Metres: with less, rounding may
/// put the unit onto that ground, where it slides; with more, a prop that lies on a slope stops at the ground
/// beside it.
pub(crate) const BELOW_FEET: f64 = 1e-3;

impl Walker<'_> {
    /// The height that steep ground must reach to be a wall, or `None` if it is a wall at any height. Metres.
    fn wall_height(&self) -> Option<f64> {
        if self.is_above {
            Some(self.feet - BELOW_FEET)
        } else {
            (self.motion == Motion::Falling).then_some(self.feet)
        }
    }
}

/// A straight move in the frame of the home. Metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) from: [f32; 2],
    pub(crate) to: [f32; 2],
    /// The move before rounding: its direction decides what is uphill.
    pub(crate) along: [f64; 2],
}

/// Where a wall is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Line {
    /// The line where x is this.
    X(f64),
    /// The line where z is this.
    Z(f64),
    /// The line where x − z is this: the diagonal of a cell. `north_east`: whether the unit is on that side.
    Diagonal { x_minus_z: f64, north_east: bool },
    /// The line across this gradient, at this part of the move: the contour at the height of the feet, on
    /// ground that is too steep.
    Contour { gradient: [f64; 2], part: f64 },
}

/// The kind of a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The world ends.
    Edge,
    /// The ground is too steep.
    Slope,
    /// The rim of a hole is too high.
    Rim,
}

/// What a move meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FirstHit {
    /// Nothing.
    Nothing,
    /// A wall.
    Wall(Line, Reason),
    /// A sector that is not in memory.
    Missing(SectorCoord),
}

/// The plane of a triangle: height at the cell's low corner and rise over run.
#[derive(Clone, Copy, Debug)]
struct Plane {
    corner: [f64; 2],
    height: f64,
    gradient: [f64; 2],
}

impl Plane {
    fn new(frame: &Frame, triangle: Triangle, [nw, ne, sw, se]: [f32; 4]) -> Self {
        let (rise_x, rise_z) =
            if triangle.north_east { (ne - nw, se - ne) } else { (se - sw, sw - nw) };
        Self {
            corner: [frame.line(triangle.column), frame.line(triangle.row)],
            height: f64::from(nw),
            gradient: [f64::from(rise_x) / frame.cell, f64::from(rise_z) / frame.cell],
        }
    }

    fn height_at(&self, [x, z]: [f64; 2]) -> f64 {
        self.height
            + self.gradient[0] * (x - self.corner[0])
            + self.gradient[1] * (z - self.corner[1])
    }

    /// Whether the triangle is steeper than the walker may walk up, and the move points up it.
    fn rises_too_steeply(&self, walker: &Walker<'_>, along: [f64; 2]) -> bool {
        let squared = dot(self.gradient, self.gradient);
        let up = dot(along, self.gradient);
        squared > walker.slope_squared
            && up > 0.0
            && up * up > UPHILL_SINE * UPHILL_SINE * squared * dot(along, along)
    }

    /// Whether a move goes along a contour of it.
    fn is_level_along(&self, along: [f64; 2]) -> bool {
        let (squared, up) = (dot(self.gradient, self.gradient), dot(along, self.gradient));
        up * up <= LEVEL_SINE * LEVEL_SINE * squared * dot(along, along)
    }
}

pub(crate) fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// The state of a walk over triangles.
struct Walk<'w, 'a> {
    sectors: &'w mut Sectors<'a>,
    home: SectorCoord,
    frame: &'w Frame,
    walker: &'w Walker<'w>,
    step: &'w Move,
    from: [f64; 2],
    delta: [f64; 2],
    /// Whether the rims of holes are walls.
    rims: bool,
    /// Whether contours are walls.
    contours: bool,
    /// Where the ground of the current triangle reaches the feet of a falling unit, as a part of the move.
    contour: Option<(f64, [f64; 2])>,
}

/// The first wall that a move meets. Without `contours`, only edges of triangles are checked.
pub(crate) fn first_wall(
    sectors: &mut Sectors<'_>,
    home: SectorCoord,
    frame: &Frame,
    walker: &Walker<'_>,
    step: &Move,
    contours: bool,
) -> FirstHit {
    let from = step.from.map(f64::from);
    let delta = [f64::from(step.to[0]) - from[0], f64::from(step.to[1]) - from[1]];
    let rims = walker.motion == Motion::Falling;
    Walk { sectors, home, frame, walker, step, from, delta, rims, contours, contour: None }.run()
}

impl Walk<'_, '_> {
    fn run(mut self) -> FirstHit {
        let mut here = self.frame.triangle_at(self.step.from);
        let end = self.frame.triangle_at(self.step.to);
        let mut cell = self.sectors.cell(self.home, here.column, here.row);
        if let Some(met) = self.begin(here, cell) {
            return met;
        }
        loop {
            let exit = self.exit(here, end);
            let leaves_north_east = match exit {
                None => end.north_east,
                Some((axis, forward)) => (axis == 0) == forward,
            };
            if leaves_north_east != here.north_east {
                let there = Triangle { north_east: leaves_north_east, ..here };
                if let Some(met) = self.cross_diagonal(here, there, cell) {
                    return met;
                }
                here = there;
            }
            let Some((axis, forward)) = exit else { break };
            let mut there = here;
            *(if axis == 0 { &mut there.column } else { &mut there.row }) +=
                if forward { 1 } else { -1 };
            there.north_east = !leaves_north_east;
            let next = self.sectors.cell(self.home, there.column, there.row);
            if let Some(met) = self.cross_line(axis, forward, (here, cell), (there, next)) {
                return met;
            }
            (here, cell) = (there, next);
        }
        self.leave(1.0).unwrap_or(FirstHit::Nothing)
    }

    /// The axis of the grid line by which the move leaves the cell, and whether it leaves towards greater
    /// numbers; `None` if it ends here. Through a corner, columns go first.
    fn exit(&self, here: Triangle, end: Triangle) -> Option<(usize, bool)> {
        let columns = (here.column != end.column).then_some((0, end.column > here.column));
        let rows = (here.row != end.row).then_some((1, end.row > here.row));
        match (columns, rows) {
            (Some((_, east)), Some((_, south))) => {
                let x = self.part_of_line(0, here.column + i32::from(east));
                let z = self.part_of_line(1, here.row + i32::from(south));
                if x <= z { columns } else { rows }
            }
            (Some(_), None) => columns,
            (None, rows) => rows,
        }
    }

    /// The part of the move after which it reaches a line.
    fn part_of_line(&self, axis: usize, index: i32) -> f64 {
        within_move((self.frame.line(index) - self.from[axis]) / self.delta[axis])
    }

    /// Checks the triangle where the move begins: steep ground cannot be walked up from inside either.
    fn begin(&mut self, here: Triangle, cell: Cell) -> Option<FirstHit> {
        match cell {
            Cell::Missing(coord) => Some(FirstHit::Missing(coord)),
            Cell::Hole => {
                self.rims = true;
                None
            }
            Cell::Outside => None,
            Cell::Solid(corners) => {
                let plane = Plane::new(self.frame, here, corners);
                if !self.contours || !self.is_too_steep(&plane, here) {
                    return None;
                }
                if let Some(height) = self.walker.wall_height() {
                    self.contour = self.contour_of(&plane, height);
                    return None;
                }
                let line = Line::Contour { gradient: plane.gradient, part: 0.0 };
                Some(FirstHit::Wall(line, Reason::Slope))
            }
        }
    }

    /// Where the ground of a plane reaches a height.
    fn contour_of(&self, plane: &Plane, height: f64) -> Option<(f64, [f64; 2])> {
        let rise = dot(plane.gradient, self.delta);
        if rise <= 0.0 {
            return None; // rounding alone points the move downhill
        }
        let part = (height - plane.height_at(self.from)) / rise;
        (part < 1.0).then_some((greater(part, 0.0), plane.gradient))
    }

    /// Leaves the current triangle after a part of the move. A wall if its ground has risen above the feet
    /// before that.
    fn leave(&mut self, part: f64) -> Option<FirstHit> {
        let (at, gradient) = self.contour.take()?;
        (at < part).then_some(FirstHit::Wall(Line::Contour { gradient, part: at }, Reason::Slope))
    }

    fn cross_diagonal(&mut self, here: Triangle, there: Triangle, cell: Cell) -> Option<FirstHit> {
        let x_minus_z = self.frame.line(here.column) - self.frame.line(here.row);
        let beyond = x_minus_z - (self.from[0] - self.from[1]);
        let part = within_move(beyond / (self.delta[0] - self.delta[1]));
        if let Some(met) = self.leave(part) {
            return Some(met);
        }
        let Cell::Solid(corners) = cell else { return None };
        let line = Line::Diagonal { x_minus_z, north_east: here.north_east };
        self.enter((&Plane::new(self.frame, there, corners), there), line, part)
    }

    fn cross_line(
        &mut self,
        axis: usize,
        forward: bool,
        (here, cell): (Triangle, Cell),
        (there, next): (Triangle, Cell),
    ) -> Option<FirstHit> {
        let index = if axis == 0 { here.column } else { here.row } + i32::from(forward);
        let part = self.part_of_line(axis, index);
        if let Some(met) = self.leave(part) {
            return Some(met);
        }
        let metres = self.frame.line(index);
        let line = if axis == 0 { Line::X(metres) } else { Line::Z(metres) };
        match next {
            Cell::Missing(coord) => Some(FirstHit::Missing(coord)),
            Cell::Outside => Some(FirstHit::Wall(line, Reason::Edge)),
            Cell::Hole => None,
            Cell::Solid(corners) => {
                let plane = Plane::new(self.frame, there, corners);
                let from_hole = !matches!(cell, Cell::Solid(_));
                if from_hole && self.rims && plane.height_at(self.place(part)) > self.walker.rim {
                    return Some(FirstHit::Wall(line, Reason::Rim));
                }
                self.enter((&plane, there), line, part)
            }
        }
    }

    /// Enters a triangle across an edge: a wall if the triangle is too steep and the move goes up it. A unit
    /// that falls or stands on a prop may enter above such ground, and meets it where it reaches the feet.
    fn enter(
        &mut self,
        (plane, there): (&Plane, Triangle),
        line: Line,
        part: f64,
    ) -> Option<FirstHit> {
        if !self.is_too_steep(plane, there) && !self.is_turned_onto(plane, there) {
            return None;
        }
        let height = self.walker.wall_height();
        let Some(height) = height.filter(|&height| plane.height_at(self.place(part)) <= height)
        else {
            return Some(FirstHit::Wall(line, Reason::Slope));
        };
        if self.contours {
            self.contour = self.contour_of(plane, height);
        }
        None
    }

    /// Whether the move goes up ground that is too steep for it.
    fn is_too_steep(&mut self, plane: &Plane, triangle: Triangle) -> bool {
        plane.rises_too_steeply(self.walker, self.step.along) && !self.is_never_steep(triangle)
    }

    /// Whether the move goes level onto ground that is too steep and that the walker wants to go up.
    fn is_turned_onto(&mut self, plane: &Plane, triangle: Triangle) -> bool {
        plane.rises_too_steeply(self.walker, self.walker.heading)
            && plane.is_level_along(self.step.along)
            && !self.is_never_steep(triangle)
    }

    fn is_never_steep(&mut self, Triangle { column, row, .. }: Triangle) -> bool {
        self.walker.never_steep.is_some_and(|surfaces| {
            let surface = self.sectors.cell_surface(self.home, column, row);
            surface.is_some_and(|surface| surfaces.contains(surface))
        })
    }

    fn place(&self, part: f64) -> [f64; 2] {
        [self.from[0] + self.delta[0] * part, self.from[1] + self.delta[1] * part]
    }
}

/// Clamps a part of a move to the move: rounding may put a crossing slightly before or after it, and a move
/// too short to determine it gives NaN.
fn within_move(part: f64) -> f64 {
    if part >= 1.0 { 1.0 } else { greater(part, 0.0) }
}
