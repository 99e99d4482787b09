//! The first thing that a ray meets: the ground, a baked prop or a live one.
//!
//! The ground is tested first, and limits how far props are searched. Baked props are found in the sectors
//! along the ray, because a prop is known to every sector that it reaches; live props are found by their own
//! tree. Both give meshes, whose trees give triangles. Which of them are tested, and in which order, does not
//! matter: the least (distance, prop, triangle) is the result.
//!
//! Everything is measured from the centre of the sector where the ray begins, in `f64`: differences
//! of sectors, origins and vertices are exact there, so a scene moved by whole sectors gives the same
//! bits.

pub(super) mod triangle;

use std::ops::Range;

use glam::{DVec3, Vec3};

use self::triangle::TriangleRay;
use crate::format::SectorView;
use crate::ground_raycast::{
    CrossedSector, March, PropHit, RESIDENT_COST, RayError, RayHit, Raycast, SECTORS_MAX,
    first_ground, unit_towards,
};
use crate::heightfield::SurfaceId;
use crate::math::{SectorCoord, SectorSize, WorldPos, greater, lesser};
use crate::props::{LiveProps, MeshView, Placement, PropId};
use crate::resident::{ResidentSectors, SectorState};
use crate::view::TerrainView;

/// Longer than the distance between any two places in the world, heights excluded. Metres.
const ACROSS: f64 = (1_u64 << 47) as f64;

/// How far a ray may pass a prop's box and still be tested against its triangles. Metres. Less than the
/// rounding of the boxes, and of where a ray crosses a border, would lose hits; more tests more triangles.
const BOX_MARGIN: f64 = 1.0 / 512.0;

impl TerrainView<'_> {
    /// The first ground or prop that a ray meets within `max_distance` metres, which may be infinite.
    /// `direction` may have any length but zero.
    ///
    /// Triangles are met from both sides. Holes and places outside the world have no ground and no side
    /// walls; a ray along a grid line meets the cells that own it, those on its high side. A ray that begins
    /// on the ground meets it at distance 0. At equal distances the ground comes before props, and props come
    /// in order of their ids. What lies behind a sector that is not in memory is [`Raycast::Unknown`]. Parts
    /// of a baked prop outside the world, over places in no sector, may or may not be met; live props are met
    /// everywhere.
    ///
    /// # Errors
    /// If the direction is zero or not finite, or the distance negative or not a number.
    pub fn raycast(
        self,
        origin: WorldPos,
        direction: Vec3,
        max_distance: f32,
    ) -> Result<Raycast, RayError> {
        self.raycast_masked(origin, direction, max_distance, u32::MAX)
    }

    /// As [`raycast`](Self::raycast), but only props whose layers share a bit with `mask` are met. The ground
    /// is in no layer and is always met.
    ///
    /// # Errors
    /// As [`raycast`](Self::raycast).
    pub fn raycast_masked(
        self,
        origin: WorldPos,
        direction: Vec3,
        max_distance: f32,
        mask: u32,
    ) -> Result<Raycast, RayError> {
        let sectors = self.sectors();
        let towards = unit_towards(direction, max_distance)?;
        let (ground, t) = first_ground(sectors, origin, towards, max_distance);
        if mask == 0 {
            return Ok(ground);
        }
        let until = match ground {
            // Strictly before the ground.
            Raycast::Hit(_) => t.next_down(),
            // A hit counts if its distance, rounded to f32, does.
            Raycast::Miss => f64::from(max_distance.next_up()),
            Raycast::Unknown { .. } => t,
        };
        let size = sectors.grid().sector_size();
        let mut search = Search::new(origin, DVec3::from_array(towards), until, mask, size);
        if let Some(live) = self.live() {
            search.among_live(live);
        }
        let march = March::new(sectors, origin, towards, max_distance);
        if let Some(t) = search.among_baked(sectors, &march)
            && t < search.until
        {
            return Ok(march.unknown(t).map_or(ground, |(answer, _)| answer));
        }
        Ok(search.hit(max_distance).map_or(ground, Raycast::Hit))
    }
}

/// A prop, as the search sees it.
struct Solid<'a> {
    id: PropId,
    /// Metres from the centre of the sector where the ray begins.
    origin: DVec3,
    placement: Placement,
    mesh: MeshView<'a>,
    surface: SurfaceId,
}

