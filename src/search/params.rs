//! The search parameters in one table, so that they can be read in one place
//! and tuned from outside.

use crate::eval::Tuning;

/// A search parameter, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Param {
    /// Half width of the first aspiration window, in centipawns.
    AspirationWindow,
    /// Least depth with an aspiration window, in plies.
    AspirationDepth,
    /// Reverse futility: centipawns per ply of depth.
    ReverseFutilityMargin,
    /// Reverse futility: centipawns less when improving.
    ReverseFutilityImproving,
    /// Reverse futility: greatest depth, in plies.
    ReverseFutilityDepth,
    /// Razoring: centipawns per ply of depth.
    RazorMargin,
    /// Razoring: greatest depth, in plies.
    RazorDepth,
    /// Null move: least depth, in plies.
    NullDepth,
    /// Null move: reduction, in plies.
    NullReduction,
    /// Null move: depth for one more ply of reduction.
    NullDivisor,
    /// Null move: depth from which a cut-off is verified, in plies.
    NullVerifyDepth,
    /// Internal iterative reduction: least depth, in plies.
    IirDepth,
    /// Futility: base, in centipawns.
    FutilityBase,
    /// Futility: centipawns per ply of depth.
    FutilityMargin,
    /// Futility: centipawns for half of the largest history value.
    FutilityHistory,
    /// Futility: greatest depth, in plies.
    FutilityDepth,
    /// Late-move pruning: moves at depth 0.
    LateMoveBase,
    /// Late-move pruning: moves per depth squared, in hundredths.
    LateMoveSlope,
    /// Late-move pruning: greatest depth, in plies.
    LateMoveDepth,
    /// Pruning by history: threshold per ply of depth.
    HistoryPruneMargin,
    /// Pruning by history: greatest depth, in plies.
    HistoryPruneDepth,
    /// Pruning of moves that lose the piece: greatest depth, in plies.
    ExchangeDepth,
    /// Late-move reduction: constant, in hundredths of a ply.
    ReductionBase,
    /// Late-move reduction: divisor of ln(depth) * ln(moves), in hundredths.
    ReductionDivisor,
    /// Late-move reduction: history worth one ply.
    ReductionHistory,
    /// Late-move reduction, more where the table knows no principal variation,
    /// in hundredths of a ply.
    ReductionNotPv,
    /// Late-move reduction, more in cut nodes, in hundredths of a ply.
    ReductionCutNode,
    /// Late-move reduction, less in the principal variation, in hundredths of a ply.
    ReductionPv,
    /// Late-move reduction, less for urgent moves, in hundredths of a ply.
    ReductionUrgent,
    /// Late-move reduction, more when not improving, in hundredths of a ply.
    ReductionNotImproving,
    /// Singular extension: least depth, in plies.
    SingularDepth,
    /// Singular extension: centipawns per ply of depth, in tenths.
    SingularMargin,
    /// Singular extension: centipawns further below for two plies.
    DoubleMargin,
    /// History bonus: per ply of depth.
    HistoryBonus,
    /// History bonus: maximum.
    HistoryBonusMax,
    /// Weight of the main history, in hundredths; the other two have 100 each.
    MainWeight,
    /// Order of moves: history that a step of urgency is worth.
    RankUrgency,
    /// Order of moves: history that a move loses which loses the piece.
    RankLost,
    /// Quiescence: centipawns that a capture is taken to gain at most.
    DeltaMargin,
    /// Quiescence: the most replies to a slow threat that are all tried.
    QuietReplies,
}

