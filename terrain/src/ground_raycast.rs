//! Rays over the whole world, from sector to sector; each sector is searched for the first triangle hit.
//!
//! Everything is measured in `f64` from the centre of the sector where the ray begins: a difference of sector
//! numbers times the cells of a sector is exact in `f64`. A scene moved by whole sectors gives the same bits.

mod types;

use glam::Vec3;

use crate::heightfield::{Axis, CellPlace, Entry, Ground, HeightfieldView, Ray, Strike, strike};
use crate::math::{SectorBounds, SectorCoord, WorldPos, greater, lesser};
use crate::resident::{ResidentSectors, SectorState};

pub use types::{PropHit, RayError, RayHit, Raycast};

/// How many sectors a ray may pass; beyond them the answer is [`Raycast::Unknown`]. A sector in memory counts
/// as [`RESIDENT_COST`]. 65 536 sectors in memory of the smallest default size are 16 777 km. A smaller limit
/// could cut off a ray in a real world; with a larger one, a level ray over an endless valley would take
/// longer than a second.
pub(crate) const SECTORS_MAX: u32 = 1 << 20;

/// A sector in memory takes this many times as long to pass as a sector outside the world.
pub(crate) const RESIDENT_COST: u32 = 16;

/// Quanta by which a ray must clear an endless sector's height range to skip it, as in the walk
/// inside a sector.
const CLEARANCE: f64 = 2.0;

/// The first ground along a ray with unit direction `towards`, and its distance before rounding:
/// metres along the ray, infinite for a miss.
pub(crate) fn first_ground(
    sectors: &ResidentSectors,
    origin: WorldPos,
    towards: [f64; 3],
    max_distance: f32,
) -> (Raycast, f64) {
    const MISS: (Raycast, f64) = (Raycast::Miss, f64::INFINITY);
    let state = sectors.state(origin.sector());
    if let SectorState::NotResident = state {
        return (Raycast::Unknown { from: 0.0 }, 0.0);
    }
    if let SectorState::Resident(sector) = state
        && let Some(answer) = at_origin(&sector.field(), origin, towards, max_distance, sectors)
    {
        return answer.unwrap_or(MISS);
    }
    let [x, _, z] = towards;
    if x == 0.0 && z == 0.0 {
        return MISS;
    }
    March::new(sectors, origin, towards, max_distance).run().unwrap_or(MISS)
}

/// The direction as a unit vector.
///
/// # Errors
/// If the ray cannot be cast.
pub(crate) fn unit_towards(direction: Vec3, max_distance: f32) -> Result<[f64; 3], RayError> {
    let [x, y, z] = direction.to_array().map(f64::from);
    // The squares of the least and the greatest f32 are ordinary numbers in f64.
    let length = (x * x + y * y + z * z).sqrt();
    if !(length > 0.0 && length < f64::INFINITY) {
        return Err(RayError::Direction { found: direction });
    }
    if max_distance.is_nan() || max_distance < 0.0 {
        return Err(RayError::MaxDistance { found: max_distance });
    }
    Ok([x / length, y / length, z / length])
}

/// The whole answer for a vertical ray, and a hit for a ray that begins on the ground: both evaluate the
/// height rule where the ray begins. The inner `None` is a miss.
fn at_origin(
    field: &HeightfieldView<'_>,
    origin: WorldPos,
    [x, y, z]: [f64; 3],
    max_distance: f32,
    sectors: &ResidentSectors,
) -> Option<Option<(Raycast, f64)>> {
    let local = origin.local();
    let vertical = x == 0.0 && z == 0.0;
    let Ground::Height(height) = field.ground(local.x, local.z) else {
        return vertical.then_some(None);
    };
    let up = f64::from(height) - f64::from(local.y);
    if !vertical && up != 0.0 {
        return None;
    }
    let t = if y < 0.0 { -up } else { up };
    let distance = t as f32 + 0.0;
    if t < 0.0 || distance > max_distance {
        return Some(None);
    }
    let place = field.place(local.x, local.z);
    let normal = field.face_normal_at(place);
    let [nx, ny, nz] = normal.to_array().map(f64::from);
    let on_ground = Vec3::new(local.x, height, local.z);
    let position = WorldPos::new(origin.sector(), on_ground, sectors.grid().sector_size());
    let hit = RayHit {
        position: position.unwrap_or(origin),
        distance,
        normal,
        surface: field.cell_surface(place.column, place.row),
        from_below: x * nx + y * ny + z * nz > 0.0,
        prop: None,
    };
    Some(Some((Raycast::Hit(hit), t)))
}

/// A ray that moves from sector to sector.
pub(crate) struct March<'a> {
    sectors: &'a ResidentSectors,
    origin: WorldPos,
    towards: [f64; 3],
    ray: Ray,
    max_distance: f32,
    /// Cells along a sector.
    width: f64,
    /// The low corner of the sector where the ray begins, cells from its centre.
    corner: f64,
    /// Where the last sector with 32-bit coordinates ends. Metres along the ray.
    t_world: f64,
}

