//! The search parameters in one table, so that they can be read in one place
//! and tuned from outside.

use crate::eval::Tuning;

/// A row of the table: a parameter, or its own value for one kind of evaluation.
#[derive(Debug)]
pub(crate) struct Spec {
    /// Its name as an option: the field's, after `small_` or `wide_` if the value
    /// is that of one kind of evaluation.
    pub(crate) name: &'static str,
    pub(crate) default: i32,
    pub(crate) min: i32,
    pub(crate) max: i32,
    /// The kind whose own value it is.
    pub(crate) tuning: Option<Tuning>,
    /// The kinds that it sets, in the order of [`Tuning::ALL`].
    sets: [bool; Tuning::ALL.len()],
    get: fn(&Params) -> i32,
    field: fn(&mut Params) -> &mut i32,
}

/// Defines the parameters, each in one row: `name = default, range`, and where they
/// are different the defaults on small boards and for wide margins ([`Tuning`]).
macro_rules! params {
    ($(
        $(#[$doc:meta])+
        $field:ident = $default:literal, $min:literal..=$max:literal
        $(, small = $small:literal)? $(, wide = $wide:literal)?;
    )+) => {
        /// The parameters' values, and what is derived from them.
        #[derive(Clone, Debug)]
        pub(crate) struct Params {
            $($(#[$doc])+ pub $field: i32,)+
            /// By depth and move number, in hundredths of a ply.
            reductions: Box<[[i16; 64]; 64]>,
        }

        impl Params {
            fn zero() -> Self {
                Self {
                    $($field: 0,)+
                    reductions: Box::new([[0; 64]; 64]),
                }
            }
        }

        /// All parameters, each followed by its values for one kind of evaluation.
        pub(crate) const PARAMETERS: &[Spec] = &[$(
            Spec {
                name: stringify!($field),
                default: $default,
                min: $min,
                max: $max,
                tuning: None,
                sets: [true, is_empty(&[$($small)?]), is_empty(&[$($wide)?])],
                get: |params| params.$field,
                field: |params| &mut params.$field,
            },
            $(Spec {
                name: concat!("small_", stringify!($field)),
                default: $small,
                min: $min,
                max: $max,
                tuning: Some(Tuning::Small),
                sets: [false, true, false],
                get: |params| params.$field,
                field: |params| &mut params.$field,
            },)?
            $(Spec {
                name: concat!("wide_", stringify!($field)),
                default: $wide,
                min: $min,
                max: $max,
                tuning: Some(Tuning::Wide),
                sets: [false, false, true],
                get: |params| params.$field,
                field: |params| &mut params.$field,
            },)?
        )+];
    };
}

const fn is_empty(own: &[i32]) -> bool {
    own.is_empty()
}

params! {
    /// Half width of the first aspiration window, in centipawns.
    aspiration_window = 29, 5..=100, small = 41;
    /// Least depth with an aspiration window, in plies.
    aspiration_depth = 4, 2..=8;
    /// Reverse futility: centipawns per ply of depth.
    reverse_futility_margin = 24, 20..=250, wide = 66;
    /// Reverse futility: centipawns less when improving.
    reverse_futility_improving = 63, 0..=200, small = 98, wide = 56;
    /// Reverse futility: greatest depth, in plies.
    reverse_futility_depth = 7, 2..=12;
    /// Razoring: centipawns per ply of depth.
    razor_margin = 248, 80..=1_200, small = 606;
    /// Razoring: greatest depth, in plies.
    razor_depth = 3, 0..=6;
    /// Null move: least depth, in plies.
    null_depth = 3, 2..=99;
    /// Null move: reduction, in plies.
    null_reduction = 3, 1..=5;
    /// Null move: depth for one more ply of reduction.
    null_divisor = 4, 2..=8;
    /// Null move: depth from which a cut-off is verified, in plies.
    null_verify_depth = 10, 4..=30;
    /// Internal iterative reduction: least depth, in plies.
    iir_depth = 4, 2..=8;
    /// Futility: base, in centipawns.
    futility_base = 17, 0..=300, small = 74;
    /// Futility: centipawns per ply of depth.
    futility_margin = 53, 20..=250, small = 71;
    /// Futility: centipawns for half of the largest history value.
    futility_history = 33, -60..=120, small = 46;
    /// Futility: greatest depth, in plies.
    futility_depth = 6, 2..=12;
    /// Late-move pruning: moves at depth 0.
    late_move_base = 4, 1..=12;
    /// Late-move pruning: moves per depth squared, in hundredths.
    late_move_slope = 114, 20..=250;
    /// Late-move pruning: greatest depth, in plies.
    late_move_depth = 7, 2..=12;
    /// Pruning by history: threshold per ply of depth.
    history_prune_margin = 2_811, 500..=8_000;
    /// Pruning by history: greatest depth, in plies.
    history_prune_depth = 4, 1..=8;
    /// Pruning of moves that lose the piece: greatest depth, in plies.
    exchange_depth = 6, 1..=12;
    /// Late-move reduction: constant, in hundredths of a ply.
    reduction_base = 99, 0..=150, small = 84, wide = 97;
    /// Late-move reduction: divisor of ln(depth) * ln(moves), in hundredths.
    reduction_divisor = 89, 50..=300, small = 191, wide = 120;
    /// Late-move reduction: history worth one ply.
    reduction_history = 9_126, 2_000..=20_000;
    /// Late-move reduction, more where the table knows no principal variation,
    /// in hundredths of a ply.
    reduction_not_pv = 51, -50..=250, small = 43;
    /// Late-move reduction, more in cut nodes, in hundredths of a ply.
    reduction_cut_node = 31, -50..=300, small = 48;
    /// Late-move reduction, less in the principal variation, in hundredths of a ply.
    reduction_pv = 62, -50..=300;
    /// Late-move reduction, less for urgent moves, in hundredths of a ply.
    reduction_urgent = 56, -50..=300;
    /// Late-move reduction, more when not improving, in hundredths of a ply.
    reduction_not_improving = 10, -50..=200;
    /// Singular extension: least depth, in plies.
    singular_depth = 7, 4..=99;
    /// Singular extension: centipawns per ply of depth, in tenths.
    singular_margin = 22, 5..=60, small = 35;
    /// Singular extension: centipawns further below for two plies.
    double_margin = 23, 0..=80, small = 49;
    /// History bonus: per ply of depth.
    history_bonus = 229, 30..=400;
    /// History bonus: maximum.
    history_bonus_max = 1_527, 400..=4_000;
    /// Weight of the main history, in hundredths; the other two have 100 each.
    main_weight = 145, 0..=400;
    /// Order of moves: history that a step of urgency is worth.
    rank_urgency = 1_661, 0..=8_000, small = 1_511;
    /// Order of moves: history that a move loses which loses the piece.
    rank_lost = 13_360, 0..=60_000;
    /// Quiescence: centipawns that a capture is taken to gain at most.
    delta_margin = 986, 50..=2_000, small = 1_586;
    /// Quiescence: the most replies to a slow threat that are all tried.
    quiet_replies = 7, 0..=64;
}

impl Params {
    /// The late-move reduction, in hundredths of a ply, of the `moves`-th move
    /// at `depth`.
    #[inline]
    pub(crate) fn reduction(&self, depth: i32, moves: usize) -> i32 {
        i32::from(self.reductions[(depth.max(0) as usize).min(63)][moves.min(63)])
    }

    fn derive(&mut self) {
        let base = f64::from(self.reduction_base);
        let divisor = f64::from(self.reduction_divisor) / 100.0;
        for (depth, row) in self.reductions.iter_mut().enumerate().skip(1) {
            for (moves, reduction) in row.iter_mut().enumerate().skip(1) {
                let product = (depth as f64).ln() * (moves as f64).ln();
                *reduction = (base + 100.0 * product / divisor) as i16;
            }
        }
    }
}

/// The parameters for every kind of evaluation.
#[derive(Clone, Debug)]
pub(crate) struct ParamSets([Params; Tuning::ALL.len()]);

impl Default for ParamSets {
    fn default() -> Self {
        let mut sets = Self(Tuning::ALL.map(|_| Params::zero()));
        for spec in PARAMETERS {
            sets.assign(spec, spec.default);
        }
        sets.0.iter_mut().for_each(Params::derive);
        sets
    }
}

impl ParamSets {
    /// The parameters for this kind of evaluation.
    pub(crate) const fn for_tuning(&self, tuning: Tuning) -> &Params {
        &self.0[tuning as usize]
    }

    /// The value that a row of the table now has.
    pub(crate) fn value(&self, spec: &Spec) -> i32 {
        (spec.get)(self.for_tuning(spec.tuning.unwrap_or(Tuning::Standard)))
    }

    /// Sets the parameter with this name, clamped to its range. `false` if
    /// there is none.
    pub(crate) fn set(&mut self, name: &str, value: i32) -> bool {
        let Some(spec) = PARAMETERS.iter().find(|spec| spec.name == name) else {
            return false;
        };
        self.assign(spec, value.clamp(spec.min, spec.max));
        self.0.iter_mut().for_each(Params::derive);
        true
    }

    fn assign(&mut self, spec: &Spec, value: i32) {
        for (params, _) in self.0.iter_mut().zip(spec.sets).filter(|&(_, sets)| sets) {
            *(spec.field)(params) = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_in_range() {
        for spec in PARAMETERS {
            assert!(
                (spec.min..=spec.max).contains(&spec.default),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn numbers_are_set_by_name_and_kept_in_range() {
        let mut params = ParamSets::default();
        assert!(params.set("razor_depth", 99));
        assert!(
            Tuning::ALL
                .iter()
                .all(|&tuning| params.for_tuning(tuning).razor_depth == 6)
        );
        assert!(!params.set("no_such_thing", 1));
        for spec in PARAMETERS {
            assert!(params.set(spec.name, spec.max));
            assert_eq!(params.value(spec), spec.max, "{}", spec.name);
        }
    }

    #[test]
    fn each_kind_of_evaluation_has_values_of_its_own() {
        let mut params = ParamSets::default();
        assert!(params.set("wide_reverse_futility_margin", 200));
        assert!(params.set("wide_reduction_divisor", 300));
        assert!(params.set("small_reverse_futility_improving", 150));
        assert!(params.set("reverse_futility_margin", 100));
        let [standard, small, wide] = Tuning::ALL.map(|tuning| params.for_tuning(tuning));
        let margins = [standard, small, wide].map(|params| params.reverse_futility_margin);
        assert_eq!(margins, [100, 100, 200]);
        assert_eq!(small.reverse_futility_improving, 150);
        assert!(wide.reduction(20, 20) < standard.reduction(20, 20));
    }
}
