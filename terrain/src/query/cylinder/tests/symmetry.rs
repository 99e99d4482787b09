//! A scene in a mirror, or turned by a quarter, has its answers in the mirror, or turned.
