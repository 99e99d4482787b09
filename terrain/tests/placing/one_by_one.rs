//! Props that are put one by one: where they stand, and which sectors know them.

use std::sync::atomic::Ordering;

use marchland_terrain::bake::props::{Amount, PropHeight};
use marchland_terrain::bake::spread;
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{PropRecord, SectorCoord, SectorState, SurfaceId};

use crate::{Ground, grid, input, mesh, places, prop, rule};

#[test]
fn a_prop_stands_where_it_was_put_in_the_sector_that_holds_its_origin() {
    let ground = Ground::ramp(4, 3);
    let at = [
        prop(-3.25, 7.5, PropHeight::At(12.125)),
        prop(-20.0, 40.0, PropHeight::AboveGround(-0.5)),
        prop(46.0, -30.0, PropHeight::AboveGround(0.0)),
    ];
    let placements = ground.place(&input(at.to_vec(), Vec::new())).unwrap();
    // Row by row from the north.
    let expected = [
        [46.0, 9.0, -30.0],
        [-3.25, 12.125, 7.5],
        [-20.0, f64::from(ground.height(-20.0, 40.0)) - 0.5, 40.0],
    ];
    assert_eq!(places(&placements), expected);
    for prop in placements.props() {
        assert_eq!((prop.surface, prop.layers, prop.index), (SurfaceId(3), 5, 0));
    }
    assert_eq!(ground.asked.load(Ordering::Relaxed), 2, "a height was given for one of three");
}

#[test]
fn a_scene_stands_on_the_ground_of_its_own_origin_and_keeps_its_shape() {
    let ground = Ground::ramp(4, 3);
    // The scene's origin lies in another sector than its parts.
    let at = [-30.0, 2.0];
    let part = |x, z, metres| prop(x, z, PropHeight::AboveGroundAt { at, metres });
    let parts = vec![part(20.0, -40.0, 1.5), part(-30.0, 2.0, 0.0), part(-14.0, 20.0, -2.0)];
    let under = f64::from(ground.height(-30.0, 2.0));
    let placements = ground.place(&input(parts, Vec::new())).unwrap();
    let heights: Vec<f64> = places(&placements).iter().map(|place| place[1] - under).collect();
    assert_eq!(heights, [1.5, 0.0, -2.0]);
    let far = prop(1.0, 1.0, PropHeight::AboveGroundAt { at: [900.0, 0.0], metres: 0.0 });
    let said = ground.place(&input(vec![far], Vec::new())).unwrap_err().to_string();
    assert!(said.contains("prop at 1, 1: (900, 0)"), "{said}");
}

#[test]
fn origins_lie_on_the_lattice_and_a_place_that_rounds_to_a_border_belongs_beyond_it() {
    let ground = Ground::ramp(4, 3);
    // Less than half a step of 2^-16 m below a border, a third of a metre, and minus zero.
    let at =
        [prop(15.999_999, 1.0 / 3.0, PropHeight::At(0.1)), prop(-0.0, -1e-9, PropHeight::At(-0.0))];
    let placements = ground.place(&input(at.to_vec(), Vec::new())).unwrap();
    let sectors: Vec<_> = placements.props().iter().map(|prop| prop.sector).collect();
    assert_eq!(sectors, [SectorCoord::new(0, 0), SectorCoord::new(1, 0)]);
    for prop in placements.props() {
        for metres in prop.position.to_array() {
            assert_eq!((f64::from(metres) * 65_536.0).fract(), 0.0, "{metres}");
            assert!(metres != 0.0 || metres.is_sign_positive());
        }
    }
    assert_eq!(placements.props()[1].position.x, -16.0);
}

#[test]
fn props_of_a_sector_are_numbered_in_the_order_of_the_input_rules_after_props() {
    let ground = Ground::ramp(4, 3);
    let xs = [5.0, -1.0, 3.0, 40.0, -7.0];
    let props = xs.map(|x| prop(x, 2.0, PropHeight::At(x))).to_vec();
    let rules = vec![rule(Amount::Count(24)), rule(Amount::PerHectare(40.0))];
    let placements = ground.place(&input(props, rules)).unwrap();
    let here: Vec<_> =
        placements.props().iter().filter(|prop| prop.sector == SectorCoord::new(0, 0)).collect();
    let xs: Vec<f32> = here.iter().take(4).map(|prop| prop.position.y).collect();
    assert_eq!(xs, [5.0, -1.0, 3.0, -7.0]);
    for (index, prop) in (0..).zip(&here) {
        assert_eq!(prop.index, index);
    }
    assert!(here.len() > 6, "both rules placed something here");
}

