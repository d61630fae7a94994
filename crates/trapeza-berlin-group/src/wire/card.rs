//! Cards, their balances and transactions. A card is shown as a card account and as a single card, with the same fields. Card numbers
//! are always masked.

use super::account::{BalanceOut, balances, status, usage};
use super::address::AddressOut;
use super::amount::Amount;
use super::reference::Reference;
use super::schema;
use super::text::{cut, short_id};
use super::transaction::{ExchangeOut, TransactionLists};
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::account_information::{Balance, CardStatementView, CardView};
use trapeza_app::format_date;
use trapeza_domain::card::{Card, CardTransactionDetail};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::statement::{CardTransaction, PendingCardTransaction};
use trapeza_domain::time::Date;
use uuid::Uuid;

/// A payment card, or its account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardAccount", deny_unknown_fields)]
pub struct CardOut<'a> {
    /// The id in paths; it never changes.
    resource_id: Uuid,
    /// The masked card number.
    #[schemars(length(max = 35))]
    masked_pan: &'a str,
    /// The currency, ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
    /// The holder's name, where the consent grants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    owner_name: Option<&'a str>,
    /// The holder's name for the card.
    #[schemars(length(max = 70))]
    name: &'a str,
    /// The name of the product.
    #[schemars(length(max = 35))]
    product: &'a str,
    #[schemars(schema_with = "schema::account_status")]
    status: &'static str,
    #[schemars(schema_with = "schema::account_usage")]
    usage: &'static str,
    /// The credit limit of the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    credit_limit: Option<Amount>,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    /// Links to what the consent covers.
    #[serde(rename = "_links", skip_serializing_if = "Links::is_empty")]
    links: Links,
}

impl<'a> CardOut<'a> {
    /// `path` is that of all cards or of all card accounts.
    pub fn of(view: &'a CardView, path: &str) -> Self {
        let CardView { card, grant, holder_name, balances } = view;
        let limit = card.credit_limit_minor;
        let own = format!("{path}/{}", card.id);
        Self {
            resource_id: card.id.uuid(),
            masked_pan: card.masked_pan.as_str(),
            currency: card.currency.code(),
            owner_name: holder_name.as_deref().map(|name| cut(name, 140)),
            name: cut(&card.name, 70),
            product: cut(&card.product, 35),
            status: status(card.status),
            usage: usage(card.usage),
            credit_limit: (limit > 0).then(|| Money::new(limit, card.currency).into()),
            balances: balances.as_deref().map(|list| self::balances(list, limit)),
            links: Links::default().and_if(grant.balances, "balances", || format!("{own}/balances")).and_if(
                grant.transactions,
                "transactions",
                || format!("{own}/transactions"),
            ),
        }
    }
}

/// The card accounts of a consent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardAccounts", deny_unknown_fields)]
pub struct CardAccountList<'a> {
    /// The card accounts, in the order their cards were issued.
    pub card_accounts: Vec<CardOut<'a>>,
}

/// The cards of a consent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cards", deny_unknown_fields)]
pub struct CardList<'a> {
    /// The cards, in the order they were issued.
    pub cards: Vec<CardOut<'a>>,
}

/// One card account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct CardAccountDetails<'a> {
    pub card_account: CardOut<'a>,
}

/// One card.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CardDetails<'a> {
    pub card: CardOut<'a>,
}

/// The balances of a card account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct CardAccountBalances<'a> {
    card_account: Reference<'a>,
    balances: Vec<BalanceOut>,
}

/// The balances of a card.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CardBalances<'a> {
    card: Reference<'a>,
    balances: Vec<BalanceOut>,
}

impl<'a> CardAccountBalances<'a> {
    pub fn of(card: &'a Card, list: &[Balance]) -> Self {
        Self { card_account: Reference::of_card(card), balances: balances(list, card.credit_limit_minor) }
    }
}

impl<'a> CardBalances<'a> {
    pub fn of(card: &'a Card, list: &[Balance]) -> Self {
        Self { card: Reference::of_card(card), balances: balances(list, card.credit_limit_minor) }
    }
}

/// A page of the statement of a card account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardAccountTransactions", deny_unknown_fields)]
pub struct CardAccountStatement<'a> {
    card_account: Reference<'a>,
    card_transactions: TransactionLists<CardTransactionOut<'a>>,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
}

/// A page of the statement of a card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardTransactions", deny_unknown_fields)]
pub struct CardStatement<'a> {
    card: Reference<'a>,
    card_transactions: TransactionLists<CardTransactionOut<'a>>,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
}

