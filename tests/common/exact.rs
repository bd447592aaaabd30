//! Distance distributions of whole stages.

use scramble444::cube::Metric;
use scramble444::method::Method;
use scramble444::search::StagePart;

use super::tables::alone;

/// The distances of a method's stage, counted from 1, as the builder finds them in its coordinates.
pub(crate) fn distances(method: Method, number: usize, metric: Metric) -> StagePart {
    let _alone = alone();
    let chain = method.chain(metric).unwrap();
    let parts = chain.stages()[number - 1].parts(&|_| ()).unwrap();
    let [whole] = parts.try_into().expect("coordinates see one part");
    whole
}
