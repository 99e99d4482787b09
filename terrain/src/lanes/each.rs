//! Arrays of registers, mapped.

/// An array with an expression of each element of another.
///
/// `array::map` and closures are functions of their own, which are compiled without the instructions of a
/// backend, and stay so if they are long. This is neither.
#[doc(hidden)]
#[macro_export]
macro_rules! each_of_lanes {
    ([$($of:expr),+ $(,)?], |$one:pat_param| $body:expr) => {
        [$({
            let $one = $of;
            $body
        }),+]
    };
}

pub use each_of_lanes as each;
