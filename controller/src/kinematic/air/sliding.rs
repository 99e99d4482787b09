//! Sliding down what is too steep to stand on.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::math::lesser;

use super::air_move::FlightResult;
use crate::kinematic::mover::Mover;
use crate::kinematic::planes::{Plane, Planes};
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::{Footing, FootingKind};
use crate::kinematic::walk::SLIDE_UP_MIN;
use crate::units::body::Body;
use crate::units::event::{EventKind, LeftGround};
use crate::units::tick::Tick;
use crate::units::unit::Motion;

/// What is this little above a slope comes down on it whatever is beside it. Metres: a part of the skin.
const NEAR_SLOPE: f32 = 1e-3;

impl Mover<'_, '_, '_, '_> {
    pub(crate) fn begin_slide(&mut self, slope: &Plane, speed: f32) {
        if self.motion != Motion::Sliding {
            self.events.push(EventKind::SlideBegan { speed });
        }
        self.motion = Motion::Sliding;
        self.state.normal = slope.normal.as_vec3();
        self.state.support = None;
    }

    /// Slides for a tick. The velocity [approaches](descend) the slide speed down the slope, whatever the slope
    /// is: v ← (v + dt·g_t) / (1 + dt·|g_t| / slide_speed). The request steers, but not uphill. On slick slopes
    /// it [glides](crate::kinematic::slick::glide).
    pub(crate) fn slide(&mut self, wish: [f32; 2]) -> Result<(), Missing> {
        let (from, start) = (self.place, self.feet());
        let (velocity, by) = match self.slick_slope()? {
            Some(friction) => self.glide_down(wish, friction),
            None => {
                let slope = (self.velocity, self.state.normal.as_dvec3());
                let Descent { velocity, by } =
                    descend(self.space.tick, self.space.body, slope, wish);
                (velocity, by)
            }
        };
        let to = self.space.moved(self.place, by);
        let mut flown = self.slide_by(by, to)?;
        if flown == FlightResult::On && self.place == from && self.velocity != Vec3::ZERO {
            // What its request presses it into does not hold a unit that slides.
            let by = velocity * f64::from(self.space.tick.dt);
            let to = self.space.moved(from, by);
            flown = self.slide_by(by, to)?;
        }
        self.velocity = if self.met.is_empty() {
            velocity.as_vec3()
        } else {
            self.along_met(velocity).as_vec3()
        };
        self.note_slide(self.velocity);
        if let FlightResult::Stood { .. } = flown {
            if self.hangs()? {
                self.stand_wedged(0.0);
                return Ok(());
            }
            // A unit with only its knees on a rim is still on its way off it.
            if !self.is_on_knees()? {
                self.begin_walk();
                return Ok(());
            }
        }
        if let Some(footing) = self.meet_ground(start)? {
            if self.ends_slide(&footing) || self.is_at_foot(&footing) {
                self.begin_walk();
                self.stand_on(&footing);
                return Ok(());
            }
            let normal = footing.normal.as_dvec3();
            self.met.push(Plane { normal, depth: 0.0, triangle: None, surface: footing.surface.0 });
        }
        let moved = self.place.relative_to(from, self.space.size).as_dvec3().length();
        self.stay_on_slope(moved < 0.5 * by.length())
    }

    /// Whether a sliding unit stands on this ground: it is a degree less steep than what made it slide, or
    /// sticky.
    fn ends_slide(&self, footing: &Footing) -> bool {
        footing.kind == FootingKind::Walkable
            && (f64::from(footing.normal.y) >= self.space.body.resume_slope_cos()
                || self.space.surface(footing.surface).sticky)
    }

    /// Whether this ground can be walked on and holds a unit that has come down another slope: between the two no way
    /// leads down steeply enough to slide.
    fn is_at_foot(&self, footing: &Footing) -> bool {
        let mut planes = Planes::new();
        for normal in [self.state.normal, footing.normal].map(Vec3::as_dvec3) {
            planes.push(Plane { normal, depth: 0.0, triangle: None, surface: footing.surface.0 });
        }
        footing.kind == FootingKind::Walkable && planes.hold(self.space.body.resume_slope_cos())
    }

    /// Walks from here on, without a bounce: what slides comes along the ground.
    pub(crate) fn begin_walk(&mut self) {
        self.motion = Motion::Walking;
        let speed = if self.velocity.y < 0.0 { -self.velocity.y } else { 0.0 };
        self.events.push(EventKind::Landed { speed });
        self.velocity.y = 0.0;
    }

    /// After a slide: still on a slope, between two, or off it.
    fn stay_on_slope(&mut self, got_stuck: bool) -> Result<(), Missing> {
        let mut planes = self.around()?;
        let is_barred = slope_of(&planes).is_none() && !self.follow_slope_down(&mut planes)?;
        let Some(slope) = slope_of(&planes) else {
            if is_barred && self.is_wedged_here()? {
                self.stand_wedged(0.0);
            } else if self.motion == Motion::Sliding {
                self.motion = Motion::Falling;
                self.state.normal = Vec3::ZERO;
                self.events.push(EventKind::LeftGround { reason: LeftGround::LostSupport });
            }
            return Ok(());
        };
        if (got_stuck || planes.hold(self.space.body.resume_slope_cos()))
            && self.is_wedged_here()?
        {
            self.stand_wedged(0.0);
            return Ok(());
        }
        self.begin_slide(&slope, 0.0);
        Ok(())
    }

