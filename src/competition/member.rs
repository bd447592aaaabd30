//! Reading a document member by member, so that whatever is wrong is named by its path.
//!
//! A member is a part of the document's text. What nobody asks for is never taken apart, so a large
//! document costs little more than its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Why a WCIF cannot be read or filled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WcifError {
    /// The text is not JSON.
    #[error("the document is not JSON: {0}")]
    NotJson(String),
    /// A member is missing or of another type than it must be.
    #[error("{path} must be {expected}")]
    Shape {
        /// The member, such as `wcif.events[2].rounds[0].format`.
        path: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A member has a value that no competition can have.
    #[error("{path} {reason}")]
    Impossible {
        /// The member.
        path: String,
        /// What is wrong with it, and what is allowed.
        reason: String,
    },
    /// A round that is to be filled has scramble sets, which are not to be replaced.
    #[error("{path} is not empty; scrambles that exist are replaced only if that is asked for")]
    HasScrambles {
        /// The member that has the sets.
        path: String,
    },
    /// Several members are wrong.
    #[error("{}", listed(.0))]
    Several(Vec<WcifError>),
}

/// The most errors that are listed.
const MAX_LISTED: usize = 20;

fn listed(errors: &[WcifError]) -> String {
    let listed = errors.iter().take(MAX_LISTED).map(ToString::to_string);
    let more = errors.len().checked_sub(MAX_LISTED + 1);
    let more = more.map(|more| format!("and {} more errors", more + 1));
    listed.chain(more).collect::<Vec<_>>().join("; ")
}

/// Errors that are put together, so that one message names all of them.
#[derive(Default)]
pub(super) struct Errors(Vec<WcifError>);

impl Errors {
    /// Takes what a result has, or notes its error.
    pub(super) fn note<T>(&mut self, result: Result<T, WcifError>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(WcifError::Several(errors)) => {
                self.0.extend(errors);
                None
            }
            Err(error) => {
                self.0.push(error);
                None
            }
        }
    }

    /// A value, unless there was an error.
    pub(super) fn unless_any<T>(mut self, value: T) -> Result<T, WcifError> {
        match self.0.len() {
            0 => Ok(value),
            1 => Err(self.0.remove(0)),
            _ => Err(WcifError::Several(self.0)),
        }
    }
}

/// The most items of an array: more than any competition has, and few enough to be listed.
const MAX_ITEMS: usize = 1_000_000;

/// A value in a document, and the path that leads to it.
#[derive(Clone)]
pub(super) struct Member<'a> {
    /// Its text in the document; none if it is missing.
    text: Option<&'a str>,
    path: String,
}

impl<'a> Member<'a> {
    /// A document, by a name with which paths begin.
    ///
    /// # Errors
    ///
    /// If it is not JSON.
    pub(super) fn document(text: &'a str, name: &str) -> Result<Member<'a>, serde_json::Error> {
        let value: &RawValue = serde_json::from_str(text)?;
        Ok(Member {
            text: Some(value.get()),
            path: name.to_owned(),
        })
    }

    /// The same value by another path.
    pub(super) fn named(self, path: &str) -> Member<'a> {
        Member {
            path: path.to_owned(),
            ..self
        }
    }

    /// The members of an object that have some names. Those that are missing are `null`.
    pub(super) fn members<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Result<[Member<'a>; N], WcifError> {
        let text = self.text.filter(|text| text.starts_with('{'));
        let text = text.ok_or_else(|| self.shape("an object"))?;
        let pick = Pick {
            names,
            found: [None; N],
            twice: None,
        };
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let Pick { found, twice, .. } = pick
            .deserialize(&mut deserializer)
            .expect("the document is JSON, and this is an object");
        let named = |name| format!("{}.{name}", self.path);
        if let Some(name) = twice {
            let reason = "is there twice; one of the two would be lost".to_owned();
            let path = named(name);
            return Err(WcifError::Impossible { path, reason });
        }
        Ok(std::array::from_fn(|i| Member {
            text: found[i].map(RawValue::get),
            path: named(names[i]),
        }))
    }

    /// A member of an object. One that is missing is `null`.
    pub(super) fn get(&self, name: &'static str) -> Result<Member<'a>, WcifError> {
        let [member] = self.members([name])?;
        Ok(member)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is missing or `null`.
    pub(super) fn is_null(&self) -> bool {
        self.text.is_none_or(|text| text == "null")
    }

    pub(super) fn is_object(&self) -> bool {
        self.text.is_some_and(|text| text.starts_with('{'))
    }

    pub(super) fn is_array(&self) -> bool {
        self.text.is_some_and(|text| text.starts_with('['))
    }

    /// Its text as it stands in the document.
    pub(super) fn json(&self) -> &'a str {
        self.text.unwrap_or("null")
    }

    /// Where it is in the document, which must be that of [`Member::document`]; none if it is missing.
    pub(super) fn span(&self, document: &str) -> Option<Range<usize>> {
        let text = self.text?;
        let start = text.as_ptr() as usize - document.as_ptr() as usize;
        Some(start..start + text.len())
    }

    /// An error about this member being of a wrong type.
    pub(super) fn shape(&self, expected: &'static str) -> WcifError {
        WcifError::Shape {
            path: self.path.clone(),
            expected,
        }
    }

    /// An error about this member's value.
    pub(super) fn impossible(&self, reason: impl Into<String>) -> WcifError {
        WcifError::Impossible {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }

    /// An error about scrambles being there already.
    pub(super) fn has_scrambles(&self) -> WcifError {
        WcifError::HasScrambles {
            path: self.path.clone(),
        }
    }

    /// A string.
    pub(super) fn text(&self) -> Result<String, WcifError> {
        serde_json::from_str(self.json()).map_err(|_| self.shape("a string"))
    }

    /// A number, if it is one that sets are numbered with.
    pub(super) fn number(&self) -> Option<u64> {
        serde_json::from_str(self.json()).ok()
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
            .expect("the document is JSON, and this is an array");
        let items = items.ok_or_else(|| {
            self.impossible(format!(
                "has more than {MAX_ITEMS} items, which are allowed"
            ))
        })?;
        let path = self.path.clone();
        let item = move |(index, value): (usize, &'a RawValue)| Member {
            text: Some(value.get()),
            path: format!("{path}[{index}]"),
        };
        Ok(items.into_iter().enumerate().map(item))
    }

    /// The items of an array; none if it is missing or `null`.
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
    pub(super) fn whole(&self, range: RangeInclusive<u32>) -> Result<u32, WcifError> {
        let text = self.json();
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.shape("a whole number"));
        }
        let number = text.parse().ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = range.into_inner();
                self.impossible(format!("must be from {least} to {most}"))
            })
    }
}

/// Picks some members of an object.
struct Pick<'a, const N: usize> {
    names: [&'static str; N],
    found: [Option<&'a RawValue>; N],
    /// The name of one that is there twice.
    twice: Option<&'static str>,
}

impl<'de, const N: usize> DeserializeSeed<'de> for Pick<'de, N> {
    type Value = Pick<'de, N>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Pick<'de, N> {
    type Value = Pick<'de, N>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let Some(at) = self.names.iter().position(|&wanted| wanted == name) else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if self.found[at].replace(map.next_value()?).is_some() {
                self.twice = Some(self.names[at]);
            }
        }
        Ok(self)
    }
}

/// Lists the items of an array; none if they are too many.
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
