//! Whether there is a triangle of some kind near a place.

use super::region::Region;
use super::solids::Solids;
use super::visit::{Facet, Source, Visit};

struct TriangleSearch<C, T> {
    counts: C,
    test: T,
    found: bool,
}

impl<C: Fn(&Source) -> bool, T: Fn(&Source, &Facet) -> bool> Visit for TriangleSearch<C, T> {
    fn source(&mut self, source: &Source) -> bool {
        !self.found && (self.counts)(source)
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        self.found = self.found || (self.test)(source, facet);
    }
}

impl Solids<'_> {
    /// Whether any triangle of a region, of the sources that count, passes a test. The region must have been found
    /// resident before.
    pub(super) fn any(
        &self,
        region: &Region,
        counts: impl Fn(&Source) -> bool,
        test: impl Fn(&Source, &Facet) -> bool,
    ) -> bool {
        let mut search = TriangleSearch { counts, test, found: false };
        let _ = self.each(region, &mut search);
        search.found
    }
}
