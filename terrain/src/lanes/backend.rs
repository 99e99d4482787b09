//! What a backend does for kernels.

use super::each::each;

/// How many numbers a kernel works on at a time, on every machine.
pub const LANES: usize = 16;

/// Work that is written once, for any backend.
pub trait Kernel {
    /// The result.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, with every function over `L` that it calls.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// A backend. A value of it exists only where its instructions may run, so every operation takes one.
///
/// Masks have a bit for each lane, the first in the lowest. Comparisons with a NaN are false.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// Sixteen `f32`.
    type F32: Copy;
    /// Sixteen whole numbers of 32 bits.
    type I32: Copy;
    /// Sixteen times yes or no.
    type Mask: Copy;
    /// 32 consecutive whole numbers, to look up by index.
    type Window: Copy;

    /// Runs a kernel, compiled for the instructions of this backend. It stays a function of its own.
    fn call<K: Kernel>(self, kernel: K) -> K::Output;

    /// The same number in every lane.
    fn splat(self, value: f32) -> Self::F32;
    /// From memory.
    fn load(self, from: &[f32; LANES]) -> Self::F32;
    /// Into memory.
    fn store(self, value: Self::F32, to: &mut [f32; LANES]);
    /// Sum.
    fn add(self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// Difference.
    fn sub(self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// Product.
    fn mul(self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// Quotient.
    fn div(self, a: Self::F32, b: Self::F32) -> Self::F32;
    /// Square root.
    fn sqrt(self, a: Self::F32) -> Self::F32;
    /// The greatest whole number not above; of −0 it is −0.
    fn floor(self, a: Self::F32) -> Self::F32;
    /// `a < b`.
    fn lt(self, a: Self::F32, b: Self::F32) -> Self::Mask;
    /// `a <= b`.
    fn le(self, a: Self::F32, b: Self::F32) -> Self::Mask;
    /// `a == b`.
    fn eq(self, a: Self::F32, b: Self::F32) -> Self::Mask;
    /// `yes` in the lanes of a mask, `no` in the others.
    fn select(self, mask: Self::Mask, yes: Self::F32, no: Self::F32) -> Self::F32;
    /// The bits as whole numbers.
    fn bits(self, a: Self::F32) -> Self::I32;
    /// The numbers that have these bits.
    fn of_bits(self, a: Self::I32) -> Self::F32;
    /// Towards zero; [`i32::MIN`] for a number that does not fit, or is none.
    fn truncate(self, a: Self::F32) -> Self::I32;

    /// The same number in every lane.
    fn splat_int(self, value: i32) -> Self::I32;
    /// From memory.
    fn load_int(self, from: &[i32; LANES]) -> Self::I32;
    /// Into memory.
    fn store_int(self, value: Self::I32, to: &mut [i32; LANES]);
    /// Sum; wraps around.
    fn add_int(self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Difference; wraps around.
    fn sub_int(self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// The low bits of the product.
    fn mul_int(self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Bits that both have.
    fn and(self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Bits that either has.
    fn or(self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Bits that one of both has.
    fn xor(self, a: Self::I32, b: Self::I32) -> Self::I32;
    /// Shifted up by less than 32 bits.
    fn up(self, a: Self::I32, bits: u32) -> Self::I32;
    /// Shifted down by less than 32 bits; zeros follow.
    fn down(self, a: Self::I32, bits: u32) -> Self::I32;
    /// `a == b`.
    fn eq_int(self, a: Self::I32, b: Self::I32) -> Self::Mask;
    /// `a > b`.
    fn gt_int(self, a: Self::I32, b: Self::I32) -> Self::Mask;
    /// `a <= b`, both without a sign.
    #[inline(always)]
    fn le_unsigned(self, a: Self::I32, b: Self::I32) -> Self::Mask {
        let sign = self.splat_int(i32::MIN);
        self.not(self.gt_int(self.xor(a, sign), self.xor(b, sign)))
    }
    /// `yes` in the lanes of a mask, `no` in the others.
    fn select_int(self, mask: Self::Mask, yes: Self::I32, no: Self::I32) -> Self::I32;
    /// The nearest `f32`.
    fn to_f32(self, a: Self::I32) -> Self::F32;
    /// The low bits of the whole number nearest to `a · scale`, computed in `f64`; below 2⁵¹.
    fn scaled(self, a: Self::I32, scale: &[f64; LANES]) -> Self::I32;

    /// Lanes of both.
    fn both(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Lanes of either.
    fn either(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// The other lanes.
    fn not(self, a: Self::Mask) -> Self::Mask;
    /// A bit for each lane.
    fn mask_bits(self, a: Self::Mask) -> u16;
    /// The lanes of these bits.
    fn of_mask_bits(self, bits: u16) -> Self::Mask;
    /// Lanes of negative numbers.
    fn negative(self, a: Self::I32) -> Self::Mask;

    /// Loads a window.
    fn window(self, from: &[i32; 2 * LANES]) -> Self::Window;
    /// The numbers at places of a window; only the five lowest bits of a place count.
    fn look_up(self, window: Self::Window, at: Self::I32) -> Self::I32;

    /// Writes the numbers in the lanes of a mask one after another. What follows them is arbitrary.
    #[inline(always)]
    fn pack(self, lanes: u16, a: Self::I32, to: &mut [i32; LANES]) {
        let from = self.array(a);
        let mut next = 0;
        for (lane, value) in from.into_iter().enumerate() {
            to[next] = value;
            next += usize::from(lanes >> lane & 1);
            next = if next < LANES { next } else { LANES - 1 };
        }
    }

    /// The first numbers, put one after another into the lanes of a mask; 0 in the others.
    #[inline(always)]
    fn unpack(self, lanes: u16, from: &[i32; LANES]) -> Self::I32 {
        let mut next = 0;
        let spread = std::array::from_fn(|lane| {
            let is_in = lanes >> lane & 1;
            let value = from[next] & -i32::from(is_in);
            next = (next + usize::from(is_in)) % LANES;
            value
        });
        self.load_int(&spread)
    }

    /// The entries of a slice at places, in the lanes of a mask: 0 in the others, and where there is no such
    /// place.
    #[inline(always)]
    fn gather(self, from: &[i32], at: Self::I32, lanes: Self::Mask) -> Self::I32 {
        let (at, lanes) = (self.array(at), self.mask_bits(lanes));
        self.load_int(&std::array::from_fn(|lane| {
            let is_in = lanes >> lane & 1 == 1;
            from.get(at[lane] as u32 as usize).filter(|_| is_in).copied().unwrap_or(0)
        }))
    }

    /// In each lane the sum of all up to it.
    #[inline(always)]
    fn running_sum(self, a: Self::I32) -> Self::I32 {
        let mut sum = 0_i32;
        self.load_int(&self.array(a).map(|one| {
            sum = sum.wrapping_add(one);
            sum
        }))
    }

    /// Takes sixteen pairs apart: part `p` of lane `l` is number `2 · l + p`.
    #[inline(always)]
    fn unzip2(self, pairs: &[[i32; LANES]; 2]) -> [Self::I32; 2] {
        let [a, b] = apart(pairs);
        each!([a, b], |part| self.load_int(&part))
    }

    /// Takes sixteen triples apart.
    #[inline(always)]
    fn unzip3(self, triples: &[[i32; LANES]; 3]) -> [Self::I32; 3] {
        let [a, b, c] = apart(triples);
        each!([a, b, c], |part| self.load_int(&part))
    }

    /// Takes sixteen rows of four apart.
    #[inline(always)]
    fn unzip4(self, rows: &[[i32; LANES]; 4]) -> [Self::I32; 4] {
        let [a, b, c, d] = apart(rows);
        each!([a, b, c, d], |part| self.load_int(&part))
    }

    /// The reverse of [`unzip2`](Self::unzip2).
    #[inline(always)]
    fn zip2(self, parts: [Self::I32; 2]) -> [Self::I32; 2] {
        let [a, b] = parts;
        let [a, b] = together(each!([a, b], |part| self.array(part)));
        each!([a, b], |some| self.load_int(&some))
    }

    /// The reverse of [`unzip3`](Self::unzip3).
    #[inline(always)]
    fn zip3(self, parts: [Self::I32; 3]) -> [Self::I32; 3] {
        let [a, b, c] = parts;
        let [a, b, c] = together(each!([a, b, c], |part| self.array(part)));
        each!([a, b, c], |some| self.load_int(&some))
    }

    /// The reverse of [`unzip4`](Self::unzip4).
    #[inline(always)]
    fn zip4(self, parts: [Self::I32; 4]) -> [Self::I32; 4] {
        let [a, b, c, d] = parts;
        let [a, b, c, d] = together(each!([a, b, c, d], |part| self.array(part)));
        each!([a, b, c, d], |some| self.load_int(&some))
    }

    /// The numbers as an array.
    #[inline(always)]
    fn array(self, a: Self::I32) -> [i32; LANES] {
        let mut to = [0; LANES];
        self.store_int(a, &mut to);
        to
    }
}

#[inline(always)]
fn apart<const N: usize>(all: &[[i32; LANES]; N]) -> [[i32; LANES]; N] {
    let all = all.as_flattened();
    std::array::from_fn(|part| std::array::from_fn(|lane| all[N * lane + part]))
}

#[inline(always)]
fn together<const N: usize>(parts: [[i32; LANES]; N]) -> [[i32; LANES]; N] {
    std::array::from_fn(|some| {
        std::array::from_fn(|place| parts[(LANES * some + place) % N][(LANES * some + place) / N])
    })
}
