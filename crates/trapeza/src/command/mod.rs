//! The commands, one file each. A command returns its output and exit status; only `main` writes to the terminal.
//!
//! Commands that work on the bank's data are [`AdminRequest`]s: a running server executes them through its admin socket;
//! without a server they are executed here, under the lock of the data directory.

pub mod application;
pub mod audit_verify;
pub mod backup;
pub mod callbacks;
pub mod clearing;
pub mod config_check;
pub mod developer;
pub mod device;
pub mod generate;
pub mod health;
pub mod import;
pub mod ledger;
pub mod ledger_report;
pub mod loan;
pub mod merchant;
pub mod migrate;
pub mod openapi;
pub mod personal_data;
pub mod portal;
pub mod psu;
pub mod psu_export;
pub mod restore;
pub mod retention;
pub mod sandbox;
pub mod secret;
pub mod serve;
pub mod staff;
pub mod staff_action;
pub mod statistics;

use crate::admin::{self, AdminResponse};
use crate::bootstrap::{self, RunMode};
use crate::cli::{self, BankArgs};
use crate::config::{Config, DatabaseUrl};
use crate::data_dir::{DataDir, Lock};
use crate::demo::sandbox_file;
use crate::root_secret::Secret;
use serde::{Deserialize, Serialize};
use std::pin::Pin;
use trapeza_app::audit::as_operator;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::field::Field;
use trapeza_domain::refusal::FieldError;

/// A command that works on the bank's data.
#[derive(Debug, Serialize, Deserialize)]
pub enum AdminRequest {
    Ledger(cli::Ledger),
    Clearing(cli::Clearing),
    /// Heads as `chain:sequence:mac`.
    AuditVerify(Vec<String>),
    Application(cli::Application),
    Merchant(cli::Merchants),
    Portal(cli::Portal),
    Staff(cli::StaffCommand),
    Psu(cli::Psus),
    PsuExport(psu_export::ExportRequest),
    Phone(cli::Phones),
    Callbacks(cli::Callbacks),
    Loan(cli::Loans),
    Statistics(cli::Statistics),
    Retention(cli::RetentionApply),
    BackupRecord(backup::BackupRecord),
    Import(import::ImportRequest),
    Device(cli::Device),
    RootKeyReplace(secret::RootKeyReplace),
}

/// A request with the database that the operator named. The server refuses it when that is not its own.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdminCall {
    /// The database URL without its password; `None` when none was named.
    pub database: Option<String>,
    pub request: AdminRequest,
}

impl AdminRequest {
    /// For the log, without arguments.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ledger(_) => "ledger",
            Self::Clearing(_) => "clearing",
            Self::AuditVerify(_) => "audit verify",
            Self::Application(_) => "application",
            Self::Merchant(_) => "merchant",
            Self::Portal(_) => "portal",
            Self::Staff(_) => "staff",
            Self::Psu(_) => "psu",
            Self::PsuExport(_) => "psu export",
            Self::Phone(_) => "phone",
            Self::Callbacks(_) => "callbacks",
            Self::Loan(_) => "loan",
            Self::Statistics(_) => "statistics",
            Self::Retention(_) => "retention apply",
            Self::BackupRecord(_) => "backup",
            Self::Import(_) => "import",
            Self::Device(_) => "device",
            Self::RootKeyReplace(_) => "secret rotate",
        }
    }

    /// Executes the command of the operator with this user id. It blocks until it is done.
    pub fn execute(&self, app: &App, user: u32) -> AdminResponse {
        let output = match self {
            Self::Ledger(cli::Ledger::Check(_)) => return ledger::check(app),
            Self::Clearing(cli::Clearing::List(_)) => return clearing::list(app),
            Self::AuditVerify(heads) => return audit_verify::execute(app, heads),
            Self::Device(device) => return device::execute(app, device),
            Self::Application(command) => block_on(user, application::execute(app, command)),
            Self::Merchant(command) => block_on(user, merchant::execute(app, command)),
            Self::Portal(command) => block_on(user, portal::execute(app, command)),
            Self::Staff(command) => block_on(user, staff::execute(app, command)),
            Self::Psu(command) => block_on(user, psu::execute(app, command)),
            Self::PsuExport(request) => block_on(user, psu_export::execute(app, request)),
            Self::Phone(command) => block_on(user, psu::execute_phone(app, command)),
            Self::Callbacks(command) => block_on(user, callbacks::execute(app, command)),
            Self::Clearing(command) => block_on(user, clearing::execute(app, command)),
            Self::Ledger(command) => block_on(user, ledger::execute(app, command)),
            Self::Loan(command) => block_on(user, loan::execute(app, command)),
            Self::BackupRecord(record) => block_on(user, backup::execute(app, record)),
            Self::Retention(arguments) => block_on(user, retention::execute(app, arguments)),
            Self::Statistics(arguments) => block_on(user, statistics::execute(app, arguments)),
            Self::Import(request) => block_on(user, import::execute(app, request)),
            Self::RootKeyReplace(request) => block_on(user, secret::execute(app, request)),
        };
        match output {
            Ok(text) => AdminResponse { text, exit: 0 },
            Err(problem) => AdminResponse { text: format!("{problem}\n"), exit: 1 },
        }
    }
}

