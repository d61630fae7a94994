//! Requests that create objects of the sandbox, and the file that replaces all of them.

use crate::wire::fields::{Fields, missing_field};
use crate::wire::request::{FromField, Required, request};
use trapeza_app::psu::MethodOrder;
use trapeza_app::sandbox::{
    AccountContent, BankContent, CUSTOMERS_MAX, CardContent, CustomerContent, TransactionContent,
    TransactionSubject, TransactionTexts, number_generator,
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
use trapeza_http::extract::json::Json;

/// The longest text of a transaction and the longest name of a product.
const TEXT_CHARACTERS: usize = 140;
const NAME_CHARACTERS: usize = 70;
/// A card without an expiry date is valid this long.
const VALIDITY_DAYS: i32 = 4 * 365;

request! {
    /// A customer. A login, an IBAN or a card number exists once.
    #[schemars(rename = "SandboxCustomerRequest", deny_unknown_fields)]
    pub struct CustomerBody<'a> {
        /// The login.
        #[schemars(length(min = 1, max = 50))]
        "psuId" => psu_id: Required<&'a str>,
        /// The password. Without one the customer cannot sign in.
        #[schemars(length(min = 8, max = 128))]
        "password" => password: Option<&'a str>,
        /// The name.
        #[schemars(length(min = 1, max = 70))]
        "name" => name: Required<&'a str>,
        /// The phone number in E.164: +306900000200.
        "phone" => phone: Required<&'a str>,
        /// The language of messages.
        #[schemars(extend("enum" = ["en", "el"]))]
        "language" => language: Option<&'a str>,
        /// The SCA methods in the order in which they are offered: SMSOTP, CHIPOTP, PHOTOOTP, PUSHOTP. SMSOTP by default.
        "methods" => methods: Option<Vec<&'a str>>,
    }
}

request! {
    /// A payment account.
    #[schemars(rename = "SandboxAccountRequest", deny_unknown_fields)]
    pub struct AccountBody<'a> {
        /// The psuId of each owner.
        #[schemars(length(min = 1))]
        "owners" => owners: Required<Vec<&'a str>>,
        /// The IBAN. Without one the bank generates it.
        "iban" => iban: Option<&'a str>,
        /// The BIC. Without one it is the bank's own.
        "bic" => bic: Option<&'a str>,
        /// ISO 4217; EUR by default.
        "currency" => currency: Option<&'a str>,
        /// The opening balance, zero by default.
        "openingBalance" => opening_balance: Option<&'a str>,
        /// The booking date of the opening balance, today by default. Transactions may follow from there.
        #[schemars(extend("format" = "date"))]
        "openedOn" => opened_on: Option<&'a str>,
        /// How far the balance may fall below zero.
        "creditLimit" => credit_limit: Option<&'a str>,
        /// The name of the account.
        "name" => name: Option<&'a str>,
        /// The name of the product.
        "product" => product: Option<&'a str>,
        /// The kind of account; current by default.
        #[schemars(extend("enum" = ["current", "savings"]))]
        "kind" => kind: Option<&'a str>,
        /// Whether it belongs to persons or to an organisation; private by default.
        #[schemars(extend("enum" = ["private", "organisation"]))]
        "usage" => usage: Option<&'a str>,
        /// The status; enabled by default.
        #[schemars(extend("enum" = ["enabled", "blocked", "deleted"]))]
        "status" => status: Option<&'a str>,
    }
}

request! {
    /// A card.
    #[schemars(rename = "SandboxCardRequest", deny_unknown_fields)]
    pub struct CardBody<'a> {
        /// The holder.
        "psuId" => psu_id: Required<&'a str>,
        /// The account of the holder that pays the card.
        "iban" => iban: Required<&'a str>,
        /// The currency of that account; EUR by default.
        "currency" => currency: Option<&'a str>,
        /// The card number. Without one the bank generates it.
        "pan" => pan: Option<&'a str>,
        /// The credit limit, zero by default.
        "creditLimit" => credit_limit: Option<&'a str>,
        /// The name of the product.
        "product" => product: Option<&'a str>,
        /// The name on the card.
        "name" => name: Option<&'a str>,
        /// The last day on which the card is valid.
        #[schemars(extend("format" = "date"))]
        "expiryDate" => expiry: Option<&'a str>,
        /// The status; enabled by default.
        #[schemars(extend("enum" = ["enabled", "blocked", "deleted"]))]
        "status" => status: Option<&'a str>,
    }
}

