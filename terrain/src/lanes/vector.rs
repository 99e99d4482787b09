//! Sixteen numbers as a value: operators, comparisons, and moves between lanes and memory.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

use super::backend::{LANES, Lanes};

/// Sixteen `f32`.
#[derive(Clone, Copy, Debug)]
pub struct F32x16<L: Lanes> {
    of: L::F32,
    lanes: L,
}

/// Sixteen whole numbers of 32 bits. They wrap around.
#[derive(Clone, Copy, Debug)]
pub struct I32x16<L: Lanes> {
    of: L::I32,
    lanes: L,
}

/// A yes or no for each lane.
#[derive(Clone, Copy, Debug)]
pub struct Mask<L: Lanes> {
    of: L::Mask,
    lanes: L,
}

/// 32 consecutive whole numbers, to look up by index.
#[derive(Clone, Copy, Debug)]
pub struct Window<L: Lanes> {
    of: L::Window,
    lanes: L,
}

/// Operators of two values.
macro_rules! operators {
    ($($of:ident: $operator:ident $name:ident = $function:ident;)*) => {
        $(impl<L: Lanes> $operator for $of<L> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self { of: self.lanes.$function(self.of, other.of), ..self }
            }
        })*
    };
}

operators! {
    F32x16: Add add = add;
    F32x16: Sub sub = sub;
    F32x16: Mul mul = mul;
    F32x16: Div div = div;
    I32x16: Add add = add_int;
    I32x16: Sub sub = sub_int;
    I32x16: Mul mul = mul_int;
    I32x16: BitAnd bitand = and;
    I32x16: BitOr bitor = or;
    I32x16: BitXor bitxor = xor;
    Mask: BitAnd bitand = both;
    Mask: BitOr bitor = either;
}

impl<L: Lanes> Not for Mask<L> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self { of: self.lanes.not(self.of), ..self }
    }
}

/// Methods that are an operation of the backend; what follows a semicolon is handed on as it is.
macro_rules! methods {
    ($of:ident: $(
        $doc:literal
        $name:ident($($arg:ident: $arg_of:ident),* $(; $plain:ident: $plain_of:ty)?) -> $to:ident = $function:ident;
    )*) => {
        impl<L: Lanes> $of<L> {
            $(
                #[doc = $doc]
                #[must_use]
                #[inline(always)]
                pub fn $name(self $(, $arg: $arg_of<L>)* $(, $plain: $plain_of)?) -> $to<L> {
                    $to { of: self.lanes.$function(self.of $(, $arg.of)* $(, $plain)?), lanes: self.lanes }
                }
            )*
        }
    };
}

methods! { F32x16:
    "Square roots." sqrt() -> F32x16 = sqrt;
    "The greatest whole numbers not above; of −0 it is −0." floor() -> F32x16 = floor;
    "`self < other`." lt(other: F32x16) -> Mask = lt;
    "`self <= other`." le(other: F32x16) -> Mask = le;
    "`self == other`." equals(other: F32x16) -> Mask = eq;
    "The bits as whole numbers." bits() -> I32x16 = bits;
    "Towards zero; [`i32::MIN`] for a number that does not fit, or is none." truncate() -> I32x16 = truncate;
}

methods! { I32x16:
    "`self == other`." equals(other: I32x16) -> Mask = eq_int;
    "`self > other`." gt(other: I32x16) -> Mask = gt_int;
    "`self <= other`, both without a sign." le_unsigned(other: I32x16) -> Mask = le_unsigned;
    "Lanes of negative numbers." is_negative() -> Mask = negative;
    "The numbers that have these bits." of_bits() -> F32x16 = of_bits;
    "The nearest `f32`." to_f32() -> F32x16 = to_f32;
    "Shifted up by less than 32 bits." up(; bits: u32) -> I32x16 = up;
    "Shifted down by less than 32 bits; zeros follow." down(; bits: u32) -> I32x16 = down;
    "The low bits of the whole number nearest to `self · scale`, computed in `f64`; below 2⁵¹."
    scaled(; scale: &[f64; LANES]) -> I32x16 = scaled;
    "In each lane the sum of all up to it." running_sum() -> I32x16 = running_sum;
}

