//! The operations of `docs/openapi.json` in the form in which the clients are written.

use crate::process::Outcome;
use serde_json::{Map, Value};

/// Who sends a request, and so the class of a client that has the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    ThirdParty,
    Merchant,
    /// Operations without authentication: the sandbox and the health checks.
    Anonymous,
}

impl Caller {
    pub const ALL: [Self; 3] = [Self::ThirdParty, Self::Merchant, Self::Anonymous];

    pub fn class(self) -> &'static str {
        match self {
            Self::ThirdParty => "ThirdPartyClient",
            Self::Merchant => "MerchantClient",
            Self::Anonymous => "BankClient",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Self::ThirdParty => "Open banking, for third parties.",
            Self::Merchant => "Pay Later, for merchants.",
            Self::Anonymous => "Operations without authentication.",
        }
    }
}

#[derive(Debug)]
pub struct Parameter {
    /// The name in the request.
    pub name: String,
    pub required: bool,
    pub description: String,
    pub schema: Value,
    pub example: Value,
}

#[derive(Debug)]
pub struct Body {
    pub schema: Value,
    pub required: bool,
    pub example: Value,
    /// The body has the idempotency key, which the client adds when it is absent.
    pub has_key: bool,
}

#[derive(Debug)]
pub struct Operation {
    pub id: String,
    pub tag: String,
    pub method: String,
    pub path: String,
    pub summary: String,
    pub callers: Vec<Caller>,
    pub path_parameters: Vec<Parameter>,
    pub query: Vec<Parameter>,
    /// Without the headers of authentication and signatures, which the transport adds.
    pub headers: Vec<Parameter>,
    /// The request has `x-Request-ID`, which the client adds.
    pub has_request_id: bool,
    pub body: Option<Body>,
    /// The schema of a JSON response; `None` if the response has no body.
    pub response: Option<Value>,
    pub is_text: bool,
}

impl Operation {
    /// Whether the same request may be sent twice without a second effect.
    pub fn is_repeatable(&self) -> bool {
        let has_key = self.has_request_id || self.body.as_ref().is_some_and(|body| body.has_key);
        has_key || self.method != "POST"
    }
}

pub struct Api {
    pub version: String,
    pub operations: Vec<Operation>,
    pub schemas: Map<String, Value>,
    /// Names of the schemas that occur in requests.
    pub request_schemas: Vec<String>,
    pub tags: Vec<(String, String)>,
}

/// The name of the field that is an idempotency key in a body.
pub const KEY_FIELD: &str = "requestId";
const REQUEST_ID: &str = "x-Request-ID";
/// The headers that a client sends by itself.
const OWN_HEADERS: [&str; 7] = [
    "Certificate",
    "ClientId",
    "Ocp-Apim-Subscription-Key",
    "X-Application-ID",
    "Digest",
    "Signature",
    "TPP-Signature-Certificate",
];

impl Api {
    pub fn parse(document: &str) -> Outcome<Self> {
        let document: Value = serde_json::from_str(document).map_err(|e| format!("the document: {e}"))?;
        let mut operations = Vec::new();
        for (path, methods) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                operations.push(parse_operation(&document, path, method, operation)?);
            }
        }
        let schemas = document["components"]["schemas"].as_object().cloned().unwrap_or_default();
        let mut request_schemas = Vec::new();
        for body in operations.iter().filter_map(|operation| operation.body.as_ref()) {
            collect_references(&body.schema, &schemas, &mut request_schemas);
        }
        let tags = document["tags"].as_array().into_iter().flatten();
        let tags = tags.map(|tag| (text(&tag["name"]), text(&tag["description"]))).collect();
        Ok(Self { version: text(&document["info"]["version"]), operations, schemas, request_schemas, tags })
    }

    /// The operations of a caller, in the order of the document.
    pub fn of(&self, caller: Caller) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(move |operation| operation.callers.contains(&caller))
    }

    /// Whether a field must be sent or is always received. The client adds an idempotency key.
    pub fn is_required(&self, schema_name: &str, schema: &Value, field: &str) -> bool {
        let listed = schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == field));
        listed && !(field == KEY_FIELD && self.request_schemas.iter().any(|name| name == schema_name))
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The name of a schema that is a reference.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next())
}

