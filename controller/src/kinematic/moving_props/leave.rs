//! Leaving what carried a unit: how much of its velocity the unit keeps ([`LeavePlatform`]).

use marchland_terrain::PropId;
use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;

use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::kinematic::space::footing::Band;
use crate::units::body::LeavePlatform;

impl Mover<'_, '_, '_, '_> {
    /// Leaves what carried it, and keeps what the body specifies of its velocity.
    pub(crate) fn leave_platform(
        &mut self,
        velocity: Vec3,
        with_vertical: bool,
    ) -> Result<(), Missing> {
        let support = self.state.support.take();
        if velocity == Vec3::ZERO {
            return Ok(());
        }
        let rise = if with_vertical { velocity.y } else { 0.0 };
        match self.space.body.leave_platform() {
            LeavePlatform::Drop if with_vertical || !self.is_overtaken(support, velocity)? => {
                return Ok(());
            }
            LeavePlatform::Drop | LeavePlatform::Keep => {
                self.state.platform_velocity = [velocity.x, velocity.z];
            }
            LeavePlatform::Add => {}
        }
        self.velocity += Vec3::new(velocity.x, rise, velocity.z);
        Ok(())
    }

    /// Whether a platform would come under the feet of who walks off it with its own velocity: it would stand on that
    /// and walk off it again and again.
    fn is_overtaken(&mut self, platform: Option<PropId>, velocity: Vec3) -> Result<bool, Missing> {
        let moves = platform.is_some_and(|id| self.space.moving_props.ids().contains(&id));
        let back = (self.velocity - velocity).as_dvec3().with_y(0.0);
        if !moves || back == DVec3::ZERO {
            return Ok(false);
        }
        // It has walked off by less than the platform goes on, and no farther are props known.
        let way = f64::from(velocity.with_y(0.0).length() * self.space.tick.dt);
        let to = self.space.moved(self.place, back.normalize() * way);
        let under = self.space.prop_footing(to, Band { low: -SKIN, high: SKIN })?;
        Ok(under.is_some_and(|under| under.prop == platform))
    }
}
