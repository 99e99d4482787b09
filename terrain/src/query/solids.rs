//! Everything solid near a place, queried as one surface.

use glam::{DVec3, Vec3};

use super::each_triangle::{each_live_triangle, each_posed_triangle, each_triangle, steep_ground};
use super::gather::Gathered;
use super::nearest::unit_normal;
use super::region::{Region, SteepGround};
use super::types::{PropMotion, QueryError, RefusedWay};
use super::visit::{Facet, Source, Visit};
use crate::heightfield::{SurfaceId, SurfaceSet};
use crate::math::{SectorCoord, WorldPos};
use crate::props::{PosedProp, PropId};
use crate::view::TerrainView;

/// The layers of a query that sees everything.
pub const ALL_LAYERS: u32 = u32::MAX;

/// Ground, baked props and live props as one surface, seen in some layers, for queries with an upright
/// cylinder. Results are in metres from the centre of the foot disc.
///
/// With what was [gathered](TerrainView::gather) for a region, queries within it use that. Other queries, and
/// those of [`TerrainView::solids`], use the world. The results are the same, to the bit.
#[derive(Clone, Copy, Debug)]
pub struct Solids<'a> {
    view: TerrainView<'a>,
    mask: u32,
    pub(super) gathered: Option<&'a Gathered>,
    pub(super) seams: Seams,
    /// Sweeps and overlaps meet only what is steeper: with an upward unit normal whose `y` is below this.
    ground_below: f64,
    props_below: f64,
    /// Ground with these surfaces never counts as steep, unless it is upright.
    pub(super) never_steep: Option<&'a SurfaceSet>,
    /// Ways out of closed props that overlaps do not return if there is an alternative.
    pub(super) refused: &'a [RefusedWay],
    /// The only thing that there is.
    only: Option<&'a PosedProp<'a>>,
    /// Props that are not there.
    absent: &'a [PropId],
    /// Whether the feet of the body are in no closed prop.
    pub(super) is_outside: bool,
}

/// How edges within one surface are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seams {
    /// They do not exist.
    #[default]
    Smooth,
    /// Every triangle is met as if it stood alone. For comparisons.
    Raw,
}

impl<'a> TerrainView<'a> {
    /// Everything solid in the layers that share a bit with `mask`; ground is in all of them.
    #[must_use]
    pub fn solids(self, mask: u32) -> Solids<'a> {
        Solids {
            view: self,
            mask,
            gathered: None,
            seams: Seams::Smooth,
            ground_below: f64::INFINITY,
            props_below: f64::INFINITY,
            never_steep: None,
            refused: &[],
            only: None,
            absent: &[],
            is_outside: false,
        }
    }

    /// One live prop at a moment of its way, and nothing else.
    #[must_use]
    pub fn solids_of<'s>(self, posed: &'s PosedProp<'s>) -> Solids<'s>
    where
        'a: 's,
    {
        Solids { only: Some(posed), ..self.solids(ALL_LAYERS) }
    }

    /// As [`solids`](Self::solids), with the triangles of a region gathered into reused memory. For a moving
    /// region, those in the box around it are gathered.
    ///
    /// # Errors
    /// If the region reaches a sector that is not in memory.
    pub fn gather<'s>(
        self,
        region: &Region,
        mask: u32,
        scratch: &'s mut Gathered,
    ) -> Result<Solids<'s>, QueryError>
    where
        'a: 's,
    {
        // Queries are checked against a box without motion.
        let region = region.around_both(region, self.grid().sector_size());
        scratch.gather(self, mask, &region).map_err(not_resident)?;
        Ok(self.solids_with(mask, scratch))
    }

    /// As [`gather`](Self::gather), but keeps what this view has gathered there in the same layers. If that
    /// contains the region, nothing is done; otherwise a box around both is gathered. Where that is
    /// impossible, queries use the world.
    ///
    /// Memory that was gathered by another view, or by this one before anything in the world changed, must be
    /// forgotten first: see [`Gathered::forget`].
    #[doc(hidden)]
    pub fn gather_more<'s>(
        self,
        region: &Region,
        mask: u32,
        scratch: &'s mut Gathered,
    ) -> Solids<'s>
    where
        'a: 's,
    {
        scratch.extend(self, mask, region);
        self.solids_with(mask, scratch)
    }

    /// As [`solids`](Self::solids), with what this view has gathered in the same layers, for any region: see
    /// [`gather_more`](Self::gather_more).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn solids_with<'s>(self, mask: u32, gathered: &'s Gathered) -> Solids<'s>
    where
        'a: 's,
    {
        Solids { gathered: Some(gathered), ..self.solids(mask) }
    }

    /// Whether there may be props of these layers in a region: the box around one touches it, or not all of
    /// the region is in memory.
    #[doc(hidden)]
    #[must_use]
    pub fn has_props_in(self, region: &Region, mask: u32) -> bool {
        let mut any = SourceSearch { moves: false, found: false };
        each_triangle(self, (mask, &[]), region, &mut any).is_err() || any.found
    }

    /// Whether there may be props that move among them.
    #[doc(hidden)]
    #[must_use]
    pub fn has_moving_in(self, region: &Region, mask: u32) -> bool {
        let mut any = SourceSearch { moves: true, found: false };
        each_live_triangle(self, mask, region, &mut any).is_err() || any.found
    }

    /// Whether there may be ground in a region that is steeper: with a unit normal whose `y` is below
    /// `upright`. The rims of holes are upright. True where not all of the region is in memory. All ground
    /// counts if `upright` is not a number.
    #[doc(hidden)]
    #[must_use]
    pub fn has_ground_steeper_in(self, region: &Region, upright: f64) -> bool {
        self.steep_ground_in(region, upright) != SteepGround::None
    }

    /// Ground in a region that is steeper, as [`has_ground_steeper_in`](Self::has_ground_steeper_in) says.
    #[doc(hidden)]
    #[must_use]
    pub fn steep_ground_in(self, region: &Region, upright: f64) -> SteepGround {
        steep_ground(self, region, or_all(upright))
    }
}

