//! Finding props that are near: by region and along a way.

use glam::DVec3;

use super::world_box::{Sweep, WorldBox};
use super::{LivePropRef, LiveProps};
use crate::math::SectorCoord;

impl LiveProps {
    /// Calls `visit` with every prop whose box touches the region from `min` to `max`, metres from the centre
    /// of `sector`. The order is arbitrary, so a result must not depend on it: order props by id. Some props
    /// within 2⁻⁶ m of the region are visited too. The box of a prop with a [way](LivePropRef::way) is around
    /// all of that. Which ones are visited depends only on where the props are and were before the last
    /// tick, and is the same in every part of the world. A bound that is NaN does not limit the region.
    #[inline]
    pub fn in_box<'a>(
        &'a self,
        sector: SectorCoord,
        min: DVec3,
        max: DVec3,
        mut visit: impl FnMut(LivePropRef<'a>),
    ) {
        self.any_in_box(sector, min, max, |prop| {
            visit(prop);
            false
        });
    }

    /// As [`in_box`](Self::in_box), until `visit` returns true. Returns whether it did.
    #[doc(hidden)]
    #[inline]
    pub fn any_in_box<'a>(
        &'a self,
        sector: SectorCoord,
        min: DVec3,
        max: DVec3,
        mut visit: impl FnMut(LivePropRef<'a>) -> bool,
    ) -> bool {
        let region = WorldBox::around(sector, min, max, self.size);
        let found = std::cell::Cell::new(false);
        self.tree.walk(
            |bounds| !found.get() && bounds.touches(&region),
            |slot| {
                if let Some(prop) = self.at(slot)
                    && prop.standing.found_in.touches(&region)
                {
                    found.set(visit(prop));
                }
            },
        );
        found.get()
    }

    /// Calls `visit` with every prop whose box is touched by a moving box of half sizes `half`. The centre of
    /// that box moves from `from`, metres from the centre of `sector`, by `motion`; with a `half` of 0 it is
    /// a ray. Otherwise like [`in_box`](Self::in_box). Visits none if a number is not finite or a half size
    /// is negative.
    #[inline]
    pub fn along<'a>(
        &'a self,
        sector: SectorCoord,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        mut visit: impl FnMut(LivePropRef<'a>),
    ) {
        self.along_until(sector, from, motion, half, |prop| {
            visit(prop);
            1.0
        });
    }

    /// Like [`along`](Self::along), but `visit` returns the part of the way, 0 to 1, up to which props are
    /// still of interest: those touched only beyond it may be skipped.
    #[inline]
    pub(crate) fn along_until<'a>(
        &'a self,
        sector: SectorCoord,
        from: DVec3,
        motion: DVec3,
        half: DVec3,
        mut visit: impl FnMut(LivePropRef<'a>) -> f64,
    ) {
        let Some(sweep) = Sweep::new(sector, from, motion, half, self.size) else { return };
        let until = std::cell::Cell::new(1.0);
        self.tree.walk(
            |bounds| sweep.touches(bounds, until.get()),
            |slot| {
                if let Some(prop) = self.at(slot)
                    && sweep.touches(&prop.standing.found_in, until.get())
                {
                    until.set(visit(prop));
                }
            },
        );
    }
}
