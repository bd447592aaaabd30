//! Searches.

use std::sync::Arc;
use std::time::Instant;

use cube444::Effort;
use cube444::scramble::{Engine, Recipe, Scramble};
use cube444::search::Limits;

use super::client::Client;
use super::times::JobKind;
use super::turns::Lane;
use crate::http::metrics::Metrics;
use crate::random::fresh_rng;

/// What the searches of a request have in common.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) client: Client,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) effort: Effort,
    /// The kind of scrambles. Does not apply to solutions.
    pub(crate) recipe: Recipe,
    pub(crate) lane: Lane,
    /// When the request began.
    pub(crate) began: Instant,
    pub(crate) limits: Limits,
}

impl Job {
    /// A job of small requests, for standard scrambles or solutions.
    pub(crate) fn new(client: Client, engine: Arc<dyn Engine>, effort: Effort) -> Job {
        Job {
            client,
            engine,
            effort,
            recipe: Recipe::Standard,
            lane: Lane::Small,
            began: Instant::now(),
            limits: Limits::default(),
        }
    }

    pub(super) fn kind(&self) -> JobKind {
        let is_standard = self.recipe == Recipe::Standard;
        (self.engine.method(), self.effort, is_standard)
    }

    /// Makes a scramble to a random state.
    pub(crate) fn scramble(&self, metrics: &Metrics) -> anyhow::Result<Scramble> {
        let (began, mut rng) = (Instant::now(), fresh_rng()?);
        let state = self.recipe.draw(&mut rng);
        let find = |state: &_, exactly| {
            self.engine
                .find_scramble(state, exactly, self.effort, &self.limits)
        };
        let scramble = self.recipe.scramble_to(&state, &mut rng, find)?;
        metrics.scramble_made(
            self.engine.method(),
            self.effort,
            &scramble,
            began.elapsed(),
        );
        Ok(scramble)
    }
}