/// A hit.
struct TriangleHit {
    prop: PropHit,
    /// From the start of the ray.
    corners: [DVec3; 3],
    surface: SurfaceId,
}

/// A search for the first triangle along a ray.
struct Search {
    sector: SectorCoord,
    size: SectorSize,
    from: DVec3,
    towards: DVec3,
    ray: TriangleRay,
    mask: u32,
    /// The distance up to which a hit counts, inclusive: that of the best hit, once there is one.
    until: f64,
    met: Option<TriangleHit>,
}

impl Search {
    fn new(origin: WorldPos, towards: DVec3, until: f64, mask: u32, size: SectorSize) -> Self {
        Self {
            sector: origin.sector(),
            size,
            from: origin.local().as_dvec3(),
            towards,
            ray: TriangleRay::new(towards),
            mask,
            until,
            met: None,
        }
    }

    /// Tests live props.
    fn among_live(&mut self, live: &LiveProps) {
        let longest = ACROSS + self.from.y.abs();
        let length = lesser(self.until, longest);
        if length < 0.0 {
            return;
        }
        // Even a ray of zero length has a part of the way that counts.
        let part_of = |until: f64| if until < length { until / length } else { 1.0 };
        let (sector, from, motion) = (self.sector, self.from, self.towards * length);
        live.along_until(sector, from, motion, DVec3::ZERO, |prop| {
            if prop.is_met_by(self.mask) {
                self.meet(&Solid {
                    id: prop.id(),
                    origin: prop.origin_from(self.sector),
                    placement: prop.placement(),
                    mesh: prop.mesh(),
                    surface: prop.surface(),
                });
            }
            part_of(self.until)
        });
    }

    /// Tests the props of the sectors along the ray. Returns the distance at which the ray has passed more
    /// sectors than it may, if it has.
    fn among_baked(&mut self, sectors: &ResidentSectors, march: &March<'_>) -> Option<f64> {
        let mut crossed = march.begin();
        let mut left = SECTORS_MAX;
        while let Some(coord) = march.coord(crossed)
            && crossed.entry.t <= self.until
        {
            if left < RESIDENT_COST {
                return Some(crossed.entry.t);
            }
            left -= 1;
            let exit = march.exit(crossed);
            let mut alike_is_empty = true;
            if let SectorState::Resident(sector) = sectors.state(coord)
                && !sector.props().is_empty()
            {
                left -= RESIDENT_COST - 1;
                alike_is_empty = false;
                self.in_sector(&sector, crossed, exit.t);
            }
            if exit.t == f64::INFINITY {
                return None; // straight up or down
            }
            crossed = if alike_is_empty && !march.in_box(coord) {
                // Beyond the box all sectors are like this one.
                match march.enters_box(crossed.entry.t)? {
                    there if there > exit.t => march.locate(there),
                    _ => march.next(crossed, exit),
                }
            } else {
                march.next(crossed, exit)
            };
        }
        None
    }

    /// Tests the props of a sector whose boxes the ray touches in it.
    fn in_sector(&mut self, sector: &SectorView<'_>, crossed: CrossedSector, exit: f64) {
        let props = sector.props();
        let side = f64::from(self.size.metres());
        let centre = DVec3::new(crossed.x as f64 * side, 0.0, crossed.z as f64 * side);
        let longest = ACROSS + self.from.y.abs();
        let ends = [exit, self.until, longest];
        let end = ends.into_iter().fold(f64::INFINITY, |end, t| lesser(t, end));
        let (begin, length) = (crossed.entry.t, end - crossed.entry.t);
        let from = (self.from - centre) + self.towards * begin;
        let motion = self.towards * length;
        let half = DVec3::splat(BOX_MARGIN);
        props.along(from, motion, half, |range: Range<u32>| {
            for record in range.map(|at| props.record(at)) {
                if record.is_met_by(self.mask) {
                    self.meet(&Solid {
                        id: record.id(),
                        origin: record.origin_from(self.sector, self.size),
                        placement: record.placement,
                        mesh: props.mesh(&record),
                        surface: record.surface,
                    });
                }
            }
        });
    }

