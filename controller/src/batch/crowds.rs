//! Units as sources of streaming: one box for the units of each sector.

use marchland_terrain::glam::Vec2;
use marchland_terrain::math::{greater, lesser};
use marchland_terrain::stream::Crowd;

use super::Batch;
use crate::units::columns::Units;

impl Batch {
    /// Lists the places of units for
    /// [`Streamer::set_crowds`](marchland_terrain::stream::Streamer::set_crowds). Each sector with units
    /// gives the box around them and the speed of the fastest one, in order of sectors. Visits every
    /// unit once; a hundred thousand units over a large world give a few thousand crowds.
    pub fn crowds(&mut self, units: &Units, out: &mut Vec<Crowd>) {
        out.clear();
        self.crowd_of.clear();
        let mut last = None; // many units in a row are in one sector
        for slot in (0..units.slots()).filter(|&slot| units.live[slot]) {
            let (sector, local, velocity) =
                (units.sectors[slot], units.locals[slot], units.velocities[slot]);
            let at = Vec2::new(local.x, local.z);
            let speed = (velocity.x * velocity.x + velocity.z * velocity.z).sqrt();
            let index = match last {
                Some((known, index)) if known == sector => index,
                _ => *self.crowd_of.entry(sector).or_insert(out.len()),
            };
            last = Some((sector, index));
            if let Some(crowd) = out.get_mut(index) {
                widen(crowd, at);
                crowd.fastest = greater(speed, crowd.fastest);
            } else {
                out.push(Crowd { sector, low: at, high: at, fastest: speed });
            }
        }
        out.sort_unstable_by_key(|crowd| crowd.sector);
    }
}

/// Grows a crowd's box to contain a place.
fn widen(crowd: &mut Crowd, at: Vec2) {
    crowd.low = Vec2::new(lesser(crowd.low.x, at.x), lesser(crowd.low.y, at.y));
    crowd.high = Vec2::new(greater(crowd.high.x, at.x), greater(crowd.high.y, at.y));
}
