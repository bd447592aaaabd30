//! What must hold whatever is sent: the bodies that the fuzz targets and `tests/http/robust_input.rs` share.
//! Each tells whether the input was taken rather than refused.

use std::fs;
use std::time::SystemTime;

use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use scramble444::competition::check::check;
use scramble444::competition::{Document, FillOptions, FillPlan, Interchange, Paper, Sheets};
use scramble444::cube::{Cube, Sequence};
use scramble444::http::AppState;
use scramble444::table::{Mapping, Table};
use tokio::runtime::Runtime;
use xxhash_rust::xxh3::xxh3_64;

use super::stub::{Doing, answer, ready};

/// Where turns lead from the solved cube.
pub(crate) fn end(sequence: &Sequence) -> Cube {
    Cube::solved().moved_by(sequence.axis_moves())
}

/// Turns that can be read lead where they lead when written and read again, and their inverse leads back.
pub(crate) fn turns(text: &str) -> bool {
    let Ok(sequence) = text.parse::<Sequence>() else {
        return false;
    };
    let again: Sequence = sequence
        .to_string()
        .parse()
        .expect("what is written is read");
    assert_eq!(again, sequence);
    let back = end(&sequence).moved_by(sequence.inverse().axis_moves());
    assert!(back.is_solved(), "{sequence}");
    true
}

/// Facelets that can be read are written as they are read.
pub(crate) fn facelets(text: &str) -> bool {
    let Ok(cube) = Cube::from_facelets(text) else {
        return false;
    };
    let written = cube.facelets();
    assert_eq!(Cube::from_facelets(&written).as_ref(), Ok(&cube));
    let plain: String = text.split_whitespace().collect();
    let plain = plain.to_ascii_uppercase();
    // Only face letters have a U, and colours depend on how the cube is held.
    if plain.contains('U') {
        assert_eq!(plain, written);
    }
    true
}

/// A file that is opened as a table is as long as its header says, and its entries can be read.
pub(crate) fn table_file(bytes: &[u8]) -> bool {
    let directory = tempfile::tempdir().expect("there is a directory for temporary files");
    let path = directory.path().join("some.table");
    fs::write(&path, bytes).expect("there is room for a small file");
    let Ok(table) = Table::open(&path, None, Mapping::NEVER) else {
        return false;
    };
    assert_eq!(table.bytes(), bytes.len() as u64);
    let identity = &table.header().identity;
    let encoding = identity.encoding;
    assert_eq!(
        encoding.bytes(identity.entries),
        table.payload().len() as u64
    );
    for entry in 0..identity.entries.min(1 << 12) {
        let code = table.code(entry as usize);
        let distance = encoding.least_code.checked_add(code);
        assert!(distance.is_some(), "{encoding:?}");
    }
    for distance in 0..=u8::MAX {
        assert!(encoding.code(distance) <= encoding.largest_code);
    }
    let checked = table.verify();
    let checksum = format!("{:016x}", xxh3_64(table.payload()));
    assert_eq!(checked.is_ok(), table.header().payload_checksum == checksum);
    true
}

/// The same of a header, whatever it says, that has the right checksum, before a few entries.
pub(crate) fn table_header(json: &[u8]) -> bool {
    let lengths = [0, 1, 21].iter();
    let taken = lengths.filter(|&&length| table_file(&sealed(json, length)));
    taken.count() > 0
}

/// A table file of a header and so many bytes of entries.
pub(crate) fn sealed(json: &[u8], length: usize) -> Vec<u8> {
    let mut file = b"S444DIST\x01\0\0\0".to_vec();
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(xxh3_64(json).to_le_bytes());
    file.extend(json);
    file.resize(file.len().next_multiple_of(4096), 0);
    file.resize(file.len() + length, 0);
    file
}

