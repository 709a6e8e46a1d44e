//! The extension module `petard._petard`: the part of the engine that Python
//! calls. Users see the package's Python part, beside this folder.

mod board;
mod bulk;
mod command;
mod count;
mod engine;
mod errors;
mod legal;
mod limit;
mod moves;
mod playout;
mod position;
mod signals;
mod solve;

use pyo3::prelude::*;

/// The engine petard, compiled. Use the package ``petard``.
#[pymodule(gil_used = true)]
fn _petard(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    module.add_class::<board::Board>()?;
    module.add_class::<legal::LegalMoves>()?;
    module.add_class::<moves::Move>()?;
    module.add_class::<engine::EngineCore>()?;
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve::check_certificate, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::evaluate_boards, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::evaluate_squares, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::board_squares, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::list_moves, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::network_shape, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::random_playouts, module)?)?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    module.add_function(wrap_pyfunction!(command::data_file, module)?)?;
    module.add("MATE", petard::engine::MATE)?;
    module.add("ELO_RANGE", petard::engine::ELO_RANGE)?;
    Ok(())
}
