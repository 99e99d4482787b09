//! What wants sectors: sources that move, and crowds of units.

use glam::{Vec2, Vec3};
use thiserror::Error;

use crate::math::{SectorCoord, WorldPos};

/// A source around which the world should be in memory: a camera, a player, a squad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interest {
    /// Position of the source.
    pub position: WorldPos,
    /// Metres per second; ground ahead is wanted earlier. The vertical component is ignored.
    pub velocity: Vec3,
    /// Radius around the position within which every sector is wanted. Metres, at least 0.
    pub radius: f32,
    /// How much sooner its sectors are loaded than those of a source of weight 1, as a factor of the time
    /// until they are needed. Above 0.
    pub weight: f32,
    /// Whether sectors within its radius stay in memory whatever other sources want.
    pub pinned: bool,
}

impl Interest {
    /// A source at rest, of weight 1 and not pinned.
    #[must_use]
    pub const fn new(position: WorldPos, radius: f32) -> Self {
        Self { position, velocity: Vec3::ZERO, radius, weight: 1.0, pinned: false }
    }

    /// Rejects invalid sources.
    pub(super) fn check(&self) -> Result<(), InterestError> {
        let refuse = |what, found| Err(InterestError::Value { what, found });
        if !(self.radius >= 0.0 && self.radius.is_finite()) {
            return refuse("radius", self.radius);
        }
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return refuse("weight", self.weight);
        }
        match self.velocity.to_array().into_iter().find(|part| !part.is_finite()) {
            Some(found) => refuse("velocity", found),
            None => Ok(()),
        }
    }
}

/// Units of one sector as one source: the box around them. So a hundred thousand units over a large world are
/// only as many sources as the sectors on which they stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowd {
    /// The sector on which they stand.
    pub sector: SectorCoord,
    /// Least local x and z. Metres from the sector's centre.
    pub low: Vec2,
    /// Greatest local x and z. Metres from the sector's centre.
    pub high: Vec2,
    /// Speed of the fastest unit. Metres per second.
    pub fastest: f32,
}

/// Identifies a source of a [`Streamer`](super::Streamer).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InterestId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

/// Why a source is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum InterestError {
    /// A field has a value out of its range.
    #[error(
        "{what} of a source is {found}, expected a finite number of at least 0, or above 0 for a weight"
    )]
    Value {
        /// The field.
        what: &'static str,
        /// The value found.
        found: f32,
    },
    /// No source has this id, or no longer.
    #[error("no source {slot} of generation {generation}")]
    Unknown {
        /// Its slot.
        slot: u32,
        /// Its generation.
        generation: u32,
    },
}

/// A distance or a time from the caller, made finite and not negative.
pub(super) fn tidy(value: f32) -> f32 {
    if value > 0.0 && value.is_finite() { value } else { 0.0 }
}

/// The sources, in slots that are reused.
#[derive(Debug, Default)]
pub(super) struct Interests {
    slots: Vec<(u32, Option<Interest>)>,
    free: Vec<u32>,
    /// Incremented when sources change by more than position and velocity; a plan holds for one version.
    pub(super) version: u64,
}

impl Interests {
    pub(super) fn add(&mut self, interest: Interest) -> InterestId {
        self.version += 1;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            self.slots.len() as u32 - 1
        });
        let (generation, entry) = &mut self.slots[slot as usize];
        *entry = Some(interest);
        InterestId { slot, generation: *generation }
    }

    pub(super) fn get_mut(&mut self, id: InterestId) -> Result<&mut Interest, InterestError> {
        match self.slots.get_mut(id.slot as usize) {
            Some((generation, Some(interest))) if *generation == id.generation => Ok(interest),
            _ => Err(InterestError::Unknown { slot: id.slot, generation: id.generation }),
        }
    }

    pub(super) fn remove(&mut self, id: InterestId) -> Result<(), InterestError> {
        self.get_mut(id)?;
        let (generation, entry) = &mut self.slots[id.slot as usize];
        *entry = None;
        *generation = generation.wrapping_add(1);
        self.free.push(id.slot);
        self.version += 1;
        Ok(())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Interest> {
        self.slots.iter().filter_map(|(_, interest)| interest.as_ref())
    }
}
