//! Enums whose values have names in requests, files and messages.

/// A text that is not the name of a value. The message lists the names.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[error(ignore)]
#[display("{_0}")]
pub struct UnknownName(pub(crate) String);

/// Gives an enum `ALL` values, the method `name`, `Display` and `FromStr`. `message` makes the message of an
/// [`UnknownName`] from the text.
macro_rules! named {
    ($enum:ident { $($value:ident: $name:literal),+ $(,)? }, $message:expr) => {
        impl $enum {
            /// All values.
            pub const ALL: [$enum; [$($name),+].len()] = [$($enum::$value),+];

            /// The name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $($enum::$value => $name),+
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $enum {
            type Err = $crate::UnknownName;

            fn from_str(text: &str) -> Result<$enum, $crate::UnknownName> {
                let message: fn(&str) -> String = $message;
                let found = $enum::ALL.into_iter().find(|value| value.name() == text);
                found.ok_or_else(|| $crate::UnknownName(message(text)))
            }
        }
    };
}
pub(crate) use named;
