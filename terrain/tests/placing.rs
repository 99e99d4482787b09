//! Where props come to stand: what is placed, where, and which sectors know it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use marchland_terrain::bake::props::{
    Amount, PropHeight, PropInput, PropKind, PropSource, Scatter,
};
use marchland_terrain::bake::{PROP_SECTORS_MAX, PlaceError, Placements, place, spread};
use marchland_terrain::format::{EncodedSector, encode};
use marchland_terrain::glam::Vec3;
use marchland_terrain::math::Rotation;
use marchland_terrain::props::{MeshSource, PreparedMesh};
use marchland_terrain::{
    CellKind, Collision, Grid, LoadedSector, PropRecord, SectorCoord, SectorData, SectorState,
    SurfaceId, SurfaceLayer,
};

/// Sectors of 32 m in cells of 2 m.
fn grid() -> Grid {
    Grid::new(2.0, 32.0, 1.0 / 128.0).unwrap()
}

/// A world in memory that counts how often it is asked.
struct Ground {
    files: Vec<EncodedSector>,
    sectors: BTreeMap<SectorCoord, Arc<LoadedSector>>,
    asked: AtomicUsize,
}

impl Ground {
    /// `columns` × `rows` sectors from (−2, −1) on.
    fn new(columns: i32, rows: i32, make: impl Fn(SectorCoord) -> SectorData) -> Self {
        let coords = (0..rows).flat_map(|z| (0..columns).map(move |x| (x - 2, z - 1)));
        let coords = coords.map(|(x, z)| SectorCoord::new(x, z));
        let files: Vec<_> = coords.map(|coord| encode(coord, &make(coord))).collect();
        let load = |file: &EncodedSector| {
            (file.coord, Arc::new(LoadedSector::new(file.bytes.clone()).unwrap()))
        };
        let sectors = files.iter().map(load).collect();
        Self { files, sectors, asked: AtomicUsize::new(0) }
    }

    /// Rises 0.25 m a metre along X and nothing along Z; flat at 9 m from the world's X of 40 m on.
    fn ramp(columns: i32, rows: i32) -> Self {
        Self::new(columns, rows, |coord| {
            let west = f64::from(coord.x) * 32.0;
            let height = move |x: f64, _: f64| {
                let x = west + x;
                if x < 40.0 { x * 0.25 - 1.0 } else { 9.0 }
            };
            SectorData::from_fn(grid(), height).unwrap()
        })
    }

    fn coords(&self) -> Vec<SectorCoord> {
        self.sectors.keys().copied().collect()
    }

    fn place(&self, input: &PropInput) -> Result<Placements, PlaceError> {
        self.place_from(&self.coords(), input)
    }

    fn place_from(
        &self,
        coords: &[SectorCoord],
        input: &PropInput,
    ) -> Result<Placements, PlaceError> {
        place(grid(), coords, input, &|coord| {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::clone(self.sectors.get(&coord).ok_or("no such sector")?))
        })
    }

    fn height(&self, x: f64, z: f64) -> f32 {
        let coord = owner(x, z);
        let local = |metres: f64, sector: i32| (metres - f64::from(sector) * 32.0) as f32;
        let ground = self.sectors[&coord].view().field();
        match ground.ground(local(x, coord.x), local(z, coord.z)) {
            marchland_terrain::Ground::Height(height) => height,
            other => panic!("{other:?} at {x}, {z}"),
        }
    }
}

fn owner(x: f64, z: f64) -> SectorCoord {
    let sector = |metres: f64| (metres / 32.0 + 0.5).floor() as i32;
    SectorCoord::new(sector(x), sector(z))
}

/// A tetrahedron in a box of these sides, its origin in the middle of the floor.
fn mesh(width: f32, height: f32) -> PreparedMesh {
    let half = width * 0.5;
    let vertices = vec![
        Vec3::new(-half, 0.0, -half),
        Vec3::new(half, 0.0, -half),
        Vec3::new(0.0, 0.0, half),
        Vec3::new(0.0, height, 0.0),
    ];
    let triangles = vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]];
    PreparedMesh::new(&MeshSource { vertices, triangles }).unwrap().0
}

fn kind() -> PropKind {
    PropKind { mesh: 0, surface: SurfaceId(3), collision: Collision::Soup, layers: 5 }
}

