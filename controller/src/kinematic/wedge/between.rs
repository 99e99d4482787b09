//! Between steep walls, in the plane: the nearest way after which the body is in none of them.
//!
//! A disc above the knee, and a point at the feet: what has come into the foot stays there, and comes no farther.

use marchland_terrain::glam::DVec3;
use marchland_terrain::kernel::Wall;
use marchland_terrain::limits::SKIN;
use marchland_terrain::math::greater;
use marchland_terrain::{Ground, WorldPos};

use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::footing::FootingKind;
use crate::kinematic::space::level::Blocking;
use crate::kinematic::space::{Missing, Part};

/// Most times that the way out of walls is found anew.
const ROUNDS: u32 = 8;

/// How far beside where it wants to a unit looks for a way, in metres and as a part of its radius. If it were more,
/// it could find what is farther than a unit is known to reach in a tick; if it were less, fewer ways would be found
/// that are short enough to be taken.
const BESIDE: f64 = 0.05;
const BESIDE_RADII: f64 = 0.75;

/// What a body keeps free around it. Metres.
const ROOM: f64 = 5e-4;

/// What a unit is between: above the knee and below it.
const BETWEEN: [Blocking; 2] = [Blocking::All(Part::Upper), Blocking::LowWalls];

/// What a place is rounded by, as a part of its coordinates.
const ROUNDED: f64 = 2.5e-7;

/// What is entered by less is only touched. Metres.
pub(crate) const TOUCHED: f64 = 1e-5;

impl Mover<'_, '_, '_, '_> {
    /// How far beside where it wants to it looks for a way. Metres.
    pub(crate) fn beside_way(&self) -> f64 {
        BESIDE + BESIDE_RADII * f64::from(self.space.body.radius())
    }

    /// What the unit keeps free around its axis above the knee and below it: its skin, or what walls leave of that.
    /// Metres. What has come into the foot stays there, and comes no farther.
    fn room_between(&mut self) -> Result<[f64; 2], Missing> {
        if let Some((place, room)) = self.room
            && place == self.place
        {
            return Ok(room);
        }
        let radius = f64::from(self.space.body.radius());
        let mut room = [radius + f64::from(SKIN); 2];
        for ((by, room), least) in BETWEEN.into_iter().zip(&mut room).zip([radius + ROOM, 0.0]) {
            for wall in self.space.walls(by, self.place)?.as_slice() {
                if wall.distance < *room {
                    *room = greater(wall.distance, least);
                }
            }
        }
        self.room = Some((self.place, room));
        Ok(room)
    }

    /// The way nearest to a wanted one after which the disc above the knee is in no wall, nor what is steep below
    /// it, and the ground under the middle is not above the feet unless it can be stood on. `None` if it is not
    /// [near it](Self::beside_way).
    pub(crate) fn way_between(
        &mut self,
        start: WorldPos,
        wanted: DVec3,
    ) -> Result<Option<DVec3>, Missing> {
        let (room, most) = (self.room_between()?, self.beside_way());
        let mut planes = Planes::new();
        let mut way = wanted;
        for _ in 0..ROUNDS {
            let at = self.space.moved(start, way);
            if self.space.is_outside(at) {
                return Ok(None);
            }
            let mut is_entered = false;
            for (by, room) in BETWEEN.into_iter().zip(room) {
                let walls = self.space.walls(by, at)?;
                if walls.depth() == f64::INFINITY {
                    return Ok(None);
                }
                for wall in walls.as_slice() {
                    is_entered |= put(&mut planes, wall, room - wall.distance, way);
                }
            }
            if let Some((normal, depth)) = self.space.steep_above(at)? {
                is_entered = true;
                planes.push(Plane::new(normal, normal.dot(way) + depth));
            }
            if !is_entered {
                return Ok(Some(way));
            }
            // With every wall it only gets longer.
            match planes.nearest(wanted).filter(|next| (*next - wanted).length() <= most) {
                Some(next) => way = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// Adds the half plane before a wall that a way enters. Returns whether it does.
fn put(planes: &mut Planes, wall: &Wall, depth: f64, way: DVec3) -> bool {
    if depth <= TOUCHED {
        return false;
    }
    let normal = DVec3::new(wall.normal.x, 0.0, wall.normal.y);
    let (triangle, surface) = (Some(wall.triangle), wall.surface.0);
    planes.push(Plane { normal, depth: normal.dot(way) + depth, triangle, surface });
    true
}

impl crate::kinematic::space::Space<'_, '_, '_> {
    /// The level way off steep ground that is above the feet at the middle: its direction, and how far it is. Metres.
    fn steep_above(&mut self, at: WorldPos) -> Result<Option<(DVec3, f64)>, Missing> {
        let Ground::Height(y) = self.ground(at) else { return Ok(None) };
        let over = f64::from(y) - f64::from(at.local().y);
        // No more than rounding: whoever came nearer would rise by that in each step.
        if over <= f64::from(y.abs()) * ROUNDED {
            return Ok(None);
        }
        let Some(ground) = self.ground_footing(at)? else { return Ok(None) };
        if ground.kind == FootingKind::Walkable {
            return Ok(None);
        }
        let normal = ground.normal.as_dvec3();
        let level = DVec3::new(normal.x, 0.0, normal.z);
        let length = level.length();
        let far = at.local().as_dvec3().length() * ROUNDED;
        Ok(Some((level / length, over * normal.y / length + far)))
    }
}
