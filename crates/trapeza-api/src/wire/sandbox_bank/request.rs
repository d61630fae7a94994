//! Requests that create objects of the sandbox, and the file that replaces all of them.

use super::body::{AccountBody, BankBody, CardBody, CustomerBody, ObjectList, TransactionBody};
use crate::wire::field_name::spell;
use trapeza_app::psu::NewMethod;
use trapeza_app::sandbox::{
    AccountContent, BankContent, CardContent, CustomerContent, TransactionContent, TransactionSubject,
    TransactionTexts, number_generator,
};
use trapeza_app::{Entropy, Language, parse_date, parse_timestamp};
use trapeza_domain::account::{AccountKind, AccountName, AccountStatus, AccountUsage};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, CardId, MethodId, PsuId};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::reference::{Bic, Iban, Pan};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::secret::Secret;
use trapeza_domain::text::is_control_or_bidi;
use trapeza_domain::time::Date;
use trapeza_http::extract::fields::{Fields, missing_field};
use trapeza_http::extract::json::Json;

/// The longest text of a transaction and the longest name of a product.
const MAX_TEXT_CHARS: usize = 140;
const MAX_NAME_CHARS: usize = 70;
/// A card without an expiry date is valid this long.
const VALIDITY_DAYS: i32 = 4 * 365;

/// Reads a customer.
pub fn customer(body: &Json<'_>, entropy: &Entropy) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body, spell)?;
    let customers = single(&fields, customer_content(&fields, entropy))?;
    Ok(BankContent { customers, ..BankContent::default() })
}

/// Reads an account.
pub fn account(body: &Json<'_>, entropy: &Entropy) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body, spell)?;
    let accounts = single(&fields, account_content(&fields, entropy))?;
    Ok(BankContent { accounts, ..BankContent::default() })
}

/// Reads a card.
pub fn card(body: &Json<'_>, entropy: &Entropy, today: Date) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body, spell)?;
    let cards = single(&fields, card_content(&fields, entropy, today))?;
    Ok(BankContent { cards, ..BankContent::default() })
}

/// Reads a transaction.
pub fn transaction(body: &Json<'_>) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body, spell)?;
    let transactions = single(&fields, transaction_content(&fields))?;
    Ok(BankContent { transactions, ..BankContent::default() })
}

fn single<T>(fields: &Fields<'_>, content: Option<T>) -> Result<Vec<T>, Refusal> {
    fields.finish()?;
    Ok(vec![content.ok_or_else(missing_field)?])
}

/// Reads a whole bank.
pub fn bank(body: &Json<'_>, entropy: &Entropy, today: Date) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = BankBody::read(&fields);
    let now = request.now.and_then(|text| fields.parsed("now", parse_timestamp(text).ok_or(DATE_TIME)));
    let customers =
        ObjectList::objects(request.customers.0).filter_map(|one| customer_content(&one, entropy));
    let accounts = ObjectList::objects(request.accounts).filter_map(|one| account_content(&one, entropy));
    let cards = ObjectList::objects(request.cards).filter_map(|one| card_content(&one, entropy, today));
    let transactions = ObjectList::objects(request.transactions).filter_map(|one| transaction_content(&one));
    let content = BankContent {
        now,
        customers: customers.collect(),
        accounts: accounts.collect(),
        cards: cards.collect(),
        transactions: transactions.collect(),
        history: None,
    };
    fields.finish()?;
    Ok(content)
}

const DATE: &str = "must be a date such as 2026-11-15";
const DATE_TIME: &str = "must be a date-time such as 2026-11-15T09:30:00Z";

fn customer_content(fields: &Fields<'_>, entropy: &Entropy) -> Option<CustomerContent> {
    fields.refuse_unknown::<CustomerBody<'_>>();
    let body = CustomerBody::read(fields);
    let phone = body.phone.0.and_then(|text| fields.parsed("phone", Phone::parse(text)));
    let unknown = "must be en or el";
    let language = body.language.map(|tag| fields.parsed("language", Language::from_tag(tag).ok_or(unknown)));
    let kinds = match body.methods {
        None => vec![MethodKind::Sms],
        Some(names) => {
            let kind = |(index, name): (usize, &str)| {
                let expected = "must be SMSOTP, CHIPOTP, PHOTOOTP or PUSHOTP";
                fields.parsed(&format!("methods[{index}]"), MethodKind::parse(name).ok_or(expected))
            };
            names.into_iter().enumerate().filter_map(kind).collect()
        }
    };
    let method = |kind| NewMethod { id: MethodId::new(entropy.uuid()), kind };
    Some(CustomerContent {
        id: PsuId::new(entropy.uuid()),
        login: body.psu_id.0?.to_owned(),
        name: body.name.0?.to_owned(),
        phone: phone?,
        password: body.password.map(|password| Secret::new(password.to_owned())),
        language: language.flatten(),
        methods: kinds.into_iter().map(method).collect(),
    })
}

