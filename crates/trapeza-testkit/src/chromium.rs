//! A real browser: Chromium, driven over WebDriver by `thirtyfour`. A missing program fails the test with the command that
//! installs it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, LoggingPrefsLogLevel};

/// Timeout for something to appear.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of one command. The first start of Chromium on a busy machine takes minutes.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(600);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Phone and desktop, in CSS pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    Phone,
    Desktop,
}

impl Screen {
    const fn width(self) -> u32 {
        match self {
            Self::Phone => 390,
            Self::Desktop => 1200,
        }
    }
}

pub struct Chromium {
    /// Ends its session when it is dropped, before the process is killed.
    driver: WebDriver,
    _process: ChromeDriver,
    _profile: tempfile::TempDir,
}

/// The ChromeDriver process. It comes from the system's packages, so that its version is that of Chromium.
struct ChromeDriver {
    process: Child,
    address: String,
    /// Held open, because a process whose output is closed ends at its next write.
    _output: BufReader<ChildStdout>,
}

impl Chromium {
    /// A new browser in English with the size of a phone.
    pub async fn start() -> Self {
        Self::with_language("en").await
    }

    pub async fn with_language(language: &str) -> Self {
        let process = ChromeDriver::start();
        let profile = tempfile::tempdir().expect("the browser needs a directory");
        let capabilities = capabilities(language, profile.path()).expect("the capabilities are valid");
        let driver =
            WebDriver::builder(&process.address, capabilities).request_timeout(COMMAND_TIMEOUT).await;
        let driver = driver.unwrap_or_else(|error| panic!("Chromium did not start: {error}"));
        let browser = Self { driver, _process: process, _profile: profile };
        browser.set_screen(Screen::Phone).await;
        browser
    }

    pub async fn open(&self, address: &str) {
        self.driver.goto(address).await.unwrap_or_else(|error| panic!("{address}: {error}"));
    }

    pub async fn back(&self) {
        self.driver.back().await.expect("the browser goes back");
    }

    pub async fn address(&self) -> String {
        self.driver.current_url().await.expect("the page has a URL").to_string()
    }

    pub async fn title(&self) -> String {
        self.driver.title().await.expect("the page has a title")
    }

    /// Clicks on the first element that matches, as soon as it exists.
    pub async fn click(&self, selector: &str) {
        self.retry(selector, async || self.find(selector).await.click().await).await;
    }

    /// Clicks on a link or button and waits for the next page.
    pub async fn follow(&self, selector: &str) {
        self.find(selector).await;
        self.run("window.left = true", json!([])).await;
        self.click(selector).await;
        let loaded = "return window.left === undefined && document.readyState === 'complete'";
        let arrived = wait_for(async || {
            let arrived = self.run(loaded, json!([])).await == true;
            arrived.then_some(()).ok_or_else(String::new)
        });
        if arrived.await.is_err() {
            panic!("{selector} leads nowhere from {}", self.address().await);
        }
    }

    /// Replaces the content of a field.
    pub async fn fill(&self, selector: &str, text: &str) {
        self.retry(selector, async || {
            let field = self.find(selector).await;
            field.clear().await?;
            field.send_keys(text).await
        })
        .await;
    }

    /// The visible text of an element.
    pub async fn text(&self, selector: &str) -> String {
        self.find(selector).await;
        self.inner_text(selector).await
    }

    /// Waits until an element contains this text.
    pub async fn expect_text(&self, selector: &str, expected: &str) {
        let found = wait_for(async || {
            let text = self.inner_text(selector).await;
            if text.contains(expected) { Ok(()) } else { Err(text) }
        });
        if let Err(text) = found.await {
            panic!("{selector} says {text:?}, not {expected:?}, at {}", self.address().await);
        }
    }

    pub async fn has(&self, selector: &str) -> bool {
        self.run("return document.querySelector(arguments[0]) !== null", json!([selector])).await == true
    }

