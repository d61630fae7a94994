//! `cargo xtask bench basket`: creation of baskets over HTTP, durable and with their QR codes, compared with a bare server with
//! a response of the same size. The two are measured in turn.

use super::client::Client;
use super::figure::machine_load;
use super::program::Program;
use super::read::{Comparison, Schedule, bare_server_with};
use super::wrk;
use super::{TempDir, build};
use crate::process::{Outcome, step};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub const PATH: &str = "/createbasket";
/// The placeholder of the request id in the body.
const ID: &str = "00000000-0000-4000-8000-000000000000";

/// A bank with a merchant.
pub struct Shop {
    pub program: Program,
    pub client: Client,
}

pub fn run(quick: bool) -> Outcome {
    wrk::ensure_installed()?;
    let program = step("dist build", || build("trapeza"))?;
    let bare = step("dist build of the bare server", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("basket")?;
    let schedule =
        if quick { Schedule { rounds: 3, seconds: 3 } } else { Schedule { rounds: 5, seconds: 10 } };
    println!("before: {}", machine_load());
    let pair = step("baskets", || compare_with_bare(&program, &bare, &temp_dir.0, schedule))?;
    println!("after: {}\n", machine_load());
    println!(
        "cargo xtask bench basket{}: median of {} runs of {} s; wrk with 32 connections on the same machine\n",
        if quick { " --quick" } else { "" },
        schedule.rounds,
        schedule.seconds
    );
    println!("{:<26} {:>10} {:>10} {:>7} {:>8} {:>8}", "", "ours/s", "bare/s", "ratio", "CPU µs", "bare µs");
    println!("{}   (goal: 0.10 or more)", pair.row());
    Ok(())
}

fn compare_with_bare(
    program: &Path,
    bare: &Path,
    temp_dir: &Path,
    schedule: Schedule,
) -> Outcome<Comparison> {
    let Shop { program, client } = Shop::open(program, &temp_dir.join("data"))?;
    let first = client.call("POST", PATH, Some(&order()))?;
    let server = bare_server_with(bare, &temp_dir.join("response.json"), &first, |server| {
        client.at(&server.address).call("POST", PATH, Some(&order()))
    })?;
    let mut pair = Comparison::new("basket with its QR code");
    for round in 0..=schedule.rounds {
        let seconds = if round == 0 { 1 } else { schedule.seconds };
        let script = script(temp_dir, round)?;
        let ours = wrk::run_script(&program, PATH, &client.headers, seconds, &script)?;
        let other = wrk::run_script(&server, PATH, &client.headers, seconds, &script)?;
        pair.add(round, ours, other);
    }
    println!("memory after the last round: {} MiB", program.resident_kib()? / 1024);
    program.stop()?;
    Ok(pair)
}

impl Shop {
    pub fn open(program: &Path, data: &Path) -> Outcome<Self> {
        let program = Program::start(program, data, &["--rate-limit", "off"])?;
        let file = data.join("sandbox.json");
        let credentials = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let credentials: Value =
            serde_json::from_str(&credentials).map_err(|e| format!("{}: {e}", file.display()))?;
        let client = Client::merchant(&program.address, &credentials);
        Ok(Self { program, client })
    }
}

/// A basket with two products.
fn order() -> Value {
    json!({
        "basketValue": 120.3,
        "requestId": ID,
        "orderIdentifier": "order-1138",
        "basketProducts": [
            { "Product Number": "B-204", "name": "A history of banking", "quantity": 3, "Unit Price": 36.8,
              "Tax Rate": 6, "Total Amount": 105.4, "Total Discount Amount": 5, "Total Tax Amount": 5.97 },
            { "name": "Delivery", "quantity": 1, "Unit Price": 14.9, "Total Amount": 14.9 },
        ],
        "phoneNumber": "+306900000001",
        "email": "maria@shop.example",
    })
}

/// Every request has a random id, as merchants send them: a repeated one would create nothing.
pub fn script(temp_dir: &Path, round: usize) -> Outcome<PathBuf> {
    let body = order().to_string();
    let (before, after) = body.split_once(ID).ok_or("the body has no id")?;
    let text = format!(
        "local threads = 0\n\
         function setup(thread) threads = threads + 1; thread:set('own', threads) end\n\
         function init() math.randomseed({round} * 100 + own) end\n\
         local random = math.random\n\
         function request()\n\
           local id = string.format('%08x-%04x-4%03x-8%03x-%06x%06x', random(0, 4294967295), random(0, 65535), \
             random(0, 4095), random(0, 4095), random(0, 16777215), random(0, 16777215))\n\
           return wrk.format('POST', '{PATH}', nil, [==[{before}]==] .. id .. [==[{after}]==])\n\
         end\n\
         wrk.headers['Content-Type'] = 'application/json'\n"
    );
    let file = temp_dir.join(format!("round-{round}.lua"));
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file)
}
