//! Triangles of one plane as one face: convex, of few corners.
//!
//! Neighbours across an edge are merged as long as what they are together is convex. Regions grow over their
//! longest edges first: the triangles of a wall of many squares become squares, those rows, and those one face.
//! Equal meshes give equal faces.

use glam::{DVec3, Vec3};

use super::adjacency::{Sides, ends, pair};
use super::face::{CORNERS_MAX, Plate};

/// Most sides around a region that grows, with those in line: what is larger is left as several faces.
const SIDES_MAX: usize = 64;

/// Most faces of a mesh: with 16 bits, so many can be numbered beside 0.
pub(super) const FACES_MAX: usize = u16::MAX as usize;

/// Regions are in one plane only if the cosine of the angle between their triangles is greater.
const COSINE_MIN: f64 = 0.999;

/// The faces of a mesh that consist of several triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MergedFaces {
    pub(super) faces: Vec<MergedFace>,
    /// For each triangle, 0 or the number of its face plus 1.
    pub(super) of: Vec<u32>,
}

/// A face, and its first triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MergedFace {
    /// Counter-clockwise seen from outside. The last one stands for those that a face does not have.
    pub(super) corners: [u32; CORNERS_MAX],
    pub(super) first: u32,
}

/// Merges triangles, whose windings agree which side is outside.
pub(super) fn merge(triangles: &[[u32; 3]], vertices: &[Vec3], tolerance: f64) -> MergedFaces {
    let mut regions = Regions::new(triangles, vertices, tolerance);
    regions.merge_pairs();
    while regions.grow_all() {}
    let mut merged = MergedFaces { faces: Vec::new(), of: vec![0; triangles.len()] };
    for region in regions.list.iter().flatten() {
        if merged.faces.len() == FACES_MAX {
            break;
        }
        if let Some(corners) = regions.face(region) {
            let first = region.triangles.iter().copied().min().unwrap_or_default();
            merged.faces.push(MergedFace { corners, first });
            for &triangle in &region.triangles {
                merged.of[triangle as usize] = merged.faces.len() as u32;
            }
        }
    }
    merged
}

/// Triangles in a plane.
struct Region {
    /// The sides of triangles around it, in order: side `3 · triangle + edge` begins at corner `edge`.
    sides: Vec<u32>,
    triangles: Vec<u32>,
}

struct Regions<'a> {
    triangles: &'a [[u32; 3]],
    vertices: &'a [Vec3],
    tolerance: f64,
    sides: Sides,
    normals: Vec<DVec3>,
    /// `None` where one was merged into another.
    list: Vec<Option<Region>>,
    /// The region of each triangle.
    of: Vec<u32>,
}

impl<'a> Regions<'a> {
    /// Every triangle by itself.
    fn new(triangles: &'a [[u32; 3]], vertices: &'a [Vec3], tolerance: f64) -> Self {
        let place = |vertex: u32| vertices[vertex as usize];
        let count = triangles.len() as u32;
        let alone =
            |at| Region { sides: vec![3 * at, 3 * at + 1, 3 * at + 2], triangles: vec![at] };
        let normal = |corners: &[u32; 3]| super::normal(corners.map(place)).normalize_or_zero();
        Self {
            triangles,
            vertices,
            tolerance,
            sides: pair(triangles),
            normals: triangles.iter().map(normal).collect(),
            list: (0..count).map(|at| Some(alone(at))).collect(),
            of: (0..count).collect(),
        }
    }

    /// Where a side begins.
    fn begin(&self, side: u32) -> u32 {
        ends(self.triangles, side)[0]
    }

    fn place(&self, vertex: u32) -> DVec3 {
        self.vertices[vertex as usize].as_dvec3()
    }

    fn length(&self, side: u32) -> f64 {
        let [from, to] = ends(self.triangles, side).map(|end| self.place(end));
        from.distance(to)
    }

    /// The same edge as another triangle has it, if that agrees which side is outside.
    fn twin(&self, side: u32) -> Option<u32> {
        let twin = self.sides.twins[side as usize].side()?;
        let [from, to] = ends(self.triangles, side);
        (ends(self.triangles, twin) == [to, from]).then_some(twin)
    }

    /// Merges triangles whose longest side is the same edge.
    fn merge_pairs(&mut self) {
        let longest = |regions: &Self, triangle: u32| {
            let sides = [0, 1, 2].map(|edge| 3 * triangle + edge);
            let longer = |a: u32, b: u32| {
                if regions.length(b) > regions.length(a) { b } else { a }
            };
            longer(longer(sides[0], sides[1]), sides[2])
        };
        for triangle in 0..self.triangles.len() as u32 {
            let side = longest(self, triangle);
            if let Some(twin) = self.twin(side)
                && twin / 3 > triangle
                && longest(self, twin / 3) == twin
            {
                let _ = self.merge(self.of[triangle as usize], self.of[twin as usize / 3]);
            }
        }
    }

