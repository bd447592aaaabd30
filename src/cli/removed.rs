//! Flags of earlier versions, and what to do instead.

const REMOVED: [(&str, &str); 8] = [
    (
        "buffer-effort",
        "scrambles that are made in advance have the level of --effort",
    ),
    (
        "format",
        "sheets are always a PDF, which browsers show and print",
    ),
    (
        "max-competition",
        "a competition file may have 8 MiB; the commands wcif and sheets take any size",
    ),
    (
        "max-count",
        "a response has at most 100 scrambles; streams (Accept: application/x-ndjson) have more, see --max-stream",
    ),
    ("methods", "list all methods in --method, the default first"),
    (
        "no-tnoodle",
        "refuse the paths /api, /frontend, /scramble, /view, /puzzles, /version and /wcif at a proxy, or require tokens \
         with --token-file",
    ),
    (
        "queue",
        "requests are refused when those that wait would take more than half of --request-deadline",
    ),
    (
        "shutdown-deadline",
        "requests have 30 seconds to end after --drain-delay; a second signal ends them at once",
    ),
];

/// What to do instead of a flag, if it was removed. Takes the flag without dashes, or its variable without prefix.
pub(super) fn advice(name: &str) -> Option<&'static str> {
    let name = name.to_lowercase().replace('_', "-");
    let removed = REMOVED.iter().find(|(flag, _)| *flag == name);
    removed.map(|(_, advice)| *advice)
}