request! {
    /// A transaction of an account (`iban`), of a card (`pan`), or a payment from an account to a card (both).
    #[schemars(rename = "SandboxTransactionRequest", deny_unknown_fields)]
    pub struct TransactionBody<'a> {
        /// The account.
        "iban" => iban: Option<&'a str>,
        /// The card.
        "pan" => pan: Option<&'a str>,
        /// The currency of the account or card; EUR by default.
        "currency" => currency: Option<&'a str>,
        /// The amount, negative for a debit: -12.50. Card transactions are negative.
        #[schemars(regex(pattern = r"^-?[0-9]+(\.[0-9]+)?$"))]
        "amount" => amount: Required<&'a str>,
        /// The booking date, today by default. It is not before the newest transaction of the account or card.
        #[schemars(extend("format" = "date"))]
        "bookingDate" => booking_date: Option<&'a str>,
        /// The value date, or the date on which a card was used; the booking date by default.
        #[schemars(extend("format" = "date"))]
        "valueDate" => value_date: Option<&'a str>,
        /// The amount is held and not booked.
        "pending" => pending: Option<bool>,
        /// The other party; of a card transaction the shop.
        "counterpartyName" => counterparty_name: Option<&'a str>,
        /// The IBAN of the other party.
        "counterpartyIban" => counterparty_iban: Option<&'a str>,
        /// The remittance information.
        "remittance" => remittance: Option<&'a str>,
        /// The end-to-end identification.
        "endToEndId" => end_to_end_id: Option<&'a str>,
        /// The bank transaction code of ISO 20022: PMNT-ICDT-ESCT.
        "bankTransactionCode" => bank_transaction_code: Option<&'a str>,
        /// Further information.
        "additionalInformation" => additional_information: Option<&'a str>,
        /// The merchant category code of a card transaction, four digits.
        "merchantCategoryCode" => merchant_category_code: Option<&'a str>,
    }
}

request! {
    /// The content of a bank.
    #[schemars(rename = "SandboxBankRequest")]
    pub struct BankBody<'a> {
        /// The time of the export. The bank's clock is advanced to it when it is behind.
        #[schemars(extend("format" = "date-time"))]
        "now" => now: Option<&'a str>,
        /// The customers.
        #[schemars(with = "Vec<CustomerBody<'a>>", length(max = CUSTOMERS_MAX))]
        "customers" => customers: Required<ObjectList<'a>>,
        /// The accounts.
        #[schemars(with = "Option<Vec<AccountBody<'a>>>")]
        "accounts" => accounts: Option<ObjectList<'a>>,
        /// The cards.
        #[schemars(with = "Option<Vec<CardBody<'a>>>")]
        "cards" => cards: Option<ObjectList<'a>>,
        /// The transactions in the order of their booking.
        #[schemars(with = "Option<Vec<TransactionBody<'a>>>")]
        "transactions" => transactions: Option<ObjectList<'a>>,
    }
}

/// A list of objects, which are read one by one.
pub struct ObjectList<'a>(Vec<Fields<'a>>);

impl<'a> FromField<'a> for ObjectList<'a> {
    fn from_field(fields: &Fields<'a>, name: &'static str) -> Option<Self> {
        fields.has(name).then(|| Self(fields.objects(name)))
    }
}

impl<'a> ObjectList<'a> {
    fn objects(list: Option<Self>) -> impl Iterator<Item = Fields<'a>> {
        list.map_or_else(Vec::new, |Self(all)| all).into_iter()
    }
}

/// Reads a customer.
pub fn customer(body: &Json<'_>, entropy: &Entropy) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body)?;
    let customers = single(&fields, customer_content(&fields, entropy))?;
    Ok(BankContent { customers, ..BankContent::default() })
}

/// Reads an account.
pub fn account(body: &Json<'_>, entropy: &Entropy) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body)?;
    let accounts = single(&fields, account_content(&fields, entropy))?;
    Ok(BankContent { accounts, ..BankContent::default() })
}

/// Reads a card.
pub fn card(body: &Json<'_>, entropy: &Entropy, today: Date) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body)?;
    let cards = single(&fields, card_content(&fields, entropy, today))?;
    Ok(BankContent { cards, ..BankContent::default() })
}

/// Reads a transaction.
pub fn transaction(body: &Json<'_>) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body)?;
    let transactions = single(&fields, transaction_content(&fields))?;
    Ok(BankContent { transactions, ..BankContent::default() })
}

fn single<T>(fields: &Fields<'_>, content: Option<T>) -> Result<Vec<T>, Refusal> {
    fields.finish()?;
    Ok(vec![content.ok_or_else(missing_field)?])
}

/// Reads a whole bank.
pub fn bank(body: &Json<'_>, entropy: &Entropy, today: Date) -> Result<BankContent, Refusal> {
    let fields = Fields::of(body)?;
    let request = BankBody::read(&fields);
    let now = request.now.and_then(|text| fields.parsed("now", parse_timestamp(text).ok_or(MOMENT)));
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
const MOMENT: &str = "must be a date-time such as 2026-11-15T09:30:00Z";

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
    let method = |kind| MethodOrder { id: MethodId::new(entropy.uuid()), kind };
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
        text(fields, "product", body.product, NAME_CHARACTERS).unwrap_or("Current account".to_owned());
    let name = text(fields, "name", body.name, NAME_CHARACTERS);
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
    let product = text(fields, "product", body.product, NAME_CHARACTERS).unwrap_or("Card".to_owned());
    let name = text(fields, "name", body.name, NAME_CHARACTERS);
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
    let line = |name, value| text(fields, name, value, TEXT_CHARACTERS);
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

fn text(fields: &Fields<'_>, name: &str, text: Option<&str>, most: usize) -> Option<String> {
    let text = text?;
    if !(1..=most).contains(&text.chars().count()) || text.chars().any(is_control_or_bidi) {
        fields.error(name, format!("must be 1–{most} characters without control characters"));
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