/// The limit on how upright anything is that is met. Everything is met if it is not a number, which would
/// remove walls.
fn or_all(upright: f64) -> f64 {
    if upright.is_nan() { f64::INFINITY } else { upright }
}

impl<'a> Solids<'a> {
    /// The same, where ground with these surfaces counts as no steeper than any limit, if it faces upwards at
    /// all: [`with_ground_steeper`](Self::with_ground_steeper) leaves it out, and
    /// [`support_upright`](Self::support_upright) includes it, however steep it is.
    #[must_use]
    pub fn with_ground_never_steep(self, surfaces: Option<&'a SurfaceSet>) -> Self {
        Self { never_steep: surfaces, ..self }
    }

    /// The same for a body whose feet are known to be in no closed prop, which [`ceiling`](Self::ceiling) then need not
    /// find out.
    #[doc(hidden)]
    #[must_use]
    pub fn with_feet_outside(self, is_outside: bool) -> Self {
        Self { is_outside, ..self }
    }

    /// The same without some props.
    #[must_use]
    pub fn without_props(self, absent: &'a [PropId]) -> Self {
        Self { absent, ..self }
    }

    /// The same, where [`overlap`](Self::overlap) does not lead a body out of the inside of closed props by
    /// these ways. For each prop the nearest face in another direction counts, or the nearest of all if there
    /// is none. For a building that stands on the ground, whose nearest face is often its floor.
    #[must_use]
    pub fn without_ways_out(self, refused: &'a [RefusedWay]) -> Self {
        Self { refused, ..self }
    }

    /// The same, with this treatment of seams.
    #[must_use]
    pub fn with_seams(self, seams: Seams) -> Self {
        Self { seams, ..self }
    }

    /// The same, where [`sweep`](Self::sweep), [`sweep_on`](Self::sweep_on) and [`overlap`](Self::overlap)
    /// meet only ground that is steeper: with a unit normal whose `y` is below `upright`. For units that
    /// stand on the rest by the height rule. The space below the ground is then not solid. If `upright` is
    /// not a number, all ground is met, as without this.
    #[must_use]
    pub fn with_ground_steeper(self, upright: f64) -> Self {
        Self { ground_below: or_all(upright), ..self }
    }

    /// The same, where sweeps and overlaps meet only triangles of props that are steeper: walls, but not what
    /// can be stood on. The inside of a closed prop is then not solid. If `upright` is not a number,
    /// everything is met, as without this.
    #[must_use]
    pub fn with_props_steeper(self, upright: f64) -> Self {
        Self { props_below: or_all(upright), ..self }
    }

    /// Hands out the triangles of a region, from what was gathered or from the world.
    pub(crate) fn each(&self, region: &Region, visit: &mut impl Visit) -> Result<(), SectorCoord> {
        if let Some(posed) = self.only {
            each_posed_triangle(posed, region, visit);
            return Ok(());
        }
        match self.gathered {
            Some(gathered) if gathered.hand_out(self.view, self.absent, region, visit) => Ok(()),
            _ => each_triangle(self.view, (self.mask, self.absent), region, visit),
        }
    }

