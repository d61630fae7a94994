//! A real browser: Chromium, driven over the WebDriver protocol. A missing program fails the test with the command that
//! installs it.

use reqwest::Client;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Timeout for something to appear.
const PATIENCE: Duration = Duration::from_secs(30);
/// The key of an element reference in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Phone and desktop, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    Phone,
    Desktop,
}

pub struct Chromium {
    driver: Driver,
    client: Client,
    session: String,
    _profile: tempfile::TempDir,
}

/// The ChromeDriver process.
struct Driver {
    process: Child,
    address: String,
    /// Kept open, because a process whose output is closed ends at its next write.
    _said: BufReader<ChildStdout>,
}

impl Chromium {
    /// A new browser in English with the size of a phone.
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
            // Tests often run as root in containers, where Chromium's sandbox is not available.
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

    /// Clicks on the first element that matches, as soon as it exists.
    pub async fn click(&self, selector: &str) {
        self.on(selector, "click", json!({})).await;
    }

    /// Clicks on a link or button and waits for the next page.
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

    /// Replaces the content of a field.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.on(selector, "clear", json!({})).await;
        self.on(selector, "value", json!({ "text": text })).await;
    }

    /// The visible text of an element.
    pub async fn text(&self, selector: &str) -> String {
        self.find(selector).await;
        let read = "return document.querySelector(arguments[0])?.innerText ?? ''";
        self.text_of(self.run(read, json!([selector])).await)
    }

    /// Waits until an element has this text.
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

    /// Waits for this page heading.
    pub async fn heading(&self, wanted: &str) {
        let seen = self.until(|| async {
            let seen = self.run("return document.querySelector('h1')?.innerText ?? ''", json!([])).await;
            if seen == wanted { Ok(()) } else { Err(seen.to_string()) }
        });
        if let Err(seen) = seen.await {
            panic!("the heading is {seen}, not {wanted:?}, at {}", self.address().await);
        }
    }

    /// Runs a function body in the page and returns its result.
    pub async fn run(&self, script: &str, arguments: Value) -> Value {
        self.post("execute/sync", json!({ "script": script, "args": arguments })).await
    }

    /// Like [`Self::run`] for a function that calls its last argument when done.
    pub async fn run_later(&self, script: &str, arguments: Value) -> Value {
        self.post("execute/async", json!({ "script": script, "args": arguments })).await
    }

    /// Changes the window size.
    pub async fn screen(&self, screen: Screen) {
        let (width, height, mobile) = match screen {
            Screen::Phone => (390, 844, true),
            Screen::Desktop => (1200, 900, false),
        };
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Light or dark colour scheme.
    pub async fn dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// Takes screenshots of the page as phone and desktop into `target/pages/`, and checks accessibility in light and dark.
    pub async fn inspect(&self, name: &str) {
        let directory = workspace().join("target/pages");
        std::fs::create_dir_all(&directory).expect("a place for pictures");
        for (screen, word) in [(Screen::Desktop, "desktop"), (Screen::Phone, "phone")] {
            self.screen(screen).await;
            for (dark, shade) in [(true, "-dark"), (false, "")] {
                self.dark(dark).await;
                let faults = self.barriers().await;
                assert!(faults.is_empty(), "{name} on a {word}{shade} shuts people out: {faults:#?}");
                let wide =
                    self.run("return document.documentElement.scrollWidth > innerWidth", json!([])).await;
                assert_eq!(wide, json!(false), "{name} on a {word} scrolls sideways");
                let whole = json!({ "format": "png", "captureBeyondViewport": true });
                let taken = self.devtools("Page.captureScreenshot", whole).await;
                let picture = decoded(taken["data"].as_str().unwrap_or_default());
                let file = directory.join(format!("{name}-{word}{shade}.png"));
                std::fs::write(&file, picture).expect("a picture is written");
            }
        }
    }

    /// Accessibility violations by axe-core.
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

    /// Errors in the console: blocked scripts or styles, exceptions.
    pub async fn complaints(&self) -> Vec<String> {
        let log = self.post("se/log", json!({ "type": "browser" })).await;
        let entries = log.as_array().cloned().unwrap_or_default();
        let messages = entries.iter().filter_map(|entry| entry["message"].as_str());
        // Chromium logs the status of a refused page.
        messages.filter(|text| !text.contains("responded with a status of 4")).map(str::to_owned).collect()
    }

    /// Waits until a selector matches; the element reference.
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

    /// Runs a command on an element; retries when the element has gone with its page.
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

    /// Retries until it works or the timeout ends.
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
        value.as_str().unwrap_or_else(|| panic!("expected a text, not {value}")).to_owned()
    }
}

impl Drop for Chromium {
    /// ChromeDriver closes its browser only when asked to.
    fn drop(&mut self) {
        let place = self.driver.address.trim_start_matches("http://");
        let path = self.session.trim_start_matches(&self.driver.address);
        let asked = TcpStream::connect(place).and_then(|mut stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            let bye = format!("DELETE {path} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n");
            stream.write_all(bye.as_bytes())?;
            stream.read(&mut [0; 64])
        });
        // The process is killed in any case.
        drop(asked);
        let _ = self.driver.process.kill();
        let _ = self.driver.process.wait();
    }
}

impl Driver {
    /// Starts it on a free port.
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

/// A WebDriver response: its value or error.
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