/// A parameter's external name, its default value with a network for Breakthrough's
/// game ([`Tuning::Breakthrough`]), and the range in which tuning may move it.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The parameter.
    pub param: Param,
    /// Its name as an option.
    pub name: &'static str,
    /// The default value.
    pub value: i32,
    /// Name and default of a value of its own for [`Tuning::Small`] and for
    /// [`Tuning::General`].
    pub others: [Option<(&'static str, i32)>; 2],
    /// The least sensible value.
    pub min: i32,
    /// The greatest sensible value.
    pub max: i32,
}

const fn spec(param: Param, name: &'static str, value: i32, min: i32, max: i32) -> Spec {
    Spec {
        param,
        name,
        value,
        others: [None; 2],
        min,
        max,
    }
}

impl Spec {
    /// The same with a value of its own for [`Tuning::Small`].
    const fn small(mut self, name: &'static str, value: i32) -> Self {
        self.others[0] = Some((name, value));
        self
    }

    /// The same with a value of its own for [`Tuning::General`].
    const fn wide(mut self, name: &'static str, value: i32) -> Self {
        self.others[1] = Some((name, value));
        self
    }
}

/// All parameters, in the order of [`Param`].
pub const TABLE: [Spec; 40] = [
    spec(Param::AspirationWindow, "AspirationWindow", 26, 5, 100)
        .small("SmallAspirationWindow", 41),
    spec(Param::AspirationDepth, "AspirationDepth", 4, 2, 8),
    spec(
        Param::ReverseFutilityMargin,
        "ReverseFutilityMargin",
        26,
        20,
        250,
    )
    .wide("WideReverseFutilityMargin", 66),
    spec(
        Param::ReverseFutilityImproving,
        "ReverseFutilityImproving",
        63,
        0,
        200,
    )
    .small("SmallReverseFutilityImproving", 98)
    .wide("WideReverseFutilityImproving", 56),
    spec(
        Param::ReverseFutilityDepth,
        "ReverseFutilityDepth",
        7,
        2,
        12,
    ),
    spec(Param::RazorMargin, "RazorMargin", 336, 80, 1_200).small("SmallRazorMargin", 606),
    spec(Param::RazorDepth, "RazorDepth", 3, 0, 6),
    spec(Param::NullDepth, "NullDepth", 3, 2, 99),
    spec(Param::NullReduction, "NullReduction", 3, 1, 5),
    spec(Param::NullDivisor, "NullDivisor", 4, 2, 8),
    spec(Param::NullVerifyDepth, "NullVerifyDepth", 10, 4, 30),
    spec(Param::IirDepth, "IirDepth", 4, 2, 8),
    spec(Param::FutilityBase, "FutilityBase", 33, 0, 300).small("SmallFutilityBase", 74),
    spec(Param::FutilityMargin, "FutilityMargin", 44, 20, 250).small("SmallFutilityMargin", 71),
    spec(Param::FutilityHistory, "FutilityHistory", 25, -60, 120).small("SmallFutilityHistory", 46),
    spec(Param::FutilityDepth, "FutilityDepth", 6, 2, 12),
    spec(Param::LateMoveBase, "LateMoveBase", 4, 1, 12),
    spec(Param::LateMoveSlope, "LateMoveSlope", 118, 20, 250),
    spec(Param::LateMoveDepth, "LateMoveDepth", 7, 2, 12),
    spec(
        Param::HistoryPruneMargin,
        "HistoryPruneMargin",
        2_511,
        500,
        8_000,
    ),
    spec(Param::HistoryPruneDepth, "HistoryPruneDepth", 4, 1, 8),
    spec(Param::ExchangeDepth, "ExchangeDepth", 6, 1, 12),
    spec(Param::ReductionBase, "ReductionBase", 106, 0, 150)
        .small("SmallReductionBase", 84)
        .wide("WideReductionBase", 97),
    spec(Param::ReductionDivisor, "ReductionDivisor", 72, 50, 300)
        .small("SmallReductionDivisor", 191)
        .wide("WideReductionDivisor", 120),
    spec(
        Param::ReductionHistory,
        "ReductionHistory",
        8_926,
        2_000,
        20_000,
    ),
    spec(Param::ReductionNotPv, "ReductionNotPv", 60, -50, 250).small("SmallReductionNotPv", 43),
    spec(Param::ReductionCutNode, "ReductionCutNode", 32, -50, 300)
        .small("SmallReductionCutNode", 48),
    spec(Param::ReductionPv, "ReductionPv", 74, -50, 300),
    spec(Param::ReductionUrgent, "ReductionUrgent", 45, -50, 300),
    spec(
        Param::ReductionNotImproving,
        "ReductionNotImproving",
        6,
        -50,
        200,
    ),
    spec(Param::SingularDepth, "SingularDepth", 7, 4, 99),
    spec(Param::SingularMargin, "SingularMargin", 20, 5, 60).small("SmallSingularMargin", 35),
    spec(Param::DoubleMargin, "DoubleMargin", 24, 0, 80).small("SmallDoubleMargin", 49),
    spec(Param::HistoryBonus, "HistoryBonus", 223, 30, 400),
    spec(Param::HistoryBonusMax, "HistoryBonusMax", 1_581, 400, 4_000),
    spec(Param::MainWeight, "MainWeight", 159, 0, 400),
    spec(Param::RankUrgency, "RankUrgency", 1_987, 0, 8_000).small("SmallRankUrgency", 1_511),
    spec(Param::RankLost, "RankLost", 13_526, 0, 60_000),
    spec(Param::DeltaMargin, "DeltaMargin", 793, 50, 2_000).small("SmallDeltaMargin", 1_586),
    spec(Param::QuietReplies, "QuietReplies", 8, 0, 64),
];

/// The parameters' values in use, and what is derived from them.
#[derive(Clone, Debug)]
pub struct Params {
    values: [i32; TABLE.len()],
    /// For [`Tuning::Small`] and [`Tuning::General`].
    others: [[Option<i32>; TABLE.len()]; 2],
    /// By depth and move number, in hundredths of a ply.
    reductions: Box<[[i16; 64]; 64]>,
}

impl Default for Params {
    fn default() -> Self {
        let mut params = Self {
            values: TABLE.map(|spec| spec.value),
            others: [0, 1].map(|other| TABLE.map(|spec| Some(spec.others[other]?.1))),
            reductions: Box::new([[0; 64]; 64]),
        };
        params.derive();
        params
    }
}

impl Params {
    /// A parameter's value.
    #[inline]
    #[must_use]
    pub const fn get(&self, param: Param) -> i32 {
        self.values[param as usize]
    }

    /// Sets the parameter with this name, clamped to its range. `false` if
    /// there is none.
    pub fn set(&mut self, name: &str, value: i32) -> bool {
        for spec in &TABLE {
            let (index, value) = (spec.param as usize, value.clamp(spec.min, spec.max));
            let is_named = |other: &Option<(&str, i32)>| other.is_some_and(|(own, _)| own == name);
            if spec.name == name {
                self.values[index] = value;
            } else if let Some(other) = spec.others.iter().position(is_named) {
                self.others[other][index] = Some(value);
            } else {
                continue;
            }
            self.derive();
            return true;
        }
        false
    }

    /// The same for a search with such an evaluation.
    #[must_use]
    pub fn suited(&self, tuning: Tuning) -> Self {
        let mut suited = self.clone();
        let others = match tuning {
            Tuning::Breakthrough => return suited,
            Tuning::Small => self.others[0],
            Tuning::General => self.others[1],
        };
        for (value, other) in suited.values.iter_mut().zip(others) {
            *value = other.unwrap_or(*value);
        }
        suited.derive();
        suited
    }

    /// The late-move reduction, in hundredths of a ply, of the `moves`-th move
    /// at `depth`.
    #[inline]
    #[must_use]
    pub fn reduction(&self, depth: i32, moves: usize) -> i32 {
        i32::from(self.reductions[(depth.max(0) as usize).min(63)][moves.min(63)])
    }

    fn derive(&mut self) {
        let base = f64::from(self.get(Param::ReductionBase));
        let divisor = f64::from(self.get(Param::ReductionDivisor)) / 100.0;
        for (depth, row) in self.reductions.iter_mut().enumerate().skip(1) {
            for (moves, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (moves as f64).ln();
                *reduction = (base + 100.0 * product / divisor) as i16;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_in_range() {
        for (index, spec) in TABLE.iter().enumerate() {
            assert_eq!(spec.param as usize, index, "{}", spec.name);
            let others = spec.others.iter().flatten();
            for (name, value) in others.chain([&(spec.name, spec.value)]) {
                assert!((spec.min..=spec.max).contains(value), "{name}");
                assert!(name.ends_with(spec.name), "{name}");
            }
        }
    }

    #[test]
    fn numbers_are_set_by_name_and_kept_in_range() {
        let mut params = Params::default();
        assert!(params.set("RazorDepth", 99));
        assert_eq!(params.get(Param::RazorDepth), 6);
        assert!(!params.set("NoSuchThing", 1));
    }

    #[test]
    fn each_kind_of_evaluation_has_values_of_its_own() {
        let mut params = Params::default();
        let margin = params.get(Param::ReverseFutilityMargin);
        assert!(params.set("WideReverseFutilityMargin", 200));
        assert!(params.set("WideReductionDivisor", 300));
        assert!(params.set("SmallReverseFutilityImproving", 150));
        let [usual, small, general] = Tuning::ALL.map(|tuning| params.suited(tuning));
        for params in [&params, &usual] {
            assert_eq!(params.get(Param::ReverseFutilityMargin), margin);
        }
        assert_eq!(small.get(Param::ReverseFutilityImproving), 150);
        assert_eq!(general.get(Param::ReverseFutilityMargin), 200);
        assert!(general.reduction(20, 20) < usual.reduction(20, 20));
        let shared = |params: &Params| params.get(Param::RazorDepth);
        assert_eq!(shared(&general), shared(&usual));
    }
}
