//! `trapeza psu add|list`: how an operator takes customers on. The password comes by the standard input, where nobody else
//! on the machine can see it, and is kept only as a hash.

use super::named::{Named, named};
use super::{on_the_bank, told};
use crate::admin::{Answer, Command};
use crate::cli::{PsuAdd, Psus};
use std::fmt::Write;
use std::io::BufRead;
use trapeza_app::App;
use trapeza_app::account::AccountOrder;
use trapeza_app::psu::{MethodOrder, PsuOrder, PsuView};
use trapeza_domain::account::{AccountKind, AccountUsage};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::money::Currency;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::secret::Secret;

/// How its commands begin on the admin socket.
pub const PREFIX: &str = "psu ";

pub fn run(psus: &Psus) -> (String, bool) {
    let (bank, name, arguments) = match psus {
        Psus::Add(add) => match password() {
            Ok(password) => (&add.bank, "add", arguments(add, &password)),
            Err(problem) => return (format!("{problem}\n"), false),
        },
        Psus::List(bank) => (bank, "list", Vec::new()),
    };
    let command = Command { command: format!("{PREFIX}{name}"), arguments: arguments.clone() };
    on_the_bank(bank, command, |app| report(app, name, &arguments))
}

fn password() -> Result<String, String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| format!("the password cannot be read: {error}"))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn arguments(add: &PsuAdd, password: &str) -> Vec<String> {
    let mut given = vec![
        named("login", &add.login),
        named("name", &add.name),
        named("phone", &add.phone),
        named("password", password),
        named("product", &add.product),
    ];
    given.extend(add.bic.iter().map(|bic| named("bic", bic)));
    given.extend(add.method.iter().map(|method| named("method", method.kind().name())));
    given.extend(add.account.iter().map(|account| named("account", account)));
    given
}

/// Does it. Blocks until it is done.
pub fn report(app: &App, name: &str, arguments: &[String]) -> Answer {
    let given = Named(arguments);
    let done = super::runtime().and_then(|runtime| {
        runtime.block_on(async {
            match name {
                "add" => add(app, &given).await,
                "list" => list(app).await,
                _ => Err(format!("a bank does not know the command {PREFIX}{name}")),
            }
        })
    });
    match done {
        Ok(text) => Answer { text, exit: 0 },
        Err(problem) => Answer { text: format!("{problem}\n"), exit: 1 },
    }
}

async fn add(app: &App, given: &Named<'_>) -> Result<String, String> {
    let id = PsuId::new(app.entropy().uuid());
    let methods = given.all("method").into_iter().map(|word| method(app, word));
    let order = PsuOrder {
        id,
        login: given.need("login")?.to_owned(),
        name: given.need("name")?.to_owned(),
        phone: given.read("phone", Phone::parse)?.ok_or("phone is missing")?,
        password: Secret::new(given.need("password")?.to_owned()),
        methods: methods.collect::<Result<_, String>>()?,
    };
    let accounts = given.all("account").into_iter().map(|text| account(app, id, text, given));
    let accounts = accounts.collect::<Result<Vec<_>, String>>()?;
    let view = app.psu_onboard(order, accounts).await.map_err(told)?;
    let mut text = described(&view);
    for method in &view.methods {
        if let Some(seed) = app.device_seed(method.id).await.map_err(told)? {
            let seed: String = seed.expose().iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(text, "seed     {}  {seed}   (shown this once)", method.id);
        }
    }
    Ok(text)
}

fn method(app: &App, word: &str) -> Result<MethodOrder, String> {
    let kind = MethodKind::parse(word).ok_or_else(|| format!("method: {word} is not one"))?;
    let name = match kind {
        MethodKind::Sms => "Telephone",
        MethodKind::Chip => "Card reader",
        MethodKind::Photo => "Photo reader",
        MethodKind::Push => "App",
    };
    Ok(MethodOrder { id: MethodId::new(app.entropy().uuid()), kind, name: name.to_owned() })
}

fn account(app: &App, owner: PsuId, text: &str, given: &Named<'_>) -> Result<AccountOrder, String> {
    let (iban, currency) = text.split_once(':').unwrap_or((text, "EUR"));
    let product = given.need("product")?.to_owned();
    Ok(AccountOrder {
        id: AccountId::new(app.entropy().uuid()),
        owners: vec![owner],
        kind: AccountKind::Current,
        usage: AccountUsage::Private,
        iban: Iban::parse(iban).map_err(|problem| format!("account: {problem}"))?,
        bic: given.read("bic", Bic::parse)?.ok_or("bic is missing")?,
        currency: Currency::parse(currency).map_err(|problem| format!("account: {problem}"))?,
        name: product.clone(),
        product,
        credit_limit_minor: 0,
    })
}

async fn list(app: &App) -> Result<String, String> {
    let psus = app.psu_list().await.map_err(told)?;
    let text = psus.iter().map(described).collect::<Vec<_>>().join("\n");
    Ok(if text.is_empty() { "there are no customers yet\n".to_owned() } else { text })
}

fn described(view: &PsuView) -> String {
    let psu = &view.psu;
    let mut text =
        format!("PSU_ID   {}\nname     {}\nphone    {}\n", psu.login, psu.name, psu.phone.as_str());
    for method in &view.methods {
        let _ = writeln!(text, "method   {}  {}  {}", method.id, method.kind.name(), method.name);
    }
    for account in &view.accounts {
        let status = account.status.name();
        let _ = writeln!(
            text,
            "account  {}  {}  {status}  {}",
            account.iban.as_str(),
            account.currency,
            account.name
        );
    }
    text
}
