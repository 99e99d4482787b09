//! How a mutex is locked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex holds, even if a thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
