//! `trapeza psu` and `trapeza phone unblock`: customers and telephone numbers. A password is read from standard input, where other
//! users of the machine cannot see it, and is stored as a hash only.

use super::{AdminRequest, describe_error, psu_export, run};
use crate::cli::{AccountArgs, Password, Phones, PsuAccounts, PsuAdd, Psus};
use std::fmt::Write;
use std::io::BufRead;
use trapeza_app::App;
use trapeza_app::account::NewAccount;
use trapeza_app::psu::{NewMethod, NewPsu, PsuChange, PsuView};
use trapeza_domain::account::{AccountKind, AccountName, AccountUsage};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::money::Currency;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::secret::Secret;

pub fn start(mut command: Psus) -> (String, bool) {
    if let Psus::Export(one) = &command {
        return psu_export::start(&one.bank, &one.login);
    }
    let password = match &mut command {
        Psus::Add(add) => Some(&mut add.password),
        Psus::ResetPassword(reset) => Some(&mut reset.password),
        _ => None,
    };
    if let Some(password) = password {
        match read_password() {
            Ok(line) => *password = Password(line),
            Err(problem) => return (format!("{problem}\n"), false),
        }
    }
    run(&command.bank().clone(), AdminRequest::Psu(command))
}

fn read_password() -> Result<String, String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| format!("cannot read the password: {error}"))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

pub async fn execute(app: &App, command: &Psus) -> Result<String, String> {
    match command {
        Psus::Add(arguments) => add(app, arguments).await,
        Psus::List(_) => list(app).await,
        Psus::Unblock(unblock) => {
            let lifted = app.psu_unblock(&unblock.login).await.map_err(describe_error)?;
            Ok(describe_unblocked(&unblock.login, lifted))
        }
        Psus::ResetPassword(reset) => {
            let password = Secret::new(reset.password.0.clone());
            app.psu_password_reset(&reset.login, &password).await.map_err(describe_error)?;
            Ok(format!("{} has a new password; all devices are signed out\n", reset.login))
        }
        Psus::Set(arguments) => {
            let phone = arguments.phone.as_deref().map(Phone::parse).transpose();
            let phone = phone.map_err(|problem| format!("phone: {problem}"))?;
            let change = PsuChange { name: arguments.name.clone(), phone };
            Ok(describe(&app.psu_update(&arguments.login, change).await.map_err(describe_error)?))
        }
        Psus::Account(PsuAccounts::Add(arguments)) => {
            let orders = new_accounts(app, None, &arguments.accounts)?;
            if orders.is_empty() {
                return Err("account: is required".to_owned());
            }
            Ok(describe(&app.psu_account_add(&arguments.login, orders).await.map_err(describe_error)?))
        }
        Psus::Close(one) => {
            app.psu_close(&one.login).await.map_err(describe_error)?;
            Ok(format!("{} is no longer a customer\n", one.login))
        }
        // The client asks for its parts.
        Psus::Export(_) => Err("unknown request".to_owned()),
        Psus::Erase(one) => {
            app.psu_erase(&one.login).await.map_err(describe_error)?;
            Ok(format!("the personal data of {} is erased\n", one.login))
        }
    }
}

pub async fn execute_phone(app: &App, Phones::Unblock(unblock): &Phones) -> Result<String, String> {
    let phone = Phone::parse(&unblock.phone).map_err(|problem| format!("phone: {problem}"))?;
    let lifted = app.phone_unblock(&phone).await.map_err(describe_error)?;
    Ok(describe_unblocked(phone.as_str(), lifted))
}

fn describe_unblocked(subject: &str, lifted: i64) -> String {
    match lifted {
        0 => format!("{subject} was not blocked; the counters of wrong attempts are reset\n"),
        1 => format!("1 block of {subject} is lifted\n"),
        many => format!("{many} blocks of {subject} are lifted\n"),
    }
}

async fn add(app: &App, arguments: &PsuAdd) -> Result<String, String> {
    let id = PsuId::new(app.entropy().uuid());
    let order = NewPsu {
        id,
        login: arguments.login.clone(),
        name: arguments.name.clone(),
        phone: Phone::parse(&arguments.phone).map_err(|problem| format!("phone: {problem}"))?,
        password: Some(Secret::new(arguments.password.0.clone())),
        methods: arguments.method.iter().map(|method| new_method(app, method.kind())).collect(),
    };
    let accounts = new_accounts(app, Some(id), &arguments.accounts)?;
    let view = app.psu_onboard(order, accounts).await.map_err(describe_error)?;
    let mut text = describe(&view);
    for method in &view.methods {
        if let Some(seed) = app.device_seed(method.id).await.map_err(describe_error)? {
            let seed: String = seed.expose().iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(text, "seed     {}  {seed}   (shown only once)", method.id);
        }
    }
    Ok(text)
}

fn new_method(app: &App, kind: MethodKind) -> NewMethod {
    NewMethod { id: MethodId::new(app.entropy().uuid()), kind }
}

fn new_accounts(app: &App, owner: Option<PsuId>, arguments: &AccountArgs) -> Result<Vec<NewAccount>, String> {
    arguments.account.iter().map(|text| new_account(app, owner, text, arguments)).collect()
}

/// An account of the owner, or of a customer that the use case finds.
fn new_account(
    app: &App,
    owner: Option<PsuId>,
    text: &str,
    arguments: &AccountArgs,
) -> Result<NewAccount, String> {
    let (iban, currency) = text.split_once(':').unwrap_or((text, "EUR"));
    let bic = arguments.bic.as_deref().ok_or("bic: is required")?;
    Ok(NewAccount {
        id: AccountId::new(app.entropy().uuid()),
        owners: owner.into_iter().collect(),
        kind: AccountKind::Current,
        usage: match arguments.organisation {
            true => AccountUsage::Organisation,
            false => AccountUsage::Private,
        },
        iban: Iban::parse(iban).map_err(|problem| format!("account: {problem}"))?,
        bic: Bic::parse(bic).map_err(|problem| format!("bic: {problem}"))?,
        currency: Currency::parse(currency).map_err(|problem| format!("account: {problem}"))?,
        name: AccountName::of_bank(&arguments.product),
        product: arguments.product.clone(),
        credit_limit_minor: 0,
    })
}

async fn list(app: &App) -> Result<String, String> {
    let psus = app.psu_list().await.map_err(describe_error)?;
    let text = psus.iter().map(describe).collect::<Vec<_>>().join("\n");
    Ok(if text.is_empty() { "no customers\n".to_owned() } else { text })
}

fn describe(view: &PsuView) -> String {
    let psu = &view.psu;
    let mut text =
        format!("PSU_ID   {}\nname     {}\nphone    {}\n", psu.login, psu.name, psu.phone.as_str());
    for method in &view.methods {
        let _ = writeln!(text, "method   {}  {}", method.id, method.kind.name());
    }
    for account in &view.accounts {
        let status = account.status.name();
        let _ = writeln!(
            text,
            "account  {}  {}  {status}  {}",
            account.iban.as_str(),
            account.currency,
            account.name.as_str()
        );
    }
    text
}