impl<'a> CardAccountStatement<'a> {
    pub fn of(view: &'a CardStatementView, links: Links) -> Self {
        Self {
            card_account: Reference::of_card(&view.card),
            card_transactions: lists(view, links),
            balances: view.balances.as_deref().map(|list| balances(list, view.card.credit_limit_minor)),
        }
    }
}

impl<'a> CardStatement<'a> {
    pub fn of(view: &'a CardStatementView, links: Links) -> Self {
        Self {
            card: Reference::of_card(&view.card),
            card_transactions: lists(view, links),
            balances: view.balances.as_deref().map(|list| balances(list, view.card.credit_limit_minor)),
        }
    }
}

fn lists(view: &CardStatementView, links: Links) -> TransactionLists<CardTransactionOut<'_>> {
    let masked = view.card.masked_pan.as_str();
    let booked = view.booked.as_ref().map(|page| {
        page.lines.iter().map(|(id, line)| CardTransactionOut::booked(*id, line, masked)).collect()
    });
    let pending = view
        .pending
        .as_ref()
        .map(|lines| lines.iter().map(|(id, line)| CardTransactionOut::pending(*id, line, masked)).collect());
    TransactionLists { booked, pending, information: None, links }
}

/// A transaction of a card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardTransaction", deny_unknown_fields)]
struct CardTransactionOut<'a> {
    /// The id.
    #[schemars(length(max = 35))]
    card_transaction_id: String,
    /// The id of the terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    terminal_id: Option<&'a str>,
    /// The date of the purchase.
    #[schemars(extend("format" = "date"))]
    transaction_date: String,
    /// The booking date; absent while the transaction is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    booking_date: Option<String>,
    /// The amount; negative for purchases.
    transaction_amount: Amount,
    /// The currency exchanges of the transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    currency_exchange: Vec<ExchangeOut<'a>>,
    /// The amount in the currency of the card acceptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_amount: Option<Amount>,
    /// The bank's fee for the exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    markup_fee: Option<Amount>,
    /// The fee in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    markup_fee_percentage: Option<String>,
    /// The id of the card acceptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    card_acceptor_id: Option<&'a str>,
    /// The address of the card acceptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    card_acceptor_address: Option<AddressOut<'a>>,
    /// The merchant category, ISO 18245.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4))]
    merchant_category_code: Option<&'a str>,
    /// The masked card number.
    #[serde(rename = "maskedPAN")]
    #[schemars(length(max = 35))]
    masked_pan: &'a str,
    /// The text of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    transaction_details: Option<&'a str>,
    /// Whether the transaction was invoiced.
    invoiced: bool,
    /// The bank's own code of the transaction.
    #[schemars(length(max = 35))]
    proprietary_bank_transaction_code: &'a str,
}

impl<'a> CardTransactionOut<'a> {
    fn booked(id: Uuid, line: &'a CardTransaction, masked: &'a str) -> Self {
        let out =
            Self::from_line(id, line.amount, line.event, line.detail.as_ref(), line.booking_day, masked);
        Self { booking_date: Some(format_date(line.booking_day)), ..out }
    }

    fn pending(id: Uuid, line: &'a PendingCardTransaction, masked: &'a str) -> Self {
        Self::from_line(id, line.amount, line.event, line.detail.as_ref(), line.day, masked)
    }

    fn from_line(
        id: Uuid,
        amount: Money,
        event: LedgerEvent,
        detail: Option<&'a CardTransactionDetail>,
        day: Date,
        masked_pan: &'a str,
    ) -> Self {
        let short = |text: Option<&'a str>| text.map(|text| cut(text, 35));
        Self {
            card_transaction_id: short_id(id),
            terminal_id: short(detail.and_then(|detail| detail.terminal_id.as_deref())),
            transaction_date: format_date(detail.map_or(day, |detail| detail.transaction_day)),
            booking_date: None,
            transaction_amount: amount.into(),
            currency_exchange: detail
                .map(|detail| detail.exchanges.iter().map(ExchangeOut::of_card).collect())
                .unwrap_or_default(),
            original_amount: detail.and_then(|detail| detail.original_amount).map(Amount::from),
            markup_fee: detail.and_then(|detail| detail.markup_fee).map(Amount::from),
            markup_fee_percentage: detail.and_then(|detail| detail.markup_basis_points).map(percent),
            card_acceptor_id: short(detail.and_then(|detail| detail.acceptor_id.as_deref())),
            card_acceptor_address: detail
                .and_then(|detail| detail.acceptor_address.as_ref())
                .map(AddressOut::of_acceptor),
            merchant_category_code: detail.and_then(|detail| detail.merchant_category_code.as_deref()),
            masked_pan,
            transaction_details: detail.and_then(|detail| detail.text.as_deref()),
            invoiced: detail.is_some_and(|detail| detail.invoiced),
            proprietary_bank_transaction_code: cut(
                detail.and_then(|detail| detail.proprietary_code.as_deref()).unwrap_or(event.name()),
                35,
            ),
        }
    }
}

