//! Distance distributions of complete stages.

use cube444::Method;
use cube444::cube::Metric;
use cube444::method::{Monitor, StagePart};

use super::tables::alone;

/// Enumerates stage `number` of a method, counted from 1, as the table builder does.
pub fn distances(method: Method, number: usize, metric: Metric) -> StagePart {
    let _alone = alone();
    let chain = method.chain(metric).unwrap();
    let parts = chain.stages()[number - 1]
        .parts(&Monitor::default())
        .unwrap();
    let [part] = parts.try_into().expect("the stage has a single part");
    part
}
