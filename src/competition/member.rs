//! Reading a document member by member, so that whatever is wrong is named by its path.

use std::ops::RangeInclusive;

use serde_json::Value;

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
}

/// A value in a document, and the path that leads to it.
#[derive(Clone)]
pub(super) struct Member<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Member<'a> {
    /// The document itself, by a name with which paths begin.
    pub(super) fn root(value: &'a Value, name: &str) -> Member<'a> {
        Member {
            value,
            path: name.to_owned(),
        }
    }

    /// A member of an object. One that is missing is `null`.
    pub(super) fn get(&self, name: &str) -> Member<'a> {
        const MISSING: &Value = &Value::Null;
        Member {
            value: self.value.get(name).unwrap_or(MISSING),
            path: format!("{}.{name}", self.path),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
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

    pub(super) fn text(&self) -> Result<&'a str, WcifError> {
        self.value.as_str().ok_or_else(|| self.shape("a string"))
    }

    /// The items of an array.
    pub(super) fn items(&self) -> Result<Vec<Member<'a>>, WcifError> {
        let items = self
            .value
            .as_array()
            .ok_or_else(|| self.shape("an array"))?;
        let item = |(index, value)| Member {
            value,
            path: format!("{}[{index}]", self.path),
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// The items of an array; none if it is missing or `null`.
    pub(super) fn items_if_any(&self) -> Result<Vec<Member<'a>>, WcifError> {
        match self.value {
            Value::Null => Ok(Vec::new()),
            _ => self.items(),
        }
    }

    /// A whole number in a range.
    pub(super) fn whole(&self, range: RangeInclusive<u32>) -> Result<u32, WcifError> {
        if !self.value.is_i64() && !self.value.is_u64() {
            return Err(self.shape("a whole number"));
        }
        let number = self.value.as_u64();
        let number = number.and_then(|number| u32::try_from(number).ok());
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = range.into_inner();
                self.impossible(format!("must be from {least} to {most}"))
            })
    }
}
