//! The sectors that a region reaches, each looked up once where there is one alone.

use std::ops::ControlFlow;

use glam::DVec3;

use super::region::{Region, SectorRegion};
use crate::resident::SectorState;
use crate::view::TerrainView;

/// A box around everything.
const EVERYWHERE: (DVec3, DVec3) = (DVec3::NEG_INFINITY, DVec3::INFINITY);

/// The sectors that a region reaches.
pub(super) struct Sectors<'r, 'a> {
    view: TerrainView<'a>,
    pub(super) region: &'r Region,
    /// The only one, as mostly.
    only: Option<(SectorRegion<'r>, SectorState<'a>)>,
}

impl<'r, 'a> Sectors<'r, 'a> {
    /// Those of a region.
    pub(super) fn of(view: TerrainView<'a>, region: &'r Region) -> Self {
        let mut only = None;
        let one = region.each_sector_in(EVERYWHERE, view.grid().sector_size(), |here| {
            match only.replace(*here) {
                None => ControlFlow::Continue(()),
                Some(_) => ControlFlow::Break(()),
            }
        });
        let only = only.filter(|_| one.is_continue()).map(|here| (here, view.sector(here.coord)));
        Self { view, region, only }
    }

    /// Calls `visit` for each of them, row by row, until it breaks.
    #[inline]
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(&SectorRegion<'r>, SectorState<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Self { view, region, only } = self;
        match only {
            Some((here, state)) => visit(here, *state),
            None => region.each_sector_in(EVERYWHERE, view.grid().sector_size(), |here| {
                visit(here, view.sector(here.coord))
            }),
        }
    }

    /// Whether there is one alone.
    pub(super) fn is_one(&self) -> bool {
        self.only.is_some()
    }
}
