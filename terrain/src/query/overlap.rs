//! What a body overlaps, and the ways out.

use glam::{DVec3, Vec3};

use super::columns::Column;
use super::contacts::Contacts;
use super::cylinder::{Cylinder, Feature, Push, column_top, is_apart, overlapping, overlaps};
use super::inside::inside_contact;
use super::nearest::{towards, unit_normal};
use super::prop_exit::{PropExit, Rank, WayOut};
use super::region::{Region, SEAM, check_body};
use super::seams::filter::SeamFilter;
use super::solids::{Solids, local, not_resident};
use super::types::{Contact, QueryError};
use super::visit::{Facet, Source, Visit};
use crate::math::{SectorCoord, WorldPos};

/// How near to the axis of a body a triangle counts as above it. Metres.
const AXIS: f64 = 1e-9;

impl Solids<'_> {
    /// Everything that a body at `feet` overlaps, written to `contacts` in order of props and triangles,
    /// ground first. If there are more contacts than it holds, the deepest are kept and [`Contacts::is_cut`]
    /// is true.
    ///
    /// # Errors
    /// If the body has no size, or a sector is not in memory; there are no contacts then.
    pub fn overlap(
        &self,
        body: Cylinder,
        feet: WorldPos,
        contacts: &mut Contacts,
    ) -> Result<(), QueryError> {
        contacts.clear();
        check_body(body)?;
        fill(self, body, feet, contacts).map_err(|sector| {
            contacts.clear();
            not_resident(sector)
        })
    }
}

/// Puts what a body overlaps into `contacts`, in order.
fn fill(
    solids: &Solids<'_>,
    body: Cylinder,
    feet: WorldPos,
    contacts: &mut Contacts,
) -> Result<(), SectorCoord> {
    let region = Region::of(body, feet, Vec3::ZERO);
    let wide = region.grown_by(SEAM);
    let found = if solids.is_gathered(&wide) {
        put_all(solids, &region, body, feet, contacts)
    } else {
        // The memory is taken out and put back, so that it can be read while contacts are added.
        let mut near = std::mem::take(&mut contacts.near);
        let found = put_all(&solids.near(&wide, &mut near), &region, body, feet, contacts);
        contacts.near = near;
        found
    };
    contacts.sort();
    found
}

/// Adds all contacts of a body.
fn put_all(
    solids: &Solids<'_>,
    region: &Region,
    body: Cylinder,
    feet: WorldPos,
    contacts: &mut Contacts,
) -> Result<(), SectorCoord> {
    let mut finder =
        Finder::new(solids, region, body, local(feet), |contact| contacts.put(contact));
    solids.each(region, &mut finder)?;
    finder.finish_all();
    Ok(())
}

/// The deepest contact of a body; among equals that of the least triangle.
pub(crate) fn deepest(
    solids: &Solids<'_>,
    region: &Region,
    body: Cylinder,
    feet: DVec3,
) -> Result<Option<Contact>, SectorCoord> {
    let mut best: Option<Contact> = None;
    let region = Region { motion: DVec3::ZERO, ..*region };
    let mut finder = Finder::new(solids, &region, body, feet, |contact| {
        let key = |of: &Contact| (-of.depth, of.triangle);
        if best.as_ref().is_none_or(|best| key(&contact) < key(best)) {
            best = Some(contact);
        }
    });
    solids.each(&region, &mut finder)?;
    finder.finish_all();
    Ok(best)
}

/// Whether a body may overlap anything: a quick false for the many that do not.
pub(crate) fn is_overlapping(
    solids: &Solids<'_>,
    region: &Region,
    body: Cylinder,
    feet: DVec3,
) -> Result<bool, SectorCoord> {
    let region = Region { motion: DVec3::ZERO, ..*region };
    let mut touched = OverlapSearch { solids, body, feet, found: false };
    solids.each(&region, &mut touched)?;
    Ok(touched.found)
}

struct OverlapSearch<'a, 'w> {
    solids: &'a Solids<'w>,
    body: Cylinder,
    feet: DVec3,
    found: bool,
}

impl Visit for OverlapSearch<'_, '_> {
    fn asks_ground(&self) -> bool {
        self.solids.meets_ground()
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: f64::from(self.body.radius), motion: DVec3::ZERO })
    }

    fn source(&mut self, source: &Source) -> bool {
        // A closed prop may hold the body without touching it.
        self.found |= source.solid && !source.is_terrain();
        !self.found
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        if self.found || !self.solids.meets(source, facet) {
            return;
        }
        let corners = facet.seen_from(source.origin - self.feet);
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        self.found = overlaps(&corners, radius, height)
            || (source.is_terrain()
                && self.solids.ground_is_full()
                && column_top(&corners, AXIS, height, f64::INFINITY).is_some());
    }
}

/// Finds the contacts of a body, one triangle after another.
struct Finder<'a, 'w, F> {
    solids: &'a Solids<'w>,
    /// The region of the body where it stands, without motion.
    region: &'a Region,
    body: Cylinder,
    feet: DVec3,
    source: Option<Source>,
    /// Whether a triangle of the source was overlapped.
    is_met: bool,
    /// Whether the source has given a contact.
    is_told: bool,
    /// Whether any source has.
    is_any_told: bool,
    /// The way out of a source that counts if there is no other.
    spare: Option<(WayOut, Source)>,
    filter: SeamFilter<'a, 'w>,
    take: F,
}

