//! Which side of each triangle is outside.
//!
//! Triangles that share an edge with exactly one other are made to agree as far as possible, with
//! as few as possible turned. Triangles connected this way are a *piece*; a piece without an open
//! edge is a *closed piece*, and is made to face outwards. There are two exceptions:
//!
//! - all closed pieces together, as the file winds them, have a negative volume: the file is wound
//!   the other way round throughout, and everything closed is turned first;
//! - a closed piece that then faces inwards, that the file wound consistently that way, and that
//!   lies within an odd number of others is a cavity, and stays.

use glam::{DVec3, Vec3};

use super::PrepareReport;
use super::adjacency::{Sides, Twin, ends};
use super::inside::{column, crossing};
use crate::props::tree::Tree;

struct Piece {
    triangles: Vec<u32>,
    closed: bool,
    /// Whether the file wound it consistently, though perhaps inside out.
    as_filed: bool,
    /// Six times the volume, negative if it faces inwards; 0 where it is not closed.
    volume: f64,
    /// Twice the area of its surface; 0 where it is not closed.
    area: f64,
}

/// A mesh before its windings are known.
#[derive(Clone, Copy)]
pub(super) struct UnwoundMesh<'a> {
    pub(super) triangles: &'a [[u32; 3]],
    pub(super) vertices: &'a [Vec3],
    pub(super) tree: Tree<'a>,
    /// Anything no thicker is flat: the distance within which vertices are merged. Metres.
    pub(super) tolerance: f64,
}

impl UnwoundMesh<'_> {
    /// Decides for each triangle whether it must be turned. Sides that cannot agree lose their twins.
    pub(super) fn wind(&self, sides: &mut Sides, report: &mut PrepareReport) -> Vec<bool> {
        let mut turned = vec![false; self.triangles.len()];
        let mut pieces = self.pieces(sides, &mut turned, report);
        for piece in &mut pieces {
            let opposed = piece.triangles.iter().filter(|&&t| turned[t as usize]).count();
            if 2 * opposed > piece.triangles.len() {
                turn(piece, &mut turned);
            }
            piece.as_filed = opposed == 0;
            if piece.closed {
                piece.volume = self.volume(piece, &turned);
                piece.area = self.area(piece);
            }
        }
        self.face_outwards(&mut pieces, &mut turned);
        report.components = pieces.len() as u64;
        report.closed_components = pieces.iter().filter(|piece| piece.closed).count() as u64;
        report.closed = report.closed_components == report.components && self.has_inside(&pieces);
        turned
    }

    /// Whether closed pieces are thicker than the tolerance on average. For a plate of thickness h
    /// with faces of area A, six times the volume is 6hA and twice the surface is 4A. For sheets
    /// that coincide, the volume is only rounding error.
    fn has_inside(&self, pieces: &[Piece]) -> bool {
        let volume = pieces.iter().map(|piece| piece.volume).sum::<f64>();
        let area = pieces.iter().map(|piece| piece.area).sum::<f64>();
        volume > 1.5 * self.tolerance * area
    }

    /// Finds the pieces, each by a flood fill from its first triangle, which is not turned.
    fn pieces(
        &self,
        sides: &mut Sides,
        turned: &mut [bool],
        report: &mut PrepareReport,
    ) -> Vec<Piece> {
        let mut reached = vec![false; self.triangles.len()];
        let mut pieces = Vec::new();
        for first in 0..self.triangles.len() as u32 {
            if reached[first as usize] {
                continue;
            }
            reached[first as usize] = true;
            let (mut flood, mut at, mut closed) = (vec![first], 0, true);
            while let Some(&triangle) = flood.get(at) {
                at += 1;
                for side in 3 * triangle..3 * triangle + 3 {
                    let Some(twin) = sides.twins[side as usize].side() else {
                        closed = false;
                        continue;
                    };
                    let other = twin / 3;
                    let same_way = ends(self.triangles, side)[0] == ends(self.triangles, twin)[0];
                    let wanted = turned[triangle as usize] ^ same_way;
                    if !reached[other as usize] {
                        reached[other as usize] = true;
                        turned[other as usize] = wanted;
                        flood.push(other);
                    } else if turned[other as usize] != wanted {
                        sides.twins[side as usize] = Twin::NONE;
                        sides.twins[twin as usize] = Twin::NONE;
                        report.disagreeing_edges += 1;
                        closed = false;
                    }
                }
            }
            flood.sort_unstable();
            pieces.push(Piece {
                triangles: flood,
                closed,
                as_filed: false,
                volume: 0.0,
                area: 0.0,
            });
        }
        pieces
    }

    /// Turns closed pieces that face inwards and are not cavities.
    fn face_outwards(&self, pieces: &mut [Piece], turned: &mut [bool]) {
        let as_filed = pieces.iter().filter(|piece| piece.as_filed);
        let inside_out = as_filed.map(|piece| piece.volume).sum::<f64>() < 0.0;
        for piece in pieces.iter_mut().filter(|piece| piece.closed && piece.as_filed) {
            if inside_out {
                turn(piece, turned);
            }
        }
        if pieces.iter().all(|piece| piece.volume >= 0.0) {
            return;
        }
        let piece_of = self.closed_piece_of(pieces);
        for (number, piece) in pieces.iter_mut().enumerate() {
            let cavity = piece.as_filed && self.is_within_others(piece, number, &piece_of);
            if piece.volume < 0.0 && !cavity {
                turn(piece, turned);
            }
        }
    }

    /// For each triangle, the closed piece that it belongs to, or none.
    fn closed_piece_of(&self, pieces: &[Piece]) -> Vec<usize> {
        let mut piece_of = vec![usize::MAX; self.triangles.len()];
        for (number, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.closed) {
            for &triangle in &piece.triangles {
                piece_of[triangle as usize] = number;
            }
        }
        piece_of
    }

    /// Whether the first corner of a piece that faces inwards lies within an odd number of other
    /// closed pieces.
    fn is_within_others(&self, piece: &Piece, number: usize, piece_of: &[usize]) -> bool {
        let Some(&first) = piece.triangles.first().filter(|_| piece.volume < 0.0) else {
            return false;
        };
        let point = self.corners(first)[0];
        let mut within = false;
        self.tree.in_box(&column(point), |range| {
            for triangle in range {
                let other = piece_of[triangle as usize];
                if other != number && other != usize::MAX {
                    let corners = self.corners(triangle).map(|corner| corner - point);
                    within ^= crossing(corners) != 0;
                }
            }
        });
        within
    }

    fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|corner| self.vertices[corner as usize].as_dvec3())
    }

    /// Twice the area of a piece.
    fn area(&self, piece: &Piece) -> f64 {
        piece.triangles.iter().fold(0.0, |sum, &triangle| {
            let [a, b, c] = self.corners(triangle);
            sum + (b - a).cross(c - a).length()
        })
    }

    /// Six times the volume of a closed piece, relative to one of its corners.
    fn volume(&self, piece: &Piece, turned: &[bool]) -> f64 {
        let Some(&first) = piece.triangles.first() else { return 0.0 };
        let from = self.corners(first)[0];
        piece.triangles.iter().fold(0.0, |sum, &triangle| {
            let [a, b, c] = self.corners(triangle).map(|corner| corner - from);
            let part = a.dot(b.cross(c));
            if turned[triangle as usize] { sum - part } else { sum + part }
        })
    }
}

/// Turns a whole piece.
fn turn(piece: &mut Piece, turned: &mut [bool]) {
    for &triangle in &piece.triangles {
        turned[triangle as usize] ^= true;
    }
    piece.volume = -piece.volume;
}
