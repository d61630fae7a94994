//! `cargo xtask bench basket`: baskets made over HTTP, each durable and with its QR code, beside a bare program that
//! gives an answer of the same bytes. The two take turns.

use super::client::Client;
use super::figure::machine;
use super::program::Program;
use super::read::{Pace, Pair, recorded};
use super::wrk;
use super::{TempDir, build};
use crate::process::{Outcome, step};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const PATH: &str = "/createbasket";
/// Stands in the body where each request has an id of its own.
const ID: &str = "00000000-0000-4000-8000-000000000000";

pub fn run(quick: bool) -> Outcome {
    wrk::demand()?;
    let program = step("release build", || build("trapeza"))?;
    let bare = step("release build of the bare program", || build("trapeza-bench"))?;
    let temp_dir = TempDir::new("basket")?;
    let pace = if quick { Pace { rounds: 3, seconds: 3 } } else { Pace { rounds: 5, seconds: 10 } };
    println!("before: {}", machine());
    let pair = step("baskets", || beside_bare(&program, &bare, &temp_dir.0, pace))?;
    println!("after: {}\n", machine());
    println!(
        "cargo xtask bench basket{}: median of {} runs of {} s; wrk with 32 connections on the same machine\n",
        if quick { " --quick" } else { "" },
        pace.rounds,
        pace.seconds
    );
    println!("{:<26} {:>10} {:>10} {:>7} {:>8} {:>8}", "", "ours/s", "bare/s", "ratio", "CPU µs", "bare µs");
    println!("{}   (goal: 0.10 or more)", pair.shown());
    Ok(())
}

fn beside_bare(program: &Path, bare: &Path, temp_dir: &Path, pace: Pace) -> Outcome<Pair> {
    let data = temp_dir.join("data");
    let program = Program::start(program, &data, &["--rate-limit", "off"])?;
    let file = data.join("sandbox.json");
    let sheet = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let sheet: Value = serde_json::from_str(&sheet).map_err(|e| format!("{}: {e}", file.display()))?;
    let client = Client::merchant(&program.address, &sheet);
    let first = client.call("POST", PATH, Some(&order()))?;
    // The bare program makes nothing, and so it has no place to name.
    let server = recorded(bare, &temp_dir.join("answer.json"), &first, |server| {
        client.at(&server.address).call("POST", PATH, Some(&order()))
    })?;
    let mut pair = Pair::new("a basket with its QR code");
    for round in 0..=pace.rounds {
        let seconds = if round == 0 { 1 } else { pace.seconds };
        let script = script(temp_dir, round)?;
        let ours = wrk::run_script(&program, PATH, &client.headers, seconds, &script)?;
        let other = wrk::run_script(&server, PATH, &client.headers, seconds, &script)?;
        pair.add(round, ours, other);
    }
    let made = program.resident_kib()?;
    println!("memory after the last round: {} MiB", made / 1024);
    program.stop()?;
    Ok(pair)
}

/// Two lines, as a small shop sends them.
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

/// Every request of every thread and round has an id at random, as merchants send them: a repeated one would make nothing.
fn script(temp_dir: &Path, round: usize) -> Outcome<PathBuf> {
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