/// A sector that the ray crosses, counted from the sector where the ray begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CrossedSector {
    pub(crate) x: i64,
    pub(crate) z: i64,
    pub(crate) entry: Entry,
}

impl<'a> March<'a> {
    pub(crate) fn new(
        sectors: &'a ResidentSectors,
        origin: WorldPos,
        towards: [f64; 3],
        max_distance: f32,
    ) -> Self {
        let grid = sectors.grid();
        let (cell, quantum) = (f64::from(grid.cell()), f64::from(grid.quantum()));
        let local = origin.local();
        // Cell and quantum are powers of two: these divisions are exact.
        let axis = |place: f32, along: f64| Axis::new(f64::from(place) / cell, along / cell);
        let [x, y, z] = towards;
        let mut march = Self {
            sectors,
            origin,
            towards,
            ray: Ray {
                x: axis(local.x, x),
                z: axis(local.z, z),
                y: f64::from(local.y) / quantum,
                rise: y / quantum,
                // A hit counts if its distance, rounded to `f32`, counts.
                t_max: f64::from(max_distance.next_up()),
            },
            max_distance,
            width: f64::from(grid.cells()),
            corner: -0.5 * f64::from(grid.cells()),
            t_world: f64::INFINITY,
        };
        let last = |axis: Axis, sector: i32| {
            let end = if axis.forward() { i32::MAX } else { i32::MIN };
            axis.leave(march.corner, march.width, i64::from(end) - i64::from(sector))
        };
        let ends = Entry::earlier(
            last(march.ray.x, origin.sector().x),
            last(march.ray.z, origin.sector().z),
        );
        march.t_world = ends.t;
        march
    }

    /// Where the march begins.
    pub(crate) fn begin(&self) -> CrossedSector {
        CrossedSector { entry: Entry::BEGIN, ..self.locate(0.0) }
    }

    /// The answer and its distance; `None` for a miss.
    fn run(&self) -> Option<(Raycast, f64)> {
        let mut crossed = self.begin();
        let mut left = SECTORS_MAX;
        while let Some(coord) = self.coord(crossed) {
            let t = crossed.entry.t;
            if t > self.ray.t_max {
                return None;
            }
            if left < RESIDENT_COST {
                return self.unknown(t);
            }
            left -= 1;
            let state = self.sectors.state(coord);
            if let SectorState::NotResident = state {
                return self.unknown(t);
            }
            let exit = self.exit(crossed);
            if !self.in_box(coord) {
                match self.next_that_matters(crossed, state) {
                    None => return None,
                    Some(there) if there > exit.t => {
                        if there > self.ray.t_max || there >= self.t_world {
                            return None;
                        }
                        crossed = self.locate(there);
                        continue;
                    }
                    Some(_) => {}
                }
            }
            if let SectorState::Resident(sector) = state {
                left -= RESIDENT_COST - 1;
                let field = sector.field();
                let corner = [crossed.x, crossed.z].map(|n| n as f64 * self.width + self.corner);
                if let Some(strike) = strike(&field, &self.ray, corner, crossed.entry) {
                    return self.hit(coord, crossed, &field, strike);
                }
            }
            crossed = self.next(crossed, exit);
        }
        None
    }

    /// The sector that holds the ray at a distance, from where the ray enters it.
    pub(crate) fn locate(&self, t: f64) -> CrossedSector {
        // One more than two 32-bit numbers can differ, in either direction.
        let far = 1_i64 << 32;
        let (x, z) = (self.ray.x, self.ray.z);
        let sector_x = x.locate(self.corner, self.width, t, -far, far);
        let sector_z = z.locate(self.corner, self.width, t, -far, far);
        let entry = Entry::later(
            x.enter(self.corner, self.width, sector_x),
            z.enter(self.corner, self.width, sector_z),
        );
        CrossedSector { x: sector_x, z: sector_z, entry }
    }

    pub(crate) fn exit(&self, crossed: CrossedSector) -> Entry {
        Entry::earlier(
            self.ray.x.leave(self.corner, self.width, crossed.x),
            self.ray.z.leave(self.corner, self.width, crossed.z),
        )
    }

