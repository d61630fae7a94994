//! Secrets, and where they must not be: the log at its finest level, the metrics, the exported traces, the body of an internal error, and
//! the response to a credential that is wrong.
//!
//! [`request`] plants them in every operation and page of a sandbox, [`gateway`] sends real codes from a bank in production through
//! gateways that fail, and [`failure`] calls every operation while the database fails.

mod failure;
mod gateway;
mod request;

use crate::http::payment::{OTHER_BANK_IBAN, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{Reply, WebhookReceiver};

/// What a caller sends as a name, a reference or an id. A response may repeat it to them; the log may not.
const PLANTED: &str = "planted-secret";
/// What a caller sends as a password, code, key, certificate, cookie or token. Nothing may repeat it.
const CREDENTIAL: &str = "planted-credential";
/// The path before the operations of the dialect.
const DIALECT: &str = "/berlin-group";
/// A secret of at most this length, such as a code, is searched for as a word, because it may be a part of a longer number.
const MAX_WORD_LENGTH: usize = 8;
/// How much of a message is searched for, besides the whole: a line may be cut.
const MESSAGE_BEGINNING: usize = 30;

/// What must not be found.
struct Secrets(BTreeSet<String>);

impl Secrets {
    fn new() -> Self {
        Self([PLANTED, CREDENTIAL, OTHER_BANK_IBAN].map(str::to_owned).into())
    }

    /// With all that is secret in `sandbox.json`.
    fn of_sandbox(file: &Value) -> Self {
        let mut secrets = Self::new();
        secrets.add(text(&file["otp"]));
        for (kind, fields) in [
            ("tpps", &["subscription_key", "certificate"][..]),
            ("merchants", &["subscription_key", "webhook_secret"]),
            ("psus", &["password", "phone", "name"]),
        ] {
            for one in file[kind].as_array().unwrap() {
                fields.iter().for_each(|field| secrets.add(text(&one[*field])));
            }
        }
        for psu in file["psus"].as_array().unwrap() {
            psu["accounts"]
                .as_array()
                .unwrap()
                .iter()
                .for_each(|account| secrets.add(text(&account["iban"])));
            psu["cards"].as_array().unwrap().iter().for_each(|card| secrets.add(text(&card["pan"])));
        }
        secrets
    }

    /// A secret, and how JSON writes it.
    fn add(&mut self, secret: &str) {
        assert!(secret.len() > 3, "{secret:?} is too short to be found");
        self.0.insert(secret.to_owned());
        self.0.insert(Value::from(secret).to_string().trim_matches('"').to_owned());
    }

    /// What is secret in the examples of the documents.
    fn add_examples(&mut self, operations: &[Operation]) {
        const MEMBERS: [&str; 7] =
            ["password", "phone", "phoneNumber", "pan", "cardNumber", "iban", "creditorName"];
        let mut values: Vec<&Value> = operations.iter().filter_map(|one| one.body.as_ref()).collect();
        while let Some(value) = values.pop() {
            match value {
                Value::Array(items) => values.extend(items),
                Value::Object(members) => {
                    let named = members.iter().filter(|(name, _)| MEMBERS.contains(&name.as_str()));
                    named.filter_map(|(_, member)| member.as_str()).for_each(|secret| self.add(secret));
                    values.extend(members.values());
                }
                _ => {}
            }
        }
    }

    /// A message to a customer, its beginning, and the code in it.
    fn add_message(&mut self, message: &str) {
        self.add(message);
        self.add(&message.chars().take(MESSAGE_BEGINNING).collect::<String>());
        code(message).iter().for_each(|code| self.add(code));
    }

    fn check(&self, place: &str, text: &str) {
        for secret in &self.0 {
            let found = text.match_indices(secret).find(|(at, _)| is_whole(text, *at, secret));
            if let Some((at, _)) = found {
                let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
                panic!("{secret} is in the {place}: {}", text[line..].lines().next().unwrap_or_default());
            }
        }
    }

    /// The values of metrics are numbers and contain no secret, but a code may equal one.
    fn check_metrics(&self, page: &str) {
        let series: Vec<&str> =
            page.lines().map(|line| line.rsplit_once(' ').unwrap_or((line, "")).0).collect();
        assert!(series.iter().any(|name| name.starts_with("trapeza_")), "{page}");
        self.check("metrics", &series.join("\n"));
    }
}

/// Whether a secret that was found is not a part of a longer number, or the duration of a request.
fn is_whole(text: &str, at: usize, secret: &str) -> bool {
    let (before, after) = (&text[..at], &text[at + secret.len()..]);
    secret.len() > MAX_WORD_LENGTH
        || !(before.ends_with(char::is_alphanumeric)
            || after.starts_with(char::is_alphanumeric)
            || before.ends_with("\"micros\":"))
}

/// The code in a message: its only number of six digits.
fn code(message: &str) -> Option<&str> {
    let mut words = message.split(|letter: char| !letter.is_alphanumeric());
    words.find(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A collector of traces.
struct Collector(WebhookReceiver);

impl Collector {
    async fn start() -> Self {
        Self(WebhookReceiver::start(|_, _| Reply::Status(200)).await)
    }

    /// The settings with which a program exports every trace to it, and logs everything.
    fn settings(&self) -> String {
        let endpoint = format!("http://{}", self.0.address);
        format!(
            "[log]\nlevel = \"trace\"\nformat = \"json\"\n[telemetry]\notlp_endpoint = {endpoint:?}\nsampling_ratio = \"1\"\n"
        )
    }

    /// Everything that was exported, a span on each line. The program must have ended, which exports the last ones.
    fn spans(&self) -> Vec<String> {
        let bodies =
            self.0.seen().into_iter().map(|request| serde_json::from_str::<Value>(&request.body).unwrap());
        let spans = bodies.flat_map(|body| {
            let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
            spans.into_iter().map(|span| span.to_string())
        });
        spans.collect()
    }
}

/// An operation of a served document.
struct Operation {
    /// Unique in both documents.
    name: String,
    method: Method,
    /// With the path of the dialect.
    path: String,
    /// The example of its body; an empty object where the document has none.
    body: Option<Value>,
}

impl Operation {
    fn is_dialect(&self) -> bool {
        self.path.starts_with(DIALECT)
    }

    fn is_for_tpps(&self) -> bool {
        self.path.starts_with("/v1") || self.path.starts_with("/v2")
    }
}

/// Every operation of both documents.
async fn operations(program: &ServerProcess) -> Vec<Operation> {
    let mut all = Vec::new();
    for base in ["", DIALECT] {
        let document = program.anonymous().get(&format!("{base}/openapi.json")).await.body;
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let content = operation.pointer("/requestBody/content/application~1json");
                all.push(Operation {
                    name: format!("{base} {}", text(&operation["operationId"])).trim().to_owned(),
                    method: method.to_uppercase().parse().unwrap(),
                    path: format!("{base}{path}"),
                    body: content.map(|content| content.get("example").cloned().unwrap_or(json!({}))),
                });
            }
        }
    }
    assert!(all.len() > 100, "both documents");
    all
}

/// The page of metrics at an address.
async fn metrics(base_url: &str) -> String {
    reqwest::get(format!("{base_url}/metrics")).await.unwrap().text().await.unwrap()
}