    /// Waits for this page heading.
    pub async fn expect_heading(&self, expected: &str) {
        let found = wait_for(async || {
            let heading = self.inner_text("h1").await;
            if heading == expected { Ok(()) } else { Err(heading) }
        });
        if let Err(heading) = found.await {
            panic!("the heading is {heading:?}, not {expected:?}, at {}", self.address().await);
        }
    }

    /// Runs a function body in the page and returns its result.
    pub async fn run(&self, script: &str, arguments: Value) -> Value {
        let done = self.driver.execute(script, list(arguments)).await;
        done.unwrap_or_else(|error| panic!("{}: {error}", shortened(script))).json().clone()
    }

    /// Like [`Self::run`] for a function that calls its last argument when done.
    pub async fn run_later(&self, script: &str, arguments: Value) -> Value {
        let done = self.driver.execute_async(script, list(arguments)).await;
        done.unwrap_or_else(|error| panic!("{}: {error}", shortened(script))).json().clone()
    }

    /// Changes the window size.
    pub async fn set_screen(&self, screen: Screen) {
        let (height, mobile) = match screen {
            Screen::Phone => (844, true),
            Screen::Desktop => (900, false),
        };
        self.metrics(screen.width(), height, mobile).await;
    }

    /// Whether the page is wider than the screen that was set. The width is compared with the screen's and not with `innerWidth`: on
    /// a phone Chromium widens the window to the content, so a comparison with it can never fail.
    pub async fn scrolls_sideways(&self, screen: Screen) -> bool {
        let wide = "return document.documentElement.scrollWidth > arguments[0]";
        self.run(wide, json!([screen.width()])).await == true
    }

    /// Changes the width of the window only. Below a tablet's width it is a phone's.
    pub async fn set_width(&self, width: u32) {
        self.metrics(width, 900, width < 768).await;
    }

