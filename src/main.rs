//! The petard binary.

fn main() {}
