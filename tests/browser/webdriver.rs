//! A browser controlled by W3C WebDriver: JSON over HTTP to its driver.

use std::cell::Cell;
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

    /// The names of its executable; its driver, with arguments that make it choose a free port; and the text before the
    /// port in the driver's output.
    #[rustfmt::skip]
    fn programs(self) -> (&'static [&'static str], &'static [&'static str], &'static str) {
        match self {
            Kind::Chromium => (
                &["chromium", "chromium-browser", "google-chrome"],
                &["chromedriver", "--port=0"],
                "started successfully on port ",
            ),
            Kind::Firefox => (
                &["firefox", "firefox-esr"],
                &["geckodriver", "--port=0", "--allow-system-access"],
                "Listening on 127.0.0.1:",
            ),
        }
    }

    /// Whether the browser and its driver are installed.
    pub(crate) fn is_installed(self) -> bool {
        self.binary().is_some() && installed(self.programs().1[0]).is_some()
    }

    fn binary(self) -> Option<String> {
        self.programs().0.iter().copied().find_map(installed)
    }

    fn capabilities(self, binary: &str) -> Value {
        match self {
            // It runs as root only without the sandbox. It opens only our own pages.
            Kind::Chromium => json!({
                "goog:chromeOptions": {"binary": binary, "args": [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1024"
                ]},
                "goog:loggingPrefs": {"browser": "ALL"},
            }),
            Kind::Firefox => json!({
                "moz:firefoxOptions": {
                    "binary": binary, "args": ["-headless"], "prefs": {"dom.events.testing.asyncClipboard": true},
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
    may_fail: Cell<bool>,
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
        let (_, driver, before_port) = kind.programs();
        let mut driver = Command::new(driver[0])
            .args(&driver[1..])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = |line: std::io::Result<String>| {
            let line = line.unwrap();
            let (_, port) = line.split_once(before_port)?;
            Some(port.trim_end_matches('.').to_owned())
        };
        let port = lines.find_map(port).expect("the driver prints its port");
        // Keep reading, or the driver would block on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let mut started = Browser {
            kind,
            driver,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
            may_fail: Cell::new(false),
            _lock: lock,
        };
        let request = json!({"capabilities": {"alwaysMatch": kind.capabilities(&binary)}});
        let session = started.exchange("POST", "/session", &request).unwrap();
        started.session = session["sessionId"].as_str().unwrap().to_owned();
        started
    }

    /// Sends a command to the driver and returns its value or its error.
    fn exchange(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let (address, body) = (&self.address, body.to_string());
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        // The driver keeps the connection open.
        let (mut response, mut head) = (BufReader::new(stream), String::new());
        while !head.ends_with("\r\n\r\n") {
            assert!(response.read_line(&mut head).unwrap() > 0);
        }
        let lower = head.to_ascii_lowercase();
        let length = lower
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"));
        let mut body = vec![0; length.unwrap().trim().parse().unwrap()];
        response.read_exact(&mut body).unwrap();
        let mut document: Value = serde_json::from_slice(&body).unwrap();
        let value = document["value"].take();
        if head.contains(" 200 ") {
            Ok(value)
        } else {
            Err(value)
        }
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

    pub(crate) fn reload(&self) {
        self.command("POST", "/refresh", &json!({}));
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

    /// The value of an expression in the page.
    pub(crate) fn get(&self, expression: &str) -> Value {
        self.run(&format!("return {expression}"))
    }

    /// The text of an element.
    pub(crate) fn text(&self, selector: &str) -> String {
        let selector = Value::from(selector);
        let text = self.get(&format!(
            "document.querySelector({selector}).textContent.trim()"
        ));
        text.as_str().unwrap().to_owned()
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

    /// Chooses a value of a list.
    pub(crate) fn choose(&self, name: &str, value: &str) {
        self.click(&format!("[name={name}] option[value='{value}']"));
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
        // Chromium's preference can only be set before the start.
        let source = "for (const area of ['localStorage', 'sessionStorage']) {
            const get = () => { throw new DOMException('blocked', 'SecurityError'); };
            Object.defineProperty(window, area, { get });
        }";
        self.special(
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source": source}),
            ),
            "Services.prefs.setIntPref('network.cookie.cookieBehavior', 2);",
            json!([]),
        );
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

    /// Sends a command of Chromium's protocol, or runs a script in Firefox's privileged context.
    fn special(
        &self,
        (command, parameters): (&str, Value),
        script: &str,
        arguments: Value,
    ) -> Value {
        match self.kind {
            Kind::Chromium => self.devtools(command, &parameters),
            Kind::Firefox => self.privileged(script, &arguments),
        }
    }

    /// Sets the medium, `screen` or `print`, and the color scheme, `light` or `dark`.
    pub(crate) fn emulate(&self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.special(
            ("Emulation.setEmulatedMedia", json!({"media": medium, "features": features})),
            "const { browsingContext } = gBrowser.selectedBrowser;
            [browsingContext.mediumOverride, browsingContext.prefersColorSchemeOverride] = arguments;",
            json!([if medium == "screen" { "" } else { medium }, scheme]),
        );
    }

    /// Replaces the colors of pages with the user's (forced colors mode).
    pub(crate) fn force_colors(&self) {
        let features = json!([{"name": "forced-colors", "value": "active"}]);
        self.special(
            (
                "Emulation.setEmulatedMedia",
                json!({"media": "screen", "features": features}),
            ),
            "Services.prefs.setIntPref('browser.display.document_color_use', 2);",
            json!([]),
        );
        self.wait_for("matchMedia('(forced-colors: active)').matches");
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        // `mobile` gives overlay scroll bars as on a phone.
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": true});
        self.special(
            ("Emulation.setDeviceMetricsOverride", size),
            "const { style } = gBrowser.selectedBrowser;
            for (const [name, size] of Object.entries(arguments[0])) {
                for (const bound of ['', 'min-', 'max-']) {
                    style.setProperty(bound + name, `${size}px`, 'important');
                }
            }",
            json!([{"width": width, "height": height}]),
        );
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
        self.special(
            (
                "Browser.setDownloadBehavior",
                json!({"behavior": "allow", "downloadPath": folder}),
            ),
            "Services.prefs.setIntPref('browser.download.folderList', 2);
            Services.prefs.setStringPref('browser.download.dir', arguments[0]);",
            json!([folder]),
        );
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

    /// Allows requests of the page to fail.
    pub(crate) fn allow_failures(&self) {
        self.may_fail.set(true);
    }

    /// The source and the text of each console message since the last call.
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        if self.kind == Kind::Firefox {
            return serde_json::from_value(self.privileged(ERRORS, &json!([]))).unwrap();
        }
        let entries = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let pair = |entry: &Value| (text(&entry["source"]), text(&entry["message"]));
        entries.as_array().unwrap().iter().map(pair).collect()
    }

    /// Asserts that the console shows no errors. A request to another service would be one, since the content security
    /// policy forbids it.
    pub(crate) fn assert_sound(&self) {
        for (source, text) in self.messages() {
            assert!(
                self.may_fail.get() && source == "network",
                "{source}: {text}"
            );
        }
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