    /// Follows a slope that bends away below, as walked ground is followed, unless the way down leads into
    /// the next slope. Returns false if it does.
    pub(crate) fn follow_slope_down(&mut self, planes: &mut Planes) -> Result<bool, Missing> {
        let (place, velocity, events) = (self.place, self.velocity, self.events);
        let (motion, state, above) = (self.motion, self.state, planes.clone());
        self.drop_onto_slope(planes)?;
        if self.place != place && !self.is_free()? {
            (self.place, self.velocity, self.events) = (place, velocity, events);
            (self.motion, self.state, *planes) = (motion, state, above);
            return Ok(false);
        }
        Ok(true)
    }

    /// Goes straight down to the slope or the ground within the height that is followed.
    fn drop_onto_slope(&mut self, planes: &mut Planes) -> Result<(), Missing> {
        let drop = f64::from(self.space.body.step_down());
        let down = DVec3::NEG_Y * drop;
        let feet = self.feet();
        let ground = self.space.ground_footing(self.place)?;
        let is_near = ground.is_some_and(|ground| feet - ground.y < NEAR_SLOPE);
        let (time, plane) =
            if is_near { (1.0, None) } else { self.first_in_air(down, self.place)? };
        if let Some(ground) = ground {
            let fell = f64::from(feet - ground.y);
            if fell <= drop * time {
                self.place = self.space.at_height(self.place, ground.y);
                if self.ends_slide(&ground) {
                    self.begin_walk();
                    self.stand_on(&ground);
                } else {
                    let normal = ground.normal.as_dvec3();
                    let surface = ground.surface.0;
                    planes.push(Plane { normal, depth: 0.0, triangle: None, surface });
                }
                return Ok(());
            }
        }
        let Some(plane) = plane.filter(|plane| plane.normal.y > SLIDE_UP_MIN) else {
            return Ok(());
        };
        self.place = self.space.moved(self.place, down * time);
        let surface = marchland_terrain::SurfaceId(plane.surface);
        let sticks = plane.prop().is_some() || self.space.sticky_under(self.place).is_some();
        if !self.space.is_walkable(plane.normal.y, surface, sticks) {
            planes.push(plane);
        } else if let Some(ground) = ground
            && self.is_on_knees()?
        {
            // Only its knees are on a rim: it is still on its way off it.
            let (normal, surface) = (ground.normal.as_dvec3(), ground.surface.0);
            planes.push(Plane { normal, depth: 0.0, triangle: None, surface });
        } else {
            self.begin_walk();
        }
        Ok(())
    }
}

/// A tick of sliding down a slope.
pub(crate) struct Descent {
    /// At its end. Metres per second.
    pub(crate) velocity: DVec3,
    /// Its way. Metres.
    pub(crate) by: DVec3,
}

/// How a unit slides down a slope with a velocity, if nothing else is in its way.
pub(crate) fn descend(
    tick: &Tick,
    body: &Body,
    (velocity, normal): (Vec3, DVec3),
    wish: [f32; 2],
) -> Descent {
    let (dt, gravity) = (f64::from(tick.dt), f64::from(tick.gravity));
    let down = normal * (normal.y * gravity) - DVec3::Y * gravity;
    let pull = down.length();
    let mut velocity = velocity.as_dvec3();
    let into = velocity.dot(normal);
    if into < 0.0 {
        velocity -= normal * into;
    }
    let most = f64::from(body.slide_speed());
    let drag = if most > 0.0 { pull / most } else { f64::INFINITY };
    velocity = (velocity + down * dt) / (1.0 + dt * drag);
    if !velocity.is_finite() {
        velocity = DVec3::ZERO;
    }
    let by = (velocity + steer(body, wish, normal, down)) * dt;
    Descent { velocity, by: down_to_slope(body, by, normal) }
}

/// The part of a request that steers: along the slope and not up it. Metres per second.
fn steer(body: &Body, wish: [f32; 2], normal: DVec3, down: DVec3) -> DVec3 {
    let asked = DVec3::new(f64::from(wish[0]), 0.0, f64::from(wish[1]));
    let asked = asked * f64::from(body.slide_control());
    let mut along = asked - normal * normal.dot(asked);
    let pull = down.length_squared();
    let uphill = along.dot(down);
    if uphill < 0.0 && pull > 0.0 {
        along -= down * (uphill / pull);
    }
    along
}

/// A way, straight down from whose end a slope that it leaves is followed: on it, where it goes on. Not farther down
/// than the way is long: what is met below would turn that aside.
fn down_to_slope(body: &Body, by: DVec3, normal: DVec3) -> DVec3 {
    let off = by.dot(normal);
    let most = lesser(f64::from(body.step_down()), by.length());
    if off > 0.0 && off <= most * normal.y { by - DVec3::Y * (off / normal.y) } else { by }
}

/// The steep face under a body that rests on what it has met; of several the one with the most upright normal.
pub(crate) fn slope_of(planes: &Planes) -> Option<Plane> {
    let slopes = planes.as_slice().iter().filter(|plane| plane.normal.y > SLIDE_UP_MIN);
    slopes.copied().reduce(|best, next| if next.normal.y > best.normal.y { next } else { best })
}
