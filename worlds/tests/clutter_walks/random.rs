//! Numbers at random, the same in every run: xorshift (Marsaglia, 2003).

#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// Another sequence for every pair.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mixed =
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let mut random = Self((mixed ^ (mixed >> 29)).wrapping_mul(0xff51_afd7_ed55_8ccd) | 1);
        // The first numbers of near seeds are near.
        for _ in 0..4 {
            random.fraction();
        }
        random
    }

    /// From 0 to 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.fraction()
    }

    /// Whether something happens that does once in `times`.
    pub(crate) fn once_in(&mut self, times: f64) -> bool {
        self.fraction() * times < 1.0
    }
}
