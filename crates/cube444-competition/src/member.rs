//! Reading JSON lazily, with errors that name the path of a member.
//!
//! A member refers to a part of the document's text. Only members that are read are parsed, so a large
//! document takes little more memory than its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A fault of a scramble or of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// For example `line 3` or `444 round 1 set A extra 2`.
    pub place: String,
    /// A word for programs. Stable.
    pub kind: &'static str,
    /// The message, which completes a sentence that begins with the place.
    pub text: String,
}

impl Finding {
    pub(crate) fn new(place: impl ToString, kind: &'static str, text: impl ToString) -> Finding {
        let (place, text) = (place.to_string(), text.to_string());
        Finding { place, kind, text }
    }
}

/// A WCIF cannot be read or filled. The message has the first errors, each with the path of a member, such as
/// `wcif.events[2].rounds[0].format`, and the number of further ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message())]
pub struct WcifError(Errors);

impl WcifError {
    pub(super) fn new(path: &str, reason: impl ToString, is_malformed: bool) -> WcifError {
        let finding = Finding::new(path, "member", reason);
        WcifError(Errors::new(vec![finding], 0, is_malformed))
    }

    /// Whether the text is not JSON, or a member is missing or has the wrong type. If there are several errors, the
    /// first one counts.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.0.is_malformed
    }
}

/// Maximum number of errors in a message.
const MAX_LISTED: usize = 20;

/// Maximum number of errors that are kept. Limits the memory for a document of nothing but errors.
const MAX_KEPT: usize = 1_000;

/// Collects errors, so that one message counts all of them.
#[derive(Clone, derive_more::Constructor, Debug, Default, PartialEq, Eq)]
pub(super) struct Errors {
    kept: Vec<Finding>,
    more: usize,
    /// Whether the first error is that the document is malformed.
    is_malformed: bool,
}

impl Errors {
    fn message(&self) -> String {
        let listed = self.kept.iter().take(MAX_LISTED);
        let listed = listed.map(|error| format!("{} {}", error.place, error.text));
        let more = (self.kept.len() + self.more).saturating_sub(MAX_LISTED);
        let more = (more > 0).then(|| format!("and {more} more errors"));
        listed.chain(more).collect::<Vec<_>>().join("; ")
    }

    /// Returns the value of a result, or records its error.
    pub(super) fn record<T>(&mut self, result: Result<T, WcifError>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Records an error.
    pub(super) fn add(&mut self, WcifError(error): WcifError) {
        if self.kept.is_empty() {
            self.is_malformed = error.is_malformed;
        }
        self.kept.extend(error.kept);
        self.more += error.more + self.kept.len().saturating_sub(MAX_KEPT);
        self.kept.truncate(MAX_KEPT);
    }

    /// The recorded errors. The last one counts those that are not kept.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        if self.more > 0 {
            let text = format!("has {} more errors", self.more);
            self.kept.push(Finding::new("the file", "member", text));
        }
        self.kept
    }

    /// Returns a value, or the recorded errors if there are any.
    pub(super) fn into_result<T>(self, value: T) -> Result<T, WcifError> {
        match self.kept.is_empty() {
            true => Ok(value),
            false => Err(WcifError(self)),
        }
    }
}

/// Maximum number of items of an array. Limits the memory for a list of them.
const MAX_ITEMS: usize = 100_000;

/// A replacement of bytes of a document.
pub(super) type Edit = (Range<usize>, String);

/// A value in a document, and its path.
///
/// Documents may have scrambles, which are secret until they are used, so `Debug` only prints the path.
#[derive(Clone, derive_more::Constructor, derive_more::Debug, PartialEq)]
#[debug("Member({path:?})")]
pub(super) struct Member {
    document: Arc<String>,
    /// The bytes of the value; empty if the member is missing.
    pub(super) span: Range<usize>,
    pub(super) path: String,
}

impl Member {
    /// The value of a document. Paths begin with `name`.
    ///
    /// # Errors
    ///
    /// If the text is not JSON.
    pub(super) fn document(text: String, name: &str) -> Result<Member, serde_json::Error> {
        let value: &RawValue = serde_json::from_str(&text)?;
        let span = span_in(&text, value);
        Ok(Member::new(Arc::new(text), span, name.to_owned()))
    }

