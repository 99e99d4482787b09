//! Units that follow the ground by querying it, as a user would write it: move, query, stand on the
//! result.

use super::Contender;
use crate::setup::{DT, Failure};

/// Start of a ray above the feet. Metres.
pub(crate) const RAY_ABOVE: f32 = 2.0;
/// Length of a ray. Metres.
pub(crate) const RAY_LONG: f32 = 10.0;

/// Units that query `ground` for the height at x and z, with the feet's height as the middle
/// argument.
pub(crate) struct Followers<G> {
    name: String,
    ground: G,
    places: Vec<[f32; 3]>,
    wishes: Vec<[f32; 2]>,
}

impl<G: Fn([f32; 3]) -> Option<f32>> Followers<G> {
    pub(crate) fn new(name: &str, starts: &[[f64; 3]], ground: G) -> Self {
        let places: Vec<_> = starts.iter().map(|place| place.map(|metres| metres as f32)).collect();
        let wishes = vec![[0.0; 2]; places.len()];
        Self { name: name.into(), ground, places, wishes }
    }
}

impl<G: Fn([f32; 3]) -> Option<f32>> Contender for Followers<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn steer(&mut self, wishes: &[[f32; 2]]) {
        for (ours, &wish) in self.wishes.iter_mut().zip(wishes) {
            *ours = wish;
        }
    }

    fn run(&mut self, ticks: usize) -> Result<(), Failure> {
        for _ in 0..ticks {
            for (place, wish) in self.places.iter_mut().zip(&self.wishes) {
                place[0] += wish[0] * DT;
                place[2] += wish[1] * DT;
                // A unit without a result keeps its height; the checker detects it.
                if let Some(height) = (self.ground)(*place) {
                    place[1] = height;
                }
            }
        }
        Ok(())
    }

    fn places(&self) -> Vec<[f64; 3]> {
        self.places.iter().map(|place| place.map(f64::from)).collect()
    }
}