    async fn metrics(&self, width: u32, height: u32, mobile: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Light or dark colour scheme.
    pub async fn set_dark_mode(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// Takes screenshots of the page as phone and desktop into `target/pages/`, and checks accessibility in light and dark.
    pub async fn check_page(&self, name: &str) {
        for (screen, word) in [(Screen::Desktop, "desktop"), (Screen::Phone, "phone")] {
            self.set_screen(screen).await;
            for (dark, shade) in [(true, "-dark"), (false, "")] {
                self.set_dark_mode(dark).await;
                let violations = self.accessibility_violations().await;
                assert!(
                    violations.is_empty(),
                    "{name} on a {word}{shade} is not accessible: {violations:#?}"
                );
                assert!(!self.scrolls_sideways(screen).await, "{name} on a {word} scrolls sideways");
                self.take_screenshot(&format!("{name}-{word}{shade}")).await;
            }
        }
    }

    /// Takes a screenshot of the page into `target/pages/`.
    pub async fn take_screenshot(&self, name: &str) {
        let directory = workspace().join("target/pages");
        std::fs::create_dir_all(&directory).expect("a place for pictures");
        let whole = json!({ "format": "png", "captureBeyondViewport": true });
        let taken = self.devtools("Page.captureScreenshot", whole).await;
        let picture = decoded(taken["data"].as_str().unwrap_or_default());
        std::fs::write(directory.join(format!("{name}.png")), picture).expect("a picture is written");
    }

    /// Accessibility violations by axe-core.
    async fn accessibility_violations(&self) -> Vec<String> {
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
        let violations = found.as_array().unwrap_or_else(|| panic!("axe-core answered {found}"));
        violations.iter().map(|violation| violation.as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Errors in the console: blocked scripts or styles, exceptions.
    pub async fn console_errors(&self) -> Vec<String> {
        let entries = self.driver.browser_log().await.expect("the console is read");
        let messages = entries.into_iter().map(|entry| entry.message);
        // Chromium logs the status of a refused page.
        messages.filter(|text| !text.contains("responded with a status of 4")).collect()
    }

    /// Waits until a selector matches.
    pub async fn find(&self, selector: &str) -> WebElement {
        let query = self.driver.query(By::Css(selector)).wait(TIMEOUT, POLL_INTERVAL);
        match query.first().await {
            Ok(element) => element,
            Err(error) => {
                let page = self.inner_text("body").await;
                panic!("no {selector} at {}: {error}\n{page}", self.address().await)
            }
        }
    }

    async fn inner_text(&self, selector: &str) -> String {
        let script = "return document.querySelector(arguments[0])?.innerText ?? ''";
        let text = self.run(script, json!([selector])).await;
        text.as_str().unwrap_or_else(|| panic!("expected a text, not {text}")).to_owned()
    }

    /// Runs a command on an element again when the element has gone with its page.
    async fn retry(&self, selector: &str, command: impl AsyncFn() -> WebDriverResult<()>) {
        let done = wait_for(async || command().await.map_err(|error| error.to_string())).await;
        if let Err(error) = done {
            panic!("{selector}: {error}");
        }
    }

    /// Gives the browser an authenticator for passkeys that verifies its user without asking.
    pub async fn add_authenticator(&self) {
        self.devtools("WebAuthn.enable", json!({})).await;
        let options = json!({ "options": {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true,
            "hasUserVerification": true, "isUserVerified": true, "automaticPresenceSimulation": true,
        } });
        self.devtools("WebAuthn.addVirtualAuthenticator", options).await;
    }

    async fn devtools(&self, command: &str, parameters: Value) -> Value {
        let sent = self.driver.cdp().send_raw(command, parameters).await;
        sent.unwrap_or_else(|error| panic!("{command}: {error}"))
    }
}

fn capabilities(language: &str, profile: &Path) -> WebDriverResult<ChromeCapabilities> {
    let mut capabilities = DesiredCapabilities::chrome();
    for argument in [
        "--headless=new",
        // Tests often run as root in containers, where Chromium's sandbox is not available.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        // Smooth scrolling would move an element away while it is clicked.
        "--force-prefers-reduced-motion",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        &format!("--user-data-dir={}", profile.display()),
    ] {
        capabilities.add_arg(argument)?;
    }
    capabilities.add_experimental_option("prefs", json!({ "intl.accept_languages": language }))?;
    capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    Ok(capabilities)
}

/// Attempts something until it succeeds or the timeout ends.
async fn wait_for<T>(attempt: impl AsyncFn() -> Result<T, String>) -> Result<T, String> {
    let start = Instant::now();
    loop {
        match attempt().await {
            Ok(done) => return Ok(done),
            Err(problem) if start.elapsed() > TIMEOUT => return Err(problem),
            Err(_) => tokio::time::sleep(POLL_INTERVAL).await,
        }
    }
}

impl ChromeDriver {
    /// Starts it on a free port. Another process may take the port that it chose, and then it ends; so it has several attempts.
    fn start() -> Self {
        let started = (0..5).find_map(|_| Self::try_start());
        started.expect("chromedriver reports its port")
    }

    /// `None` when it ended before it reported its port.
    fn try_start() -> Option<Self> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("chromedriver: {error}. `cargo xtask browser` installs it"));
        let mut output = BufReader::new(process.stdout.take().expect("its output is piped"));
        let lines = output.by_ref().lines().map_while(Result::ok);
        let port =
            lines.filter_map(|line| Some(line.split_once("successfully on port ")?.1.to_owned())).next();
        let Some(port) = port else {
            let _ = process.wait();
            return None;
        };
        let port: String = port.chars().take_while(char::is_ascii_digit).collect();
        Some(Self { process, address: format!("http://127.0.0.1:{port}"), _output: output })
    }
}

impl Drop for ChromeDriver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn list(arguments: Value) -> Vec<Value> {
    match arguments {
        Value::Array(arguments) => arguments,
        other => panic!("expected a list of arguments, not {other}"),
    }
}

fn shortened(script: &str) -> String {
    script.chars().take(200).collect()
}

fn decoded(base64: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(base64).expect("a picture comes in base64")
}

pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate lies in the workspace").to_path_buf()
}
