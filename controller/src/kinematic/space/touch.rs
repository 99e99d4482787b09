//! What a body touches at a place, and meets first on a way, in space. Whoever asks for what is touched asks
//! [`touching`](Space::touching), which knows the ways out of props that the body is inside of, in
//! `depenetrate/prop_exit.rs`.

use marchland_terrain::glam::{DVec3, Vec3};
use marchland_terrain::limits::SKIN;
use marchland_terrain::query::{Cylinder, Impact, RefusedWay};
use marchland_terrain::{PropId, WorldPos};

use super::{CONTACT_MARGIN, Missing, NONE_OF_IT, Part, Space, is_far_out, near};
use crate::units::memory::known_places::GroundContacts;

impl Space<'_, '_, '_> {
    /// A part of the body grown to the sides and the top, and the height above the feet at which it begins.
    fn grown(&self, part: Part, by: f32) -> (Cylinder, f32) {
        let low = match part {
            Part::Upper => self.upper_low,
            Part::Whole => 0.0,
        };
        let height = self.body.height() - low + by;
        (Cylinder { radius: self.body.radius() + by, height }, low)
    }

    /// A part of a body with the skin in which contacts are found, and the height above the feet at which it
    /// begins.
    pub(crate) fn touched(&self, part: Part) -> (Cylinder, f32) {
        self.grown(part, SKIN + CONTACT_MARGIN)
    }

    /// Finds the contacts of a cylinder with everything that blocks a part of a body, with some ways out
    /// refused.
    pub(crate) fn ask_contacts(
        &mut self,
        (body, at): (Cylinder, WorldPos),
        part: Part,
        refused: &[RefusedWay],
    ) -> Result<(), Missing> {
        let ground = self.ground_met(part);
        let solids = near(self.view, self.mask, self.near, body, at, Vec3::ZERO);
        let solids =
            solids.with_ground_steeper(ground).with_ground_never_steep(self.sticky.as_ref());
        solids.without_ways_out(refused).overlap(body, at, self.contacts)
    }

    /// Whether the contacts are of everything that blocks a part of a body at a place, some of them
    /// [far out](is_far_out), and yet no prop is in that part. The contacts then concern only its skin: where
    /// something slanted hangs low, its end knows only the way to the side, and the rest of it knows the way
    /// down; a step that is not joined to the one below it knows only the ways up and down.
    pub(crate) fn is_skin_alone(&mut self, part: Part, at: WorldPos) -> Result<bool, Missing> {
        let (_, low) = self.grown(part, 0.0);
        let asked = (part, self.raised(at, low));
        Ok(self.contacts_key == Some(asked)
            && self.contacts.as_slice().iter().any(is_far_out)
            && self.is_clear_above(low, at)?)
    }

    /// Finds contacts of a cylinder with props, and with ground that a part of a body meets.
    pub(crate) fn find_contacts(
        &mut self,
        part: Part,
        body: Cylinder,
        at: WorldPos,
    ) -> Result<(), Missing> {
        self.contacts_key = None;
        let ground_below = self.ground_met(part);
        let is_bare = self.is_bare(body, at, Vec3::ZERO);
        let (asked, is_plain) = ((body, at, ground_below), is_bare && self.sticky.is_none());
        let known = self.known.touched.as_ref().filter(|_| is_plain);
        if ground_below <= NONE_OF_IT && is_bare {
            self.contacts.clear();
        } else if let Some(known) = known.and_then(|known| known.of(asked)) {
            self.contacts.assign(known);
        } else {
            let sticky = self.sticky_under(at);
            let solids = near(self.view, self.mask, self.near, body, at, Vec3::ZERO);
            let solids = solids.with_ground_steeper(ground_below);
            let solids = solids.with_ground_never_steep(sticky.as_ref());
            solids.overlap(body, at, self.contacts)?;
            if is_plain {
                self.known.touched = GroundContacts::new(asked, self.contacts.as_slice());
            }
        }
        self.contacts_key = Some((part, at));
        Ok(())
    }

    /// What a part of the body, grown by the skin, meets first on its way.
    pub(crate) fn sweep(
        &mut self,
        part: Part,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<Impact>, Missing> {
        self.sweep_past(&[], part, at, motion)
    }

    /// The same where some props are not there.
    pub(crate) fn sweep_past(
        &mut self,
        absent: &[PropId],
        part: Part,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<Impact>, Missing> {
        let (body, low) = self.grown(part, SKIN);
        let ground = self.ground_met(part);
        self.first_of(absent, body, self.raised(at, low), motion, ground)
    }

    /// The first prop that the body itself meets.
    pub(crate) fn sweep_core(
        &mut self,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<Impact>, Missing> {
        self.first_of(&[], self.core(), at, motion, NONE_OF_IT)
    }

    /// The first prop that the upper part of a standing body itself meets.
    pub(crate) fn sweep_upper(
        &mut self,
        at: WorldPos,
        motion: DVec3,
    ) -> Result<Option<Impact>, Missing> {
        let (body, low) = self.grown(Part::Upper, 0.0);
        self.first_of(&[], body, self.raised(at, low), motion, NONE_OF_IT)
    }

    /// The first prop, or ground whose normal's `y` is below a limit, that a body meets if some props are not there.
    fn first_of(
        &mut self,
        absent: &[PropId],
        body: Cylinder,
        at: WorldPos,
        motion: DVec3,
        ground: f64,
    ) -> Result<Option<Impact>, Missing> {
        let motion = motion.as_vec3();
        if ground <= NONE_OF_IT && self.is_bare(body, at, motion) {
            return Ok(None);
        }
        let sticky = self.sticky_under(at);
        let solids = near(self.view, self.mask, self.near, body, at, motion);
        let solids = solids.with_ground_steeper(ground).without_props(absent);
        let solids = solids.with_ground_never_steep(sticky.as_ref());
        solids.sweep_on(body, at, motion)
    }
}
