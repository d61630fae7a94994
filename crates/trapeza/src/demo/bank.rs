//! The demo bank: made by the same use cases as any other, the same for the same seed and day.

use super::customers::{self, ELENI_BLOCKED, PEOPLE, Plan};
use super::history::History;
use std::sync::Arc;
use trapeza_app::psu::NewPsu;
use trapeza_app::sandbox::{AccountContent, BankContent, CardContent, CustomerContent};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::card::Card;
use trapeza_domain::psu::{Psu, ScaMethod};
use trapeza_domain::time::Date;

/// What a developer has to know about one of the demo bank's customers. Their passwords are no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoPsu {
    pub psu_id: String,
    pub password: String,
    pub name: String,
    pub phone: String,
    pub accounts: Vec<DemoAccount>,
    pub cards: Vec<DemoCard>,
    pub methods: Vec<DemoMethod>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoAccount {
    pub iban: String,
    pub currency: String,
    pub name: String,
}

impl DemoAccount {
    pub(super) fn of(account: &Account) -> Self {
        Self {
            iban: account.iban.as_str().to_owned(),
            currency: account.currency.code().to_owned(),
            name: account.name.as_str().to_owned(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoCard {
    pub pan: String,
    pub masked_pan: String,
    pub iban: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DemoMethod {
    pub id: String,
    /// SMSOTP, CHIPOTP, PHOTOOTP or PUSHOTP.
    pub kind: String,
}

/// Fills an empty bank: customers, accounts, cards, and their last `days` days. All of it is one transaction, as in a reset.
pub async fn build(app: &App, seed: u64, days: i32) -> Result<Vec<DemoPsu>, UseCaseError> {
    let today = app.clock().today();
    app.sandbox_replace(content(seed, days, today)).await?;
    Ok(facts(&customers::plan(seed, today)))
}

/// The demo bank with its last `days` days.
pub fn content(seed: u64, days: i32, today: Date) -> BankContent {
    let mut plan = customers::plan(seed, today);
    let mut content = BankContent::default();
    for NewPsu { id, login, name, phone, password, methods } in std::mem::take(&mut plan.people) {
        plan.known.push(Psu { id, login: login.clone(), name: name.clone(), phone: phone.clone() });
        let language = None;
        content.customers.push(CustomerContent { id, login, name, phone, password, language, methods });
    }
    for (index, order) in plan.accounts.iter().cloned().enumerate() {
        let status = if index == ELENI_BLOCKED { AccountStatus::Blocked } else { AccountStatus::Enabled };
        content.accounts.push(AccountContent {
            id: order.id,
            owners: order.owners.iter().filter_map(|owner| plan.login_of(*owner)).collect(),
            kind: order.kind,
            usage: order.usage,
            status,
            iban: order.iban,
            bic: Some(order.bic),
            currency: order.currency,
            product: order.product,
            name: order.name,
            credit_limit_minor: order.credit_limit_minor,
            // The history begins with the opening balances.
            opening_minor: 0,
            opened_on: None,
        });
    }
    for order in plan.cards.iter().cloned() {
        let account = plan.accounts.iter().find(|account| account.id == order.account);
        let account = account.expect("every card of the plan has its account there");
        content.cards.push(CardContent {
            id: order.id,
            holder: plan.login_of(order.holder).unwrap_or_default(),
            iban: account.iban,
            currency: account.currency,
            pan: order.pan,
            product: order.product,
            name: order.name,
            credit_limit_minor: order.credit_limit_minor,
            expiry: order.expiry,
            status: AccountStatus::Enabled,
        });
    }
    let first = Date(today.0 - days);
    content.history = Some(Arc::new(move |accounts: &[Account], cards: &[Card]| {
        History::new(seed, &plan, accounts, cards, first).into_postings(today)
    }));
    content
}

/// What [`build`] answered when this bank was made: the ids are in the store, the rest is always the same.
pub async fn describe(app: &App) -> Result<Vec<DemoPsu>, UseCaseError> {
    let mut psus = facts(&customers::plan(0, app.clock().today()));
    for psu in &mut psus {
        psu.methods = app.sca_methods(&psu.psu_id).await?.iter().map(method).collect();
    }
    Ok(psus)
}

fn method(method: &ScaMethod) -> DemoMethod {
    DemoMethod { id: method.id.to_string(), kind: method.kind.name().to_owned() }
}

fn facts(plan: &Plan) -> Vec<DemoPsu> {
    let psu = |(person, known): (&trapeza_app::psu::NewPsu, &customers::Person)| DemoPsu {
        psu_id: person.login.clone(),
        password: known.password.to_owned(),
        name: person.name.clone(),
        phone: person.phone.as_str().to_owned(),
        accounts: plan
            .accounts
            .iter()
            .filter(|account| account.owners.contains(&person.id))
            .map(|account| DemoAccount {
                iban: account.iban.as_str().to_owned(),
                currency: account.currency.code().to_owned(),
                name: account.name.as_str().to_owned(),
            })
            .collect(),
        cards: plan
            .cards
            .iter()
            .filter(|card| card.holder == person.id)
            .map(|card| DemoCard {
                pan: card.pan.expose().to_owned(),
                masked_pan: card.pan.masked().as_str().to_owned(),
                iban: plan.iban_of(card.account),
            })
            .collect(),
        methods: person
            .methods
            .iter()
            .map(|method| DemoMethod { id: method.id.to_string(), kind: method.kind.name().to_owned() })
            .collect(),
    };
    plan.people.iter().zip(&PEOPLE).map(psu).collect()
}