/// Any file is checked, as a list of scrambles or a competition. One that says what a competition needs is
/// filled, and what is written can be read and printed.
pub(crate) fn wcif(file: &[u8]) -> bool {
    if let Ok(report) = check(file) {
        assert_eq!(report.sha256.len(), 64);
    }
    let Ok(document) = Document::from_json(file) else {
        return false;
    };
    // There may be scrambles that are no scrambles.
    if let Ok(sheets) = Sheets::from_document(&document) {
        assert!(
            sheets
                .into_pages(Paper::A4)
                .collect::<String>()
                .ends_with("</html>\n")
        );
    }
    let options = FillOptions {
        only: false,
        replace: true,
    };
    let Ok(plan) = FillPlan::new(document.wcif, options) else {
        return false;
    };
    let scrambles = vec!["Rw U2".to_owned(); plan.scramble_ids().len()];
    let count = scrambles.len();
    let filled = Interchange::new(plan.fill(scrambles), SystemTime::UNIX_EPOCH);
    let written: String = filled.into_pieces().collect();
    let again = Document::from_json(written.as_bytes()).expect("what is written is read");
    let sheets = Sheets::from_document(&again).expect("what is filled can be printed");
    assert_eq!(sheets.scrambles(), count);
    let report = check(written.as_bytes()).expect("what is written can be checked");
    assert_eq!(report.scrambles, count);
    true
}

/// A service that is asked in-process.
pub(crate) struct Service {
    runtime: Runtime,
    state: AppState,
}

impl Service {
    pub(crate) fn start() -> Service {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build();
        Service {
            runtime: runtime.expect("a runtime of one thread needs little"),
            state: ready(Doing::Turns),
        }
    }

    /// An answer and how its body begins.
    fn ask(&self, request: Request<Body>) -> (Response<()>, Vec<u8>) {
        /// Before that, the stub does not repeat a scramble, which would end the answer.
        const ENOUGH: usize = 1000;

        self.runtime.block_on(async {
            let (head, mut body) = answer(&self.state, request).await.into_parts();
            let mut bytes = Vec::new();
            while bytes.len() < ENOUGH
                && let Some(frame) = body.frame().await
            {
                let data = frame.expect("nothing fails so soon").into_data();
                bytes.extend(data.unwrap_or_default());
            }
            (Response::from_parts(head, ()), bytes)
        })
    }

    /// Whatever a client accepts, it gets a scramble in one of three ways, or is told that there is none.
    pub(crate) fn accept(&self, accepted: &[u8]) -> bool {
        let Ok(accepted) = HeaderValue::from_bytes(accepted) else {
            return false;
        };
        let request = Request::get("/v1/scrambles").header(header::ACCEPT, accepted);
        let request = request.body(Body::empty()).expect("its parts are valid");
        let (head, body) = self.ask(request);
        let kind = head.headers()[header::CONTENT_TYPE].to_str();
        let kind = kind.expect("the service's own words are ASCII");
        match head.status() {
            StatusCode::OK => {
                let kinds = [
                    "application/json",
                    "text/plain; charset=utf-8",
                    "application/x-ndjson",
                ];
                assert!(kinds.contains(&kind), "{kind}");
                assert!(!body.is_empty());
                true
            }
            StatusCode::NOT_ACCEPTABLE => {
                assert_eq!(kind, "application/problem+json");
                false
            }
            other => panic!("answered {other}"),
        }
    }

    /// Whatever a query says, it is answered or refused as the client's fault.
    pub(crate) fn query(&self, query: &str) -> bool {
        let mut taken = false;
        for path in [
            "/v1/scrambles",
            "/v1/picture",
            "/api/v0/scramble/444",
            "/api/v0/view/444/svg",
            "/scramble/.txt",
            "/view/444.svg",
        ] {
            // Much else is no address at all, which the server refuses before the router sees it.
            let Ok(request) = Request::get(format!("{path}?{query}")).body(Body::empty()) else {
                return false;
            };
            let (head, body) = self.ask(request);
            let status = head.status();
            assert!(
                status.is_success() || status.is_client_error(),
                "{path}: {status}"
            );
            assert!(!body.is_empty(), "{path}: {status}");
            taken |= status.is_success();
        }
        taken
    }
}
