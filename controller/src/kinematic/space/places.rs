//! Places around a unit, named by the sector that they are in (`placed`), and the ground there.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::kernel::canonical;
use marchland_terrain::{Ground, SectorState, WorldPos};

use super::Space;
use crate::following::follow::open_ground;

impl Space<'_, '_, '_> {
    /// A place `by` metres higher.
    #[inline]
    pub(crate) fn raised(&self, at: WorldPos, by: f32) -> WorldPos {
        let local = at.local();
        self.placed(at, Vec3::new(local.x, local.y + by, local.z))
    }

    /// A place seen from the sector of another, in canonical form. Returns `from` where no sector can name
    /// the place, beyond the edge of any possible world.
    #[inline]
    pub(crate) fn placed(&self, from: WorldPos, local: Vec3) -> WorldPos {
        if let Some(place) = from.at_home(local, self.size) {
            return place;
        }
        self.placed_beyond(from, local)
    }

    #[cold]
    fn placed_beyond(&self, from: WorldPos, local: Vec3) -> WorldPos {
        let named = canonical(from.sector(), local + Vec3::ZERO, self.size);
        let named =
            named.ok().and_then(|(sector, local)| WorldPos::new(sector, local, self.size).ok());
        named.unwrap_or(from)
    }

    /// A place moved by `by` metres.
    #[inline]
    pub(crate) fn moved(&self, from: WorldPos, by: DVec3) -> WorldPos {
        self.placed(from, (from.local().as_dvec3() + by).as_vec3())
    }

    /// A place at another height.
    #[inline]
    pub(crate) fn at_height(&self, from: WorldPos, y: f32) -> WorldPos {
        let local = from.local();
        self.placed(from, Vec3::new(local.x, y, local.z))
    }

    /// Whether a place is beyond the edge of the world.
    pub(crate) fn is_outside(&mut self, at: WorldPos) -> bool {
        self.ground(at) == Ground::Outside
    }

    /// The ground at a place.
    pub(crate) fn ground(&mut self, at: WorldPos) -> Ground {
        let local = at.local();
        self.sectors.ground(at.sector(), local.x, local.z)
    }

    /// Whether a way over the ground is known to be free: within a sector of whole ground, over no block of
    /// cells that holds anything too steep.
    pub(crate) fn is_open(&mut self, from: WorldPos, to: WorldPos) -> bool {
        if from.sector() != to.sector() || self.tick.ignores_shortcuts {
            return false;
        }
        let SectorState::Resident(sector) = self.sectors.state(from.sector()) else { return false };
        let field = sector.field();
        let ends = [from, to].map(|end| [end.local().x, end.local().z]);
        field.is_whole() && open_ground(self.tick, &field, self.body, ends[0], ends[1]).is_some()
    }

    /// Whether there is a hole in the ground at a place.
    pub(crate) fn is_over_hole(&mut self, at: WorldPos) -> bool {
        matches!(self.ground(at), Ground::Hole)
    }
}
