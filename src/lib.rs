#![doc = include_str!("../README.md")]

pub mod base;
pub mod game;
