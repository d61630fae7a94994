//! The bodies of requests that create objects of the sandbox.

use crate::wire::request::{FromField, Required, request};
use trapeza_app::sandbox::MAX_CUSTOMERS;
use trapeza_http::extract::fields::Fields;

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
        #[schemars(with = "Vec<CustomerBody<'a>>", length(max = MAX_CUSTOMERS))]
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
    pub fn objects(list: Option<Self>) -> impl Iterator<Item = Fields<'a>> {
        list.map_or_else(Vec::new, |Self(all)| all).into_iter()
    }
}
