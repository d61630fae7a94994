//! The demo's customers: five with their accounts, cards and SCA methods.

use super::rng::Rng;
use trapeza_app::account::{NewAccount, NewCard};
use trapeza_app::psu::{NewMethod, NewPsu};
use trapeza_app::sandbox::number_generator::{self, Country};
use trapeza_domain::account::{AccountKind, AccountName, AccountUsage};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, CardId, MethodId, PsuId};
use trapeza_domain::money::Currency;
use trapeza_domain::psu::{MethodKind, Psu};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Date;

/// A customer to be created.
pub struct Person {
    pub login: &'static str,
    pub password: &'static str,
    pub name: &'static str,
    pub phone: &'static str,
    methods: &'static [MethodKind],
}

/// The first has several of everything, the second one account and one method.
pub const PEOPLE: [Person; 5] = [
    Person {
        login: "eleni.papadaki",
        password: "olive-tree-41",
        name: "Eleni Papadaki",
        phone: "+306900000001",
        methods: &[MethodKind::Sms, MethodKind::Chip, MethodKind::Photo, MethodKind::Push],
    },
    Person {
        login: "jonas.weber",
        password: "blue-harbour-17",
        name: "Jonas Weber",
        phone: "+4915100000002",
        methods: &[MethodKind::Sms],
    },
    Person {
        login: "claire.moreau",
        password: "quiet-river-88",
        name: "Claire Moreau",
        phone: "+33600000003",
        methods: &[MethodKind::Sms, MethodKind::Push],
    },
    Person {
        login: "nikos.georgiou",
        password: "white-stone-63",
        name: "Nikos Georgiou",
        phone: "+306900000004",
        methods: &[MethodKind::Push, MethodKind::Sms],
    },
    Person {
        login: "olympia.foods",
        password: "copper-scale-29",
        name: "Olympia Foods AE",
        phone: "+302100000005",
        methods: &[MethodKind::Chip, MethodKind::Photo],
    },
];

/// Indices into [`ACCOUNTS`] that the history uses.
pub const ELENI: usize = 0;
pub const ELENI_SAVINGS: usize = 1;
pub const ELENI_BLOCKED: usize = 2;
pub const ELENI_YEN: usize = 3;
pub const ELENI_DOLLARS: usize = 4;
pub const JONAS: usize = 5;
pub const CLAIRE: usize = 6;
pub const NIKOS: usize = 7;
pub const JOINT: usize = 8;
pub const OLYMPIA: usize = 9;

struct AccountPlan {
    /// Indices into [`PEOPLE`].
    owners: &'static [usize],
    kind: AccountKind,
    usage: AccountUsage,
    country: Country,
    number: u64,
    currency: Currency,
    product: &'static str,
    name: &'static str,
    credit_limit_minor: i64,
    opening_minor: i64,
}

const fn private(
    owners: &'static [usize],
    country: Country,
    number: u64,
    name: &'static str,
    opening_minor: i64,
) -> AccountPlan {
    AccountPlan {
        owners,
        kind: AccountKind::Current,
        usage: AccountUsage::Private,
        country,
        number,
        currency: Currency::EUR,
        product: "Everyday",
        name,
        credit_limit_minor: 0,
        opening_minor,
    }
}

const ACCOUNTS: [AccountPlan; 10] = [
    AccountPlan {
        credit_limit_minor: 50_000,
        ..private(&[0], Country::Greece, 100_101, "Current account", 342_000)
    },
    AccountPlan {
        kind: AccountKind::Savings,
        product: "Savings Plus",
        ..private(&[0], Country::Greece, 100_102, "Savings", 860_000)
    },
    private(&[0], Country::Greece, 100_103, "Old account", 41_500),
    // Two currencies on one IBAN.
    AccountPlan {
        currency: Currency::JPY,
        product: "Multi-currency",
        ..private(&[0], Country::Greece, 100_104, "Travel, yen", 310_000)
    },
    AccountPlan {
        currency: Currency::USD,
        product: "Multi-currency",
        ..private(&[0], Country::Greece, 100_104, "Travel, dollars", 96_000)
    },
    private(&[1], Country::Germany, 200_201, "Girokonto", 415_000),
    private(&[2], Country::France, 300_301, "Compte courant", 288_000),
    private(&[3], Country::Greece, 100_401, "Current account", 197_000),
    AccountPlan { product: "Together", ..private(&[2, 3], Country::France, 300_302, "Household", 350_000) },
    AccountPlan {
        usage: AccountUsage::Organisation,
        product: "Business",
        credit_limit_minor: 1_000_000,
        ..private(&[4], Country::Greece, 100_501, "Operations", 4_200_000)
    },
];

