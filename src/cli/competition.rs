//! `scramble444 wcif`.

use std::time::SystemTime;

use anyhow::ensure;
use clap::Args;
use cube444::scramble::{DistinctStates, Recipe, Scramble, Scrambler};
use cube444_competition::audit::{Derivation, Terms};
use cube444_competition::{
    FillOptions, FillPlan, FilledWcif, MAX_EXTRAS, Replace, ScrambleId, SetCounts, Wcif,
};

use super::config::{EffortConfig, EngineConfig, InvalidArguments};
use super::engine::open_scrambler;
use super::input;
use super::output::{Output, OutputArgs, SECRET};
use super::terminal::{Bar, print_note};
use crate::random::fresh_rng;

/// Make the scrambles of a competition: reads a WCIF or an interchange file, makes the scramble sets that its
/// rounds of 444 and 444bf lack, and prints an interchange file.
///
/// Existing sets and everything else are kept, unless --replace names them. Not from the official WCA scramble
/// program.
#[derive(Args)]
pub(super) struct WcifArgs {
    /// The file with the WCIF, or with {"wcif": …}; - or nothing for standard input.
    #[arg(value_name = "FILE")]
    file: Option<String>,
    #[command(flatten)]
    fill: FillArgs,
}

/// Flags that say what is filled, how, and where the result goes.
#[derive(Args)]
pub(super) struct FillArgs {
    /// Remove all events except 444 and 444bf.
    #[arg(long)]
    only: bool,
    /// Replace existing scramble sets: of the named events and rounds, such as 444-r1 or 444,444bf-r2, or of all. The
    /// result needs a new file.
    #[arg(long, value_name = "ROUNDS", num_args = 0..=1)]
    replace: Option<Option<String>>,
    /// Raise the number of scramble sets of rounds, such as 444-r1=3,444bf-r1=2.
    #[arg(
        long,
        value_name = "COUNTS",
        default_value = "",
        hide_default_value = true
    )]
    sets: SetCounts,
    /// The number of extra scrambles per set, at most 99, in rounds without sets that name none; otherwise two.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_EXTRAS)))]
    extras: Option<u32>,
    #[command(flatten)]
    pub(super) effort: EffortConfig,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

impl FillArgs {
    /// Reads a WCIF, and finds the places for scrambles. Without a `file` that is the value of `--replace`, if
    /// it names no rounds, or standard input. With a derivation and its terms, the plan is that of an audit.
    pub(super) fn plan(
        &self,
        file: Option<&str>,
        audit: Option<(&Derivation, &Terms)>,
    ) -> anyhow::Result<FillPlan> {
        let (replace, file) = match &self.replace {
            None => (Replace::Nothing, file),
            Some(None) => (Replace::All, file),
            Some(Some(rounds)) => match (rounds.parse(), file) {
                (Ok(rounds), file) => (rounds, file),
                // `--replace FILE`
                (Err(_), None) => (Replace::All, Some(&**rounds)),
                (Err(error), Some(_)) => {
                    return Err(InvalidArguments(format!("--replace {rounds}: {error}")).into());
                }
            },
        };
        let options = FillOptions {
            only: self.only,
            replace,
            extras: self.extras,
        };
        let text = input::text(file.unwrap_or(input::STDIN))?;
        let mut wcif = Wcif::from_json(text.as_bytes())?;
        wcif.set_counts(&self.sets)?;
        wcif.notes().for_each(print_note);
        let plan = match audit {
            Some((derivation, terms)) => {
                let plan = FillPlan::audited(wcif, options, derivation)?;
                if plan.changes_terms(terms) {
                    print_note(CHANGED_TERMS);
                }
                plan
            }
            None => FillPlan::new(wcif, options)?,
        };
        plan.notes().for_each(print_note);
        Ok(plan)
    }

    /// Fills the plan with scrambles of the scrambler, and writes the interchange file. Opens the scrambler only if
    /// the plan needs it.
    pub(super) fn write(
        &self,
        plan: FillPlan,
        tables: &EngineConfig,
        terms: Option<Terms>,
        scramble: impl Fn(&Scrambler, ScrambleId) -> anyhow::Result<Scramble>,
    ) -> anyhow::Result<()> {
        let output = self.open(&plan)?;
        let new_sets = plan.new_sets();
        let note = match &new_sets {
            Some(sets) => format!("new sets: {sets}"),
            None => {
                let advice = match plan.is_audited() {
                    true => "",
                    false => "; --sets adds some",
                };
                format!("no scramble sets are missing, so none are made{advice}")
            }
        };
        let scrambler = new_sets.map(|_| open_scrambler(tables)).transpose()?;
        let scrambler = scrambler.map(|it| it.with(self.effort.effort));
        let filled = fill(plan, |id| {
            let scrambler = scrambler.as_ref().expect("it is open if a set is new");
            scramble(scrambler, id)
        })?;
        output.write_document(filled.into_interchange(terms, SystemTime::now()))?;
        print_note(note);
        Ok(())
    }

