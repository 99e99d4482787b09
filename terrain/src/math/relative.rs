//! Many positions as vectors from another position.

use glam::Vec3;

use super::coords::{Origin, SectorCoord, SectorSize, WorldPos};

/// Writes the vector from `origin` to each position, given as columns, with the bits of
/// [`WorldPos::relative_to`]. Metres. Stops at the end of the shortest slice. For what a renderer draws around
/// a camera.
pub fn relative_to_all(
    sectors: &[SectorCoord],
    locals: &[Vec3],
    origin: WorldPos,
    size: SectorSize,
    out: &mut [Vec3],
) {
    let origin = Origin::new(origin, size);
    for ((sector, local), out) in sectors.iter().zip(locals).zip(out) {
        *out = origin.to(*sector, *local);
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use marchland_random::Random;

    use super::*;

    #[test]
    fn many_positions_seen_from_one_are_seen_by_the_same_bits() {
        let mut random = Random::new(3);
        for log2 in 3..=14 {
            let size = SectorSize::new((1_u32 << log2) as f32).unwrap();
            let mut place = |far: bool| {
                let mut sector = || match random.below(4) {
                    0 if far => random.pick(&[i32::MIN, i32::MAX]),
                    _ => random.below(9) as i32 - 4,
                };
                let sector = SectorCoord::new(sector(), sector());
                let mut local = || random.within(-size.half(), size.half() * 0.999);
                WorldPos::new(sector, Vec3::new(local(), local(), local()), size).unwrap()
            };
            let (near, positions): (_, Vec<_>) =
                (place(false), (0..101).map(|_| place(true)).collect());
            let sectors: Vec<_> = positions.iter().map(|at| at.sector()).collect();
            let locals: Vec<_> = positions.iter().map(|at| at.local()).collect();
            for origin in [near, positions[7]] {
                let mut out = vec![Vec3::NAN; 103];
                relative_to_all(&sectors, &locals, origin, size, &mut out);
                for (position, out) in positions.iter().zip(&out) {
                    assert_eq!(*out, position.relative_to(origin, size));
                    // In integers, as far as they go.
                    let sectors = i64::from(position.sector().x) - i64::from(origin.sector().x);
                    let side = f64::from(size.metres());
                    let locals = f64::from(position.local().x) - f64::from(origin.local().x);
                    assert_eq!(out.x, (sectors as f64 * side + locals) as f32);
                }
                assert!(out[101..].iter().all(|out| out.is_nan()), "beyond the last");
            }
        }
    }

    #[test]
    fn positions_lie_in_memory_without_padding() {
        assert_eq!((offset_of!(SectorCoord, x), offset_of!(SectorCoord, z)), (0, 4));
        let at = WorldPos::new(
            SectorCoord::new(-3, 8),
            Vec3::new(1.0, 2.0, 3.0),
            SectorSize::new(16.0).unwrap(),
        );
        let words: [u32; 5] = bytemuck::cast(at.unwrap());
        let [x, y, z] = [1.0_f32, 2.0, 3.0].map(f32::to_bits);
        assert_eq!(words, [-3_i32 as u32, 8, x, y, z]);
        assert_eq!(align_of::<WorldPos>(), 4);
    }
}
