//! What the `marchland` binary is made of.
