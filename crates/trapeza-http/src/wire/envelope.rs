//! What most answers of area A carry around their own fields (§2.1), and how links are written.

use serde_json::{Map, Value, json};

/// The envelope around an answer's own fields, which come first.
pub fn envelope(own: Value, links: &[(&str, String)]) -> Value {
    let mut body = own;
    body["_links"] = self::links(links);
    body["authenticationSchemes"] = json!([]);
    body["properties"] = json!({});
    body["statusCode"] = json!(0);
    body["tppMessages"] = json!([]);
    body
}

/// An object of `{"href"}` by their Berlin Group names.
pub fn links(links: &[(&str, String)]) -> Value {
    let each = links.iter().map(|(name, href)| ((*name).to_owned(), json!({ "href": href })));
    Value::Object(each.collect::<Map<_, _>>())
}
