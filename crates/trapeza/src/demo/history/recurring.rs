//! Account movements of the customers, day by day.

use super::{History, Payment};
use crate::demo::customers::{
    CLAIRE, ELENI, ELENI_BLOCKED, ELENI_DOLLARS, ELENI_SAVINGS, ELENI_YEN, JOINT, JONAS, NIKOS, OLYMPIA,
};
use crate::demo::exchange;
use jiff::civil::Weekday;
use trapeza_app::ledger::PostingDetail;
use trapeza_app::sandbox::number_generator::Country;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::AccountReference;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{BatchEntry, Party, TransactionFields};

const RECEIVED: &str = "PMNT-RCDT-ESCT";
const ISSUED: &str = "PMNT-ICDT-ESCT";
const DEBITED: &str = "PMNT-RDDT-ESDD";

/// A party with an account at another bank.
fn outsider(name: &str, country: Country, number: u64) -> Party {
    Party::new(name, Some(AccountReference::iban(country.foreign_iban(number), None)))
}

fn payment<'t>(
    account: usize,
    minor: i64,
    other: Party,
    text: &'t str,
    purpose: &'static str,
    code: &'static str,
) -> Payment<'t> {
    Payment { account, minor, other, text, purpose, code, mandate: None, exchange: None }
}

pub(super) fn date(day: Date) -> jiff::civil::Date {
    jiff::civil::Date::constant(1970, 1, 1).saturating_add(jiff::Span::new().days(i64::from(day.0)))
}

/// Whether an event on the `nth` of a month happens on this date: banks book on working days.
pub(super) fn falls_on(day: Date, nth: i8) -> bool {
    let today = date(day);
    match today.weekday() {
        Weekday::Saturday | Weekday::Sunday => false,
        Weekday::Monday => (0..3).any(|back| date(Date(day.0 - back)).day() == nth),
        _ => today.day() == nth,
    }
}

pub(super) fn is_working_day(day: Date) -> bool {
    !matches!(date(day).weekday(), Weekday::Saturday | Weekday::Sunday)
}

