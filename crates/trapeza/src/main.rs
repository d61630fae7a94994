//! The binary: parses the command line, runs the command and prints its output.

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;
use trapeza::cli::{Audit, BankArgs, Callbacks, Cli, Command, Config, Loans, Merchants, Phones, Retention};
use trapeza::command::{
    AdminRequest, audit_verify, backup, config_check, developer, device, generate, health, import, migrate,
    openapi, psu, restore, run, sandbox, secret, serve,
};

fn main() -> ExitCode {
    let (text, succeeded) = match Cli::parse().command {
        Command::Sandbox(options) => sandbox::run(&options, print),
        Command::Serve(options) => serve::run(&options),
        Command::Migrate(arguments) => migrate::run(&arguments),
        Command::Backup(arguments) => backup::run(&arguments),
        Command::Restore(arguments) => restore::run(&arguments),
        Command::Secret(command) => secret::start(&command),
        Command::Health(bank) => health::run(&bank),
        Command::Openapi => openapi::run(),
        Command::Gen { page } => generate::run(page),
        Command::Config(Config::Check(bank)) => config_check::run(&bank),
        Command::Ledger(command) => run(&command.bank().clone(), AdminRequest::Ledger(command)),
        Command::Clearing(command) => run(&command.bank().clone(), AdminRequest::Clearing(command)),
        Command::Audit(Audit::Verify(arguments)) => audit_verify::verify(&arguments),
        Command::Application(command) => run(&command.bank().clone(), AdminRequest::Application(command)),
        Command::Merchant(command) => run(&merchant_bank(&command).clone(), AdminRequest::Merchant(command)),
        Command::Portal(command) => run(&command.bank().clone(), AdminRequest::Portal(command)),
        Command::Staff(command) => run(&command.bank().clone(), AdminRequest::Staff(command)),
        Command::Psu(command) => psu::start(command),
        Command::Phone(Phones::Unblock(unblock)) => {
            run(&unblock.bank.clone(), AdminRequest::Phone(Phones::Unblock(unblock)))
        }
        Command::Callbacks(command) => {
            run(&callbacks_bank(&command).clone(), AdminRequest::Callbacks(command))
        }
        Command::Listen(options) => developer::listen::run(&options, print),
        Command::Trigger(options) => developer::trigger::run(&options),
        Command::Loan(command) => run(&loan_bank(&command).clone(), AdminRequest::Loan(command)),
        Command::Retention(Retention::Apply(arguments)) => {
            run(&arguments.bank.clone(), AdminRequest::Retention(arguments))
        }
        Command::Statistics(arguments) => run(&arguments.bank.clone(), AdminRequest::Statistics(arguments)),
        Command::Import(arguments) => import::start(&arguments),
        Command::Device(options) => device::simulate(options),
    };
    print(&text);
    if succeeded { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn merchant_bank(command: &Merchants) -> &BankArgs {
    match command {
        Merchants::Add(arguments) => &arguments.bank,
        Merchants::List(bank) => bank,
        Merchants::Set(arguments) => &arguments.bank,
        Merchants::Payout(arguments) => &arguments.bank,
        Merchants::Payouts(arguments) => &arguments.bank,
    }
}

fn callbacks_bank(command: &Callbacks) -> &BankArgs {
    match command {
        Callbacks::List(arguments) => &arguments.bank,
        Callbacks::Show(arguments) => &arguments.bank,
        Callbacks::Replay(arguments) => &arguments.bank,
    }
}

fn loan_bank(command: &Loans) -> &BankArgs {
    match command {
        Loans::List(arguments) => &arguments.bank,
        Loans::RefundPayout(arguments) => &arguments.bank,
        Loans::Show(one) | Loans::Repay(one) | Loans::Withdraw(one) | Loans::WriteOff(one) => &one.bank,
    }
}

/// Writes to the terminal. A closed pipe is no error.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
