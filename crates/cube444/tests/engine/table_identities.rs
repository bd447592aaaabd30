//! The identities of the table files, which later versions must still accept: building all tables again takes
//! minutes.

use cube444::cube::Metric;
use cube444::search::Profile;

use test_support::tables::{reduction, scrambler};

const FIVE_STAGE: &[&str] = &[
    "five-stage-oriented-corners-exact in obtm of 34077834 entries of 4 bits from 0 to 15, fingerprint 08b2dda5855c01f7adc7d921bece65a6",
    "five-stage-fb-centers-first in obtm of 1622985 entries of 4 bits from 0 to 15, fingerprint a77f3bfc061c233a265357214d87d58e",
    "five-stage-fb-centers-second in obtm of 19475820 entries of 4 bits from 0 to 15, fingerprint a77f3bfc061c233a265357214d87d58e",
    "five-stage-lr-centers-first in obtm of 58450 entries of 4 bits from 0 to 15, fingerprint 71f64cd008fac8244e7ab36747b62831",
    "five-stage-lr-centers-second in obtm of 42985800 entries of 4 bits from 0 to 15, fingerprint 71f64cd008fac8244e7ab36747b62831",
    "five-stage-half-turn-group-exact in obtm of 87729600 entries of 4 bits from 0 to 15, fingerprint f64e3faca7ad16dd0282cb34bdd687fc",
    "five-stage-solved-second in obtm of 12863232 entries of 4 bits from 0 to 15, fingerprint 6d1d99a12af89f0f011457e4e3a63167",
    "five-stage-solved-first in obtm of 714624 entries of 4 bits from 0 to 15, fingerprint 6d1d99a12af89f0f011457e4e3a63167",
    "five-stage-fb-centers-exact in obtm of 681653700 entries of 4 bits from 0 to 15, fingerprint a77f3bfc061c233a265357214d87d58e",
    "five-stage-lr-centers-exact in obtm of 1504503000 entries of 4 bits from 0 to 15, fingerprint 71f64cd008fac8244e7ab36747b62831",
    "five-stage-solved-exact in obtm of 1234870272 entries of 4 bits from 0 to 15, fingerprint 6d1d99a12af89f0f011457e4e3a63167",
];
const REDUCTION: &[&str] = &[
    "reduction-axis-centers-exact in obtm of 15582 entries of 4 bits from 0 to 15, fingerprint ed6c5525e57ea34222241853a84a4df3",
    "reduction-pairings in obtm of 62012160 entries of 2 bits from 9 to 12, fingerprint b466fa26438b98b8c789ac21c0359047",
    "reduction-near-goal in obtm of 402653184 entries of 1 bits from 0 to 9, fingerprint af4bb15bdf1afb3d68db728810dc4b3f",
    "reduction-phase-one-exact in obtm of 140908410 entries of 2 bits from 7 to 10, fingerprint 767a904a01f70b34d5e6d34481d72efc",
    "reduction-phase-two-exact in obtm of 111605760 entries of 2 bits from 8 to 11, fingerprint 4f3f1a402daef3a40c234e72d8a5c4c5",
    "reduction-near-goal-10 in obtm of 3355443200 entries of 1 bits from 0 to 10, fingerprint ad5cbe7863bfbd8ba10c2ddaaec39de1",
];
const POCKET: &[&str] = &[
    "reduction-axis-centers-exact in obtm of 15582 entries of 4 bits from 0 to 15, fingerprint ed6c5525e57ea34222241853a84a4df3",
    "reduction-near-pairings in obtm of 62012160 entries of 2 bits from 7 to 10, fingerprint b466fa26438b98b8c789ac21c0359047",
    "reduction-near-goal-7 in obtm of 8388608 entries of 1 bits from 0 to 7, fingerprint a60fcf67d2f5496347a639d3a2841de5",
    "reduction-near-subgroup in obtm of 8388608 entries of 1 bits from 0 to 7, fingerprint 4a344557510097a9395b6b2a8fbc0e2c",
];

#[test]
fn table_files_of_earlier_versions_are_accepted() {
    for (scrambler, known) in [(scrambler(), FIVE_STAGE), (reduction(), REDUCTION)] {
        let chain = scrambler.solver().tables().chain();
        let profiles = [Profile::Compact, Profile::Full].into_iter();
        let tables = profiles.flat_map(|profile| {
            let stages = chain.stages().iter();
            stages.flat_map(move |stage| stage.tables(profile))
        });
        let mut identities: Vec<String> = Vec::new();
        for table in tables {
            let identity = table.identity(Metric::Obtm.name()).to_string();
            if !identities.contains(&identity) {
                identities.push(identity);
            }
        }
        assert_eq!(identities, known);
    }
}

/// Browsers keep the pocket tables of the page across versions.
#[test]
fn pocket_tables_of_earlier_versions_are_accepted() {
    let chain = reduction().solver().tables().chain();
    let tables = chain
        .stages()
        .iter()
        .flat_map(|stage| stage.tables(Profile::Pocket));
    let identities: Vec<String> = tables
        .map(|table| table.identity(Metric::Obtm.name()).to_string())
        .collect();
    assert_eq!(identities, POCKET);
}
