//! A browser controlled by W3C WebDriver: JSON over HTTP to its driver.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use serde_json::{Value, json};

/// The time limit for a command of the browser and for a condition in a page.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The key of an element reference in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Browsers run one at a time; in parallel they would not be faster.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The supported browsers. Functions that WebDriver lacks use Chromium's DevTools protocol and
/// privileged scripts in Firefox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Chromium,
    Firefox,
}

impl Kind {
    pub(crate) const ALL: [Kind; 2] = [Kind::Chromium, Kind::Firefox];

    /// Whether the browser and its driver are installed.
    pub(crate) fn is_installed(self) -> bool {
        self.binary().is_some() && installed(self.driver().0).is_some()
    }

    fn binary(self) -> Option<String> {
        self.names().iter().copied().find_map(installed)
    }

    /// The names of its executable.
    fn names(self) -> &'static [&'static str] {
        match self {
            Kind::Chromium => &["chromium", "chromium-browser", "google-chrome"],
            Kind::Firefox => &["firefox", "firefox-esr"],
        }
    }

    /// Its driver, with arguments that make it choose a free port.
    fn driver(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Kind::Chromium => ("chromedriver", &["--port=0"]),
            Kind::Firefox => ("geckodriver", &["--port=0", "--allow-system-access"]),
        }
    }

    /// The port in a line of the driver's output.
    fn port(self, line: &str) -> Option<&str> {
        let before = match self {
            Kind::Chromium => "started successfully on port ",
            Kind::Firefox => "Listening on 127.0.0.1:",
        };
        let (_, port) = line.split_once(before)?;
        Some(port.trim_end_matches('.'))
    }

    fn capabilities(self, binary: &str) -> Value {
        match self {
            Kind::Chromium => json!({
                "goog:chromeOptions": {
                    "binary": binary,
                    // It runs as root only without the sandbox. It opens only our own pages.
                    "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1024"],
                },
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }),
            Kind::Firefox => json!({
                "moz:firefoxOptions": {
                    "binary": binary,
                    "args": ["-headless"],
                    "prefs": {"dom.events.testing.asyncClipboard": true},
                },
            }),
        }
    }
}

/// A headless browser; it ends when dropped.
pub(crate) struct Browser {
    kind: Kind,
    driver: Child,
    address: String,
    session: String,
    _lock: MutexGuard<'static, ()>,
}

/// The path of an executable in `PATH`.
pub(crate) fn installed(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .map(|file| file.to_string_lossy().into_owned())
}

/// In Firefox: records the URLs that pages request.
const RECORD_REQUESTS: &str = "
    window.requested = [];
    Services.obs.addObserver((subject) => {
        const { loadInfo, URI } = subject.QueryInterface(Ci.nsIHttpChannel);
        if (loadInfo.browsingContextID) requested.push(URI.spec);
    }, 'http-on-modify-request');";

/// In Firefox: the URLs requested since the last call.
const REQUESTS: &str = "return requested.splice(0);";

/// In Firefox: errors in pages since the last call, including violations of the content security policy.
const ERRORS: &str = "
    const messages = Services.console.getMessageArray();
    Services.console.reset();
    return messages
        .filter((message) => message instanceof Ci.nsIScriptError && message.sourceName.startsWith('http')
            // Firefox warns about directives that it does not support.
            && !(message.flags & Ci.nsIScriptError.warningFlag))
        .map((message) => [message.category, `${message.errorMessage} (${message.sourceName}:${message.lineNumber})`]);";

