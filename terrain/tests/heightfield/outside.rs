//! Places outside of a sector, and sectors of another grid.

use std::sync::Arc;

use marchland_terrain::error::SectorError;
use marchland_terrain::format::encode;
use marchland_terrain::glam::Vec3;
use marchland_terrain::kernel::CellPlace;
use marchland_terrain::{Grid, Ground, LoadedSector, SectorCoord, SectorData, WorldPos};

use crate::{WORLDS, field, rough, solid, some_holes, world};

#[test]
fn a_point_beyond_the_closed_square_or_that_is_no_number_is_outside_and_has_nothing() {
    for (cell, size, quantum, relief) in WORLDS {
        let grid = Grid::new(cell, size, quantum).unwrap();
        let sectors = world(grid, rough(relief, 71), some_holes);
        let field = field(&sectors, 0, -1);
        let half = grid.sector_size().half();
        let inside = [-half, half, 0.0, -0.0, half.next_down(), f32::MIN_POSITIVE];
        let outside = [
            half.next_up(),
            -half.next_up(),
            3.0 * half,
            -1e30,
            f32::MAX,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
        ];
        for near in inside {
            for far in outside {
                for (x, z) in [(near, far), (far, near), (far, far)] {
                    let place = (x, z, cell);
                    assert_eq!(field.ground(x, z), Ground::Outside, "{place:?}");
                    assert_eq!(field.face_normal(x, z), None, "{place:?}");
                    assert_eq!(field.smooth_normal(x, z), None, "{place:?}");
                    assert_eq!(field.slope(x, z), None, "{place:?}");
                    assert_eq!(field.surface(x, z), None, "{place:?}");
                    assert!(!field.is_hole(x, z), "{place:?}");
                    let mut grounds = [Ground::Hole];
                    field.grounds(&[x], &[z], &mut grounds);
                    assert_eq!(grounds, [Ground::Outside], "{place:?}");
                    let mut slopes = [Some(1.0)];
                    field.slopes(&[x], &[z], &mut slopes);
                    assert_eq!(slopes, [None], "{place:?}");
                }
            }
            // The border itself belongs to both sides.
            for other in inside {
                let ground = field.ground(near, other);
                assert_ne!(ground, Ground::Outside);
                assert_eq!(field.ground_at(field.place(near, other)), ground);
            }
        }
    }
}

#[test]
fn a_place_beyond_the_square_says_by_how_much() {
    let grid = Grid::new(2.0, 16.0, 1.0 / 64.0).unwrap();
    let sectors = world(grid, rough(100, 5), solid);
    let field = field(&sectors, 0, 0);
    let CellPlace { column, row, u, v } = field.place(8.0 + 3.0, -8.0 - 5.0);
    assert_eq!((column, row, u, v), (7, 0, 2.5, -2.5));
    let CellPlace { column, row, u, v } = field.place(f32::NAN, 8.0);
    assert_eq!((column, row, v), (0, 7, 1.0));
    assert!(u.is_nan());
}

#[test]
fn a_position_made_for_larger_sectors_is_outside_where_it_leaves_the_square() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let sectors = world(grid, rough(100, 5), solid);
    let view = sectors.view();
    let larger = Grid::new(1.0, 64.0, 1.0 / 256.0).unwrap().sector_size();
    let at =
        |x: f32| WorldPos::new(SectorCoord::new(0, 0), Vec3::new(x, 0.0, 1.0), larger).unwrap();
    assert!(matches!(view.ground(at(3.5)), Ground::Height(_)));
    let mut out = [Ground::Hole; 2];
    view.grounds(&[at(3.5), at(20.0)], &mut out);
    assert_eq!(out, [view.ground(at(3.5)), Ground::Outside]);
    assert_eq!((view.ground(at(20.0)), view.slope(at(20.0))), (Ground::Outside, None));
}

#[test]
fn a_sector_on_another_grid_is_refused_and_nothing_changes() {
    let grid = Grid::new(1.0, 8.0, 1.0 / 256.0).unwrap();
    let mut sectors = world(grid, rough(100, 5), solid);
    let (before, revision) = (sectors.resident().to_vec(), sectors.view().revision());
    let place = SectorCoord::new(1, 0);
    for (cell, size, quantum) in
        [(2.0, 16.0, 1.0 / 256.0), (0.5, 8.0, 1.0 / 256.0), (1.0, 8.0, 0.5)]
    {
        let other = Grid::new(cell, size, quantum).unwrap();
        let flat = SectorData::from_fn(other, |_, _| 0.0).unwrap();
        let sector = Arc::new(LoadedSector::new(encode(place, &flat).bytes).unwrap());
        for at in [place, SectorCoord::new(0, 0)] {
            let refused = sectors.insert(at, Arc::clone(&sector));
            assert_eq!(refused, Err(SectorError::OtherGrid { found: other, expected: grid }));
        }
    }
    assert_eq!((sectors.resident(), sectors.view().revision()), (&before[..], revision));
}
