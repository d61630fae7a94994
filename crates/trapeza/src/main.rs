//! The binary: reads the command line, runs the command, prints what it says.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use trapeza::cli::{Audit, Clearing, Cli, Command, Config, Ledger};
use trapeza::command::{
    application, audit_verify, callbacks, clearing_list, config_check, device, generate, ledger_check, loan,
    merchant, migrate, openapi, psu, sandbox, serve,
};

fn main() -> ExitCode {
    let (text, well) = match Cli::parse().command {
        Command::Sandbox(options) => sandbox::run(&options, print),
        Command::Serve(options) => serve::run(&options),
        Command::Migrate(bank) => migrate::run(&bank),
        Command::Openapi => openapi::run(),
        Command::Gen { page } => generate::run(page),
        Command::Config(Config::Check(bank)) => config_check::run(&bank),
        Command::Ledger(Ledger::Check(bank)) => ledger_check::run(&bank),
        Command::Clearing(Clearing::List(bank)) => clearing_list::run(&bank),
        Command::Audit(Audit::Verify(verify)) => audit_verify::run(&verify),
        Command::Application(command) => application::run(&command),
        Command::Merchant(command) => merchant::run(&command),
        Command::Psu(command) => psu::run(&command),
        Command::Callbacks(command) => callbacks::run(&command),
        Command::Loan(command) => loan::run(&command),
        Command::Device(options) => device::run(&options),
    };
    print(&text);
    if well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// To the terminal. A reader that has gone away is no reason to fail.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