fn parse_operation(document: &Value, path: &str, method: &str, operation: &Value) -> Outcome<Operation> {
    let mut parsed = Operation {
        id: text(&operation["operationId"]),
        tag: text(&operation["tags"][0]),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(&operation["summary"]),
        callers: callers(&operation["security"]),
        path_parameters: Vec::new(),
        query: Vec::new(),
        headers: Vec::new(),
        has_request_id: false,
        body: None,
        response: None,
        is_text: false,
    };
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let parameter = match reference(parameter) {
            Some(name) => &document["components"]["parameters"][name],
            None => parameter,
        };
        let one = Parameter {
            name: text(&parameter["name"]),
            required: parameter["required"] == true,
            description: text(&parameter["description"]),
            schema: parameter["schema"].clone(),
            example: parameter["example"].clone(),
        };
        match parameter["in"].as_str() {
            Some("path") => parsed.path_parameters.push(one),
            Some("query") => parsed.query.push(one),
            Some("header") if one.name == REQUEST_ID => parsed.has_request_id = true,
            Some("header") if OWN_HEADERS.contains(&one.name.as_str()) => {}
            Some("header") => parsed.headers.push(one),
            other => return Err(format!("{}: a parameter in {other:?}", parsed.id)),
        }
    }
    let json = &operation["requestBody"]["content"]["application/json"];
    if json.is_object() {
        let name = reference(&json["schema"]).unwrap_or_default();
        let has_key = document["components"]["schemas"][name]["properties"][KEY_FIELD].is_object();
        let required = operation["requestBody"]["required"] == true;
        let (schema, example) = (json["schema"].clone(), json["example"].clone());
        parsed.body = Some(Body { schema, required, example, has_key });
    }
    let responses = operation["responses"].as_object().into_iter().flatten();
    let success = responses.clone().find(|(status, _)| status.starts_with('2'));
    let (_, success) = success.ok_or_else(|| format!("{}: no successful response", parsed.id))?;
    for (media, content) in success["content"].as_object().into_iter().flatten() {
        parsed.is_text = media != "application/json";
        parsed.response = Some(content["schema"].clone());
    }
    Ok(parsed)
}

fn callers(security: &Value) -> Vec<Caller> {
    let alternatives = security.as_array().into_iter().flatten();
    let callers: Vec<Caller> = alternatives
        .filter_map(|schemes| match schemes {
            schemes if schemes["clientId"].is_array() => Some(Caller::ThirdParty),
            schemes if schemes["applicationId"].is_array() => Some(Caller::Merchant),
            _ => None,
        })
        .collect();
    if callers.is_empty() { vec![Caller::Anonymous] } else { callers }
}

/// Collects the names of all schemas that a schema refers to, directly or not.
fn collect_references(schema: &Value, schemas: &Map<String, Value>, found: &mut Vec<String>) {
    if let Some(name) = reference(schema) {
        if !found.iter().any(|one| one == name) {
            found.push(name.to_owned());
            if let Some(schema) = schemas.get(name) {
                collect_references(schema, schemas, found);
            }
        }
        return;
    }
    match schema {
        Value::Object(fields) => fields.values().for_each(|field| collect_references(field, schemas, found)),
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, schemas, found)),
        _ => {}
    }
}

/// The words of a name in any of the spellings of the specification: `x-Request-ID`, `PSU_ID`, `pSUIPAddress`, `consentId`.
pub fn words(name: &str) -> Vec<String> {
    let spelled = match name {
        "pSUIPAddress" => "psu-ip-address",
        "redirectURIs" => "redirect-uris",
        other => other,
    };
    let mut words: Vec<String> = vec![String::new()];
    let mut last_lower = false;
    for character in spelled.chars() {
        let separates = !character.is_ascii_alphanumeric();
        if (separates || (character.is_ascii_uppercase() && last_lower))
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let (false, Some(word)) = (separates, words.last_mut()) {
            word.push(character.to_ascii_lowercase());
        }
        last_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
    }
    words
}

/// `snake_case`, for Python.
pub fn snake(name: &str) -> String {
    words(name).join("_")
}

/// `camelCase`, for TypeScript.
pub fn camel(name: &str) -> String {
    let words = words(name);
    let first = words.first().cloned().unwrap_or_default();
    words.iter().skip(1).fold(first, |text, word| text + &capitalised(word))
}

/// `PascalCase`, for the names of nested types.
pub fn pascal(name: &str) -> String {
    words(name).iter().map(|word| capitalised(word)).collect()
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters
        .next()
        .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_every_spelling_become_words() {
        for (name, expected) in [
            ("x-Request-ID", "x_request_id"),
            ("PSU_ID", "psu_id"),
            ("pSUIPAddress", "psu_ip_address"),
            ("consentID", "consent_id"),
            ("createFundsConsent", "create_funds_consent"),
            ("Merchant Data", "merchant_data"),
        ] {
            assert_eq!(snake(name), expected);
        }
        assert_eq!(camel("TPP-Redirect-URI"), "tppRedirectUri");
        assert_eq!(pascal("_links"), "Links");
    }

    #[test]
    fn request_without_a_key_is_not_repeatable() {
        let document = r#"{"info": {"version": "1"}, "tags": [], "components": {"schemas": {"Order": {"properties":
            {"requestId": {"type": "string"}}, "required": ["requestId"]}}}, "paths": {
            "/clock": {"post": {"operationId": "advance", "responses": {"200": {}}}},
            "/order": {"post": {"operationId": "order", "responses": {"200": {}}, "requestBody": {"required": true,
              "content": {"application/json": {"schema": {"$ref": "/Order"}}}}}}}}"#;
        let api = Api::parse(document).unwrap();
        let repeatable: Vec<bool> = api.operations.iter().map(Operation::is_repeatable).collect();
        assert_eq!(repeatable, [false, true]);
        assert!(!api.is_required("Order", &api.schemas["Order"], "requestId"), "the client adds the key");
    }
}