    /// Tests the triangles of a prop.
    fn meet(&mut self, solid: &Solid<'_>) {
        let placed = solid.placement.placed_bounds(&solid.mesh.bounds());
        let low = (solid.origin + placed.min.as_dvec3()) - self.from;
        let high = (solid.origin + placed.max.as_dvec3()) - self.from;
        // The part of the way near its middle: a long way has large numbers, which round more.
        let middle = (low + high) * 0.5;
        let radius = (high - low).length() * 0.5;
        let nearest = middle.dot(self.towards);
        let size = middle.length() + radius;
        let margin = BOX_MARGIN + size * (8.0 * f64::EPSILON);
        let (begin, end) = (nearest - radius - margin, nearest + radius + margin);
        let begin = greater(begin, 0.0);
        let end = lesser(end, self.until);
        if end < begin {
            return;
        }
        // Never so short that it cannot be divided by.
        let length = (end - begin) + BOX_MARGIN;
        let columns = solid.placement.rotation().columns();
        let scale = f64::from(solid.placement.scale());
        let back = |v: DVec3| {
            let [x, y, z] = columns;
            DVec3::new(x.dot(v), y.dot(v), z.dot(v)) / scale
        };
        let from = back(self.towards * begin - (solid.origin - self.from));
        let motion = back(self.towards * length);
        // Edges lie between placed vertices, which are rounded; the rest is the rounding of the ray.
        let half = solid.placement.rounding(&placed) + size * (8.0 * f64::EPSILON) / scale;
        let half = DVec3::splat(half);
        let placer = solid.placement.placer();
        let _ = solid.mesh.nearest(from, motion, half, 1.0, |range, _| {
            for triangle in range {
                let corners = solid.mesh.triangle(triangle);
                let corners = corners
                    .map(|corner| (solid.origin + placer.place(corner).as_dvec3()) - self.from);
                if let Some(t) = self.ray.meets(corners) {
                    let prop = PropHit { id: solid.id, triangle };
                    self.offer(t, TriangleHit { prop, corners, surface: solid.surface });
                }
            }
            (self.until - begin) / length
        });
    }

    /// Keeps the first hit; of two at the same distance the lesser.
    fn offer(&mut self, t: f64, met: TriangleHit) {
        let first = self.met.as_ref().is_none_or(|other| met.prop < other.prop);
        if t < self.until || (t == self.until && first) {
            self.until = t;
            self.met = Some(met);
        }
    }

    /// The hit as it is returned.
    fn hit(&self, max_distance: f32) -> Option<RayHit> {
        let met = self.met.as_ref()?;
        let distance = self.until as f32 + 0.0;
        if distance > max_distance {
            return None;
        }
        let [a, b, c] = met.corners;
        let across = (b - a).cross(c - a);
        let size = across.length();
        // A sliver so thin that it has no side faces the ray.
        let normal = if size > 0.0 { across / size } else { -self.towards };
        Some(RayHit {
            position: self.place(self.from + self.towards * self.until)?,
            distance,
            normal: normal.as_vec3() + Vec3::ZERO,
            surface: met.surface,
            from_below: normal.dot(self.towards) > 0.0,
            prop: Some(met.prop),
        })
    }

    /// The place at metres from the centre of the sector where the ray begins. Where a prop reaches beyond
    /// the last sector, the nearest place that can be named.
    fn place(&self, metres: DVec3) -> Option<WorldPos> {
        let side = f64::from(self.size.metres());
        let half = self.size.half().next_down();
        let axis = |sector: i32, metres: f64| {
            let there = f64::from(sector) + (metres / side + 0.5).floor();
            let near = there as i32; // saturates
            let rest = metres - (f64::from(near) - f64::from(sector)) * side;
            let end = near == i32::MAX && rest > f64::from(half);
            let begin = near == i32::MIN && rest < -f64::from(self.size.half());
            let inside = if begin { -self.size.half() } else { rest as f32 };
            (near, if end { half } else { inside })
        };
        let (x, local_x) = axis(self.sector.x, metres.x);
        let (z, local_z) = axis(self.sector.z, metres.z);
        let local = Vec3::new(local_x, metres.y as f32, local_z);
        WorldPos::new(SectorCoord::new(x, z), local, self.size).ok()
    }
}