impl<'a, 'w, F: FnMut(Contact)> Finder<'a, 'w, F> {
    fn new(
        solids: &'a Solids<'w>,
        region: &'a Region,
        body: Cylinder,
        feet: DVec3,
        take: F,
    ) -> Self {
        Self {
            solids,
            region,
            body,
            feet,
            source: None,
            is_met: false,
            is_told: false,
            is_any_told: false,
            spare: None,
            filter: SeamFilter::new(solids, region, feet),
            take,
        }
    }

    /// After the last source.
    fn finish_all(&mut self) {
        self.finish();
        if let Some((way, source)) = self.spare.take().filter(|_| !self.is_any_told) {
            self.emit(&source, &way.facet, way.push, false);
        }
    }

    /// After the last triangle of a source: handles a body that overlaps the source although no triangle gave
    /// a contact, or that lies within it.
    fn finish(&mut self) {
        let Some(source) = self.source.take() else { return };
        if self.is_met && !self.is_told {
            self.exit_of(source);
        }
        if !self.is_met {
            self.inside(&source);
        }
    }

    /// Reports a body whose middle is within a closed prop; returns whether it is.
    fn inside(&mut self, source: &Source) -> bool {
        if !source.solid || source.is_terrain() || !self.solids.props_are_full() {
            return false;
        }
        let (view, refused) = (self.solids.view(), self.solids.refused);
        let way = |refused| inside_contact(view, source, self.body, self.feet, refused);
        // If every way is refused, the nearest is as good as any.
        let any = || if refused.is_empty() { None } else { way(&[]) };
        let Some(contact) = way(refused).or_else(any) else { return false };
        self.is_any_told = true;
        (self.take)(contact);
        true
    }

    /// Reports the way out of a whole source.
    fn exit_of(&mut self, source: Source) {
        let Self { solids, region, feet, .. } = *self;
        let body = (f64::from(self.body.radius), f64::from(self.body.height));
        let Some(way) = (PropExit { solids, region, feet, body, source }).find() else { return };
        if way.rank == Rank::True {
            self.emit(&source, &way.facet, way.push, false);
            return;
        }
        if self.inside(&source) {
            return;
        }
        let key = |(way, source): &(WayOut, Source)| {
            (way.rank, way.push.depth, source.triangle(way.facet.triangle))
        };
        let spare = (way, source);
        if self.spare.as_ref().is_none_or(|known| key(&spare) < key(known)) {
            self.spare = Some(spare);
        }
    }

    fn emit(&mut self, source: &Source, facet: &Facet, push: Push, inside: bool) {
        (self.is_told, self.is_any_told) = (true, true);
        let from_origin = push.point - (source.origin - self.feet);
        (self.take)(Contact {
            point: push.point.as_vec3(),
            normal: towards(push.direction),
            depth: push.depth as f32,
            triangle: source.triangle(facet.triangle),
            feature: push.feature,
            surface: facet.surface,
            velocity: source.moving.at(from_origin.as_vec3()),
            inside,
        });
    }
}

impl<F: FnMut(Contact)> Visit for Finder<'_, '_, F> {
    fn asks_ground(&self) -> bool {
        self.solids.meets_ground()
    }

    fn column(&self) -> Option<Column> {
        Some(Column { at: self.feet, radius: f64::from(self.body.radius), motion: DVec3::ZERO })
    }

    fn source(&mut self, source: &Source) -> bool {
        self.finish();
        self.source = Some(*source);
        (self.is_met, self.is_told) = (false, false);
        true
    }

    fn facet(&mut self, source: &Source, facet: &Facet) {
        let corners = facet.seen_from(source.origin - self.feet);
        let (radius, height) = (f64::from(self.body.radius), f64::from(self.body.height));
        let may_be_below = source.is_terrain() && self.solids.ground_is_full();
        if !may_be_below && is_apart(&corners, radius, height) {
            return;
        }
        let is_met =
            |overlaps: bool| (overlaps || may_be_below) && self.solids.meets(source, facet);
        let (normal, least) = if let Some(known) = self.filter.known(source, facet) {
            if !is_met(known.least.is_some()) {
                return;
            }
            (unit_normal(corners), known.least)
        } else {
            let overlapped = overlapping(&corners, radius, height);
            if !is_met(!overlapped.is_empty()) {
                return;
            }
            let normal = unit_normal(corners);
            (normal, overlapped.least_push(&corners, normal, source.sided(), radius, height))
        };
        let found = match least {
            Some(first) => {
                self.is_met = true;
                self.filter
                    .least(source, facet, normal, first, (radius, height))
                    .map(|push| (push, false))
            }
            None if may_be_below => below(corners, normal, radius, height).map(|push| (push, true)),
            None => None,
        };
        if let Some((push, inside)) = found {
            self.emit(source, facet, push, inside);
        }
    }
}

/// The way out for a body that is wholly below a triangle of the ground: straight up. Only the triangle above
/// the body's axis reports it (two or more where the axis meets an edge): a triangle beside the axis may be
/// the rim of a hole that the body stands in.
pub(super) fn below(
    corners: [DVec3; 3],
    normal: Option<DVec3>,
    radius: f64,
    height: f64,
) -> Option<Push> {
    normal.filter(|normal| normal.y > 0.0)?;
    column_top(&corners, AXIS, height, f64::INFINITY)?;
    let top = column_top(&corners, radius, height, f64::INFINITY)?;
    Some(Push { depth: top.y, direction: DVec3::Y, point: top, feature: Feature::Face })
}
