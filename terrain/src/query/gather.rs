//! The triangles of a region, gathered once to be asked many times.

use glam::Vec3;

use super::nearest::unit_normal;
use super::region::{Region, between};
use super::types::Moving;
use super::walk::{Facet, Source, Visit, walk};
use crate::math::{Aabb, SectorCoord, SectorSize, outward};
use crate::view::TerrainView;

/// Memory for the triangles of a region. Made once and used again and again: gathering allocates
/// nothing. Where a region holds more than fits, nothing is cut short: its questions then go to the
/// world itself, and answers are the same.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    region: Option<Region>,
    sources: Vec<GatheredSource>,
    facets: Vec<Facet>,
    is_full: bool,
}

/// A source, and its facets' place among all.
#[derive(Clone, Copy, Debug)]
struct GatheredSource {
    source: Source,
    first: u32,
    end: u32,
}

impl Gathered {
    /// Room for so many triangles, of up to a quarter as many props.
    #[must_use]
    pub fn with_capacity(triangles: usize) -> Self {
        Self {
            region: None,
            sources: Vec::with_capacity(triangles / 4 + 16),
            facets: Vec::with_capacity(triangles),
            is_full: false,
        }
    }

    /// Triangles that are gathered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.facets.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty()
    }

    /// Whether the region last gathered did not fit.
    #[must_use]
    pub fn is_overfull(&self) -> bool {
        self.is_full
    }

    pub(crate) fn has_props(&self) -> bool {
        self.is_full || self.sources.iter().any(|one| !one.source.is_terrain())
    }

    pub(crate) fn has_moving(&self) -> bool {
        self.is_full || self.sources.iter().any(|one| one.source.moving != Moving::default())
    }

    pub(crate) fn has_ground_steeper(&self, upright: f64) -> bool {
        let steeper = |facet: &Facet| {
            let corners = facet.corners.map(Vec3::as_dvec3);
            unit_normal(corners).is_none_or(|normal| normal.y < upright)
        };
        let ground = self.sources.iter().filter(|one| one.source.is_terrain());
        self.is_full
            || ground
                .flat_map(|one| &self.facets[one.first as usize..one.end as usize])
                .any(steeper)
    }

    /// Gathers a region; what was gathered before is forgotten.
    pub(crate) fn gather(
        &mut self,
        view: TerrainView<'_>,
        mask: u32,
        region: &Region,
    ) -> Result<(), SectorCoord> {
        self.sources.clear();
        self.facets.clear();
        self.is_full = false;
        self.region = None;
        walk(view, mask, region, self)?;
        self.region = (!self.is_full).then_some(*region);
        Ok(())
    }

    /// Hands out what touches `region`, or gives false if not all that does was gathered.
    pub(crate) fn hand_out(
        &self,
        size: SectorSize,
        region: &Region,
        visit: &mut impl Visit,
    ) -> bool {
        let Some(gathered) = self.region.filter(|gathered| gathered.holds(region, size)) else {
            return false;
        };
        let shift = between(region.sector, gathered.sector, size);
        let (low, high) = region.bounds();
        for one in &self.sources {
            let source = Source { origin: one.source.origin + shift, ..one.source };
            visit.source(&source);
            let near = outward(low - source.origin, high - source.origin);
            let reach = if source.is_terrain() { upwards(near) } else { near };
            for facet in &self.facets[one.first as usize..one.end as usize] {
                if facet.touches(&reach) {
                    visit.facet(facet);
                }
            }
        }
        true
    }
}

impl Visit for Gathered {
    fn source(&mut self, source: &Source) {
        if self.sources.len() == self.sources.capacity() {
            self.is_full = true;
        }
        if !self.is_full {
            let first = self.facets.len() as u32;
            self.sources.push(GatheredSource { source: *source, first, end: first });
        }
    }

    fn facet(&mut self, facet: &Facet) {
        if self.facets.len() == self.facets.capacity() {
            self.is_full = true;
        }
        if !self.is_full {
            self.facets.push(*facet);
            if let Some(source) = self.sources.last_mut() {
                source.end += 1;
            }
        }
    }
}

/// Ground above a region counts: below it is full.
fn upwards(mut near: Aabb) -> Aabb {
    near.max.y = f32::INFINITY;
    near
}