/// Basis points in percent: 150 is "1.50".
fn percent(basis_points: i64) -> String {
    format!("{}.{:02}", basis_points / 100, basis_points % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use trapeza_app::parse_date;
    use trapeza_domain::card::AcceptorAddress;
    use trapeza_domain::ledger::{HoldId, TransferId};
    use trapeza_domain::money::Currency;
    use trapeza_domain::transaction::CurrencyExchange;

    fn day(text: &str) -> Date {
        parse_date(text).unwrap()
    }

    fn detail() -> CardTransactionDetail {
        let text = |text: &str| Some(text.to_owned());
        CardTransactionDetail {
            transaction_day: day("2026-11-10"),
            terminal_id: text("terminal"),
            acceptor_id: text("acceptor"),
            acceptor_address: Some(AcceptorAddress {
                street: text("Market Street"),
                building_number: text("7b"),
                city: text("San Francisco"),
                postal_code: text("94103"),
                country: "US".to_owned(),
            }),
            merchant_category_code: text("5942"),
            text: text("Bay Books"),
            original_amount: Some(Money::new(5_955, Currency::USD)),
            markup_fee: Some(Money::new(84, Currency::EUR)),
            markup_basis_points: Some(105),
            invoiced: true,
            proprietary_code: text("proprietary"),
            exchanges: vec![CurrencyExchange {
                source: Currency::USD,
                target: Currency::EUR,
                unit: Currency::GBP,
                rate: "1.0601".to_owned(),
                quotation_day: day("2026-11-11"),
                contract: text("contract"),
            }],
        }
    }

    #[test]
    fn every_field_of_a_transaction_has_its_name() {
        let line = CardTransaction {
            transfer: TransferId(1),
            seq: 1,
            amount: Money::new(-5_701, Currency::EUR),
            balance_minor: 0,
            booking_day: day("2026-11-13"),
            value_day: day("2026-11-14"),
            event: LedgerEvent::CardCleared,
            reference: String::new(),
            detail: Some(detail()),
        };
        let booked = CardTransactionOut::booked(Uuid::nil(), &line, "411111******1111");
        let mut expected = json!({
            "cardTransactionId": "00000000000000000000000000000000",
            "terminalId": "terminal",
            "transactionDate": "2026-11-10",
            "bookingDate": "2026-11-13",
            "transactionAmount": { "currency": "EUR", "amount": "-57.01" },
            "currencyExchange": [{
                "sourceCurrency": "USD",
                "exchangeRate": "1.0601",
                "unitCurrency": "GBP",
                "targetCurrency": "EUR",
                "quotationDate": "2026-11-11",
                "contractIdentification": "contract",
            }],
            "originalAmount": { "currency": "USD", "amount": "59.55" },
            "markupFee": { "currency": "EUR", "amount": "0.84" },
            "markupFeePercentage": "1.05",
            "cardAcceptorId": "acceptor",
            "cardAcceptorAddress": {
                "streetName": "Market Street",
                "buildingNumber": "7b",
                "townName": "San Francisco",
                "postCode": "94103",
                "country": "US",
            },
            "merchantCategoryCode": "5942",
            "maskedPAN": "411111******1111",
            "transactionDetails": "Bay Books",
            "invoiced": true,
            "proprietaryBankTransactionCode": "proprietary",
        });
        assert_eq!(serde_json::to_value(&booked).unwrap(), expected);

        let hold = PendingCardTransaction {
            hold: HoldId(1),
            amount: line.amount,
            day: day("2026-11-12"),
            event: line.event,
            reference: String::new(),
            detail: Some(detail()),
        };
        let pending = CardTransactionOut::pending(Uuid::nil(), &hold, "411111******1111");
        expected.as_object_mut().unwrap().remove("bookingDate");
        assert_eq!(serde_json::to_value(&pending).unwrap(), expected);
        let bare = PendingCardTransaction { detail: None, ..hold.clone() };
        let bare = CardTransactionOut::pending(Uuid::nil(), &bare, "411111******1111");
        assert_eq!(bare.transaction_date, "2026-11-12");
        assert_eq!(bare.proprietary_bank_transaction_code, "card_cleared");
    }
}
