//! Work on many items, on the threads of the pool; one after the other where there is none.

#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Runs a function for each item; results and errors keep the order of the items.
pub(super) fn in_order<T: Copy + Send + Sync, R: Send, E: Send>(
    of: &[T],
    one: &(dyn Fn(T) -> Result<R, E> + Sync),
) -> Result<Vec<R>, E> {
    #[cfg(feature = "rayon")]
    let of = of.par_iter();
    #[cfg(not(feature = "rayon"))]
    let of = of.iter();
    let results: Vec<Result<R, E>> = of.map(|&item| one(item)).collect();
    results.into_iter().collect()
}

/// Runs a function for each item, until one fails.
pub(super) fn each<T: Send, E: Send>(
    of: Vec<T>,
    one: impl Fn(T) -> Result<(), E> + Send + Sync,
) -> Result<(), E> {
    #[cfg(feature = "rayon")]
    return of.into_par_iter().try_for_each(one);
    #[cfg(not(feature = "rayon"))]
    of.into_iter().try_for_each(one)
}