    /// Opens the output, unless scrambles would be lost.
    fn open(&self, plan: &FillPlan) -> anyhow::Result<Output> {
        let loss = match self.replace {
            _ if self.only => {
                "has scrambles that the result lacks (--only removes those of other events); name another file"
            }
            None => {
                "has scrambles that the input lacks; give it as the input to add to it, with the new rounds in it, or \
                 name another file"
            }
            Some(_) => "has scrambles that the result lacks; name another file",
        };
        let loss = |old: &Wcif| match plan.lacks_scrambles_of(old) {
            true => Some(loss),
            false => plan
                .is_other_than(old)
                .then_some("is of another competition; name another file"),
        };
        self.output.open_unless(SECRET, loss)
    }
}

pub(super) fn fill_wcif(args: &WcifArgs, tables: &EngineConfig) -> anyhow::Result<()> {
    let plan = args.fill.plan(args.file.as_deref(), None)?;
    args.fill.write(plan, tables, None, |scrambler, id| {
        let rng = &mut fresh_rng()?;
        Ok(scrambler.scramble_for(id.event, Recipe::Standard, rng)?)
    })
}

/// Fills a competition with the scrambles that `scramble` makes, and checks that their states are pairwise different
/// and not in the file, except for orientations.
fn fill(
    plan: FillPlan,
    mut scramble: impl FnMut(ScrambleId) -> anyhow::Result<Scramble>,
) -> anyhow::Result<FilledWcif> {
    let mut distinct = DistinctStates::default();
    let (ids, mut scrambles) = (plan.scramble_ids(), Vec::new());
    let bar = Bar::new("scrambling");
    for &id in ids {
        bar.count(scrambles.len() as u64, ids.len() as u64);
        let scramble = scramble(id)?;
        ensure!(distinct.insert(&scramble.state), EQUAL_STATES);
        scrambles.push(scramble);
    }
    let repeats = plan.repeats(scrambles.iter().map(|made| &made.state));
    ensure!(!repeats, EQUAL_STATES);
    let scrambles = scrambles.iter().map(|made| made.sequence.to_string());
    Ok(plan.fill(scrambles.collect()))
}

const CHANGED_TERMS: &str =
    "the member audit is missing, invalid or of another root or salt, and is written anew";

const EQUAL_STATES: &str =
    "two equal states: the random number generator or the derivation is broken";

#[cfg(test)]
mod tests {
    use super::*;
    use cube444::cube::Sequence;
    use serde_json::json;

    #[test]
    fn equal_states_are_an_error() {
        let fill = |turns: &[&str]| {
            let set = json!({"id": 1, "scrambles": ["R U F"], "extraScrambles": []});
            let rounds = json!([{"id": "444-r1", "format": "1", "scrambleSetCount": 1, "scrambleSets": [set]},
                {"id": "444-r2", "format": "1", "scrambleSetCount": 1}]);
            let wcif = json!({"events": [{"id": "444", "rounds": rounds}]});
            let plan = FillPlan::new(
                Wcif::from_json(wcif.to_string()).unwrap(),
                FillOptions::default(),
            );
            let mut turns = turns.iter();
            let scramble = |_| Ok(turns.next().unwrap().parse::<Sequence>()?.into());
            super::fill(plan.unwrap(), scramble).map(drop)
        };
        for (turns, are_distinct) in [
            (["R", "U", "F"], true),
            (["R", "U", "R"], false),
            (["R", "U", "R x y"], false),
            // The state of a set that stays.
            (["R", "U", "R U F"], false),
            (["R U F y", "U", "F"], false),
        ] {
            let result = fill(&turns).map_err(|error| error.to_string());
            let expected = if are_distinct {
                Ok(())
            } else {
                Err(EQUAL_STATES.to_owned())
            };
            assert_eq!(result, expected, "{turns:?}");
        }
    }
}
