//! What a unit stands on: ground by the height rule under its centre, props with the whole foot disc.

use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::{height_in_cell, normal_of_gradient};
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::query::Cylinder;
use marchland_terrain::{CellKind, HeightfieldView, SectorState, WorldPos};

pub(crate) use super::underfoot::{Footing, FootingKind};
use super::{Missing, Space};
use crate::limits::{ABOVE_ALL_GROUND, NONE_BUT_STICKY};
use crate::units::memory::known_places::GroundFreeColumn;

/// How far below or above the feet a support still counts as at the feet. Metres: the rounding of a placed
/// vertex and of a position.
const AT_FEET: f32 = 1e-4;

/// How much farther above the knee ground behind a steep face counts, as a part of the radius: what is much higher is
/// behind a wall.
const NEARER: f32 = 0.25;

/// Heights relative to the feet between which props count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Band {
    pub(crate) low: f32,
    pub(crate) high: f32,
}

impl Space<'_, '_, '_> {
    /// The higher of ground and prop; `None` where there is neither. The ground counts at any height, props
    /// within a band.
    pub(crate) fn footing(&mut self, at: WorldPos, band: Band) -> Result<Option<Footing>, Missing> {
        let ground = self.ground_within(at, band.high)?;
        let prop = self.prop_footing(at, band)?;
        Ok(match (ground, prop) {
            // Where steep ground begins beside a prop, rounding does not make a unit slide off it.
            (Some(ground), Some(prop))
                if ground.y > prop.y
                    && ground.y - prop.y <= AT_FEET
                    && (ground.kind, prop.kind) == (FootingKind::Steep, FootingKind::Walkable) =>
            {
                Some(Footing { y: ground.y, ..prop })
            }
            // A prop flush with the ground is stood on: it may move.
            (Some(ground), Some(prop)) if ground.y > prop.y => Some(ground),
            (_, Some(prop)) => Some(prop),
            (ground, None) => ground,
        })
    }

    /// The highest prop under the foot disc.
    pub(crate) fn prop_footing(
        &mut self,
        at: WorldPos,
        band: Band,
    ) -> Result<Option<Footing>, Missing> {
        self.prop_under(self.body.radius(), at, band)
    }

    /// Whether any prop is under the foot disc, no farther from its height than the knee, or the skin if that is more.
    pub(crate) fn has_prop_at_feet(&mut self, at: WorldPos) -> Result<bool, Missing> {
        let high = greater(self.body.knee(), SKIN);
        Ok(self.prop_footing(at, Band { low: -high, high })?.is_some())
    }

    /// The [highest prop](Self::prop_footing) under a disc of another radius.
    pub(crate) fn prop_under(
        &mut self,
        radius: f32,
        at: WorldPos,
        band: Band,
    ) -> Result<Option<Footing>, Missing> {
        let feet = at.local().y;
        let disc = Cylinder { radius, ..self.core() };
        let found = self.support(disc, at, (band.low, band.high), 0.0)?;
        let Some(found) = found else { return Ok(None) };
        let walkable = self.is_walkable(f64::from(found.normal.y), found.surface, true);
        Ok(Some(Footing {
            y: feet + found.point.y,
            normal: found.normal,
            surface: found.surface,
            prop: found.triangle.prop(),
            kind: if walkable { FootingKind::Walkable } else { FootingKind::Steep },
        }))
    }

    /// The higher of ground and prop that can be stood on, within a band.
    pub(crate) fn walkable_footing(
        &mut self,
        at: WorldPos,
        band: Band,
    ) -> Result<Option<Footing>, Missing> {
        let feet = at.local().y;
        let ground = self.ground_within(at, band.high)?.filter(|ground| {
            let rise = ground.y - feet;
            ground.kind == FootingKind::Walkable && band.low <= rise && rise <= band.high
        });
        let prop = self.walkable_prop(at, band)?;
        Ok(match (ground, prop) {
            (Some(ground), Some(prop)) if ground.y > prop.y => Some(ground),
            (_, Some(prop)) => Some(prop),
            (ground, None) => ground,
        })
    }

    /// The highest prop that can be stood on, within a band.
    pub(crate) fn walkable_prop(
        &mut self,
        at: WorldPos,
        band: Band,
    ) -> Result<Option<Footing>, Missing> {
        let upright = self.body.max_slope_cos() as f32;
        let prop = self.support(self.core(), at, (band.low, band.high), upright)?;
        Ok(prop.map(|found| Footing {
            y: at.local().y + found.point.y,
            normal: found.normal,
            surface: found.surface,
            prop: found.triangle.prop(),
            kind: FootingKind::Walkable,
        }))
    }

    /// The ground under the centre, kept low enough for the knee; over a hole its rim, no higher than the knee.
    pub(crate) fn ground_footing(&mut self, at: WorldPos) -> Result<Option<Footing>, Missing> {
        self.ground_within(at, self.body.knee() + self.hair)
    }

    /// How far above the feet of a walking unit a rim supports it. Metres.
    pub(crate) fn rim_max(&self) -> f32 {
        self.body.knee() + self.hair + self.slope_rise
    }

    /// The same, with a rim up to `high` metres above the feet.
    pub(crate) fn ground_within(
        &mut self,
        at: WorldPos,
        high: f32,
    ) -> Result<Option<Footing>, Missing> {
        if let Some(known) = self.footings.get(at) {
            return Ok(Some(known));
        }
        let (sector, local) = (at.sector(), at.local());
        let field = match self.sectors.state(sector) {
            SectorState::Resident(sector) => sector.field(),
            SectorState::NotResident => return Err(Missing::NotResident { sector }),
            SectorState::Outside => return Ok(None),
        };
        let place = field.place(local.x, local.z);
        if field.cell_kind(place.column as i32, place.row as i32) != CellKind::Solid {
            return self.rim_footing(at, high + self.slope_rise);
        }
        let (y, gradient) = field.height_and_gradient_at(place);
        let surface = field.cell_surface(place.column, place.row);
        let steep = self.is_ground_too_steep(gradient, surface);
        let mut footing = Footing {
            y,
            normal: normal_of_gradient(gradient),
            surface,
            prop: None,
            kind: if steep { FootingKind::Steep } else { FootingKind::Walkable },
        };
        if self.has_steep {
            footing.y = self.above_the_knee(at, y, steep)?;
            self.footings.put(at, footing);
        }
        Ok(Some(footing))
    }

    /// Keeps ground under the disc that can be stood on from reaching above the knee.
    fn above_the_knee(&mut self, at: WorldPos, y: f32, is_steep: bool) -> Result<f32, Missing> {
        let lifted = self.above_gentle(at, y, is_steep)?;
        if self.sticky.is_none() {
            return Ok(lifted);
        }
        // By sticky ground alone, however steep it is: nothing else is that upright.
        let feet = at.local().y;
        let top = self.highest_ground(at, (y - feet, ABOVE_ALL_GROUND), NONE_BUT_STICKY)?;
        let over = top.map_or(lifted, |top| feet + top - self.body.knee());
        Ok(greater(over, lifted))
    }

    /// The same by ground that is no steeper than the limit.
    fn above_gentle(&mut self, at: WorldPos, y: f32, is_steep: bool) -> Result<f32, Missing> {
        let (knee, radius) = (self.body.knee(), self.body.radius());
        let feet = at.local().y;
        // How far above the centre such ground can be: by its own slope, as far as the body has come down from it
        // on a steep face in a tick, or as far as it has come nearer to what rises behind a steep one.
        let low = y - feet;
        let high = if is_steep {
            knee + radius
        } else {
            let rise = (f64::from(radius) * self.body.max_slope_tan()) as f32;
            let own = lesser(rise, ABOVE_ALL_GROUND) + AT_FEET;
            // Over an edge it falls.
            let is_edge = low < -self.body.step_down();
            if is_edge && rise <= knee {
                return Ok(y);
            }
            let behind = knee + NEARER * radius;
            let (base, least) = if is_edge { (low, 0.0) } else { (0.0, behind) };
            let base = greater(low, base);
            base + greater(own, least)
        };
        if low > high {
            return Ok(y);
        }
        // What is no higher than the knee lifts nobody.
        let lifts = low + knee - 4.0 * self.hair;
        let low = greater(lifts, low);
        if low > high {
            return Ok(y);
        }
        let column = GroundFreeColumn {
            at,
            radius: self.body.radius(),
            band: (low, high),
            upright: self.body.max_slope_cos() as f32,
        };
        let is_plain = self.sticky.is_none();
        if is_plain && self.unlifted.is_some_and(|known| known.holds(&column)) {
            return Ok(y);
        }
        let is_known = is_plain
            && (self.known.unlifted == Some(column) || self.has_surely_none_above(&column));
        let top = match is_known {
            true => None,
            false => self.highest_ground(at, (low, high), column.upright)?,
        };
        let Some(top) = top else {
            if is_plain {
                (self.unlifted, self.known.unlifted) = (Some(column), Some(column));
            }
            return Ok(y);
        };
        let lifted = feet + top - knee;
        Ok(greater(lifted, y))
    }

    /// Whether the faces around the unit show that no ground lifts it.
    fn has_surely_none_above(&self, column: &GroundFreeColumn) -> bool {
        let GroundFreeColumn { at, radius, band: (low, _), upright } = *column;
        self.level.faces.hold_no_ground(f64::from(radius), at, f64::from(low), f64::from(upright))
    }

    /// Over a hole: the ground at the point of the rim nearest to the centre, if the disc reaches it and it is
    /// no more than `high` metres above the feet.
    fn rim_footing(&mut self, at: WorldPos, high: f32) -> Result<Option<Footing>, Missing> {
        let radius = self.body.radius();
        let feet = at.local().y;
        // Only where any ground is under the disc.
        let low = -self.body.step_down() - AT_FEET;
        if self.highest_ground(at, (low, high), 0.0)?.is_none() {
            return Ok(None);
        }
        let mut best: Option<(f32, Footing)> = None;
        let (half, side) = (self.size.half(), self.size.metres());
        for dz in -1..=1 {
            for dx in -1..=1 {
                let Some(coord) = at.sector().offset(dx, dz) else { continue };
                let SectorState::Resident(sector) = self.sectors.state(coord) else { continue };
                let (x, z) = (at.local().x - dx as f32 * side, at.local().z - dz as f32 * side);
                if x.abs() <= half + radius && z.abs() <= half + radius {
                    nearest_rim(&sector.field(), [x, z], radius, &mut best);
                }
            }
        }
        let Some((_, mut footing)) = best else { return Ok(None) };
        footing.y = self.above_the_knee(at, footing.y, false)?;
        Ok((footing.y - feet <= high).then_some(footing))
    }
}