impl History<'_> {
    /// All account movements of a date.
    pub(super) fn live(&mut self, day: Date) {
        if is_working_day(day) {
            self.eleni(day);
            self.eleni_abroad(day);
            self.jonas(day);
            self.household(day);
            self.olympia(day);
            self.payroll(day);
        }
    }

    fn eleni(&mut self, day: Date) {
        let month = date(day).strftime("%B %Y").to_string();
        if falls_on(day, 25) {
            let employer = outsider("Aegean Software AE", Country::Greece, 7_001);
            let text = format!("Salary {month}");
            self.receive(day, &payment(ELENI, 214_000, employer, &text, "SALA", RECEIVED));
        }
        if falls_on(day, 1) {
            let landlady = outsider("Dimitra Vlachou", Country::Greece, 7_002);
            let text = format!("Rent {month}");
            self.pay(day, 1, &payment(ELENI, 58_000, landlady, &text, "RENT", ISSUED));
        }
        if falls_on(day, 3) {
            let minor = self.rng.between(15, 30) * 1_000;
            self.transfer(day, ELENI, ELENI_SAVINGS, minor, "Saving", "SAVG");
        }
        if falls_on(day, 8) {
            let minor = self.rng.between(3_800, 9_600);
            self.debit(
                day,
                ELENI,
                minor,
                ("Attiki Energy AE", Country::Greece, 7_003),
                "Electricity",
                "ELEC",
            );
        }
        if falls_on(day, 15) {
            let telecom = ("Ionian Telecom AE", Country::Greece, 7_004);
            self.debit(day, ELENI, 2_990, telecom, "Telephone and internet", "PHON");
        }
        if falls_on(day, 28) {
            self.charge(day, ELENI, 150, "Account fee");
        }
        if self.rng.percent(6) {
            let minor = self.rng.between(5, 60) * 100;
            let friend = outsider("Maria Antoniou", Country::Greece, 7_005);
            self.pay(day, 1, &payment(ELENI, minor, friend, "Thank you!", "OTHR", ISSUED));
        }
        // The old account had no movements long before it was blocked.
        if falls_on(day, 10) && day.0 < self.first.0 + 270 {
            let shop = outsider("Athens Fitness", Country::Greece, 7_006);
            self.pay(day, 1, &payment(ELENI_BLOCKED, 1_900, shop, "Membership", "SUBS", ISSUED));
        }
    }

    /// Movements in other currencies.
    fn eleni_abroad(&mut self, day: Date) {
        if falls_on(day, 20) && date(day).month() % 3 == 0 {
            let fee = Money::new(self.rng.between(60_000, 140_000), Currency::USD);
            let (euro, rate) = exchange::to_euro(&self.rng, fee, day);
            let client = Party::new("Harbor Analytics Inc.", None);
            let text = format!("Consulting, {fee}");
            let received = payment(ELENI, euro.minor, client, &text, "SCVE", "PMNT-RCDT-XBCT");
            self.receive(day, &Payment { exchange: Some(rate), ..received });
        }
        if falls_on(day, 14) {
            let school = Party::new("Sakura Language School", None);
            let lesson = self.rng.between(40, 62) * 100;
            self.pay(day, 1, &payment(ELENI_YEN, lesson, school, "Lessons", "STDY", "PMNT-ICDT-XBCT"));
        }
        if falls_on(day, 6) && date(day).month() % 6 == 1 {
            let euro = Money::new(40_000, Currency::EUR);
            let (yen, rate) = exchange::from_euro(&self.rng, euro, Currency::JPY, day);
            let own = self.own_party(ELENI);
            let received =
                payment(ELENI_YEN, yen.minor, own, "Exchange of 400.00 EUR", "FREX", "PMNT-RCDT-XBCT");
            self.receive(day, &Payment { exchange: Some(rate), ..received });
        }
        if falls_on(day, 17) {
            let studio = Party::new("Lighthouse Fonts LLC", None);
            self.pay(
                day,
                1,
                &payment(ELENI_DOLLARS, 1_200, studio, "Subscription", "SUBS", "PMNT-ICDT-XBCT"),
            );
        }
    }

    fn jonas(&mut self, day: Date) {
        if falls_on(day, 28) {
            let employer = outsider("Rheinwerk Logistik GmbH", Country::Germany, 8_001);
            let text = format!("Lohn {}", date(day).strftime("%m/%Y"));
            self.receive(day, &payment(JONAS, 264_000, employer, &text, "SALA", RECEIVED));
        }
        if falls_on(day, 2) {
            let landlord = outsider("Wohnbau Neckar eG", Country::Germany, 8_002);
            self.pay(day, 1, &payment(JONAS, 78_500, landlord, "Miete", "RENT", ISSUED));
        }
        if falls_on(day, 9) {
            self.debit(day, JONAS, 4_350, ("Stadtwerke Neckartal", Country::Germany, 8_003), "Strom", "ELEC");
        }
        if falls_on(day, 12) {
            let insurer = ("Poseidon Versicherung AG", Country::Germany, 8_004);
            self.debit(day, JONAS, 6_120, insurer, "Beitrag", "INSU");
        }
        if self.rng.percent(45) {
            let minor = self.rng.between(900, 8_400);
            let market = outsider("Frischmarkt Sommer", Country::Germany, 8_005);
            self.pay(day, 1, &payment(JONAS, minor, market, "Einkauf", "GDDS", ISSUED));
        }
    }

    /// Movements of the joint account.
    fn household(&mut self, day: Date) {
        if falls_on(day, 27) {
            let employer = outsider("Atelier Lumen SARL", Country::France, 9_001);
            let text = format!("Salaire {}", date(day).strftime("%m/%Y"));
            self.receive(day, &payment(CLAIRE, 231_000, employer, &text, "SALA", RECEIVED));
        }
        if falls_on(day, 1) {
            self.transfer(day, CLAIRE, JOINT, 110_000, "Household", "OTHR");
            self.transfer(day, NIKOS, JOINT, 100_000, "Household", "OTHR");
        }
        if falls_on(day, 4) {
            let landlord = outsider("SCI Les Tilleuls", Country::France, 9_002);
            self.pay(day, 1, &payment(JOINT, 92_000, landlord, "Loyer", "RENT", ISSUED));
        }
        if falls_on(day, 11) {
            let minor = self.rng.between(5_200, 11_800);
            self.debit(day, JOINT, minor, ("Energie des Monts", Country::France, 9_003), "Facture", "ELEC");
        }
        if self.rng.percent(12) {
            let minor = self.rng.between(1_000, 6_500);
            let shop = outsider("Jardins de Vanves", Country::France, 9_004);
            self.pay(day, 1, &payment(CLAIRE, minor, shop, "Commande", "GDDS", ISSUED));
        }
        if self.rng.percent(10) {
            let minor = self.rng.between(800, 5_000);
            let shop = outsider("Thalassa Diving Club", Country::Greece, 9_005);
            self.pay(day, 1, &payment(NIKOS, minor, shop, "Course", "SCVE", ISSUED));
        }
    }

    fn olympia(&mut self, day: Date) {
        for _ in 0..self.rng.between(1, 3) {
            let (number, minor) = (self.rng.between(1, 400), self.rng.between(12_000, 96_000));
            let name = format!("Taverna No. {number}");
            let buyer = outsider(&name, Country::Greece, 20_000 + number.unsigned_abs());
            let text = format!("Invoice {}", 40_000 + self.number);
            self.receive(day, &payment(OLYMPIA, minor, buyer, &text, "GDDS", RECEIVED));
        }
        if date(day).weekday() == Weekday::Thursday {
            let minor = self.rng.between(90_000, 240_000);
            let supplier = outsider("Messinia Oil Mills", Country::Greece, 9_101);
            self.pay(day, 1, &payment(OLYMPIA, minor, supplier, "Delivery of the week", "SUPP", ISSUED));
        }
        if falls_on(day, 20) && date(day).month() % 3 == 1 {
            let office = outsider("Tax Office of Athens", Country::Greece, 9_102);
            self.pay(day, 1, &payment(OLYMPIA, 310_000, office, "Quarterly tax", "TAXS", ISSUED));
        }
        if falls_on(day, 28) {
            self.charge(day, OLYMPIA, 900, "Business account fee");
        }
    }

    /// Salaries as one batch booking, and one inside the bank.
    fn payroll(&mut self, day: Date) {
        if !falls_on(day, 26) {
            return;
        }
        let text = format!("Salary {}", date(day).strftime("%B %Y"));
        self.transfer(day, OLYMPIA, NIKOS, 198_000, &text, "SALA");
        let staff = [
            ("Anna Kosta", 141_000),
            ("Petros Mavridis", 136_500),
            ("Sofia Rallis", 152_250),
            ("Ilias Damos", 129_900),
        ];
        let total = staff.iter().map(|(_, minor)| minor).sum();
        let parts = (1u64..).zip(staff).map(|(number, (name, minor))| BatchEntry {
            amount: Money::new(minor, Currency::EUR),
            particulars: TransactionFields {
                end_to_end_id: Some(format!("PAY{}-{number}", day.0)),
                creditor: outsider(name, Country::Greece, 9_200 + number),
                debtor: self.own_party(OLYMPIA),
                remittance_unstructured: Some(text.clone()),
                purpose: trapeza_domain::purpose_code::PurposeCode::parse("SALA").ok(),
                ..TransactionFields::default()
            },
        });
        let parts: Vec<BatchEntry> = parts.collect();
        let batch =
            payment(OLYMPIA, total, Party::default(), "Salaries, 4 payments", "SALA", "PMNT-ICDT-SALA");
        if let Some(placed) = self.pay(day, 1, &batch)
            && let PostingDetail::Account(detail) = &mut self.postings[placed].detail
        {
            detail.batch = parts;
        }
    }

    /// Today's orders that are still pending.
    pub(super) fn leave_pending(&mut self, today: Date) {
        let plumber = outsider("Hydra Plumbing OE", Country::Greece, 7_007);
        self.pay(today, 1, &payment(ELENI, 8_400, plumber, "Invoice 2231", "SCVE", ISSUED));
        let verein = outsider("Ruderverein Neckar e.V.", Country::Germany, 8_006);
        self.pay(today, 1, &payment(JONAS, 4_500, verein, "Jahresbeitrag", "OTHR", ISSUED));
        let supplier = outsider("Messinia Oil Mills", Country::Greece, 9_101);
        self.pay(today, 2, &payment(OLYMPIA, 61_300, supplier, "Delivery 118", "SUPP", ISSUED));
    }

    /// A direct debit under a mandate.
    fn debit(
        &mut self,
        day: Date,
        account: usize,
        minor: i64,
        (name, country, number): (&str, Country, u64),
        text: &str,
        purpose: &'static str,
    ) {
        let (mandate, creditor) = (format!("M-{number}-{account}"), format!("CI{number:08}"));
        let debited = payment(account, minor, outsider(name, country, number), text, purpose, DEBITED);
        self.pay(day, 0, &Payment { mandate: Some((&mandate, &creditor)), ..debited });
    }
}