fn account_content(fields: &Fields<'_>, entropy: &Entropy) -> Option<AccountContent> {
    fields.refuse_unknown::<AccountBody<'_>>();
    let body = AccountBody::read(fields);
    let owners = body.owners.0;
    if owners.as_ref().is_some_and(Vec::is_empty) {
        fields.error("owners", "must have at least one element");
    }
    let iban = match body.iban {
        Some(text) => fields.parsed("iban", Iban::parse(text)),
        None => Some(number_generator::Country::Greece.iban(GENERATED + random(entropy) % GENERATED)),
    };
    let bic = body.bic.map(|text| fields.parsed("bic", Bic::parse(text)));
    let currency = currency(fields, body.currency);
    let amount = |name, text: Option<&str>| match (text, currency) {
        (None, _) => Some(0),
        (Some(text), Some(currency)) => {
            fields.parsed(name, Money::parse(text, currency)).map(|sum| sum.minor)
        }
        (Some(_), None) => None,
    };
    let opening = amount("openingBalance", body.opening_balance);
    let limit = amount("creditLimit", body.credit_limit);
    let opened_on = date(fields, "openedOn", body.opened_on);
    let product =
        text(fields, "product", body.product, MAX_NAME_CHARS).unwrap_or("Current account".to_owned());
    let name = text(fields, "name", body.name, MAX_NAME_CHARS);
    let kind = choice(fields, "kind", body.kind, AccountKind::parse, AccountKind::Current);
    let usage = choice(fields, "usage", body.usage, AccountUsage::parse, AccountUsage::Private);
    let status = choice(fields, "status", body.status, AccountStatus::parse, AccountStatus::Enabled);
    Some(AccountContent {
        id: AccountId::new(entropy.uuid()),
        owners: owners?.into_iter().map(str::to_owned).collect(),
        kind: kind?,
        usage: usage?,
        status: status?,
        iban: iban?,
        bic: bic.flatten(),
        currency: currency?,
        name: name.map_or_else(|| AccountName::of_bank(&product), AccountName::of_bank),
        product,
        credit_limit_minor: limit?,
        opening_minor: opening?,
        opened_on,
    })
}

fn card_content(fields: &Fields<'_>, entropy: &Entropy, today: Date) -> Option<CardContent> {
    fields.refuse_unknown::<CardBody<'_>>();
    let body = CardBody::read(fields);
    let iban = body.iban.0.and_then(|text| fields.parsed("iban", Iban::parse(text)));
    let pan = match body.pan {
        Some(text) => fields.parsed("pan", Pan::parse(text)),
        None => Some(number_generator::pan(&format!("4998{:011}", random(entropy) % GENERATED))),
    };
    let currency = currency(fields, body.currency);
    let limit = match (body.credit_limit, currency) {
        (None, _) => Some(0),
        (Some(text), Some(currency)) => {
            fields.parsed("creditLimit", Money::parse(text, currency)).map(|sum| sum.minor)
        }
        (Some(_), None) => None,
    };
    let product = text(fields, "product", body.product, MAX_NAME_CHARS).unwrap_or("Card".to_owned());
    let name = text(fields, "name", body.name, MAX_NAME_CHARS);
    let expiry =
        date(fields, "expiryDate", body.expiry).unwrap_or(Date(today.0.saturating_add(VALIDITY_DAYS)));
    let status = choice(fields, "status", body.status, AccountStatus::parse, AccountStatus::Enabled);
    let holder = body.psu_id.0?.to_owned();
    Some(CardContent {
        id: CardId::new(entropy.uuid()),
        iban: iban?,
        currency: currency?,
        pan: pan?,
        product,
        name: name.unwrap_or_else(|| holder.clone()),
        holder,
        credit_limit_minor: limit?,
        expiry,
        status: status?,
    })
}

