//! tmp
use marchland_benches::{Random, place};
use marchland_controller::{Batch, BodyBuilder, PathChoice, Spawn, TickSettings, Units, Wish};
use marchland_worlds::scene::rolling_height;
use marchland_worlds::terrain::{grid_of, world_from_fn};
fn wish(unit: usize, tick: usize) -> [f32; 2] {
    let leg = tick / 60;
    let mut random = Random::new(((unit as u64) << 20) ^ (leg / 4) as u64);
    let (x, z) = loop {
        let (x, z) = (random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        let length = (x * x + z * z).sqrt();
        if (0.1..=1.0).contains(&length) {
            break ((x / length) as f32 * 5.0, (z / length) as f32 * 5.0);
        }
    };
    match leg % 4 {
        0 => [x, z],
        1 => [-z, x],
        2 => [-x, -z],
        _ => [z, -x],
    }
}
fn main() {
    let arg = |n: usize, d: f64| std::env::args().nth(n).map_or(d, |a| a.parse().unwrap());
    let share = arg(1, 0.8);
    let count = arg(2, 2000.0) as usize;
    let ticks = arg(3, 240.0) as usize;
    let shape = |x: f64, z: f64| rolling_height(10.0 * x, 10.0 * z, 5);
    let n = 513usize;
    let mut s = Vec::new();
    let g: Vec<f64> = (0..n * n).map(|i| shape((i % n) as f64, (i / n) as f64)).collect();
    for r in 0..n - 1 {
        for c in 0..n - 1 {
            let (a, b, cc, e) =
                (g[r * n + c], g[r * n + c + 1], g[(r + 1) * n + c], g[(r + 1) * n + c + 1]);
            let q = |x: f64, z: f64| x * x + z * z;
            let (u, v) = (q(b - a, e - b), q(cc - a, e - cc));
            s.push(u.max(v).sqrt());
        }
    }
    s.sort_by(f64::total_cmp);
    let factor = 50f64.to_radians().tan() / s[((1.0 - share) * s.len() as f64) as usize];
    let grid = grid_of(1.0, 256).unwrap();
    let world = world_from_fn(grid, 2, |x, z| factor * shape(x, z)).unwrap();
    let mut units = Units::new(world.grid().sector_size());
    let body = units
        .add_body(
            BodyBuilder {
                radius: 0.4,
                height: 1.8,
                knee: 0.4,
                step_up: 0.4,
                step_down: 0.3,
                max_slope_degrees: 50.0,
                ..Default::default()
            }
            .build()
            .unwrap(),
        )
        .unwrap();
    let mut random = Random::new(2);
    let mut spawned = 0;
    while spawned < count {
        let (x, z) = (random.between(24.0, 488.0), random.between(24.0, 488.0));
        let at = place(world.view(), x, z, 0.0);
        if world.view().face_normal(at).is_none_or(|n| f64::from(n.y) < 50f64.to_radians().cos()) {
            continue;
        }
        units.spawn(Spawn::standing(at, body)).unwrap();
        spawned += 1;
    }
    let mut batch = Batch::new();
    let settings = TickSettings { path: PathChoice::Full, ..TickSettings::at_rate(60.0) };
    let mut wishes = vec![Wish::STAND; count];
    let mut secs = 0.0;
    for tick in 0..ticks {
        for (u, w) in wishes.iter_mut().enumerate() {
            *w = Wish::STAND.at_velocity(wish(u, tick));
        }
        let t = std::time::Instant::now();
        batch.tick(world.view(), &mut units, &wishes, &settings).unwrap();
        secs += t.elapsed().as_secs_f64();
    }
    println!(
        "{:.0} ns a unit tick  hash {:x}",
        secs * 1e9 / (ticks * count) as f64,
        units.state_hash()
    );
}