/// Runs a request through the server that holds the data directory, or, when none is running, on the data itself under the
/// directory's lock. There is never a second writer.
pub fn run(bank: &BankArgs, request: AdminRequest) -> (String, bool) {
    let response = try_run(bank, request);
    let response = response.unwrap_or_else(|problem| AdminResponse { text: format!("{problem}\n"), exit: 1 });
    (response.text, response.exit == 0)
}

fn try_run(bank: &BankArgs, request: AdminRequest) -> Result<AdminResponse, String> {
    let config = bank.sources().load().map_err(|error| error.to_string())?.config;
    let call = AdminCall { database: config.database.as_ref().map(DatabaseUrl::to_string), request };
    if let Some(response) = admin::call(&config.data, &call)? {
        return Ok(response);
    }
    if !config.data.is_dir() {
        return Err(format!("there is no data directory {}", config.data.display()));
    }
    let dir = DataDir::open(&config.data)?;
    let lock = dir.lock()?;
    let secret = root_secret(&config, &dir, &lock)?;
    let runtime = runtime()?;
    let app = runtime.block_on(open_existing(&config, &dir, &secret))?;
    let mut response = call.request.execute(&app, rustix::process::getuid().as_raw());
    if let Err(error) = runtime.block_on(app.audit_heads_store()) {
        response
            .text
            .push_str(&format!("cannot store the heads of the audit log: {}\n", describe_error(error)));
        response.exit = 1;
    }
    app.store().close();
    Ok(response)
}

/// Opens the bank without a server. The data of a sandbox stays a sandbox.
async fn open_existing(config: &Config, dir: &DataDir, secret: &Secret) -> Result<App, String> {
    let mode = match sandbox_file::read(dir.path()) {
        Some(_) => RunMode::Sandbox(sandbox_file::OTP),
        None => RunMode::Production,
    };
    bootstrap::open(config, dir.path(), secret, mode).await
}

/// Runs the work of an operator with this user id to its end.
fn block_on<T>(user: u32, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    // In a box, so that the runtime is compiled once for each type of result and not for each command.
    let work: Pin<Box<dyn Future<Output = Result<T, String>> + '_>> = Box::pin(work);
    runtime()?.block_on(as_operator(user, work))
}

/// The root secret of the configuration, or of the data directory.
fn root_secret(config: &Config, dir: &DataDir, _: &Lock) -> Result<Secret, String> {
    match &config.secret_file {
        Some(file) => Secret::read(file),
        None => dir.secret_open(),
    }
}

/// The same without creating or locking the data directory.
fn root_secret_read(config: &Config) -> Result<Secret, String> {
    match &config.secret_file {
        Some(file) => Secret::read(file),
        None => DataDir::secret_read(&config.data),
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| format!("cannot start threads: {error}"))
}

/// What the command line calls a field, if it has an option or argument for it.
const fn option_name(field: Field) -> Option<&'static str> {
    Some(match field {
        Field::Account => "account",
        Field::Amount => "amount",
        Field::CallbackId => "callback",
        Field::BookingDate => "date",
        Field::Certificate => "certificate",
        Field::CreditAccount => "credit",
        Field::Currency => "currency",
        Field::DebitAccount => "debit",
        Field::Discount => "discount",
        Field::Email => "email",
        Field::FailCallback => "fail-callback",
        Field::FailureRedirect => "failure-redirect",
        Field::Iban => "iban",
        Field::IncomingTransferId => "transfer",
        Field::Limits => "limits",
        Field::LoanId => "loan",
        Field::Login => "login",
        Field::ManualPostingId => "id",
        Field::MerchantCode => "code",
        Field::MerchantNumber => "number",
        Field::MemberRole | Field::StaffRole => "role",
        Field::Name => "name",
        Field::Note => "note",
        Field::OrganisationName => "organisation",
        Field::Password => "password",
        Field::Plans => "plan",
        Field::ProblemId => "problem",
        Field::ReasonCode => "code",
        Field::RedirectUris => "redirect-uri",
        Field::SettlementAccount => "settlement-iban",
        Field::ScaMethods => "method",
        Field::StatementText => "text",
        Field::StaffId => "staff",
        Field::SubscriptionKey => "key",
        Field::SuccessCallback => "success-callback",
        Field::SuccessRedirect => "success-redirect",
        _ => return None,
    })
}

/// An error of a use case, described for the operator.
fn describe_error(error: UseCaseError) -> String {
    match error {
        UseCaseError::Refused(refusal) => {
            let errors = refusal.errors.into_iter().map(|FieldError { path, text }| {
                match path.outermost().and_then(option_name) {
                    Some(option) => format!("{option}: {text}"),
                    None => text,
                }
            });
            errors.collect::<Vec<_>>().join("; ")
        }
        UseCaseError::Failed(error) => error.to_string(),
    }
}
