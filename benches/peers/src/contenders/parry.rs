//! parry3d: a height field, asked by a vertical ray or by the cell under a point.

use parry3d::math::Vector;
use parry3d::query::{Ray, RayCast};
use parry3d::shape::{HeightField, HeightFieldCellStatus};
use parry3d::utils::Array2;

use super::Contender;
use super::followers::{Followers, RAY_ABOVE, RAY_LONG};
use crate::scene::Ground;

/// The ground with the diagonals that it has.
pub(crate) fn height_field(ground: &Ground) -> HeightField {
    let samples = ground.samples;
    let mut heights = Array2::zeros(samples, samples);
    for (row, column) in every(samples) {
        heights[(row, column)] = ground.sample(column, row);
    }
    let side = 2.0 * ground.half() as f32;
    let mut field = HeightField::new(heights, Vector::new(side, 1.0, side));
    for (row, column) in every(samples - 1) {
        field.set_cell_status(row, column, HeightFieldCellStatus::ZIGZAG_SUBDIVISION);
    }
    field
}

fn every(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |row| (0..count).map(move |column| (row, column)))
}

/// Followers that cast a ray.
pub(crate) fn by_ray(ground: &Ground, starts: &[[f64; 3]]) -> Box<dyn Contender> {
    let field = height_field(ground);
    let height = move |[x, y, z]: [f32; 3]| {
        let top = y + RAY_ABOVE;
        let ray = Ray::new(Vector::new(x, top, z), Vector::NEG_Y);
        field.cast_local_ray(&ray, RAY_LONG, true).map(|along| top - along)
    };
    Box::new(Followers::new("parry 0.31, ray", starts, height))
}

/// Followers that look up the cell and stand on its triangle.
pub(crate) fn by_cell(ground: &Ground, starts: &[[f64; 3]]) -> Box<dyn Contender> {
    let field = height_field(ground);
    let height = move |[x, _, z]: [f32; 3]| {
        let (row, column) = field.cell_at_point(Vector::new(x, 0.0, z))?;
        let (south_west, north_east) = field.triangles_at(row, column);
        // South-west of the diagonal or north-east of it.
        let corner = south_west?.a;
        let triangle = if x - corner.x >= z - corner.z { north_east } else { south_west }?;
        let (a, normal) = (triangle.a, (triangle.b - triangle.a).cross(triangle.c - triangle.a));
        Some(a.y - ((x - a.x) * normal.x + (z - a.z) * normal.z) / normal.y)
    };
    Box::new(Followers::new("parry 0.31, cell and triangle", starts, height))
}
