//! Which of the ways out of a triangle the whole surface would give.

use std::cell::{Cell, OnceCell};

use glam::DVec3;

use super::{LEADS, Place, around, goes_on, is_at, is_covered, leads_on};
use crate::props::EdgeKind;
use crate::query::contact_place::middle;
use crate::query::cylinder::{Feature, Push, Pushes, least_push, pushes};
use crate::query::nearest::unit_normal;
use crate::query::region::Region;
use crate::query::solids::{Seams, Solids};
use crate::query::types::TriangleId;
use crate::query::visit::{Facet, Source, Visit};

/// Cosine of the angle up to which a push counts as one along the face.
const ALONG_FACE: f64 = 1.0 - 1e-9;

/// Cosine of the angle between two ways out that count as one.
const SAME_WAY: f64 = 0.999;

/// Decides which way out of a triangle the whole surface would give for one body at one place.
pub(crate) struct SeamFilter<'a, 'w> {
    solids: &'a Solids<'w>,
    region: &'a Region,
    feet: DVec3,
    /// What was found at the last place: the triangles of a fan all query its middle, one after another.
    takers: Cell<Option<Takers>>,
    /// Made when the first triangle is asked for.
    known: OnceCell<KnownPushes>,
}

/// Triangles whose least push is remembered: each is asked for by all that touch it. A triangle whose place
/// another has taken is computed anew. Few: they are made for each query that meets a seam.
const KNOWN: usize = 1 << KNOWN_BITS;
const KNOWN_BITS: u32 = 6;

/// Spreads the numbers of triangles, which follow each other along rows, over places.
const SCATTER: u32 = 0x9E37_79B9;

/// The least pushes of triangles, each by itself.
type KnownPushes = [Cell<Option<KnownPush>>; KNOWN];

#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownPush {
    triangle: TriangleId,
    /// `None` if the triangle is not overlapped.
    pub(crate) least: Option<Push>,
    /// The same where it is judged.
    placed: Option<Push>,
    /// Whether it is a seam, once that was asked.
    is_seam: Option<bool>,
}

/// Which triangle takes over a push at a place.
#[derive(Clone, Copy, Debug)]
struct Takers {
    point: DVec3,
    direction: DVec3,
    taker: Taker,
}

#[derive(Clone, Copy, Debug)]
enum Taker {
    /// This triangle does; others may too.
    One(TriangleId),
    /// None does, except possibly this one, which was not tested.
    NobodyBut(TriangleId),
    Nobody,
}

fn place_of(facet: &Facet) -> usize {
    (facet.triangle.wrapping_mul(SCATTER) >> (32 - KNOWN_BITS)) as usize
}

impl Takers {
    fn is_of(&self, place: &Place) -> bool {
        self.point == place.point && self.direction == place.direction
    }
}

impl<'a, 'w> SeamFilter<'a, 'w> {
    pub(crate) fn new(solids: &'a Solids<'w>, region: &'a Region, feet: DVec3) -> Self {
        Self { solids, region, feet, takers: Cell::new(None), known: OnceCell::new() }
    }

    /// The least push that the whole surface gives; `None` if it gives none here. `first` is the least push
    /// of the triangle by itself.
    pub(crate) fn least(
        &self,
        source: &Source,
        facet: &Facet,
        normal: Option<DVec3>,
        first: Push,
        body: (f64, f64),
    ) -> Option<Push> {
        let corners = facet.seen_from(source.origin - self.feet);
        let placed = |push| placed(&corners, normal, body.1, push);
        let is_seam = |push: &Push| {
            let at = (push.point, push.feature);
            self.is_seam(source, facet, normal, at, push.direction)
        };
        let (own, least) = (source.triangle(facet.triangle), Some(first));
        let first = placed(first);
        if self.solids.seams == Seams::Raw {
            return Some(first);
        }
        let known = self.known(source, facet).and_then(|known| known.is_seam);
        if !known.unwrap_or_else(|| is_seam(&first)) {
            return Some(first);
        }
        let known = KnownPush { triangle: own, least, placed: Some(first), is_seam: Some(true) };
        self.kept(facet).set(Some(known));
        let is_taken_over = |push: &Push| {
            let Push { point, direction, .. } = *push;
            self.is_taken_over(&Place { feet: self.feet, point, own, direction }, body)
        };
        if is_taken_over(&first) {
            return None;
        }
        let ways = pushes(&corners, normal, source.sided(), body.0, body.1)?;
        for push in in_order(&ways).skip(1).map(placed) {
            if !is_seam(&push) {
                return Some(push);
            }
            // Whoever reports it frees the body of this triangle too.
            if is_taken_over(&push) {
                return None;
            }
        }
        None
    }

    /// Whether another triangle at a place has the same way out, and reports it instead.
    fn is_taken_over(&self, place: &Place, body: (f64, f64)) -> bool {
        let known = self.takers.get().filter(|known| known.is_of(place));
        let search = |only| {
            let mut others = TakerSearch { filter: self, place: *place, body, only, by: None };
            let _ = self.solids.each(&around(self.region, place), &mut others);
            others.by
        };
        let taker = match known.map(|known| known.taker) {
            Some(Taker::Nobody) => return false,
            Some(Taker::NobodyBut(own)) if own == place.own => return false,
            Some(Taker::One(by)) if by != place.own => return true,
            // All others were tested when this one had its turn; only this one is left.
            Some(Taker::NobodyBut(first)) => search(Some(first)).map_or(Taker::Nobody, Taker::One),
            Some(Taker::One(own)) => Taker::One(search(None).unwrap_or(own)),
            None => search(None).map_or(Taker::NobodyBut(place.own), Taker::One),
        };
        let Place { point, direction, .. } = *place;
        self.takers.set(Some(Takers { point, direction, taker }));
        matches!(taker, Taker::One(by) if by != place.own)
    }