    /// Lets every region grow as far as it can. Returns whether any did.
    fn grow_all(&mut self) -> bool {
        let mut any = false;
        for region in 0..self.list.len() as u32 {
            while self.grow(region) {
                any = true;
            }
        }
        any
    }

    /// Merges a region with the neighbour with which it has the longest edge in common, of those with which it
    /// can be.
    fn grow(&mut self, number: u32) -> bool {
        let Some(region) = &self.list[number as usize] else { return false };
        let normal = self.normals[region.triangles[0] as usize];
        let mut beside: Vec<(f64, u32)> = Vec::new();
        for &side in &region.sides {
            let Some(twin) = self.twin(side) else { continue };
            let other = self.of[twin as usize / 3];
            if other == number || self.normals[twin as usize / 3].dot(normal) < COSINE_MIN {
                continue;
            }
            match beside.iter_mut().find(|(_, known)| *known == other) {
                Some((length, _)) => *length += self.length(side),
                None => beside.push((self.length(side), other)),
            }
        }
        beside.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        beside.iter().any(|&(_, other)| self.merge(number, other))
    }

    /// Merges one region with another, if that is convex. Returns whether it is.
    fn merge(&mut self, number: u32, other: u32) -> bool {
        let (Some(one), Some(two)) = (&self.list[number as usize], &self.list[other as usize])
        else {
            return false;
        };
        let own = self.sides_but(one, other);
        let others = self.sides_but(two, number);
        let (Some(mut sides), Some(others)) = (own, others) else { return false };
        sides.extend(others);
        if sides.len() > SIDES_MAX || self.plate(&sides).is_none() {
            return false;
        }
        let Some(gone) = self.list[other as usize].take() else { return false };
        for &triangle in &gone.triangles {
            self.of[triangle as usize] = number;
        }
        if let Some(region) = &mut self.list[number as usize] {
            region.triangles.extend(gone.triangles);
            region.sides = sides;
        }
        true
    }

    /// The sides of a region from the end of those on which it meets another to their begin. `None` if they are
    /// not all in a row.
    fn sides_but(&self, region: &Region, other: u32) -> Option<Vec<u32>> {
        let is_shared =
            |side: &u32| self.twin(*side).is_some_and(|twin| self.of[twin as usize / 3] == other);
        let count = region.sides.len();
        let first = (0..count).find(|&at| {
            is_shared(&region.sides[(at + count - 1) % count]) && !is_shared(&region.sides[at])
        })?;
        let turned = region.sides[first..].iter().chain(&region.sides[..first]);
        let own: Vec<u32> = turned.copied().take_while(|side| !is_shared(side)).collect();
        let shared = region.sides.iter().filter(|side| is_shared(side)).count();
        (own.len() + shared == count).then_some(own)
    }

    /// The corners of a polygon, and the polygon, if it is convex and has few enough.
    fn plate(&self, sides: &[u32]) -> Option<([u32; CORNERS_MAX], Plate)> {
        let count = sides.len();
        let at = |number: usize| self.begin(sides[number % count]);
        let middle = sides.iter().map(|&side| self.place(self.begin(side))).sum::<DVec3>();
        let middle = middle / count as f64;
        // What is farthest from the middle is a corner.
        let far = |number: usize| self.place(at(number)).distance_squared(middle);
        let first = (0..count).reduce(|a, b| if far(b) > far(a) { b } else { a })?;
        let (mut corners, mut len) = ([at(first); CORNERS_MAX], 1);
        let mut last = first;
        for number in first + 1..first + count {
            let chord = [self.place(at(last)), self.place(at(number + 1))];
            let is_passed = (last + 1..=number).all(|on| self.is_on(chord, self.place(at(on))));
            if !is_passed {
                *corners.get_mut(len)? = at(number);
                (last, len) = (number, len + 1);
            }
        }
        let plate =
            Plate::new(corners[..len].iter().map(|&corner| self.place(corner)), self.tolerance)?;
        let end = corners[len - 1];
        corners[len..].fill(end);
        Some((corners, plate))
    }

    /// Whether a place lies on the line between two others.
    fn is_on(&self, [from, to]: [DVec3; 2], at: DVec3) -> bool {
        let along = to - from;
        let aside = along.cross(at - from).length_squared();
        let part = along.dot(at - from);
        let whole = along.length_squared();
        aside <= self.tolerance * self.tolerance * whole && part > 0.0 && part < whole
    }

    /// The corners of a region of several triangles, if they cover it.
    fn face(&self, region: &Region) -> Option<[u32; CORNERS_MAX]> {
        if region.triangles.len() < 2 {
            return None;
        }
        let (corners, mut plate) = self.plate(&region.sides)?;
        let mut triangles = region.triangles.iter();
        let is_within = triangles.all(|&triangle| {
            plate.take(self.triangles[triangle as usize].map(|corner| self.place(corner)))
        });
        (is_within && plate.is_covered()).then_some(corners)
    }
}
