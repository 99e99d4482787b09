//! Props that rules scatter: how many, on which ground, and the same ones every time.

use marchland_terrain::bake::props::{Amount, PropHeight};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::{Rotation, greater, lesser};
use marchland_terrain::{SectorData, SurfaceId, SurfaceLayer};

use crate::{Ground, broken, grid, input, places, prop, rule};

#[test]
fn scattering_is_the_same_for_any_number_of_threads_and_any_order_of_sectors() {
    let ground = Ground::ramp(7, 5);
    let mut steep = rule(Amount::Count(1234));
    steep.slope = [0.2, 0.3];
    let input = input(
        vec![prop(1.0, 1.0, PropHeight::AboveGround(0.0))],
        vec![steep, rule(Amount::PerHectare(120.0))],
    );
    let calm = ground.place(&input).unwrap();
    assert!(calm.props().len() > 1500, "{}", calm.props().len());
    let mut coords = ground.coords();
    coords.reverse();
    coords.swap(3, 20);
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again = pool.install(|| ground.place_from(&coords, &input)).unwrap();
        assert!(again == calm, "{threads} threads");
    }
}

#[test]
fn a_count_is_met_exactly_and_spread_by_ground_that_suits() {
    let ground = Ground::ramp(7, 5);
    for count in [0, 1, 34, 1000, 4321] {
        let mut only_flat = rule(Amount::Count(count));
        only_flat.slope = [0.0, 0.1];
        let placements = ground.place(&input(Vec::new(), vec![only_flat])).unwrap();
        assert_eq!(placements.props().len() as u64, count);
        let [report] = placements.rules() else { panic!("one rule") };
        assert_eq!((report.asked, report.placed), (Some(count), count));
        assert!(places(&placements).iter().all(|&[x, ..]| x >= 40.0));
    }
    // All ground suits: 35 equal sectors get 4321 / 35 each, rounded up or down.
    let placements = ground.place(&input(Vec::new(), vec![rule(Amount::Count(4321))])).unwrap();
    for coord in ground.coords() {
        let here = placements.props().iter().filter(|prop| prop.sector == coord).count();
        assert!((123..=124).contains(&here), "{here} in {coord}");
    }
}

#[test]
fn ground_too_rare_for_the_pattern_is_found_and_a_shortfall_is_told() {
    let ground = Ground::ramp(3, 3);
    // 5 mm of height are 2 cm of a slope that is 96 m long.
    let mut rare = rule(Amount::Count(9));
    rare.height = [1.0, 1.005];
    let placements = ground.place(&input(Vec::new(), vec![rare.clone()])).unwrap();
    let placed = placements.rules()[0].placed;
    assert!(placed >= 3, "{placed} of 9");
    assert!(places(&placements).iter().all(|&[x, ..]| (8.0..=8.02).contains(&x)));
    rare.height = [500.0, 600.0];
    let placements = ground.place(&input(Vec::new(), vec![rare])).unwrap();
    let [report] = placements.rules() else { panic!("one rule") };
    assert_eq!((report.asked, report.placed), (Some(9), 0));
}

#[test]
fn a_density_holds_on_ground_that_suits_and_places_nothing_elsewhere() {
    // 16 x 10 sectors of 32 m: the ground is flat from x = 40 m to the world's end at 432 m.
    let ground = Ground::ramp(16, 10);
    let mut flat = rule(Amount::PerHectare(250.0));
    flat.slope = [0.0, 0.1];
    let placements = ground.place(&input(Vec::new(), vec![flat])).unwrap();
    let expected = (432.0 - 40.0) * 320.0 / 10_000.0 * 250.0;
    let found = placements.props().len() as f64;
    assert!((found - expected).abs() < 0.05 * expected, "{found}, expected {expected}");
    assert!(places(&placements).iter().all(|&[x, ..]| x >= 40.0));
    // Less than one to a sector still comes to as many as it should: 6.4 on 160 sectors of 0.1 ha.
    let few = |seed| {
        let mut few = rule(Amount::PerHectare(0.390_625));
        few.seed = seed;
        ground.place(&input(Vec::new(), vec![few])).unwrap().props().len()
    };
    let all: usize = (0..50).map(few).sum();
    assert!((250..=390).contains(&all), "{all} in 50 worlds, expected 320");
}