fn prop(x: f64, z: f64, height: PropHeight) -> PropSource {
    PropSource {
        kind: kind(),
        name: format!("prop at {x}, {z}"),
        position: [x, z],
        height,
        rotation: Rotation::IDENTITY,
        scale: 1.0,
    }
}

fn rule(amount: Amount) -> Scatter {
    Scatter {
        kind: kind(),
        name: "the rule".into(),
        seed: 11,
        amount,
        slope: [0.0, f64::INFINITY],
        height: [f64::NEG_INFINITY, f64::INFINITY],
        on: Vec::new(),
        area: None,
        sink: 0.0,
        random_yaw: true,
        scale: [0.5, 1.75],
    }
}

fn input(props: Vec<PropSource>, scatters: Vec<Scatter>) -> PropInput {
    PropInput { meshes: vec![mesh(1.5, 2.0)], props, scatters }
}

/// Metres of every prop from the centre of sector (0, 0).
fn places(placements: &Placements) -> Vec<[f64; 3]> {
    let place = |prop: &PropRecord| {
        let [x, y, z] = prop.position.to_array().map(f64::from);
        [f64::from(prop.sector.x) * 32.0 + x, y, f64::from(prop.sector.z) * 32.0 + z]
    };
    placements.props().iter().map(place).collect()
}

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
        least = if scale < least { scale } else { least };
        most = if scale > most { scale } else { most };
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

