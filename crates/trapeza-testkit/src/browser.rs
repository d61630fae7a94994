//! A browser without JavaScript: keeps cookies, submits forms as the page gave them, follows nothing by itself.

use crate::device_key::DeviceKey;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use std::collections::BTreeMap;

pub struct Browser {
    client: Client,
    base_url: String,
    pub cookies: BTreeMap<String, String>,
    /// The device key that the app's script would create.
    pub key: DeviceKey,
    /// Sent with every request.
    pub headers: Vec<(&'static str, String)>,
}

/// A loaded file.
#[derive(Clone, Debug)]
pub struct Download {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub bytes: Vec<u8>,
}

/// A loaded page.
#[derive(Clone)]
pub struct Page {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub html: String,
}

impl Browser {
    pub fn new(base_url: &str) -> Self {
        let client = Client::builder().redirect(Policy::none()).build().expect("a client needs nothing");
        Self {
            client,
            base_url: base_url.to_owned(),
            cookies: BTreeMap::new(),
            key: DeviceKey::default(),
            headers: Vec::new(),
        }
    }

    /// Deletes all cookies: the browser of another customer, on the same connections.
    pub fn delete_cookies(&mut self) {
        self.cookies.clear();
    }

    /// Sends user name and password on the first page of the bank's app; returns the response.
    pub async fn app_sign_in(&mut self, user: &str, password: &str) -> Page {
        let page = self.get("/app").await;
        self.send(&page, &[("step", "sign-in"), ("user", user), ("password", password)]).await
    }

    /// Loads a page by its path or URL.
    pub async fn get(&mut self, address: &str) -> Page {
        let request = self.client.request(Method::GET, self.address(address));
        self.load(request).await
    }

    /// Loads a file by its path or URL.
    pub async fn download(&mut self, address: &str) -> Download {
        let request = self.client.request(Method::GET, self.address(address));
        self.load_file(request).await
    }

    /// Submits fields to a path, as a form that the page does not show.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let request = self.client.request(Method::POST, self.address(path));
        let request =
            request.header("content-type", "application/x-www-form-urlencoded").body(body.join("&"));
        self.load(request).await
    }

    /// Fills in a form of `page` and submits it; returns the page that it leads to.
    pub async fn send(&mut self, page: &Page, fields: &[(&str, &str)]) -> Page {
        let sent = self.send_only(page, fields).await;
        if sent.status == 303 { self.get(&sent.headers["location"]).await } else { sent }
    }

    /// Like [`Self::send`], but returns the direct response to the form.
    pub async fn send_only(&mut self, page: &Page, fields: &[(&str, &str)]) -> Page {
        let mut all = vec![("csrf", page.attribute("name=\"csrf\" value=\""))];
        all.extend(fields.iter().map(|(name, value)| (*name, (*value).to_owned())));
        all.extend(self.script(page, fields));
        let body: Vec<String> =
            all.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let action = page.attribute("<form method=\"post\" action=\"");
        let request = self.client.request(Method::POST, self.address(&action));
        let request =
            request.header("content-type", "application/x-www-form-urlencoded").body(body.join("&"));
        self.load(request).await
    }

    /// Fields that the app's script adds to its forms.
    fn script(&self, page: &Page, fields: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        let field = |name| fields.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        match (field("step"), field("question"), field("number")) {
            (Some("code"), ..) if page.says("name=\"key\"") => vec![("key", self.key.public())],
            (Some("approve" | "confirm"), Some(question), Some(number)) => {
                let link = page.attributes(&format!("data-question=\"{question}\" data-link=\""));
                // A page without the approval has nothing to sign.
                let Some(link) = link.first() else { return vec![("chosen", number.to_owned())] };
                let text = format!("trapeza approval\n{question}\n{link}\n{number}");
                vec![("chosen", number.to_owned()), ("signature", self.key.sign(&text))]
            }
            _ => Vec::new(),
        }
    }

    fn address(&self, address: &str) -> String {
        if address.starts_with('/') { format!("{}{address}", self.base_url) } else { address.to_owned() }
    }

    async fn load(&mut self, request: RequestBuilder) -> Page {
        let Download { status, headers, bytes } = self.load_file(request).await;
        Page { status, headers, html: String::from_utf8_lossy(&bytes).into_owned() }
    }

    async fn load_file(&mut self, mut request: RequestBuilder) -> Download {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            request = request.header("cookie", cookies.join("; "));
        }
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.expect("the bank answers");
        for cookie in response.headers().get_all("set-cookie") {
            let cookie = cookie.to_str().expect("a cookie is text").split(';').next().unwrap_or_default();
            let (name, value) = cookie.split_once('=').expect("a cookie has a name");
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
        let status = response.status().as_u16();
        let text =
            |value: &reqwest::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers =
            response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let bytes = response.bytes().await.expect("the whole answer arrives").to_vec();
        Download { status, headers, bytes }
    }
}

/// A page as a failed test prints it: without style and script.
impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let content = self.html.split("<main>").nth(1).and_then(|rest| rest.split("</main>").next());
        write!(f, "{} {}", self.status, content.unwrap_or(&self.html))
    }
}

impl Page {
    pub fn title(&self) -> String {
        let title = self.html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next());
        // The bank's name follows the title.
        let title = title.and_then(|title| title.rsplit_once(" – ")).map(|(title, _)| title);
        plain(title.unwrap_or_else(|| panic!("a page without a title: {self:?}")))
    }

    pub fn says(&self, text: &str) -> bool {
        self.html.contains(text)
    }

    /// The text after `before`, up to the next quotation mark.
    pub fn attribute(&self, before: &str) -> String {
        let found = self.html.split(before).nth(1).and_then(|rest| rest.split('"').next());
        plain(found.unwrap_or_else(|| panic!("no {before} in {self:?}")))
    }

    /// All texts after `before`.
    pub fn attributes(&self, before: &str) -> Vec<String> {
        let pieces = self.html.split(before).skip(1);
        pieces.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    }

    /// The text of the first element that starts with `opening`.
    pub fn text(&self, opening: &str) -> &str {
        let found = self.html.split(opening).nth(1).and_then(|rest| rest.split('<').next());
        found.unwrap_or_else(|| panic!("no {opening} in {self:?}"))
    }
}

/// Characters that a template escapes.
fn plain(text: &str) -> String {
    let pairs = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}

fn encoded(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
