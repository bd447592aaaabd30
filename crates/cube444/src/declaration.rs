//! Errors of declarations.

/// Why a method, or a stage of it, cannot be constructed as it is declared: a message that names the stage.
#[derive(
    Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error, derive_more::From,
)]
#[error(ignore)]
#[from(forward)]
pub struct DeclarationError(String);
