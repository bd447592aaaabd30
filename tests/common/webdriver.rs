//! A browser, driven by W3C WebDriver: JSON over HTTP, to a driver that the browser comes with.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The names that Chromium goes by.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// How long the browser may take for a command, or a page for what it is to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// The key under which the protocol names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Browsers run one after the other: more of them would not be quicker.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A browser without a window; ended when dropped.
pub(crate) struct Browser {
    driver: Child,
    address: String,
    session: String,
    _turn: MutexGuard<'static, ()>,
}

/// Where a program is, if it is installed.
fn installed(name: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .map(|file| file.to_string_lossy().into_owned())
}

impl Browser {
    /// A new browser that remembers nothing; none, and a message, where there is no browser or driver.
    pub(crate) fn start() -> Option<Browser> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let browser = BROWSERS.into_iter().find_map(installed);
        let (Some(browser), Some(driver)) = (browser, installed("chromedriver")) else {
            eprintln!("left out, as chromium and chromedriver are not both installed");
            return None;
        };
        let mut driver = Command::new(driver)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().expect("the driver says its port").unwrap();
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                break port.trim_end_matches('.').to_owned();
            }
        };
        // Keep reading, or the driver would block on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let mut started = Browser {
            driver,
            address: format!("127.0.0.1:{port}"),
            session: String::new(),
            _turn: turn,
        };
        let options = json!({
            "binary": browser,
            // Without the sandbox it can run as root, too. It sees no page but ours.
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        });
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = started.exchange("POST", "/session", &wanted).unwrap();
        started.session = session["sessionId"].as_str().unwrap().to_owned();
        Some(started)
    }

    /// Sends a command to the driver: what it gives, or its error.
    fn exchange(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            self.address
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut answer = BufReader::new(stream);
        let mut line = String::new();
        answer.read_line(&mut line).unwrap();
        let is_fine = line.contains(" 200 ");
        let mut length = 0;
        while line != "\r\n" {
            line.clear();
            answer.read_line(&mut line).unwrap();
            if let Some(number) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = number.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).unwrap();
        let mut answer: Value = serde_json::from_slice(&body).unwrap();
        let value = answer["value"].take();
        if is_fine { Ok(value) } else { Err(value) }
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        let done = self.exchange(method, &path, body);
        done.unwrap_or_else(|error| panic!("{method} {path}: {}", error["message"]))
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
            if began.elapsed() > PATIENCE {
                let page = self.run("return document.body.innerText");
                panic!("not yet: {expression}\n{}", page.as_str().unwrap());
            }
        }
    }

    /// The elements that a selector names and that are not hidden.
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
        let named = json!({"using": "css selector", "value": selector});
        let found = self.command("POST", "/element", &named);
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    pub(crate) fn click(&self, selector: &str) {
        let element = self.one(selector);
        self.command("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Types into a field, after what is in it.
    pub(crate) fn fill_in(&self, selector: &str, text: &str) {
        let element = self.one(selector);
        self.command("POST", &format!("/element/{element}/clear"), &json!({}));
        let path = format!("/element/{element}/value");
        self.command("POST", &path, &json!({"text": text}));
    }

    /// Presses keys one after the other, wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()}))
        });
        let strokes: Vec<Value> = strokes.collect();
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]});
        self.command("POST", "/actions", &actions);
    }

    /// What assistive technology is told of an element: its role and its name.
    pub(crate) fn role_and_name(&self, element: &str) -> (String, String) {
        let told = |what| {
            let path = format!("/element/{element}/computed{what}");
            let told = self.command("GET", &path, &json!({}));
            told.as_str().unwrap().to_owned()
        };
        (told("role"), told("label"))
    }

    /// A command of the DevTools protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.command("POST", "/goog/cdp/execute", &body)
    }

    /// How the page is shown: `screen` or `print`, and a colour scheme, `light` or `dark`.
    pub(crate) fn show_as(&self, medium: &str, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let media = json!({"media": medium, "features": features});
        self.devtools("Emulation.setEmulatedMedia", &media);
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        // As on a phone, scroll bars take no room.
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": true});
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Windows and tabs.
    pub(crate) fn windows(&self) -> Vec<String> {
        let handles = self.command("GET", "/window/handles", &json!({}));
        serde_json::from_value(handles).unwrap()
    }

    pub(crate) fn switch_to(&self, window: &str) {
        self.command("POST", "/window", &json!({"handle": window}));
    }

    /// What the console has shown since the last call: where it came from, and the text.
    pub(crate) fn console(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let entries = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().unwrap().iter();
        entries
            .map(|entry| (text(&entry["source"]), text(&entry["message"])))
            .collect()
    }

    /// The addresses that have been asked for since the last call.
    pub(crate) fn requests(&self) -> Vec<String> {
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
        // The driver ends the browser with the session.
        let path = format!("/session/{}", self.session);
        let _ = self.exchange("DELETE", &path, &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
