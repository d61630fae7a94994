//! The demo bank: made by the same use cases as any other, the same for the same seed and day.

use super::customers::{self, ELENI_BLOCKED, PEOPLE, Plan};
use super::history::History;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::psu::ScaMethod;
use trapeza_domain::time::Date;

/// Postings that share a commit: few enough that a waiting request hardly notices.
const BATCH: usize = 1_000;

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

/// Fills an empty bank: customers, accounts, cards, and their last `days` days.
pub async fn build(app: &App, seed: u64, days: i32) -> Result<Vec<DemoPsu>, UseCaseError> {
    let today = app.clock().today();
    let mut plan = customers::plan(seed, today);
    let psus = facts(&plan);
    for order in std::mem::take(&mut plan.people) {
        let psu = app.psu_register(order).await?;
        plan.known.push(psu);
    }
    let mut accounts = Vec::with_capacity(plan.accounts.len());
    for order in &plan.accounts {
        accounts.push(app.account_open(order.clone()).await?);
    }
    let mut cards = Vec::with_capacity(plan.cards.len());
    for order in &plan.cards {
        cards.push(app.card_issue(order.clone()).await?);
    }
    let first = Date(today.0 - days);
    let postings = History::new(seed, &plan, &accounts, &cards, first).tell(today);
    for batch in postings.chunks(BATCH) {
        app.ledger_post(batch.to_vec()).await?;
    }
    app.account_status_set(accounts[ELENI_BLOCKED].id, AccountStatus::Blocked).await?;
    Ok(psus)
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
    let psu = |(person, known): (&trapeza_app::psu::PsuOrder, &customers::Person)| DemoPsu {
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
