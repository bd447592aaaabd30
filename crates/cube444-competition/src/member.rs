//! Reading JSON lazily, with errors that name the path of a member.
//!
//! A member refers to a part of the document's text. Only members that are read are parsed, so a large
//! document takes little more memory than its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A WCIF cannot be read or filled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WcifError {
    /// The text is not JSON.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// A member is missing or has the wrong type.
    #[error("{path} must be {expected}")]
    Shape {
        /// The path of the member, such as `wcif.events[2].rounds[0].format`.
        path: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A member has an invalid value.
    #[error("{path} {reason}")]
    Invalid {
        /// The path of the member.
        path: String,
        /// The error, and the allowed values.
        reason: String,
    },
    /// Several errors.
    #[error("{}", listed(errors, *more))]
    Several {
        /// The first errors.
        errors: Vec<WcifError>,
        /// The number of further ones.
        more: usize,
    },
}

impl WcifError {
    /// The place of the error, and its message without the place.
    pub(super) fn into_place(self) -> (String, String) {
        match self {
            WcifError::Shape { path, expected } => (path, format!("must be {expected}")),
            WcifError::Invalid { path, reason } => (path, reason),
            error => ("the file".to_owned(), error.to_string()),
        }
    }
}

/// Maximum number of errors in a message.
const MAX_LISTED: usize = 20;

/// Maximum number of errors that are kept. Limits the memory for a document of nothing but errors.
const MAX_KEPT: usize = 1_000;

fn listed(errors: &[WcifError], more: usize) -> String {
    let listed = errors.iter().take(MAX_LISTED).map(ToString::to_string);
    let more = (errors.len() + more).checked_sub(MAX_LISTED + 1);
    let more = more.map(|more| format!("and {} more errors", more + 1));
    listed.chain(more).collect::<Vec<_>>().join("; ")
}

/// Collects errors, so that one message counts all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Errors {
    kept: Vec<WcifError>,
    more: usize,
}

impl Errors {
    /// Returns the value of a result, or records its error.
    pub(super) fn record<T>(&mut self, result: Result<T, WcifError>) -> Option<T> {
        let (errors, more) = match result {
            Ok(value) => return Some(value),
            Err(WcifError::Several { errors, more }) => (errors, more),
            Err(error) => (vec![error], 0),
        };
        let kept = errors.len().min(MAX_KEPT - self.kept.len());
        self.more += more + errors.len() - kept;
        self.kept.extend(errors.into_iter().take(kept));
        None
    }

    /// The recorded errors. The last one counts those that are not kept.
    pub(super) fn into_vec(mut self) -> Vec<WcifError> {
        self.kept
            .extend((self.more > 0).then(|| WcifError::Invalid {
                path: "the file".to_owned(),
                reason: format!("has {} more errors", self.more),
            }));
        self.kept
    }

    /// Returns a value, or the recorded errors if there are any.
    pub(super) fn into_result<T>(mut self, value: T) -> Result<T, WcifError> {
        match self.kept.len() {
            0 => Ok(value),
            1 => Err(self.kept.remove(0)),
            _ => Err(WcifError::Several {
                errors: self.kept,
                more: self.more,
            }),
        }
    }
}

/// Maximum number of items of an array. Limits the memory for a list of them.
const MAX_ITEMS: usize = 100_000;

/// A value in a document, and its path.
#[derive(Clone)]
pub(super) struct Member<'a> {
    /// The JSON of the value; `None` if the member is missing.
    text: Option<&'a str>,
    path: String,
}

impl<'a> Member<'a> {
    /// A document. Paths begin with `name`.
    ///
    /// # Errors
    ///
    /// If the text is not JSON.
    pub(super) fn document(text: &'a str, name: &str) -> Result<Member<'a>, serde_json::Error> {
        let value: &RawValue = serde_json::from_str(text)?;
        Ok(Member {
            text: Some(value.get()),
            path: name.to_owned(),
        })
    }

    /// Replaces the path.
    pub(super) fn with_path(self, path: &str) -> Member<'a> {
        Member {
            path: path.to_owned(),
            ..self
        }
    }

    /// The named members of an object. Missing ones count as `null`.
    pub(super) fn members<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Result<[Member<'a>; N], WcifError> {
        let text = self.text.filter(|text| text.starts_with('{'));
        let text = text.ok_or_else(|| self.shape("an object"))?;
        let selection = Selection {
            names,
            found: [None; N],
            repeated: None,
        };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let Selection {
            found, repeated, ..
        } = selection
            .deserialize(&mut deserializer)
            .expect("the text is a JSON object");
        let path_of = |name| format!("{}.{name}", self.path);
        if let Some(name) = repeated {
            let reason = "is repeated, so one of its values would be lost".to_owned();
            let path = path_of(name);
            return Err(WcifError::Invalid { path, reason });
        }
        Ok(std::array::from_fn(|i| Member {
            text: found[i].map(RawValue::get),
            path: path_of(names[i]),
        }))
    }

