//! The trace of a request, from its header `traceparent` (W3C Trace Context).

use axum::http::{HeaderMap, HeaderName};

/// The header that names a trace and the caller's span in it.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace id of a request, 32 hexadecimal digits. `None` if the header is missing, repeated or malformed.
pub(super) fn trace_id(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(TRACEPARENT).iter();
    let value = values.next().filter(|_| values.next().is_none())?;
    trace_id_of(value.to_str().ok()?)
}

fn trace_id_of(value: &str) -> Option<&str> {
    let mut fields = value.splitn(5, '-');
    let [version, trace, parent, flags] = [(); 4].map(|()| fields.next().unwrap_or_default());
    // Only versions after 00 may have more fields, and ff is invalid.
    let is_version = match version {
        "00" => fields.next().is_none(),
        _ => is_hex(version, 2) && version != "ff",
    };
    let is_valid = is_version && is_id(trace, 32) && is_id(parent, 16) && is_hex(flags, 2);
    is_valid.then_some(trace)
}

fn is_hex(field: &str, length: usize) -> bool {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    field.len() == length && field.bytes().all(is_digit)
}

/// An id is not all zeros.
fn is_id(field: &str, length: usize) -> bool {
    is_hex(field, length) && field.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    #[test]
    fn only_a_well_formed_header_has_a_trace_id() {
        let parent = "00f067aa0ba902b7";
        let zeros = "0".repeat(32);
        for (value, is_valid) in [
            (format!("00-{TRACE}-{parent}-01"), true),
            (format!("00-{TRACE}-{parent}-ff"), true),
            (format!("00-{TRACE}-{parent}-01-"), false),
            (format!("00-{TRACE}-{parent}-01-more"), false),
            (format!("00-{TRACE}-{parent}-0"), false),
            (format!("00-{TRACE}-{parent}-0g"), false),
            (format!("00-{TRACE}-{parent}"), false),
            (format!("00-{}-{parent}-01", TRACE.to_uppercase()), false),
            (format!("00-{}-{parent}-01", &TRACE[1..]), false),
            (format!("00-{zeros}-{parent}-01"), false),
            (format!("00-{TRACE}-{}-01", &zeros[16..]), false),
            (format!("00-{TRACE}-{parent}0-01"), false),
            // Later versions may have more fields.
            (format!("01-{TRACE}-{parent}-01"), true),
            (format!("cc-{TRACE}-{parent}-01-more"), true),
            (format!("cc-{TRACE}-{parent}-01.more"), false),
            (format!("ff-{TRACE}-{parent}-01"), false),
            (format!("0-{TRACE}-{parent}-01"), false),
            (format!("0G-{TRACE}-{parent}-01"), false),
            (String::new(), false),
        ] {
            let found = trace_id_of(&value);
            assert_eq!(found, is_valid.then_some(TRACE), "{value:?}");
        }
    }

    #[test]
    fn a_repeated_header_has_no_trace_id() {
        let mut headers = HeaderMap::new();
        assert_eq!(trace_id(&headers), None);
        let value = format!("00-{TRACE}-00f067aa0ba902b7-01");
        headers.append(TRACEPARENT, value.parse().unwrap());
        assert_eq!(trace_id(&headers), Some(TRACE));
        headers.append(TRACEPARENT, value.parse().unwrap());
        assert_eq!(trace_id(&headers), None);
    }
}
