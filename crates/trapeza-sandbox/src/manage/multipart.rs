//! Forms with a file (RFC 7578), as browsers send them: parts between boundary lines, each with headers and content.

use bytes::Bytes;
use memchr::memmem;

/// The content of the first part with this name.
pub fn field(content_type: &str, body: &Bytes, name: &str) -> Option<Bytes> {
    let boundary = content_type.split("boundary=").nth(1)?.trim_matches('"');
    let delimiter = format!("\r\n--{boundary}");
    let named = format!(" name=\"{name}\"");
    // The first boundary has no line break before it.
    let mut rest = memmem::find(body, &delimiter.as_bytes()[2..])? + delimiter.len() - 2;
    while let Some(length) = memmem::find(&body[rest..], delimiter.as_bytes()) {
        let part = body.slice(rest..rest + length);
        let head = memmem::find(&part, b"\r\n\r\n")?;
        if memmem::find(&part[..head], named.as_bytes()).is_some() {
            return Some(part.slice(head + 4..));
        }
        rest += length + delimiter.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE: &str = "multipart/form-data; boundary=x1";

    fn body() -> Bytes {
        Bytes::from_static(
            b"--x1\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\ntoken\r\n--x1\r\nContent-Disposition: form-data; \
              name=\"file\"; filename=\"name.json\"\r\nContent-Type: application/json\r\n\r\n{\"a\":\r\n1}\r\n--x1--\r\n",
        )
    }

    #[test]
    fn parts_are_found_by_name() {
        assert_eq!(field(TYPE, &body(), "csrf").unwrap(), "token");
        assert_eq!(field(TYPE, &body(), "file").unwrap(), "{\"a\":\r\n1}");
        assert_eq!(field(TYPE, &body(), "name"), None);
    }

    #[test]
    fn incomplete_or_foreign_body_has_no_parts() {
        for cut in 0..body().len() - 6 {
            assert_eq!(field(TYPE, &body().slice(..cut), "file"), None, "{cut}");
        }
        assert_eq!(field("text/plain", &body(), "csrf"), None);
        let bare = Bytes::from_static(b"--x1name=\"csrf\"\r\n\r\ntoken\r\n--x1--");
        assert_eq!(field(TYPE, &bare, "csrf"), None, "a part that begins with the name");
        assert_eq!(field("multipart/form-data; boundary=x2", &body(), "csrf"), None);
    }
}