    /// Whether a whole region has been gathered.
    pub(crate) fn is_gathered(&self, region: &Region) -> bool {
        self.gathered.is_some_and(|gathered| gathered.covers(self.view, region))
    }

    /// The same, with a region gathered, unless it already is or not all of it is resident: sectors just
    /// beside a query may be missing. `scratch` holds nothing that is reused.
    pub(crate) fn near<'s>(&'s self, region: &Region, scratch: &'s mut Gathered) -> Solids<'s> {
        if self.only.is_some()
            || self.is_gathered(region)
            || scratch.gather(self.view, self.mask, region).is_err()
        {
            return *self;
        }
        Solids { gathered: Some(scratch), ..*self }
    }

    /// Whether there may be any prop in what was gathered. True where nothing was gathered, or not everything
    /// fitted.
    #[doc(hidden)]
    #[must_use]
    pub fn has_props(&self) -> bool {
        self.gathered.is_none_or(Gathered::has_props)
    }

    /// Whether any prop in what was gathered may move.
    #[doc(hidden)]
    #[must_use]
    pub fn has_moving(&self) -> bool {
        self.gathered.is_none_or(Gathered::has_moving)
    }

    /// Whether there may be ground in what was gathered that is steeper: with a unit normal whose `y` is
    /// below `upright`. The rims of holes are upright. All ground counts if `upright` is not a number.
    #[doc(hidden)]
    #[must_use]
    pub fn has_ground_steeper(&self, upright: f64) -> bool {
        let upright = or_all(upright);
        self.gathered.is_none_or(|gathered| gathered.has_ground_steeper(self.view, upright))
    }

    /// Whether sweeps and overlaps meet a triangle of this source.
    #[inline]
    pub(super) fn meets(&self, source: &Source, facet: &Facet) -> bool {
        if self.below(source.is_terrain()) == f64::INFINITY {
            return true;
        }
        let normal = unit_normal(facet.corners.map(Vec3::as_dvec3));
        self.meets_face(source.is_terrain(), source.solid, normal, facet.surface)
    }

    /// The same for a triangle of ground, or of a prop that is solid or not, with this unit normal.
    #[inline]
    pub(super) fn meets_face(
        &self,
        is_terrain: bool,
        is_solid: bool,
        normal: Option<DVec3>,
        surface: SurfaceId,
    ) -> bool {
        let below = self.below(is_terrain);
        let Some(normal) = normal else { return true };
        // A triangle without an inside can be stood on from both sides.
        let up = if is_solid { normal.y } else { normal.y.abs() };
        below == f64::INFINITY
            || (up < below && !(is_terrain && stands_always(self.never_steep, surface, normal)))
    }

    fn below(&self, is_terrain: bool) -> f64 {
        if is_terrain { self.ground_below } else { self.props_below }
    }

    /// Whether sweeps and overlaps meet any ground: its triangles all have a normal.
    pub(super) fn meets_ground(&self) -> bool {
        self.ground_below > -1.0
    }

    /// Whether the inside of closed props is solid.
    pub(super) fn props_are_full(&self) -> bool {
        self.props_below == f64::INFINITY
    }

    /// Whether the space below the ground is solid.
    pub(super) fn ground_is_full(&self) -> bool {
        self.ground_below == f64::INFINITY
    }

    pub(crate) fn view(&self) -> TerrainView<'_> {
        self.view
    }
}

/// Searches for a source, without its triangles.
struct SourceSearch {
    /// Only for a source that moves.
    moves: bool,
    found: bool,
}

impl Visit for SourceSearch {
    fn asks_ground(&self) -> bool {
        false
    }

    fn source(&mut self, source: &Source) -> bool {
        self.found |= !self.moves || source.moving != PropMotion::default();
        false
    }

    fn facet(&mut self, _: &Source, _: &Facet) {}
}

/// Whether a triangle of the ground is never too steep.
#[inline]
pub(super) fn stands_always(
    surfaces: Option<&SurfaceSet>,
    surface: SurfaceId,
    normal: DVec3,
) -> bool {
    surfaces.is_some_and(|surfaces| normal.y > 0.0 && surfaces.contains(surface))
}

pub(super) fn not_resident(sector: SectorCoord) -> QueryError {
    QueryError::NotResident { sector }
}

/// A position's metres from the centre of its own sector.
pub(crate) fn local(position: WorldPos) -> DVec3 {
    position.local().as_dvec3()
}