impl Browser {
    /// Starts a browser with a fresh profile.
    pub(crate) fn start(kind: Kind) -> Browser {
        let lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let binary = kind.binary().expect("the browser is installed");
        let (driver, arguments) = kind.driver();
        let mut driver = Command::new(driver)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().expect("the driver prints its port").unwrap();
            if let Some(port) = kind.port(&line) {
                break port.to_owned();
            }
        };
        // Keep reading, or the driver would block on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let mut started = Browser {
            kind,
            driver,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
            _lock: lock,
        };
        let request = json!({"capabilities": {"alwaysMatch": kind.capabilities(&binary)}});
        let session = started.exchange("POST", "/session", &request).unwrap();
        started.session = session["sessionId"].as_str().unwrap().to_owned();
        if kind == Kind::Firefox {
            started.privileged(RECORD_REQUESTS, &json!([]));
        }
        started
    }

    /// Sends a command to the driver and returns its value or its error.
    fn exchange(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            self.address
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut response = BufReader::new(stream);
        let mut line = String::new();
        response.read_line(&mut line).unwrap();
        let is_ok = line.contains(" 200 ");
        let mut length = 0;
        while line != "\r\n" {
            line.clear();
            response.read_line(&mut line).unwrap();
            if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        response.read_exact(&mut body).unwrap();
        let mut document: Value = serde_json::from_slice(&body).unwrap();
        let value = document["value"].take();
        if is_ok { Ok(value) } else { Err(value) }
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        let result = self.exchange(method, &path, body);
        result.unwrap_or_else(|error| panic!("{method} {path}: {}", error["message"]))
    }

    pub(crate) fn open(&self, url: &str) {
        self.command("POST", "/url", &json!({"url": url}));
        // The driver does not always wait for scripts.
        self.wait_for("document.readyState === 'complete'");
    }

    pub(crate) fn back(&self) {
        self.command("POST", "/back", &json!({}));
    }

    pub(crate) fn forward(&self) {
        self.command("POST", "/forward", &json!({}));
    }

    pub(crate) fn address_bar(&self) -> String {
        let url = self.command("GET", "/url", &json!({}));
        url.as_str().unwrap().to_owned()
    }

    /// Runs the body of a function in the page; a promise that it returns is awaited.
    pub(crate) fn run(&self, script: &str) -> Value {
        let body = json!({"script": script, "args": []});
        self.command("POST", "/execute/sync", &body)
    }

    /// Waits until an expression is true in the page.
    pub(crate) fn wait_for(&self, expression: &str) {
        let began = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != true {
            if began.elapsed() > TIMEOUT {
                let page = self.run("return document.body.innerText");
                panic!("timeout: {expression}\n{}", page.as_str().unwrap());
            }
        }
    }

    /// The visible elements that match a selector.
    pub(crate) fn all(&self, selector: &str) -> Vec<String> {
        let found = self.run(&format!(
            "return [...document.querySelectorAll({})].filter((element) => element.checkVisibility())",
            Value::from(selector)
        ));
        let ids = found.as_array().unwrap().iter();
        ids.map(|element| element[ELEMENT].as_str().unwrap().to_owned())
            .collect()
    }

    fn one(&self, selector: &str) -> String {
        let query = json!({"using": "css selector", "value": selector});
        let found = self.command("POST", "/element", &query);
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    pub(crate) fn click(&self, selector: &str) {
        let element = self.one(selector);
        self.command("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Replaces the text of a field.
    pub(crate) fn fill_in(&self, selector: &str, text: &str) {
        let element = self.one(selector);
        self.command("POST", &format!("/element/{element}/clear"), &json!({}));
        let path = format!("/element/{element}/value");
        self.command("POST", &path, &json!({"text": text}));
    }

    /// Presses keys one after the other in the focused element.
    pub(crate) fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()}))
        });
        let strokes: Vec<Value> = strokes.collect();
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]});
        self.command("POST", "/actions", &actions);
    }

    /// Moves fingers over the page at the same time, each from a place to another, in pixels of the window.
    pub(crate) fn swipe(&self, fingers: &[[[i32; 2]; 2]]) {
        let step =
            |[x, y]: [i32; 2]| json!({"type": "pointerMove", "duration": 50, "x": x, "y": y});
        let button = |kind| json!({"type": kind, "button": 0});
        let finger = |(number, &[from, to]): (usize, &[[i32; 2]; 2])| {
            json!({
                "type": "pointer",
                "id": format!("finger {number}"),
                "parameters": {"pointerType": "touch"},
                "actions": [step(from), button("pointerDown"), step(to), button("pointerUp")],
            })
        };
        let fingers: Vec<Value> = fingers.iter().enumerate().map(finger).collect();
        self.command("POST", "/actions", &json!({"actions": fingers}));
    }

    /// Blocks `localStorage` and `sessionStorage`, as browsers do that block all cookies, for pages that are opened
    /// later.
    pub(crate) fn block_storage(&self) {
        match self.kind {
            Kind::Chromium => {
                // Its preference can only be set before the start.
                let source = "for (const area of ['localStorage', 'sessionStorage']) {
                    const get = () => { throw new DOMException('blocked', 'SecurityError'); };
                    Object.defineProperty(window, area, { get });
                }";
                let command = "Page.addScriptToEvaluateOnNewDocument";
                self.devtools(command, &json!({"source": source}));
            }
            Kind::Firefox => {
                let script = "Services.prefs.setIntPref('network.cookie.cookieBehavior', 2);";
                self.privileged(script, &json!([]));
            }
        }
    }

    /// The role and the accessible name of an element.
    pub(crate) fn role_and_name(&self, element: &str) -> (String, String) {
        let computed = |property| {
            let path = format!("/element/{element}/computed{property}");
            let value = self.command("GET", &path, &json!({}));
            value.as_str().unwrap().to_owned()
        };
        (computed("role"), computed("label"))
    }

    /// Sends a command of Chromium's DevTools protocol.
    fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.command("POST", "/goog/cdp/execute", &body)
    }

    /// Runs the body of a function in Firefox's privileged context.
    fn privileged(&self, script: &str, arguments: &Value) -> Value {
        self.command("POST", "/moz/context", &json!({"context": "chrome"}));
        let body = json!({"script": script, "args": arguments});
        let value = self.command("POST", "/execute/sync", &body);
        self.command("POST", "/moz/context", &json!({"context": "content"}));
        value
    }

    /// Sets the medium, `screen` or `print`, and the colour scheme, `light` or `dark`.
    pub(crate) fn emulate(&self, medium: &str, scheme: &str) {
        match self.kind {
            Kind::Chromium => {
                let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
                let media = json!({"media": medium, "features": features});
                self.devtools("Emulation.setEmulatedMedia", &media);
            }
            Kind::Firefox => {
                let script = "
                    const { browsingContext } = gBrowser.selectedBrowser;
                    [browsingContext.mediumOverride, browsingContext.prefersColorSchemeOverride] = arguments;";
                let medium = if medium == "screen" { "" } else { medium };
                self.privileged(script, &json!([medium, scheme]));
            }
        }
    }

    /// Replaces the colours of pages with the user's (forced colours mode).
    pub(crate) fn force_colours(&self) {
        match self.kind {
            Kind::Chromium => {
                let features = json!([{"name": "forced-colors", "value": "active"}]);
                let media = json!({"media": "screen", "features": features});
                self.devtools("Emulation.setEmulatedMedia", &media);
            }
            Kind::Firefox => {
                let script = "Services.prefs.setIntPref('browser.display.document_color_use', 2);";
                self.privileged(script, &json!([]));
            }
        }
        self.wait_for("matchMedia('(forced-colors: active)').matches");
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        match self.kind {
            Kind::Chromium => {
                // `mobile` gives overlay scroll bars as on a phone.
                let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": true});
                self.devtools("Emulation.setDeviceMetricsOverride", &size);
            }
            Kind::Firefox => {
                let script = "
                    const { style } = gBrowser.selectedBrowser;
                    for (const [name, size] of Object.entries(arguments[0])) {
                        for (const bound of ['', 'min-', 'max-']) {
                            style.setProperty(bound + name, `${size}px`, 'important');
                        }
                    }";
                self.privileged(script, &json!([{"width": width, "height": height}]));
            }
        }
        self.wait_for(&format!("innerWidth === {width}"));
    }

    /// Lets pages read and write the clipboard.
    pub(crate) fn allow_clipboard(&self) {
        if self.kind == Kind::Chromium {
            let permissions = json!(["clipboardReadWrite", "clipboardSanitizedWrite"]);
            self.devtools(
                "Browser.grantPermissions",
                &json!({"permissions": permissions}),
            );
        }
    }

    /// Saves downloads into a folder without a dialog.
    pub(crate) fn save_into(&self, folder: &Path) {
        match self.kind {
            Kind::Chromium => {
                let saving = json!({"behavior": "allow", "downloadPath": folder});
                self.devtools("Browser.setDownloadBehavior", &saving);
            }
            Kind::Firefox => {
                let script = "
                    Services.prefs.setIntPref('browser.download.folderList', 2);
                    Services.prefs.setStringPref('browser.download.dir', arguments[0]);";
                self.privileged(script, &json!([folder]));
            }
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("{:?}", self.kind).to_lowercase()
    }

    /// A PNG screenshot of the whole page.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let picture = match self.kind {
            Kind::Chromium => {
                let parameters = json!({"captureBeyondViewport": true});
                self.devtools("Page.captureScreenshot", &parameters)["data"].take()
            }
            Kind::Firefox => self.command("GET", "/moz/screenshot/full", &json!({})),
        };
        let text = picture.as_str().unwrap();
        BASE64.decode(text.as_bytes()).unwrap()
    }

    /// The handles of all windows and tabs.
    pub(crate) fn windows(&self) -> Vec<String> {
        let handles = self.command("GET", "/window/handles", &json!({}));
        serde_json::from_value(handles).unwrap()
    }

    pub(crate) fn switch_to(&self, window: &str) {
        self.command("POST", "/window", &json!({"handle": window}));
    }

    /// The source and the text of each console message since the last call.
    pub(crate) fn console(&self) -> Vec<(String, String)> {
        if self.kind == Kind::Firefox {
            return serde_json::from_value(self.privileged(ERRORS, &json!([]))).unwrap();
        }
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let entries = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().unwrap().iter();
        entries
            .map(|entry| (text(&entry["source"]), text(&entry["message"])))
            .collect()
    }

    /// The URLs requested since the last call.
    pub(crate) fn requests(&self) -> Vec<String> {
        if self.kind == Kind::Firefox {
            return serde_json::from_value(self.privileged(REQUESTS, &json!([]))).unwrap();
        }
        let entries = self.command("POST", "/se/log", &json!({"type": "performance"}));
        let entries = entries.as_array().unwrap().iter().filter_map(|entry| {
            let event: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &event["message"];
            let is_request = event["method"] == "Network.requestWillBeSent";
            let url = event["params"]["request"]["url"].as_str()?.to_owned();
            is_request.then_some(url)
        });
        entries.collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the failure was in {:?}", self.kind);
        }
        // The driver ends the browser with the session.
        let path = format!("/session/{}", self.session);
        let _ = self.exchange("DELETE", &path, &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