methods! { Mask:
    "`yes` in these lanes, `no` in the others." select(yes: F32x16, no: F32x16) -> F32x16 = select;
    "`yes` in these lanes, `no` in the others." select_int(yes: I32x16, no: I32x16) -> I32x16 = select_int;
}

methods! { Window:
    "The numbers at places, of which only the five lowest bits count." look_up(at: I32x16) -> I32x16 = look_up;
}

/// What numbers of both kinds share: into registers and out of them. A place in a column must have sixteen
/// entries from there on; else these panic.
macro_rules! memory {
    ($of:ident $one:ty, $splat:ident $load:ident $store:ident) => {
        impl<L: Lanes> $of<L> {
            /// The same number in every lane.
            #[must_use]
            #[inline(always)]
            pub fn splat(lanes: L, value: $one) -> Self {
                Self { of: lanes.$splat(value), lanes }
            }

            /// From memory.
            #[must_use]
            #[inline(always)]
            pub fn load(lanes: L, from: &[$one; LANES]) -> Self {
                Self { of: lanes.$load(from), lanes }
            }

            /// From a place in a column.
            #[must_use]
            #[inline(always)]
            pub fn load_at(lanes: L, column: &[$one], at: usize) -> Self {
                Self::load(lanes, chunk(column, at))
            }

            /// Into memory.
            #[inline(always)]
            pub fn store(self, to: &mut [$one; LANES]) {
                self.lanes.$store(self.of, to);
            }

            /// Into a column, from a place on.
            #[inline(always)]
            pub fn store_at(self, column: &mut [$one], at: usize) {
                self.store(chunk_mut(column, at));
            }

            /// The numbers as an array.
            #[must_use]
            #[inline(always)]
            pub fn array(self) -> [$one; LANES] {
                let mut to = [<$one>::default(); LANES];
                self.store(&mut to);
                to
            }
        }
    };
}

memory! { F32x16 f32, splat load store }
memory! { I32x16 i32, splat_int load_int store_int }

impl<L: Lanes> F32x16<L> {
    /// Magnitudes.
    #[must_use]
    #[inline(always)]
    pub fn abs(self) -> Self {
        (self.bits() & I32x16::splat(self.lanes, i32::MAX)).of_bits()
    }

    /// `self > other`.
    #[must_use]
    #[inline(always)]
    pub fn gt(self, other: Self) -> Mask<L> {
        other.lt(self)
    }

    /// `self >= other`.
    #[must_use]
    #[inline(always)]
    pub fn ge(self, other: Self) -> Mask<L> {
        other.le(self)
    }
}

/// Parts that lie together in memory, of each lane one after another.
macro_rules! zips {
    ($($unzip:ident $zip:ident $parts:literal $first:ident $($part:ident)*;)*) => {
        impl<L: Lanes> I32x16<L> {
            $(
                /// Takes what lies together apart.
                #[must_use]
                #[inline(always)]
                pub fn $unzip(lanes: L, together: &[[i32; LANES]; $parts]) -> [Self; $parts] {
                    let [$first, $($part),*] = lanes.$unzip(together);
                    [Self { of: $first, lanes }, $(Self { of: $part, lanes }),*]
                }

                /// Puts parts together.
                #[must_use]
                #[inline(always)]
                pub fn $zip([$first, $($part),*]: [Self; $parts]) -> [Self; $parts] {
                    let lanes = $first.lanes;
                    let [$first, $($part),*] = lanes.$zip([$first.of, $($part.of),*]);
                    [Self { of: $first, lanes }, $(Self { of: $part, lanes }),*]
                }
            )*
        }
    };
}

zips! {
    unzip2 zip2 2 a b;
    unzip3 zip3 3 a b c;
    unzip4 zip4 4 a b c d;
}

