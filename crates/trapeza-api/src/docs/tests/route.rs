//! Every documented path takes the methods that it documents and no others, however its parameters are written.

use super::answer::{ApiFixture, example_path};
use crate::operation::OPERATIONS;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode, header};
use std::collections::BTreeMap;

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"];

/// The methods of each path as it is asked for, in the order of the alphabet.
fn documented() -> BTreeMap<(&'static str, String), Vec<&'static str>> {
    let mut paths: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for operation in OPERATIONS {
        let methods = paths.entry((operation.path, example_path(operation))).or_default();
        methods.push(operation.method.as_str());
        if operation.method == "GET" {
            methods.push("HEAD");
        }
        methods.sort_unstable();
    }
    paths
}

async fn ask(api: &ApiFixture, method: &str, path: &str) -> (StatusCode, HeaderMap, String) {
    let request = Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
    let (parts, body) = api.answer(request).await.into_parts();
    let body = to_bytes(body, 1 << 24).await.unwrap();
    (parts.status, parts.headers, String::from_utf8(body.to_vec()).unwrap())
}

/// The path with every letter of its parameters encoded.
fn encoded(template: &str, path: &str) -> String {
    let segments = template.split('/').zip(path.split('/')).map(|(name, value)| {
        let encode = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        if name.starts_with('{') { encode(value) } else { value.to_owned() }
    });
    segments.collect::<Vec<_>>().join("/")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn path_with_another_method_lists_its_methods() {
    let api = ApiFixture::new().await;
    for ((template, path), methods) in documented() {
        for method in METHODS {
            let (status, headers, _) = ask(&api, method, &path).await;
            let named = headers.get(header::ALLOW).map(|allow| {
                let mut named: Vec<&str> = allow.to_str().unwrap().split(',').collect();
                named.sort_unstable();
                named
            });
            if methods.contains(&method) {
                assert!(!matches!(status.as_u16(), 404 | 405), "{method} {template}: {status}");
                assert_eq!(named, None, "{method} {template}");
            } else {
                assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {template}");
                assert_eq!(named.as_ref(), Some(&methods), "{method} {template}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_request_has_the_headers_of_get() {
    let api = ApiFixture::new().await;
    for ((template, path), methods) in documented() {
        // The time of a response has one digit more or less from one request to the next.
        let has_time = ["/sandbox/clock", "/sandbox/bank"].contains(&template);
        if !methods.contains(&"GET") || has_time {
            continue;
        }
        let (whole_status, whole_headers, whole) = ask(&api, "GET", &path).await;
        let (status, headers, body) = ask(&api, "HEAD", &path).await;
        assert_eq!((status, body.as_str()), (whole_status, ""), "{template}");
        assert_eq!(headers[header::CONTENT_LENGTH], whole.len().to_string(), "{template}");
        assert_eq!(headers[header::CONTENT_TYPE], whole_headers[header::CONTENT_TYPE], "{template}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn path_parameter_is_percent_decoded() {
    let api = ApiFixture::new().await;
    for ((template, path), methods) in documented() {
        let slash = ask(&api, methods[0], &format!("{path}/")).await.0;
        assert_eq!(slash, StatusCode::NOT_FOUND, "{template}/");
        if !template.contains('{') {
            continue;
        }
        for method in METHODS {
            let plain = ask(&api, method, &path).await.0;
            let (status, _, _) = ask(&api, method, &encoded(template, &path)).await;
            assert_eq!(status, plain, "{method} {template}");
            let parameter = template.split('/').position(|segment| segment.starts_with('{')).unwrap();
            let mut segments: Vec<&str> = path.split('/').collect();
            segments[parameter] = "%ff";
            let (status, _, _) = ask(&api, method, &segments.join("/")).await;
            // A caller without keys gets as far as the id only where the operation is open.
            let expected = if plain == StatusCode::OK { StatusCode::NOT_FOUND } else { plain };
            assert_eq!(status, expected, "{method} {template}");
        }
    }
}

/// The first parameter of a payment's path is a service, and no service has the name of another group.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_group_is_no_payment_service() {
    let api = ApiFixture::new().await;
    for group in ["accounts", "cards", "consents", "funds-confirmations"] {
        let (status, headers, body) = ask(&api, "GET", &format!("/v1/{group}/one/two/status")).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{group}");
        assert!(body.contains("unknown path"), "{group}: {body}");
        assert!(!headers.contains_key(header::ALLOW), "{group}");
    }
    assert_eq!(ask(&api, "GET", "/v1/payments/one/two/status").await.0, StatusCode::UNAUTHORIZED);
}