    /// The least push of a triangle, if it is remembered.
    pub(crate) fn known(&self, source: &Source, facet: &Facet) -> Option<KnownPush> {
        let known = self.known.get()?[place_of(facet)].get()?;
        (known.triangle == source.triangle(facet.triangle)).then_some(known)
    }

    /// The least push of a triangle, remembered from now on.
    fn known_or_found(&self, source: &Source, facet: &Facet, body: (f64, f64)) -> KnownPush {
        if let Some(known) = self.known(source, facet) {
            return known;
        }
        let corners = facet.seen_from(source.origin - self.feet);
        let normal = unit_normal(corners);
        let least = least_push(&corners, normal, source.sided(), body.0, body.1);
        let placed = least.map(|push| placed(&corners, normal, body.1, push));
        let triangle = source.triangle(facet.triangle);
        let known = KnownPush { triangle, least, placed, is_seam: None };
        self.kept(facet).set(Some(known));
        known
    }

    /// Where a triangle's least push is kept.
    fn kept(&self, facet: &Facet) -> &Cell<Option<KnownPush>> {
        let known = self.known.get_or_init(|| [const { Cell::new(None) }; KNOWN]);
        &known[place_of(facet)]
    }

    /// Whether the least push of another triangle is a seam.
    fn is_known_seam(&self, source: &Source, facet: &Facet, known: KnownPush, push: &Push) -> bool {
        known.is_seam.unwrap_or_else(|| {
            let normal = unit_normal(facet.seen_from(source.origin - self.feet));
            let at = (push.point, push.feature);
            let is_seam = self.is_seam(source, facet, normal, at, push.direction);
            self.kept(facet).set(Some(KnownPush { is_seam: Some(is_seam), ..known }));
            is_seam
        })
    }

    /// Whether the whole surface would not push in this direction here.
    pub(crate) fn is_seam(
        &self,
        source: &Source,
        facet: &Facet,
        normal: Option<DVec3>,
        (point, feature): (DVec3, Feature),
        direction: DVec3,
    ) -> bool {
        let own = source.triangle(facet.triangle);
        let place = Place { feet: self.feet, point, own, direction };
        let along_face = normal.is_some_and(|normal| {
            let along = normal.dot(direction);
            along > ALONG_FACE || (!source.solid && along < -ALONG_FACE)
        });
        if !along_face {
            let is_inner = match feature {
                Feature::Face => false,
                Feature::Edge(edge) => is_smooth(facet, edge),
                Feature::Corner(corner) => {
                    is_smooth(facet, corner) && is_smooth(facet, (corner + 2) % 3)
                }
            };
            if is_inner
                || (feature != Feature::Face && goes_on(self.solids, self.region, &place, None))
            {
                return true;
            }
        }
        source.solid
            && !source.is_terrain()
            && normal.is_some_and(|normal| {
                // A push across a face needs only the edge of the face.
                normal.dot(direction) > LEADS
                    && is_covered(self.solids, self.region, &place, normal)
            })
    }
}

/// Searches for a triangle at a place whose least way out is the push of the place, so that it is the push of
/// the whole surface: because the triangle leads on that way, or because nothing leads on where that triangle
/// is pushed.
struct TakerSearch<'a, 'f, 'w> {
    filter: &'a SeamFilter<'f, 'w>,
    place: Place,
    /// Radius and height.
    body: (f64, f64),
    /// If set, only this triangle is tested.
    only: Option<TriangleId>,
    by: Option<TriangleId>,
}

impl Visit for TakerSearch<'_, '_, '_> {
    fn source(&mut self, _: &Source) -> bool {
        self.by.is_none()
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let triangle = source.triangle(facet.triangle);
        let is_asked = self.by.is_none() && self.only.is_none_or(|only| only == triangle);
        if !is_asked || !is_at(&self.place, source, facet) {
            return;
        }
        let known = self.filter.known_or_found(source, facet, self.body);
        let Some(push) = known.placed else { return };
        if push.direction.dot(self.place.direction) > SAME_WAY {
            let takes_over = leads_on(&self.place, source, facet)
                || !self.filter.is_known_seam(source, facet, known, &push);
            self.by = takes_over.then_some(triangle);
        }
    }
}

/// A push of a body of this height out of a triangle, where it is judged.
fn placed(corners: &[DVec3; 3], normal: Option<DVec3>, height: f64, push: Push) -> Push {
    let at = (push.point, push.feature);
    let (point, feature) = middle(corners, normal, at, push.direction, (0.0, height));
    Push { point, feature, ..push }
}

/// Whether a mesh's own edge is flat or concave, so that only its faces are met there.
fn is_smooth(facet: &Facet, edge: u8) -> bool {
    let bits = facet.edges >> (2 * edge) & 3;
    bits == EdgeKind::Flat as u8 || bits == EdgeKind::Concave as u8
}

/// Ways out in ascending order of depth; among equals side, up, down and face in this order.
fn in_order(ways: &Pushes) -> impl Iterator<Item = Push> {
    let mut order = [Some(ways.side), ways.up, ways.down, ways.face];
    // Insertion: the first of equals stays first.
    for end in 1..order.len() {
        for at in (1..=end).rev() {
            if is_less(&order[at], &order[at - 1]) {
                order.swap(at, at - 1);
            }
        }
    }
    order.into_iter().flatten()
}

fn is_less(a: &Option<Push>, b: &Option<Push>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.depth < b.depth,
        (Some(_), None) => true,
        _ => false,
    }
}
