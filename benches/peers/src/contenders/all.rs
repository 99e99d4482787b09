//! All that are built, at once.

#[cfg(feature = "box3d")]
use super::box3d;
#[cfg(feature = "jolt")]
use super::jolt;
#[cfg(feature = "physx")]
use super::physx;
use super::{Contender, rapier};
use crate::scene::Scene;
use crate::setup::Failure;

/// The walkers of all others that are built.
pub(crate) fn peers(
    scene: &Scene,
    starts: &[[f64; 3]],
) -> Result<Vec<Box<dyn Contender>>, Failure> {
    Ok(vec![
        rapier::capsules(scene, starts)?,
        #[cfg(feature = "physx")]
        physx::capsules(scene, starts)?,
        #[cfg(feature = "box3d")]
        box3d::capsules(scene, starts)?,
        #[cfg(feature = "jolt")]
        jolt::capsules(scene, starts)?,
    ])
}