fn transaction_content(fields: &Fields<'_>) -> Option<TransactionContent> {
    fields.refuse_unknown::<TransactionBody<'_>>();
    let body = TransactionBody::read(fields);
    let iban = body.iban.map(|text| fields.parsed("iban", Iban::parse(text)));
    let pan = body.pan.map(|text| fields.parsed("pan", Pan::parse(text)));
    if iban.is_none() && pan.is_none() {
        fields.error("iban", "is required, or pan");
    }
    let currency = currency(fields, body.currency);
    let amount = body.amount.0.zip(currency).and_then(|(text, currency)| signed(fields, text, currency));
    let booking_day = date(fields, "bookingDate", body.booking_date);
    let value_day = date(fields, "valueDate", body.value_date);
    let counterparty_iban =
        body.counterparty_iban.map(|text| fields.parsed("counterpartyIban", Iban::parse(text)));
    let line = |name, value| text(fields, name, value, MAX_TEXT_CHARS);
    let code = body.merchant_category_code.filter(|code| {
        let is_code = code.len() == 4 && code.bytes().all(|digit| digit.is_ascii_digit());
        if !is_code {
            fields.error("merchantCategoryCode", "must be four digits");
        }
        is_code
    });
    let texts = TransactionTexts {
        counterparty_name: line("counterpartyName", body.counterparty_name),
        counterparty_iban: counterparty_iban.flatten(),
        remittance: line("remittance", body.remittance),
        end_to_end_id: text(fields, "endToEndId", body.end_to_end_id, 35),
        bank_transaction_code: text(fields, "bankTransactionCode", body.bank_transaction_code, 35),
        additional_information: line("additionalInformation", body.additional_information),
        merchant_category_code: code.map(str::to_owned),
    };
    let subject = match (iban, pan) {
        (Some(iban), None) => TransactionSubject::Account(iban?),
        (None, Some(pan)) => TransactionSubject::Card(pan?),
        (Some(iban), Some(pan)) => TransactionSubject::CardSettlement(iban?, pan?),
        (None, None) => return None,
    };
    Some(TransactionContent {
        subject,
        amount: amount?,
        booking_day,
        value_day,
        is_pending: body.pending.unwrap_or(false),
        fields: texts,
    })
}

/// Generated numbers have eleven digits and begin with other digits than those of the demo bank.
const GENERATED: u64 = 50_000_000_000;

fn random(entropy: &Entropy) -> u64 {
    u64::from_le_bytes(entropy.bytes())
}

fn currency(fields: &Fields<'_>, code: Option<&str>) -> Option<Currency> {
    fields.parsed("currency", Currency::parse(code.unwrap_or("EUR")))
}

/// An amount with a sign, other than zero.
fn signed(fields: &Fields<'_>, text: &str, currency: Currency) -> Option<Money> {
    let (digits, sign) = text.strip_prefix('-').map_or((text, 1), |digits| (digits, -1));
    let expected = |_| "must be an amount such as 10.00 or -10.00, with at most the digits of the currency";
    let amount = fields.parsed("amount", Money::parse(digits, currency).map_err(expected))?;
    if amount.minor == 0 {
        fields.error("amount", "must not be zero");
    }
    Some(Money::new(amount.minor * sign, currency))
}

fn date(fields: &Fields<'_>, name: &str, text: Option<&str>) -> Option<Date> {
    text.and_then(|text| fields.parsed(name, parse_date(text).ok_or(DATE)))
}

fn text(fields: &Fields<'_>, name: &str, text: Option<&str>, max: usize) -> Option<String> {
    let text = text?;
    if !(1..=max).contains(&text.chars().count()) || text.chars().any(is_control_or_bidi) {
        fields.error(name, format!("must be 1–{max} characters without control characters"));
    }
    Some(text.to_owned())
}

fn choice<T>(
    fields: &Fields<'_>,
    name: &str,
    text: Option<&str>,
    parse: impl Fn(&str) -> Option<T>,
    default: T,
) -> Option<T> {
    match text {
        None => Some(default),
        Some(text) => fields.parsed(name, parse(text).ok_or("must be one of the documented values")),
    }
}