#[test]
fn heights_slopes_surfaces_and_areas_are_respected() {
    let grid = grid();
    let ground = Ground::new(5, 4, |coord| {
        let wave = |metres: f64| (metres.rem_euclid(11.0) - 5.5).abs();
        let height = |x: f64, z: f64| 1.0 + wave(x) * 0.4 + wave(z * 0.7) * x * 0.02;
        let ids =
            (0..grid.cells().pow(2)).map(|i| (i % 16 / 4).wrapping_add(coord.x as u32) as u8 & 3);
        let surfaces = SurfaceLayer::PerCell(ids.collect());
        SectorData::from_fn(grid, height).unwrap().with_surfaces(surfaces).unwrap()
    });
    let mut picky = rule(Amount::Count(700));
    picky.height = [2.0, 4.5];
    picky.slope = [0.1, 0.4];
    picky.on = vec![SurfaceId(1), SurfaceId(3)];
    // Its borders cut cells and sectors, and part of it is outside the world.
    picky.area = Some([[-300.0, -21.3], [17.7, 63.1]]);
    picky.sink = 0.75;
    picky.scale = [0.8, 0.8];
    let mut dense = picky.clone();
    dense.amount = Amount::PerHectare(4000.0);
    let placements = ground.place(&input(Vec::new(), vec![picky, dense])).unwrap();
    assert_eq!(placements.rules()[0].placed, 700);
    assert!(placements.rules()[1].placed > 200, "{:?}", placements.rules());
    for (prop, [x, y, z]) in placements.props().iter().zip(places(&placements)) {
        assert!((-80.0..17.7).contains(&x) && (-21.3..63.1).contains(&z), "{x}, {z}");
        let field = ground.sectors[&prop.sector].view().field();
        let (local_x, local_z) = (prop.position.x, prop.position.z);
        let height = f64::from(ground.height(x, z));
        assert!((y - (height - 0.75)).abs() <= 1.0 / 65_536.0, "{y} on {height}");
        assert!((2.0..=4.5).contains(&height), "{height}");
        let slope = f64::from(field.slope(local_x, local_z).unwrap());
        assert!((0.1..=0.4).contains(&slope), "{slope}");
        assert!([1, 3].contains(&field.surface(local_x, local_z).unwrap().0));
        assert_eq!(prop.placement.scale(), 0.8);
    }
}

#[test]
fn turns_and_scales_fill_their_ranges() {
    let ground = Ground::ramp(4, 3);
    let placements = ground.place(&input(Vec::new(), vec![rule(Amount::Count(2000))])).unwrap();
    let mut eighths = [0; 8];
    let (mut least, mut most) = (f32::INFINITY, 0.0_f32);
    for prop in placements.props() {
        let x = prop.placement.rotation().apply(Vec3::X);
        assert!(x.y == 0.0, "turned about Y alone: {x}");
        let eighth = [x.x > 0.0, x.z > 0.0, x.x.abs() > x.z.abs()];
        eighths[eighth.into_iter().fold(0, |sum, bit| sum * 2 + usize::from(bit))] += 1;
        let scale = prop.placement.scale();
        least = lesser(scale, least);
        most = greater(scale, most);
    }
    assert!(eighths.iter().all(|&count| (190..310).contains(&count)), "{eighths:?}");
    assert!((0.5..0.51).contains(&least) && (1.74..=1.75).contains(&most), "{least} to {most}");
    let mut straight = rule(Amount::Count(9));
    straight.random_yaw = false;
    let placements = ground.place(&input(Vec::new(), vec![straight])).unwrap();
    assert!(placements.props().iter().all(|p| p.placement.rotation() == Rotation::IDENTITY));
}

#[test]
fn an_area_between_two_steps_of_the_lattice_holds_nothing() {
    let ground = Ground::ramp(4, 3);
    // Less than 2^-16 m wide, around no multiple of it; and one below a border, which is the place
    // of the next sector.
    for area in [[[0.333_33, -40.0], [0.333_335, 40.0]], [[15.999_995, -8.0], [16.0, 8.0]]] {
        let mut thin = rule(Amount::Count(5));
        thin.area = Some(area);
        let placements = ground.place(&input(Vec::new(), vec![thin])).unwrap();
        assert_eq!(placements.rules()[0].placed, 0, "{area:?}");
    }
}

#[test]
fn rules_with_equal_seeds_do_not_place_on_each_other() {
    let ground = Ground::ramp(4, 3);
    let rules = vec![rule(Amount::Count(50)), rule(Amount::Count(50))];
    let placements = ground.place(&input(Vec::new(), rules)).unwrap();
    let mut places: Vec<_> = places(&placements).iter().map(|p| p.map(f64::to_bits)).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 100);
}

#[test]
fn what_a_sector_gets_by_density_does_not_hang_on_the_rest_of_the_world() {
    let (small, large) = (Ground::ramp(4, 3), Ground::ramp(7, 5));
    let input = input(Vec::new(), vec![rule(Amount::PerHectare(77.0))]);
    let (few, many) = (small.place(&input).unwrap(), large.place(&input).unwrap());
    assert!(few.props().len() > 50);
    assert!(few.props().iter().all(|prop| many.props().contains(prop)));
}

#[test]
fn nothing_is_scattered_over_holes_or_outside_the_world() {
    let ground = broken();
    let rules = vec![rule(Amount::Count(3000)), rule(Amount::PerHectare(4000.0))];
    let placements = ground.place(&input(Vec::new(), rules)).unwrap();
    assert_eq!(placements.rules()[0].placed, 3000);
    for [x, _, z] in places(&placements) {
        assert!((-80.0..-48.0).contains(&x) || (-16.0..26.0).contains(&x), "{x}");
        assert!(!((0.0..2.0).contains(&x) && (z + 32.0).rem_euclid(32.0) < 2.0), "{x}, {z}");
    }
}
