//! A real browser, driven as a customer would use it: Chromium, over the WebDriver protocol.
//!
//! It knows how to click, type and look, and nothing about our pages. A program that is missing is a failed test with
//! the command that installs it, never a skipped one.

use reqwest::Client;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long something may take to appear. Machines that test are slow; one that is this slow is broken.
const PATIENCE: Duration = Duration::from_secs(30);
/// The key under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A telephone and a desk, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    Phone,
    Desk,
}

pub struct Chromium {
    driver: Driver,
    client: Client,
    session: String,
    _profile: tempfile::TempDir,
}

/// The program between us and the browser.
struct Driver {
    process: Child,
    address: String,
    /// Kept open: a program whose listener has gone is ended by its next word.
    _said: BufReader<ChildStdout>,
}

impl Chromium {
    /// An English-speaking customer with a new browser on a telephone.
    pub async fn start() -> Self {
        Self::speaking("en").await
    }

    pub async fn speaking(language: &str) -> Self {
        let driver = Driver::start();
        let address = driver.address.clone();
        let client = Client::new();
        let profile = tempfile::tempdir().expect("the browser needs a directory");
        let arguments = [
            "--headless=new".to_owned(),
            // Tests often run as root and in containers, where Chromium's own sandbox cannot be made.
            "--no-sandbox".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--no-first-run".to_owned(),
            format!("--user-data-dir={}", profile.path().display()),
        ];
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments, "prefs": { "intl.accept_languages": language } },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let made = answer(client.post(format!("{address}/session")).json(&wanted)).await;
        let made = made.unwrap_or_else(|problem| panic!("Chromium did not start: {problem}"));
        let id = made["sessionId"].as_str().unwrap_or_else(|| panic!("Chromium did not start: {made}"));
        let browser = Self { driver, session: format!("{address}/session/{id}"), client, _profile: profile };
        browser.screen(Screen::Phone).await;
        browser
    }

    pub async fn open(&self, address: &str) {
        self.post("url", json!({ "url": address })).await;
    }

    pub async fn back(&self) {
        self.post("back", json!({})).await;
    }

    pub async fn address(&self) -> String {
        self.text_of(self.get("url").await)
    }

    pub async fn title(&self) -> String {
        self.text_of(self.get("title").await)
    }

    /// Clicks on the first element that a selector finds, as soon as it is there.
    pub async fn click(&self, selector: &str) {
        self.on(selector, "click", json!({})).await;
    }

    /// Clicks on what leads to another page, and waits for that.
    pub async fn follow(&self, selector: &str) {
        self.find(selector).await;
        self.run("window.left = true", json!([])).await;
        self.click(selector).await;
        let there = "return window.left === undefined && document.readyState === 'complete'";
        let arrived = self.until(|| async {
            let arrived = self.run(there, json!([])).await == true;
            arrived.then_some(()).ok_or_else(String::new)
        });
        if arrived.await.is_err() {
            panic!("{selector} leads nowhere from {}", self.address().await);
        }
    }

    /// Types over what a field holds.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.on(selector, "clear", json!({})).await;
        self.on(selector, "value", json!({ "text": text })).await;
    }

    /// What the customer reads in an element.
    pub async fn text(&self, selector: &str) -> String {
        self.find(selector).await;
        let read = "return document.querySelector(arguments[0])?.innerText ?? ''";
        self.text_of(self.run(read, json!([selector])).await)
    }

    /// Waits until the customer reads this in an element: a page may still be on its way.
    pub async fn reads(&self, selector: &str, wanted: &str) {
        let read = "return document.querySelector(arguments[0])?.innerText ?? ''";
        let seen = self.until(|| async {
            let seen = self.text_of(self.run(read, json!([selector])).await);
            if seen.contains(wanted) { Ok(()) } else { Err(seen) }
        });
        if let Err(seen) = seen.await {
            panic!("{selector} says {seen:?}, not {wanted:?}, at {}", self.address().await);
        }
    }

    pub async fn has(&self, selector: &str) -> bool {
        self.run("return document.querySelector(arguments[0]) !== null", json!([selector])).await
            == json!(true)
    }

    /// Waits until the page's heading is this.
    pub async fn heading(&self, wanted: &str) {
        let seen = self.until(|| async {
            let seen = self.run("return document.querySelector('h1')?.innerText ?? ''", json!([])).await;
            if seen == wanted { Ok(()) } else { Err(seen.to_string()) }
        });
        if let Err(seen) = seen.await {
            panic!("the heading is {seen}, not {wanted:?}, at {}", self.address().await);
        }
    }

    /// Runs a function body in the page; what it returns.
    pub async fn run(&self, script: &str, arguments: Value) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": arguments })).await
    }

    /// The same for one that ends by calling its last argument.
    pub async fn run_later(&self, script: &str, arguments: Value) -> Value {
        self.post("execute/async", json!({ "script": script, "args": arguments })).await
    }

    /// Turns to another screen.
    pub async fn screen(&self, screen: Screen) {
        let (width, height, mobile) = match screen {
            Screen::Phone => (390, 844, true),
            Screen::Desk => (1200, 900, false),
        };
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Light or dark, as the customer's system says.
    pub async fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// Takes pictures of the page as it stands, on a telephone and on a desk, into `target/pages/`, and makes sure
    /// that everybody can use it, in light and in dark.
    pub async fn inspect(&self, name: &str) {
        let directory = workspace().join("target/pages");
        std::fs::create_dir_all(&directory).expect("a place for pictures");
        for (screen, word) in [(Screen::Desk, "desk"), (Screen::Phone, "phone")] {
            self.screen(screen).await;
            for (dark, shade) in [(true, "-dark"), (false, "")] {
                self.dark(dark).await;
                let faults = self.barriers().await;
                assert!(faults.is_empty(), "{name} on a {word}{shade} shuts people out: {faults:#?}");
                let wide =
                    self.run("return document.documentElement.scrollWidth > innerWidth", json!([])).await;
                assert_eq!(wide, json!(false), "{name} on a {word} has to be scrolled sideways");
                let whole = json!({ "format": "png", "captureBeyondViewport": true });
                let taken = self.devtools("Page.captureScreenshot", whole).await;
                let picture = decoded(taken["data"].as_str().unwrap_or_default());
                let file = directory.join(format!("{name}-{word}{shade}.png"));
                std::fs::write(&file, picture).expect("a picture is written");
            }
        }
    }

    /// What stands in the way of people who see, hear or move differently, as axe-core finds it.
    async fn barriers(&self) -> Vec<String> {
        if self.run("return typeof axe", json!([])).await != "object" {
            let file = workspace().join("target/browser/node_modules/axe-core/axe.min.js");
            let source = std::fs::read_to_string(&file).unwrap_or_else(|error| {
                panic!("{}: {error}. `cargo xtask browser` installs it", file.display())
            });
            self.run(&format!("{source}; window.axe = axe"), json!([])).await;
        }
        let script = "const done = arguments[0];
            axe.run(document).then(found => done(found.violations.flatMap(rule =>
                rule.nodes.map(node => rule.id + ': ' + node.failureSummary + ' at ' + node.html))),
                error => done([String(error)]))";
        let found = self.run_later(script, json!([])).await;
        let faults = found.as_array().unwrap_or_else(|| panic!("axe-core answered {found}"));
        faults.iter().map(|fault| fault.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// What the page's console says is wrong: a refused script, a style that was blocked, an exception.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.post("se/log", json!({ "type": "browser" })).await;
        let entries = log.as_array().cloned().unwrap_or_default();
        let messages = entries.iter().filter_map(|entry| entry["message"].as_str());
        // A page that says no has such a status, and Chromium mentions it.
        messages.filter(|text| !text.contains("responded with a status of 4")).map(str::to_owned).collect()
    }

    /// Waits until a selector finds something; the name that WebDriver has for it.
    pub async fn find(&self, selector: &str) -> String {
        let found = self.until(|| async {
            let wanted = json!({ "using": "css selector", "value": selector });
            let request = self.client.post(format!("{}/element", self.session)).json(&wanted);
            let found = answer(request).await?;
            found[ELEMENT].as_str().map(str::to_owned).ok_or_else(|| found.to_string())
        });
        match found.await {
            Ok(element) => element,
            Err(problem) => {
                let page = self.run("return document.body.innerText", json!([])).await;
                panic!("no {selector} at {}: {problem}\n{page}", self.address().await)
            }
        }
    }

    /// Does something with an element. One that goes away with its page in between is looked for again.
    async fn on(&self, selector: &str, action: &str, body: Value) {
        let done = self.until(|| async {
            let element = self.find(selector).await;
            let place = format!("{}/element/{element}/{action}", self.session);
            answer(self.client.post(place).json(&body)).await
        });
        if let Err(problem) = done.await {
            panic!("{action} {selector}: {problem}");
        }
    }

    /// Tries again until it works or patience ends.
    async fn until<T, F>(&self, attempt: impl Fn() -> F) -> Result<T, String>
    where
        F: Future<Output = Result<T, String>>,
    {
        let start = Instant::now();
        loop {
            match attempt().await {
                Ok(done) => return Ok(done),
                Err(problem) if start.elapsed() > PATIENCE => return Err(problem),
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    async fn devtools(&self, command: &str, parameters: Value) -> Value {
        self.post("goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    async fn get(&self, path: &str) -> Value {
        let answered = answer(self.client.get(format!("{}/{path}", self.session))).await;
        answered.unwrap_or_else(|problem| panic!("{path}: {problem}"))
    }

    async fn post(&self, path: &str, body: Value) -> Value {
        let answered = answer(self.client.post(format!("{}/{path}", self.session)).json(&body)).await;
        answered.unwrap_or_else(|problem| panic!("{path} {}: {problem}", shortened(&body)))
    }

    fn text_of(&self, value: Value) -> String {
        value.as_str().unwrap_or_else(|| panic!("a text is wanted, not {value}")).to_owned()
    }
}

impl Drop for Chromium {
    /// The driver ends its browser only when it is asked to; killed, it would leave it behind.
    fn drop(&mut self) {
        let place = self.driver.address.trim_start_matches("http://");
        let path = self.session.trim_start_matches(&self.driver.address);
        let asked = TcpStream::connect(place).and_then(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            let bye = format!("DELETE {path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
            stream.write_all(bye.as_bytes())?;
            stream.read(&mut [0; 64])
        });
        // Whether it heard us or not, there is nobody left to tell.
        drop(asked);
        let _ = self.driver.process.kill();
        let _ = self.driver.process.wait();
    }
}

impl Driver {
    /// On a port of its own choice.
    fn start() -> Self {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("chromedriver: {error}. `cargo xtask browser` installs it"));
        let mut said = BufReader::new(process.stdout.take().expect("its output is piped"));
        let lines = said.by_ref().lines().map_while(Result::ok);
        let port =
            lines.filter_map(|line| Some(line.split_once("successfully on port ")?.1.to_owned())).next();
        let port = port.expect("chromedriver tells its port");
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        Self { process, address: format!("http://127.0.0.1:{port}"), _said: said }
    }
}

/// WebDriver's answer: its value, or its complaint.
async fn answer(request: reqwest::RequestBuilder) -> Result<Value, String> {
    let response = request.send().await.map_err(|error| error.to_string())?;
    let good = response.status().is_success();
    let mut body: Value = response.json().await.map_err(|error| error.to_string())?;
    let value = body["value"].take();
    if good { Ok(value) } else { Err(format!("{}: {}", value["error"], value["message"])) }
}

fn shortened(body: &Value) -> String {
    body.to_string().chars().take(200).collect()
}

fn decoded(base64: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(base64).expect("a picture comes in base64")
}

fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate lies in the workspace").to_path_buf()
}