    pub(crate) fn next(&self, crossed: CrossedSector, exit: Entry) -> CrossedSector {
        let onward = |crosses: bool, axis: Axis| match (crosses, axis.forward()) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => -1,
        };
        CrossedSector {
            x: crossed.x + onward(exit.on_x, self.ray.x),
            z: crossed.z + onward(exit.on_z, self.ray.z),
            entry: exit,
        }
    }

    /// The sector's coordinates; `None` where 32 bits cannot hold them.
    pub(crate) fn coord(&self, crossed: CrossedSector) -> Option<SectorCoord> {
        let named = |from: i32, by: i64| i32::try_from(i64::from(from) + by).ok();
        let here = self.origin.sector();
        Some(SectorCoord::new(named(here.x, crossed.x)?, named(here.z, crossed.z)?))
    }

    pub(crate) fn in_box(&self, coord: SectorCoord) -> bool {
        self.sectors.alike_beyond().is_some_and(|alike| alike.contains(coord))
    }

    /// The next distance at which the ray may hit something, in a part of the world where all sectors are in
    /// the same state: where it reaches the border of that part, or enters their height range.
    fn next_that_matters(&self, crossed: CrossedSector, state: SectorState<'_>) -> Option<f64> {
        let heights = match state {
            SectorState::Resident(sector) => self.enters_heights(&sector.field(), crossed.entry.t),
            SectorState::NotResident | SectorState::Outside => None,
        };
        [self.enters_box(crossed.entry.t), heights].into_iter().flatten().reduce(lesser)
    }

    fn enters_heights(&self, field: &HeightfieldView<'_>, t: f64) -> Option<f64> {
        let range = field.pyramid().whole()?;
        let low = f64::from(range.min) - CLEARANCE;
        let high = f64::from(range.max) + CLEARANCE;
        let here = self.ray.height(t);
        let (border, nears) = if here > high {
            (high, self.ray.rise < 0.0)
        } else if here < low {
            (low, self.ray.rise > 0.0)
        } else {
            return Some(t);
        };
        nears.then(|| (border - self.ray.y) / self.ray.rise)
    }

    pub(crate) fn enters_box(&self, t: f64) -> Option<f64> {
        let SectorBounds { min: low, max: high } = self.sectors.alike_beyond()?;
        let here = self.origin.sector();
        // Distances at which the ray enters and leaves the box along one axis.
        let span = |axis: Axis, low: i32, high: i32, here: i32| {
            let low = i64::from(low) - i64::from(here);
            let high = i64::from(high) - i64::from(here);
            if axis.moves() {
                let (first, last) = if axis.forward() { (low, high) } else { (high, low) };
                let enter = axis.enter(self.corner, self.width, first);
                (enter, axis.leave(self.corner, self.width, last))
            } else if (low..=high).contains(&0) {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else {
                (f64::INFINITY, f64::NEG_INFINITY)
            }
        };
        let (enter_x, leave_x) = span(self.ray.x, low.x, high.x, here.x);
        let (enter_z, leave_z) = span(self.ray.z, low.z, high.z, here.z);
        let enter = Entry::later(enter_x, enter_z).t;
        let leave = Entry::earlier(leave_x, leave_z).t;
        (t <= enter && enter < leave).then_some(enter)
    }

    /// The answer at an unknown sector. A ray that ends on the sector's border has not entered it: the edge
    /// also belongs to the other sector.
    pub(crate) fn unknown(&self, t: f64) -> Option<(Raycast, f64)> {
        let from = t as f32 + 0.0;
        (from < self.max_distance).then_some((Raycast::Unknown { from }, t))
    }

    fn hit(
        &self,
        coord: SectorCoord,
        crossed: CrossedSector,
        field: &HeightfieldView<'_>,
        strike: Strike,
    ) -> Option<(Raycast, f64)> {
        let distance = strike.t as f32 + 0.0;
        if distance > self.max_distance {
            return None;
        }
        let size = self.sectors.grid().sector_size();
        let (x, u) = self.place(self.ray.x, strike.t, crossed.x, strike.column);
        let (z, v) = self.place(self.ray.z, strike.t, crossed.z, strike.row);
        let Strike { column, row, .. } = strike;
        let height = field.height_at(CellPlace { column, row, u, v });
        let position = WorldPos::new(coord, Vec3::new(x, height, z), size).or_else(|_| {
            // The high border of the world's last sector is not part of it.
            let half = size.half().next_down();
            let below = |p: f32| lesser(half, p);
            WorldPos::new(coord, Vec3::new(below(x), height, below(z)), size)
        });
        let (u, v) = if strike.north_east { (1.0, 0.0) } else { (0.0, 1.0) };
        let normal = field.face_normal_at(CellPlace { column, row, u, v });
        let [nx, ny, nz] = normal.to_array().map(f64::from);
        let [dx, dy, dz] = self.towards;
        let hit = RayHit {
            position: position.unwrap_or(self.origin),
            distance,
            normal,
            surface: field.cell_surface(column, row),
            from_below: strike.from_below.unwrap_or(dx * nx + dy * ny + dz * nz > 0.0),
            prop: None,
        };
        Some((Raycast::Hit(hit), strike.t))
    }

    /// Metres from the centre of the sector that was hit, and the place in its cell, as the height rule
    /// counts them. Rounding must not move the place out of the cell, whose borders are `f32`.
    fn place(&self, axis: Axis, t: f64, sector: i64, cell: u32) -> (f32, f32) {
        let low = f64::from(cell) + self.corner;
        let high = low + 1.0;
        let place = axis.at(t) - sector as f64 * self.width;
        let place = greater(place, low);
        let place = (lesser(place, high)) as f32;
        (place * self.sectors.grid().cell(), place - low as f32)
    }
}