/// The point of solid cells nearest to a place over a hole, within `radius`.
fn nearest_rim(
    field: &HeightfieldView<'_>,
    [x, z]: [f32; 2],
    radius: f32,
    best: &mut Option<(f32, Footing)>,
) {
    let grid = field.grid();
    let (cell, half) = (grid.cell(), grid.sector_size().half());
    let cells = grid.cells() as i32;
    let range = |metres: f32| {
        let low = ((metres - radius + half) / cell) as i32;
        let high = ((metres + radius + half) / cell) as i32;
        let high = lesser(high, cells - 1);
        (greater(low, 0))..=high
    };
    for row in range(z) {
        for column in range(x) {
            if field.cell_kind(column, row) != CellKind::Solid {
                continue;
            }
            let (west, north) = (column as f32 * cell - half, row as f32 * cell - half);
            let u = within((x - west) / cell);
            let v = within((z - north) / cell);
            let (off_x, off_z) = (west + u * cell - x, north + v * cell - z);
            let apart = off_x * off_x + off_z * off_z;
            if apart > radius * radius || best.as_ref().is_some_and(|(least, _)| *least <= apart) {
                continue;
            }
            let corners = field.corners(column as u32, row as u32);
            let footing = Footing {
                y: height_in_cell(corners, u, v),
                normal: Vec3::Y,
                surface: field.cell_surface(column as u32, row as u32),
                prop: None,
                kind: FootingKind::Walkable,
            };
            *best = Some((apart, footing));
        }
    }
}

fn within(part: f32) -> f32 {
    if part < 0.0 { 0.0 } else { lesser(1.0, part) }
}
