//! How far down support is followed, and the steps down on a way that ends without support.

use marchland_terrain::glam::DVec3;
use marchland_terrain::math::lesser;

use super::stand::{LEVEL, Stand, Standing};
use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::Footing;
use crate::units::unit::Motion;

/// How often a stretch that loses support is halved to find an earlier step down: a tread of a sixteenth of
/// the stretch is found.
const HALVINGS: u32 = 4;

impl Mover<'_, '_, '_, '_> {
    /// How far down support is followed. Metres.
    pub(crate) fn drop(&self) -> f32 {
        if self.is_suspended {
            0.0
        } else if self.state.is_on_sticky {
            self.space.body.height()
        } else {
            self.space.body.step_down()
        }
    }

    /// The same to a footing: what is not sticky is followed like anything else by who stands on something sticky.
    pub(crate) fn drop_to(&self, footing: &Footing) -> f32 {
        let sticks = self.space.surface(footing.surface).sticky;
        if sticks { self.drop() } else { lesser(self.drop(), self.space.body.step_down()) }
    }

    /// Takes a step down on a way at whose end there is no support. Returns the part of the way after which
    /// it is taken. `None` if there is no such step; nothing has changed then.
    #[inline(never)]
    pub(crate) fn step_down_before(
        &mut self,
        way: DVec3,
        from: Standing,
    ) -> Result<Option<f64>, Missing> {
        let end = self.standing();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let part = 0.5 * (low + high);
            self.set_standing(&from);
            let to = self.space.moved(from.place, way * part);
            let is_there = matches!(self.stand_at(to)?, Stand::There);
            if !is_there || self.motion == Motion::Sliding {
                break;
            }
            if self.is_suspended {
                high = part;
            } else if self.feet() < from.place.local().y - LEVEL {
                if self.state.support.is_none() {
                    break; // no stairs: ground that bends away
                }
                return Ok(Some(part));
            } else {
                low = part;
            }
        }
        self.set_standing(&end);
        Ok(None)
    }
}
