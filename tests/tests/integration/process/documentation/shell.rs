//! Runs the blocks of a page one after another in one shell, as a reader would.
//!
//! `trapeza sandbox` and `trapeza serve` run in the background, one at a time, on the port of the test, and the next command
//! runs when the server is ready. `cargo run --release --` is the program under test; other cargo commands are not run,
//! because the test was built by them. `systemctl` and `journalctl` act on that server and on its log, `bank.log`. A request that is answered with 4xx or 5xx fails its block.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use trapeza_testkit::process;

/// What a block has printed, and the statuses of its requests.
#[derive(Debug, Default)]
pub struct Ran {
    pub output: String,
    pub statuses: Vec<String>,
}

/// Separates the blocks in the output.
const MARK: char = '\u{1e}';

const PREAMBLE: &str = r#"
set -eE -o pipefail
shopt -s inherit_errexit
server=
stop() { if [ "$server" ]; then kill -TERM "$server" 2> /dev/null || true; wait "$server" || true; server=; fi; }
trap stop EXIT
trap 'exit 1' TERM
start() {
  stop
  last=("$@")
  "$program" "$@" &
  server=$!
  scheme=https
  if [ "$1" = sandbox ]; then scheme=http; fi
  for _ in {1..600}; do
    if command curl -skf "$scheme://localhost:$port/readyz" > /dev/null; then return 0; fi
    if ! kill -0 "$server" 2> /dev/null; then server=; return 1; fi
    sleep 0.1
  done
  echo "the server is not ready"
  return 1
}
trapeza() {
  case "$1" in
    sandbox) start "$@" --listen "127.0.0.1:$port" ;;
    serve) start "$@" ;;
    *) "$program" "$@" ;;
  esac
}
cargo() {
  case "$*" in
    "run --release -- "*) shift 3; trapeza "$@" ;;
    "build --profile dist") mkdir -p target/dist; ln -s "$program" target/dist/trapeza ;;
    "xtask test") ;;
    *) echo "unexpected: cargo $*"; return 1 ;;
  esac
}
systemctl() {
  case "$*" in
    "is-active trapeza") kill -0 "$server" && echo active ;;
    "restart trapeza") start "${last[@]}" 2>> bank.log ;;
    "reload trapeza") kill -HUP "$server" ;;
    *) echo "unexpected: systemctl $*"; return 1 ;;
  esac
}
journalctl() {
  case "$*" in
    "--unit=trapeza --output=cat") cat bank.log ;;
    *) echo "unexpected: journalctl $*"; return 1 ;;
  esac
}
curl() {
  command curl -w '%{stderr}%{http_code}\n' "$@" 2>> "$statuses" || return
  case $(tail -n 1 "$statuses") in [45]??) return 22 ;; esac
}
"#;

/// A script of blocks.
pub struct Script {
    text: String,
    blocks: usize,
}

impl Script {
    pub fn new() -> Self {
        Self { text: PREAMBLE.to_owned(), blocks: 0 }
    }

    /// Adds commands. The script ends at the first one that fails.
    pub fn commands(&mut self, commands: &str) {
        self.mark();
        self.text.push_str(commands);
        self.text.push('\n');
    }

    /// Adds a command that may fail.
    pub fn console(&mut self, command: &str) {
        self.mark();
        self.text.push_str(&format!("{command} || true\n"));
    }

    fn mark(&mut self) {
        self.blocks += 1;
        self.text.push_str(&format!("printf '{MARK}' | tee -a \"$statuses\"\n"));
    }

    /// Runs the script in a directory. A block that was not reached is missing in the result.
    pub fn run(&self, directory: &Path, port: u16) -> Vec<Ran> {
        // Beside the directory of the reader, which contains only what the page creates.
        let own = tempfile::tempdir().unwrap();
        let [script, statuses, output] = ["script", "statuses", "output"].map(|name| own.path().join(name));
        fs::write(&script, &self.text).unwrap();
        fs::write(&statuses, "").unwrap();
        let out = fs::File::create(&output).unwrap();
        let ended = Command::new("timeout")
            .args(["300", "bash"])
            .arg(&script)
            .current_dir(directory)
            .env("program", process::binary())
            .env("port", port.to_string())
            .env("statuses", &statuses)
            // Banks of several tests run at the same time.
            .env("TRAPEZA_CONSOLE_LISTEN", "127.0.0.1:0")
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .status()
            .unwrap();
        let split = |file: &Path| -> Vec<String> {
            let text = String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
            text.split(MARK).skip(1).map(str::to_owned).collect()
        };
        let statuses = split(&statuses).into_iter().map(|block| block.lines().map(str::to_owned).collect());
        let ran: Vec<Ran> = split(&output)
            .into_iter()
            .zip(statuses)
            .map(|(output, statuses)| Ran { output, statuses })
            .collect();
        assert!(
            ended.success() && ran.len() == self.blocks,
            "block {} of {} failed: {:#?}",
            ran.len(),
            self.blocks,
            ran.last()
        );
        ran
    }
}

/// A port that is free now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
