//! What live props do beside a unit in a tick: how far they may carry or push it, and how fast.

use marchland_terrain::glam::DVec3;
use marchland_terrain::math::greater;
use marchland_terrain::{LiveProps, WorldPos};

/// What the live props near a unit do in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MotionNearby {
    /// The sum of their ways, of each the greatest of any place in its box, or of the unit's. Metres.
    pub(crate) ways: f64,
    /// The greatest speed of any such place. Metres per second.
    pub(crate) fastest: f64,
}

/// What the live props do whose boxes are no farther than `margin` metres from a body at `from`.
pub(crate) fn beside(
    live: &LiveProps,
    from: WorldPos,
    (radius, height): (f32, f32),
    margin: f64,
) -> MotionNearby {
    let size = live.sector_size();
    let at = from.local().as_dvec3();
    let [x, y, z] = from.to_metres(size);
    let metres = DVec3::new(x, y, z) - at;
    let (radius, height) = (f64::from(radius), f64::from(height));
    let low = at - DVec3::new(radius, 0.0, radius) - DVec3::splat(margin);
    let high = at + DVec3::new(radius, height, radius) + DVec3::splat(margin);
    let mut found = MotionNearby::default();
    for prop in live.iter() {
        let (min, max) = prop.found_in(from.sector());
        if !(low.cmple(max).all() && high.cmpge(min).all()) {
            continue;
        }
        // Both are the greatest at a corner. Who stands on it with the rim of its foot may be beside it, and is
        // carried as its middle would be.
        let mut way = prop.displacement_of(from).length();
        let speed = |at| prop.velocity_at(at).as_dvec3().length();
        found.fastest = greater(speed(from), found.fastest);
        for corner in 0..8 {
            let part = |axis: usize| [min[axis], max[axis]][corner >> axis & 1];
            let [x, y, z] = [0, 1, 2].map(|axis| part(axis) + metres[axis]);
            let Ok(corner) = WorldPos::from_metres(x, y, z, size) else { continue };
            way = greater(prop.displacement_of(corner).length(), way);
            found.fastest = greater(speed(corner), found.fastest);
        }
        found.ways += way;
    }
    found
}
