//! A web service with axum that answers `GET /` with a scramble.
//!
//!     cargo run --release --example service
//!     curl http://127.0.0.1:3000

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use cube444::Scrambler;

/// A search takes some milliseconds of CPU time, so it runs on a thread that may block.
async fn scramble(State(scrambler): State<Scrambler>) -> Result<String, StatusCode> {
    let search = move || scrambler.scramble(&mut rand::rng());
    let found = tokio::task::spawn_blocking(search).await;
    match found {
        Ok(Ok(scramble)) => Ok(scramble.sequence.to_string()),
        // The search or its thread failed.
        Ok(Err(_)) | Err(_) => Err(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scrambler = Scrambler::in_memory()?;
    let router = Router::new()
        .route("/", get(scramble))
        .with_state(scrambler);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, router).await?;
    Ok(())
}
