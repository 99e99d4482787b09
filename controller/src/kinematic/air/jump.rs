//! A jump off the ground: of who walks and asks for it in that tick (`move_by`, in `tick`); there is neither grace nor
//! buffer.

use marchland_terrain::glam::Vec3;

use crate::kinematic::mover::Mover;
use crate::kinematic::space::Missing;
use crate::units::event::{EventKind, LeftGround};
use crate::units::unit::Motion;

impl Mover<'_, '_, '_, '_> {
    /// Jumps, with what the ground makes of the wish, and falls from there on.
    pub(crate) fn jump(&mut self, wish: [f32; 2]) -> Result<(), Missing> {
        let [x, z] = self.request(wish)?;
        self.velocity = Vec3::new(x, self.space.body.jump_speed(), z);
        self.motion = Motion::Falling;
        self.is_off_ground = true;
        self.state.normal = Vec3::ZERO;
        self.state.is_wedged = false;
        self.state.is_on_sticky = false;
        self.events.push(EventKind::LeftGround { reason: LeftGround::Jumped });
        self.fall()
    }
}