struct CardPlan {
    holder: usize,
    account: usize,
    first_digits: &'static str,
    product: &'static str,
    name: &'static str,
    credit_limit_minor: i64,
    settled: Settled,
}

/// When a card's account pays the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// On the fifth.
    Monthly,
    /// On Mondays.
    Weekly,
}

const CARDS: [CardPlan; 4] = [
    CardPlan {
        holder: 0,
        account: ELENI,
        first_digits: "499900000001010",
        product: "Credit Gold",
        name: "Eleni Papadaki",
        credit_limit_minor: 250_000,
        settled: Settled::Monthly,
    },
    CardPlan {
        holder: 0,
        account: ELENI,
        first_digits: "549900000001020",
        product: "Debit",
        name: "Eleni Papadaki",
        credit_limit_minor: 100_000,
        settled: Settled::Weekly,
    },
    CardPlan {
        holder: 2,
        account: JOINT,
        first_digits: "499900000003010",
        product: "Credit",
        name: "Claire Moreau",
        credit_limit_minor: 200_000,
        settled: Settled::Monthly,
    },
    CardPlan {
        holder: 4,
        account: OLYMPIA,
        first_digits: "499900000005010",
        product: "Corporate",
        name: "Olympia Foods AE",
        credit_limit_minor: 500_000,
        settled: Settled::Monthly,
    },
];

/// Everything that is created, with its ids.
pub struct Plan {
    pub people: Vec<NewPsu>,
    /// The customers, once they have ids.
    pub known: Vec<Psu>,
    pub accounts: Vec<NewAccount>,
    /// Opening balances beside the accounts.
    pub openings_minor: Vec<i64>,
    pub cards: Vec<NewCard>,
    pub settled: Vec<Settled>,
}

/// The same plan for the same seed. Cards are valid until four years after `today`.
pub fn plan(seed: u64, today: Date) -> Plan {
    let rng = Rng::new(seed);
    let people: Vec<NewPsu> = PEOPLE.iter().map(|person| person.order(&rng)).collect();
    let accounts: Vec<NewAccount> = ACCOUNTS.iter().map(|account| account.order(&rng, &people)).collect();
    let card = |card: &CardPlan| NewCard {
        id: CardId::new(rng.uuid()),
        holder: people[card.holder].id,
        account: accounts[card.account].id,
        pan: number_generator::pan(card.first_digits),
        product: card.product.to_owned(),
        name: card.name.to_owned(),
        credit_limit_minor: card.credit_limit_minor,
        expiry: Date(today.0 + 4 * 365),
    };
    let cards = CARDS.iter().map(card).collect();
    Plan {
        people,
        known: Vec::new(),
        accounts,
        openings_minor: ACCOUNTS.iter().map(|account| account.opening_minor).collect(),
        cards,
        settled: CARDS.iter().map(|card| card.settled).collect(),
    }
}

impl Person {
    fn order(&self, rng: &Rng) -> NewPsu {
        let method = |kind: &MethodKind| NewMethod { id: MethodId::new(rng.uuid()), kind: *kind };
        NewPsu {
            id: PsuId::new(rng.uuid()),
            login: self.login.to_owned(),
            name: self.name.to_owned(),
            phone: Phone::parse(self.phone).expect("the demo telephone numbers are E.164"),
            password: Some(Secret::new(self.password.to_owned())),
            methods: self.methods.iter().map(method).collect(),
        }
    }
}

impl AccountPlan {
    fn order(&self, rng: &Rng, people: &[NewPsu]) -> NewAccount {
        NewAccount {
            id: AccountId::new(rng.uuid()),
            owners: self.owners.iter().map(|owner| people[*owner].id).collect(),
            kind: self.kind,
            usage: self.usage,
            iban: self.country.iban(self.number),
            bic: self.country.bic(),
            currency: self.currency,
            product: self.product.to_owned(),
            name: AccountName::of_bank(self.name),
            credit_limit_minor: self.credit_limit_minor,
        }
    }
}

impl Plan {
    /// The login of a customer of the plan, once they have ids.
    pub fn login_of(&self, id: PsuId) -> Option<String> {
        self.known.iter().find(|psu| psu.id == id).map(|psu| psu.login.clone())
    }

    pub fn iban_of(&self, id: AccountId) -> String {
        let account = self.accounts.iter().find(|account| account.id == id);
        account.map_or(String::new(), |account| account.iban.as_str().to_owned())
    }
}