impl<L: Lanes> I32x16<L> {
    /// The numbers of the lanes: 0 to 15.
    #[must_use]
    #[inline(always)]
    pub fn order(lanes: L) -> Self {
        Self::load(lanes, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    }

    /// Lanes of zero.
    #[must_use]
    #[inline(always)]
    pub fn is_zero(self) -> Mask<L> {
        self.equals(Self::splat(self.lanes, 0))
    }

    /// The number in the first lane.
    #[must_use]
    #[inline(always)]
    pub fn first(self) -> i32 {
        self.array()[0]
    }

    /// The same numbers in the lanes of a mask, 0 in the others.
    #[must_use]
    #[inline(always)]
    pub fn only(self, mask: Mask<L>) -> Self {
        mask.select_int(self, Self::splat(self.lanes, 0))
    }

    /// Writes the numbers in the lanes of a mask one after another, from a place in a column on. What follows
    /// them, up to sixteen in all, is arbitrary.
    ///
    /// # Panics
    /// If fewer than sixteen entries follow the place.
    #[inline(always)]
    pub fn pack_at(self, lanes: u16, column: &mut [i32], at: usize) {
        self.lanes.pack(lanes, self.of, chunk_mut(column, at));
    }

    /// The numbers in the lanes of a mask, one after another in the first lanes; arbitrary ones in the others.
    #[must_use]
    #[inline(always)]
    pub fn packed(self, lanes: u16) -> Self {
        let mut to = [0; LANES];
        self.lanes.pack(lanes, self.of, &mut to);
        Self::load(self.lanes, &to)
    }

    /// The numbers of a column from a place on, put one after another into the lanes of a mask; 0 in the
    /// others.
    ///
    /// # Panics
    /// If fewer than sixteen entries follow the place.
    #[must_use]
    #[inline(always)]
    pub fn unpack_at(lanes: L, mask: u16, column: &[i32], at: usize) -> Self {
        Self { of: lanes.unpack(mask, chunk(column, at)), lanes }
    }

    /// The entries of a slice at these places, in the lanes of a mask: 0 in the others, and where there is no
    /// such place.
    #[must_use]
    #[inline(always)]
    pub fn gather(self, from: &[i32], mask: Mask<L>) -> Self {
        Self { of: self.lanes.gather(from, self.of, mask.of), ..self }
    }
}

impl<L: Lanes> Mask<L> {
    /// The lanes of these bits, the first in the lowest.
    #[must_use]
    #[inline(always)]
    pub fn of_bits(lanes: L, bits: u16) -> Self {
        Self { of: lanes.of_mask_bits(bits), lanes }
    }

    /// A bit for each lane, the first in the lowest.
    #[must_use]
    #[inline(always)]
    pub fn bits(self) -> u16 {
        self.lanes.mask_bits(self.of)
    }

    /// Whether there is any lane.
    #[must_use]
    #[inline(always)]
    pub fn any(self) -> bool {
        self.bits() != 0
    }

    /// Whether there are all lanes.
    #[must_use]
    #[inline(always)]
    pub fn all(self) -> bool {
        self.bits() == u16::MAX
    }
}

impl<L: Lanes> Window<L> {
    /// The numbers of a column from a place on.
    ///
    /// # Panics
    /// If fewer than 32 follow the place.
    #[must_use]
    #[inline(always)]
    pub fn load_at(lanes: L, column: &[i32], at: usize) -> Self {
        Self { of: lanes.window(chunk(column, at)), lanes }
    }

    /// The numbers at places of this window and of one that follows it; the six lowest bits count.
    #[must_use]
    #[inline(always)]
    pub fn look_up_64(self, next: Self, at: I32x16<L>) -> I32x16<L> {
        let is_first = (at & I32x16::splat(self.lanes, 2 * LANES as i32)).is_zero();
        is_first.select_int(self.look_up(at), next.look_up(at))
    }
}

#[inline(always)]
fn chunk<T, const N: usize>(column: &[T], at: usize) -> &[T; N] {
    match column[at..].first_chunk() {
        Some(chunk) => chunk,
        None => too_short(at, column.len()),
    }
}

#[inline(always)]
fn chunk_mut<T, const N: usize>(column: &mut [T], at: usize) -> &mut [T; N] {
    let len = column.len();
    match column[at..].first_chunk_mut() {
        Some(chunk) => chunk,
        None => too_short(at, len),
    }
}

#[cold]
#[allow(clippy::panic)]
fn too_short(at: usize, len: usize) -> ! {
    panic!("a register is read or written at {at} of {len} entries")
}