    /// Replaces the path.
    pub(super) fn with_path(self, path: &str) -> Member {
        Member::new(self.document, self.span, path.to_owned())
    }

    /// The named members of an object. Missing ones count as `null`.
    pub(super) fn members<const N: usize>(
        &self,
        names: [&'static str; N],
    ) -> Result<[Member; N], WcifError> {
        if !self.is_object() {
            return Err(self.shape("an object"));
        }
        let mut deserializer = serde_json::Deserializer::from_str(self.json());
        let selection = deserializer.deserialize_map(Selection::new(names, [None; N], None));
        let selection = selection.expect("the text is a JSON object");
        let part = |i: usize| {
            let span = selection.found[i].map_or(0..0, |value| span_in(&self.document, value));
            let path = format!("{}.{}", self.path, names[i]);
            Member::new(self.document.clone(), span, path)
        };
        match selection.repeated {
            Some(i) => Err(part(i).invalid("is repeated, so one of its values would be lost")),
            None => Ok(std::array::from_fn(part)),
        }
    }

    /// A member of an object. A missing one counts as `null`.
    pub(super) fn get(&self, name: &'static str) -> Result<Member, WcifError> {
        self.members([name]).map(|[member]| member)
    }

    /// Whether the member is missing or `null`.
    pub(super) fn is_null(&self) -> bool {
        self.json() == "null"
    }

    /// The member, unless it is missing or `null`.
    pub(super) fn if_any(&self) -> Option<&Member> {
        (!self.is_null()).then_some(self)
    }

    pub(super) fn is_object(&self) -> bool {
        self.json().starts_with('{')
    }

    pub(super) fn is_array(&self) -> bool {
        self.json().starts_with('[')
    }

    /// The JSON of the value.
    pub(super) fn json(&self) -> &str {
        match &self.document[self.span.clone()] {
            "" => "null",
            json => json,
        }
    }

    /// The text of the whole document.
    pub(super) fn whole(&self) -> Arc<String> {
        self.document.clone()
    }

    /// An edit that gives a member of this object a value. The member must not be repeated.
    pub(super) fn edit(&self, name: &'static str, value: impl ToString) -> Edit {
        let value = value.to_string();
        let span = self.get(name).map(|member| member.span).unwrap_or_default();
        if !span.is_empty() {
            return (span, value);
        }
        self.appended(&format!("\"{name}\":{value}"))
    }

    /// An edit that appends an item to this array, or a member to this object.
    fn appended(&self, item: &str) -> Edit {
        let text = self.json();
        let is_empty = text[1..text.len() - 1].trim().is_empty();
        let comma = if is_empty { "" } else { "," };
        let end = self.span.end - 1;
        (end..end, format!("{comma}{item}"))
    }

    /// An edit that gives this object an extension.
    pub(super) fn extended(&self, id: &str, data: &Value) -> Edit {
        let extension = json!({"id": id, "specUrl": "", "data": data});
        match self.get("extensions") {
            Ok(list) if list.is_array() => list.appended(&extension.to_string()),
            _ => self.edit("extensions", json!([extension])),
        }
    }

    /// An error about the type of this member, which may be missing.
    pub(super) fn shape(&self, expected: &str) -> WcifError {
        let reason = (!self.span.is_empty()).then(|| format!("must be {expected}"));
        let reason = reason.unwrap_or_else(|| "is missing".to_owned());
        WcifError::new(&self.path, reason, true)
    }

    /// An error about the value of this member.
    pub(super) fn invalid(&self, reason: impl ToString) -> WcifError {
        WcifError::new(&self.path, reason, false)
    }

    /// Fails if this member has more than `max` things.
    pub(super) fn has_at_most(
        &self,
        max: usize,
        count: usize,
        things: &str,
    ) -> Result<(), WcifError> {
        let error = || self.invalid(format!("has {count} {things}; at most {max} are allowed"));
        (count <= max).then_some(()).ok_or_else(error)
    }

    /// A string.
    pub(super) fn text(&self) -> Result<String, WcifError> {
        self.value().ok_or_else(|| self.shape("a string"))
    }

    /// The value, if it has this type.
    pub(super) fn value<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.json()).ok()
    }

    /// The value, if it is a whole number from 0, such as `2`, `2.0` or `2e0`.
    pub(super) fn number(&self) -> Option<u64> {
        /// 2^53, up to which such numbers are exact.
        const MAX: f64 = 9_007_199_254_740_992.0;
        let is_whole = |it: &f64| it.trunc() == *it && (0.0..=MAX).contains(it);
        let rounded = || self.value().filter(is_whole).map(|it| it as u64);
        self.value().or_else(rounded)
    }

    /// The value, if it is a whole number from 0 or a string of digits.
    pub(super) fn count(&self) -> Option<u64> {
        self.number().or_else(|| self.unquoted().parse().ok())
    }

    /// The JSON of the value, without the quotation marks if it is a string of digits, which programs that
    /// read numbers leniently take for a number.
    fn unquoted(&self) -> &str {
        let json = self.json();
        let inner = json.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let digits = |it: &&str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
        inner.filter(digits).unwrap_or(json)
    }

    /// The items of an array.
    pub(super) fn items(&self) -> Result<impl ExactSizeIterator<Item = Member> + use<>, WcifError> {
        const PROOF: &str = "the text is a JSON array";
        if !self.is_array() {
            return Err(self.shape("an array"));
        }
        let count: Vec<IgnoredAny> = serde_json::from_str(self.json()).expect(PROOF);
        if count.len() > MAX_ITEMS {
            return Err(self.invalid(format!("must have at most {MAX_ITEMS} items")));
        }
        let items: Vec<&RawValue> = serde_json::from_str(self.json()).expect(PROOF);
        let spans = items.into_iter().map(|item| span_in(&self.document, item));
        let (spans, list): (Vec<_>, Member) = (spans.collect(), self.clone());
        Ok(spans.into_iter().enumerate().map(move |(index, span)| {
            let path = format!("{}[{index}]", list.path);
            Member::new(list.document.clone(), span, path)
        }))
    }

    /// The items of an array, or none if it is missing or `null`.
    pub(super) fn items_if_any(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = Member> + use<>, WcifError> {
        let none = Member::new(Arc::new("[]".to_owned()), 0..2, String::new());
        self.if_any().unwrap_or(&none).items()
    }

    /// The data of an extension of this object. Only this extension matters, others may have any form.
    pub(super) fn extension(&self, name: &str) -> Result<Option<Member>, WcifError> {
        let mut extensions = self.get("extensions")?.items_if_any()?;
        Ok(extensions.find_map(|extension| {
            let [id, data] = extension.members(["id", "data"]).ok()?;
            id.text().is_ok_and(|id| id == name).then_some(data)
        }))
    }

    /// A whole number in a range, such as `2`, `2.0` or `2e0`, perhaps as a string of digits.
    pub(super) fn integer(&self, range: RangeInclusive<u32>) -> Result<u32, WcifError> {
        let number = self.unquoted().parse().ok();
        let number = number.filter(|it: &f64| it.trunc() == *it);
        let number = number.ok_or_else(|| self.shape("a whole number"))?;
        let (min, max) = range.into_inner();
        let is_in_range = (f64::from(min)..=f64::from(max)).contains(&number);
        let error = || self.invalid(format!("must be from {min} to {max}"));
        is_in_range.then_some(number as u32).ok_or_else(error)
    }
}

/// The bytes of a value that was read from a document.
fn span_in(document: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr() as usize - document.as_ptr() as usize;
    start..start + value.get().len()
}

/// Selects members of an object by name.
#[derive(derive_more::Constructor)]
struct Selection<'a, const N: usize> {
    names: [&'static str; N],
    found: [Option<&'a RawValue>; N],
    /// The index of a name that occurs twice.
    repeated: Option<usize>,
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
                self.repeated = Some(at);
            }
        }
        Ok(self)
    }
}