#[test]
fn a_prop_on_a_corner_is_known_to_all_four_sectors_by_equal_records() {
    let ground = Ground::ramp(4, 3);
    // An origin on a corner belongs to the sector east and south of it.
    let placements =
        ground.place(&input(vec![prop(16.0, 16.0, PropHeight::At(2.0))], Vec::new())).unwrap();
    let coords = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, z)| SectorCoord::new(x, z));
    assert_eq!(placements.sectors(), coords);
    for coord in coords {
        assert_eq!(placements.of_sector(coord), placements.props());
    }
    assert_eq!(placements.props()[0].sector, SectorCoord::new(1, 1));
    assert!(placements.of_sector(SectorCoord::new(-1, 0)).is_empty());
}

#[test]
fn a_prop_is_known_to_just_the_sectors_that_its_box_touches() {
    let ground = Ground::ramp(4, 3);
    // Half a metre and a quarter to each side, turned by 45 degrees about Y or not.
    for (x, degrees, sectors) in [
        (15.0, 0.0, vec![(0, 0)]),
        (15.25, 0.0, vec![(0, 0), (1, 0)]),
        (15.1, 0.0, vec![(0, 0)]),
        (15.1, 45.0, vec![(0, 0), (1, 0)]),
        (16.75, 0.0, vec![(0, 0), (1, 0)]),
        (16.8, 0.0, vec![(1, 0)]),
    ] {
        let mut one = prop(x, 1.0, PropHeight::At(0.0));
        one.rotation = Rotation::from_degrees([0.0, degrees, 0.0]);
        let placements = ground.place(&input(vec![one], Vec::new())).unwrap();
        let found: Vec<_> = placements.sectors().iter().map(|c| (c.x, c.z)).collect();
        assert_eq!(found, sectors, "at {x}, turned by {degrees}");
    }
}

#[test]
fn sectors_that_the_world_does_not_have_know_nothing() {
    let ground = Ground::ramp(2, 2);
    // On the corner of four sectors, of which the world has one.
    let one = prop(-16.5, 16.0 - 0.125, PropHeight::At(0.0));
    let placements = ground.place(&input(vec![one], Vec::new())).unwrap();
    let found: Vec<_> = placements.sectors().iter().map(|c| (c.x, c.z)).collect();
    assert_eq!(found, [(-1, 0)]);
}

#[test]
fn a_prop_that_stands_beside_its_origin_is_known_there_and_to_its_owner() {
    let ground = Ground::ramp(4, 3);
    let mut input = input(vec![prop(0.0, 0.0, PropHeight::At(0.0))], Vec::new());
    // All of it lies 30 m east of its origin.
    let vertices = [[30.0, 0.0], [31.0, 0.0], [30.0, 1.0]];
    let vertices = vertices.map(|[x, z]| Vec3::new(x, 0.0, z)).to_vec();
    let source = MeshSource { vertices, triangles: vec![[0, 2, 1]] };
    input.meshes = vec![PreparedMesh::new(&source).unwrap().0];
    let placements = ground.place(&input).unwrap();
    assert_eq!(placements.sectors(), [SectorCoord::new(0, 0), SectorCoord::new(1, 0)]);
}

#[test]
fn a_world_in_memory_holds_in_each_sector_what_was_placed_there() {
    let ground = Ground::ramp(4, 3);
    let mut all =
        input(vec![prop(16.0, 16.0, PropHeight::AboveGround(0.0))], vec![rule(Amount::Count(200))]);
    all.meshes.push(mesh(9.0, 3.0));
    all.scatters[0].kind.mesh = 1;
    let spread = spread(grid(), &ground.files, &all).unwrap();
    assert_eq!(spread.placements, ground.place(&all).unwrap());
    let mut own = 0;
    for coord in ground.coords() {
        let SectorState::Resident(sector) = spread.sectors.view().sector(coord) else { panic!() };
        let props = sector.props();
        let mut found: Vec<PropRecord> = (0..props.len()).map(|at| props.record(at)).collect();
        for record in &mut found {
            // What the sector calls a mesh is its own business; which one it is, is not.
            let width = props.mesh(record).bounds().max.x * 2.0;
            record.mesh = u32::from(width > 5.0);
        }
        found.sort_unstable_by_key(|record| (record.sector.z, record.sector.x, record.index));
        assert_eq!(found, spread.placements.of_sector(coord), "{coord}");
        own += found.iter().filter(|record| record.sector == coord).count();
    }
    assert_eq!(own, 201);
    assert_eq!(spread.placements.uses(2), [1, 200]);
}