/// A world whose sector (0, 0) has a hole in its cell (8, 8), at 0 to 2 m, ends within the sector
/// east of it, and has no ground at all in the one west of it.
fn broken() -> Ground {
    Ground::new(5, 3, |coord| {
        let along = grid().cells() as usize + 2;
        let mut kinds = vec![CellKind::Solid; along * along];
        for (index, kind) in kinds.iter_mut().enumerate() {
            let (column, row) = (index % along, index / along);
            *kind = match coord.x {
                -1 => CellKind::Hole,
                0 if (column, row) == (9, 9) => CellKind::Hole,
                1 if column > 5 => CellKind::Outside,
                2 => CellKind::Outside,
                _ => CellKind::Solid,
            };
        }
        SectorData::from_fn(grid(), |_, _| 1.0).unwrap().with_kinds(kinds).unwrap()
    })
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

#[test]
fn a_prop_without_a_place_is_refused_by_name() {
    let ground = broken();
    let refuse = |one: PropSource, says: &[&str]| {
        let said = ground.place(&input(vec![one], Vec::new())).unwrap_err().to_string();
        assert!(says.iter().all(|part| said.contains(part)), "{said}");
    };
    let on_ground = PropHeight::AboveGround(0.0);
    refuse(prop(1.0, 1.0, on_ground), &["prop at 1, 1", "no ground", "a hole"]);
    refuse(prop(30.0, 1.0, on_ground), &["prop at 30, 1", "no ground", "outside the world"]);
    refuse(prop(500.0, 1.0, PropHeight::At(0.0)), &["prop at 500, 1", "sector (16, 0)", "outside"]);
    // Rounding takes it to a border, which is the place of a sector that is not there.
    refuse(prop(80.0 - 1e-6, 1.0, PropHeight::At(0.0)), &["sector (3, 0), outside the world"]);
    refuse(prop(f64::NAN, 1.0, PropHeight::At(0.0)), &["prop at NaN, 1"]);
    refuse(prop(1e300, 1.0, PropHeight::At(0.0)), &["prop at 1000", "beyond"]);
    refuse(prop(5.0, 5.0, PropHeight::At(1e9)), &["prop at 5, 5", "1000000000 m"]);
    refuse(prop(5.0, 5.0, PropHeight::At(f64::NAN)), &["prop at 5, 5", "NaN m"]);
    refuse(prop(5.0, 5.0, PropHeight::AboveGround(1e9)), &["prop at 5, 5"]);
    // What the greatest height is, a sector holds too; the next is refused.
    let most = marchland_terrain::limits::PROP_HEIGHT_MAX;
    for height in [most, -most] {
        let highest = vec![prop(1.0, 1.0, PropHeight::At(height))];
        let placed = ground.place(&input(highest, Vec::new())).unwrap();
        assert_eq!(f64::from(placed.props()[0].position.y), height);
    }
    refuse(prop(5.0, 5.0, PropHeight::At(most.next_up())), &["prop at 5, 5", "134217728"]);
    // A height of one's own needs no ground.
    let over = vec![prop(1.0, 1.0, PropHeight::At(0.0)), prop(30.0, 1.0, PropHeight::At(0.0))];
    assert_eq!(ground.place(&input(over, Vec::new())).unwrap().props().len(), 2);
}

#[test]
fn props_that_reach_too_far_and_meshes_that_are_not_there_are_refused_by_name() {
    let ground = Ground::ramp(3, 3);
    let refuse = |change: &dyn Fn(&mut PropSource), says: &[&str]| {
        let mut one = prop(1.0, 1.0, PropHeight::At(0.0));
        change(&mut one);
        let said = ground.place(&input(vec![one], Vec::new())).unwrap_err().to_string();
        assert!(says.iter().all(|part| said.contains(part)), "{said}");
    };
    assert_eq!(PROP_SECTORS_MAX, 4096);
    refuse(&|one| one.scale = 0.0, &["prop at 1, 1", "scale is 0"]);
    refuse(&|one| one.scale = f32::NAN, &["prop at 1, 1", "scale is NaN"]);
    refuse(&|one| one.kind.mesh = 1, &["prop at 1, 1", "mesh number 1", "there are 1"]);
    let mut wide = input(vec![prop(1.0, 1.0, PropHeight::At(0.0))], Vec::new());
    wide.meshes = vec![mesh(2100.0, 1.0)];
    let said = ground.place(&wide).unwrap_err().to_string();
    assert!(said.contains("4489 sectors of 32 m") && said.contains("prop at 1, 1"), "{said}");
    wide.meshes = vec![mesh(2000.0, 1.0)];
    assert_eq!(ground.place(&wide).unwrap().sectors().len(), 9);
    wide.meshes = vec![mesh(1.0, 40_000.0)];
    wide.props[0].scale = 2.0;
    let said = ground.place(&wide).unwrap_err().to_string();
    assert!(said.contains("prop at 1, 1") && said.contains("reaches 80000"), "{said}");
}

#[test]
fn rules_that_make_no_sense_are_refused_by_name() {
    let ground = Ground::ramp(3, 3);
    let refuse = |change: &dyn Fn(&mut Scatter), says: &str| {
        let mut one = rule(Amount::Count(3));
        change(&mut one);
        let said = ground.place(&input(Vec::new(), vec![one])).unwrap_err().to_string();
        assert!(said.contains("the rule") && said.contains(says), "{said}");
    };
    refuse(&|rule| rule.slope = [0.5, 0.2], "slope from 0.5 to 0.2");
    refuse(&|rule| rule.height = [0.0, f64::NAN], "height from 0 to NaN");
    refuse(&|rule| rule.area = Some([[0.0, 5.0], [1.0, 4.0]]), "area along z from 5 to 4");
    refuse(&|rule| rule.scale = [2.0, 1.0], "scale from 2 to 1");
    refuse(&|rule| rule.scale = [0.0, 1.0], "scale is 0");
    refuse(&|rule| rule.scale = [1.0, 2000.0], "scale is 2000");
    refuse(&|rule| rule.sink = f64::INFINITY, "sink is inf");
    refuse(&|rule| rule.kind.mesh = 7, "mesh number 7");
    refuse(&|rule| rule.amount = Amount::Count(u64::MAX), "more than 16777216 props");
    refuse(&|rule| rule.amount = Amount::PerHectare(-1.0), "density is -1");
    refuse(&|rule| rule.amount = Amount::PerHectare(1e300), "more than 16777216 props");
    refuse(&|rule| rule.amount = Amount::PerHectare(f64::NAN), "density is NaN");
}

#[test]
fn a_sector_that_cannot_be_had_ends_it_by_name() {
    let ground = Ground::ramp(3, 3);
    let mut coords = ground.coords();
    coords.push(SectorCoord::new(9, 9));
    let rules = vec![rule(Amount::PerHectare(1.0))];
    let said = ground.place_from(&coords, &input(Vec::new(), rules)).unwrap_err().to_string();
    assert!(said.contains("sector (9, 9): no such sector"), "{said}");
}