    /// A member of an object. A missing one counts as `null`.
    pub(super) fn get(&self, name: &'static str) -> Result<Member<'a>, WcifError> {
        let [member] = self.members([name])?;
        Ok(member)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether the member is missing or `null`.
    pub(super) fn is_null(&self) -> bool {
        self.text.is_none_or(|text| text == "null")
    }

    pub(super) fn is_object(&self) -> bool {
        self.text.is_some_and(|text| text.starts_with('{'))
    }

    pub(super) fn is_array(&self) -> bool {
        self.text.is_some_and(|text| text.starts_with('['))
    }

    /// The JSON of the value.
    pub(super) fn json(&self) -> &'a str {
        self.text.unwrap_or("null")
    }

    /// The bytes of the value in the document, which must be that of [`Member::document`]; `None` if the
    /// member is missing.
    pub(super) fn span(&self, document: &str) -> Option<Range<usize>> {
        let text = self.text?;
        let start = text.as_ptr() as usize - document.as_ptr() as usize;
        Some(start..start + text.len())
    }

    /// An error about the type of this member.
    pub(super) fn shape(&self, expected: &'static str) -> WcifError {
        WcifError::Shape {
            path: self.path.clone(),
            expected,
        }
    }

    /// An error about the value of this member.
    pub(super) fn invalid(&self, reason: impl Into<String>) -> WcifError {
        WcifError::Invalid {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// A string.
    pub(super) fn text(&self) -> Result<String, WcifError> {
        serde_json::from_str(self.json()).map_err(|_| self.shape("a string"))
    }

    /// The value, if it is a nonnegative integer.
    pub(super) fn number(&self) -> Option<u64> {
        serde_json::from_str(self.json()).ok()
    }

    /// The value, if it is a nonnegative integer or a string of digits.
    pub(super) fn count(&self) -> Option<u64> {
        self.unquoted().number()
    }

    /// The member without the quotation marks if it is a string of digits, which programs that read numbers
    /// leniently take for a number.
    pub(super) fn unquoted(&self) -> Member<'a> {
        let digits = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let inner = self
            .text
            .and_then(|text| text.strip_prefix('"')?.strip_suffix('"'));
        Member {
            text: inner.filter(digits).or(self.text),
            path: self.path.clone(),
        }
    }

    /// The items of an array.
    pub(super) fn items(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = Member<'a>> + use<'a>, WcifError> {
        if !self.is_array() {
            return Err(self.shape("an array"));
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.json());
        let items = deserializer
            .deserialize_seq(Items)
            .expect("the text is a JSON array");
        let items =
            items.ok_or_else(|| self.invalid(format!("must have at most {MAX_ITEMS} items")))?;
        let path = self.path.clone();
        let item = move |(index, value): (usize, &'a RawValue)| Member {
            text: Some(value.get()),
            path: format!("{path}[{index}]"),
        };
        Ok(items.into_iter().enumerate().map(item))
    }

    /// The items of an array, or none if it is missing or `null`.
    pub(super) fn items_if_any(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = Member<'a>> + use<'a>, WcifError> {
        const NONE: &str = "[]";
        let text = if self.is_null() {
            Some(NONE)
        } else {
            self.text
        };
        let path = self.path.clone();
        Member { text, path }.items()
    }

    /// A whole number in a range.
    pub(super) fn integer(&self, range: RangeInclusive<u32>) -> Result<u32, WcifError> {
        let text = self.json();
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.shape("a whole number"));
        }
        let number = text.parse().ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (min, max) = range.into_inner();
                self.invalid(format!("must be from {min} to {max}"))
            })
    }
}

/// Selects members of an object by name.
struct Selection<'a, const N: usize> {
    names: [&'static str; N],
    found: [Option<&'a RawValue>; N],
    /// A name that occurs twice.
    repeated: Option<&'static str>,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Selection<'de, N> {
    type Value = Selection<'de, N>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Selection<'de, N> {
    type Value = Selection<'de, N>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let Some(at) = self.names.iter().position(|&selected| selected == name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if self.found[at].replace(map.next_value()?).is_some() {
                self.repeated = Some(self.names[at]);
            }
        }
        Ok(self)
    }
}

/// Lists the items of an array; `None` if there are too many.
struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Option<Vec<&'de RawValue>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = array.next_element()? {
            if items.len() < MAX_ITEMS {
                items.push(item);
            } else {
                while array.next_element::<IgnoredAny>()?.is_some() {}
                return Ok(None);
            }
        }
        Ok(Some(items))
    }
}
