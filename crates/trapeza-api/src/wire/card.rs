//! Cards, their balances and transactions (§2.5). Card numbers are always masked.

use super::account::{BalanceOut, BalanceTable, balances, status, status_schema, usage, usage_schema};
use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use super::reference::Reference;
use super::transaction::{ExchangeOut, TransactionLists};
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::account_information::{Balance, CardStatementView, CardView};
use trapeza_app::format_date;
use trapeza_domain::card::{AcceptorAddress, Card, CardTransactionDetail};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::statement::{CardTransaction, PendingCardTransaction};
use trapeza_domain::time::Date;
use uuid::Uuid;

/// A payment card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Card")]
pub struct CardOut<'a> {
    /// The id in paths; it never changes.
    resource_id: Uuid,
    /// The masked card number.
    masked_pan: &'a str,
    /// The currency, ISO 4217.
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    currency: &'static str,
    /// The holder's name for the card.
    name: &'a str,
    /// The name of the product.
    product: &'a str,
    #[schemars(schema_with = "status_schema")]
    status: u32,
    #[schemars(schema_with = "usage_schema")]
    usage: u32,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    /// Links to what the consent covers.
    #[serde(rename = "_links")]
    links: Links,
}

impl<'a> CardOut<'a> {
    pub fn of(view: &'a CardView) -> Self {
        let CardView { card, grant, balances, .. } = view;
        let path = format!("/v1/cards/{}", card.id);
        let mut links = Links::default();
        if grant.details {
            links.add("card", path.clone());
        }
        if grant.balances {
            links.add("cardBalances", format!("{path}/balances"));
        }
        if grant.transactions {
            links.add("cardTransactions", format!("{path}/transactions"));
        }
        Self {
            resource_id: card.id.uuid(),
            masked_pan: card.masked_pan.as_str(),
            currency: card.currency.code(),
            name: &card.name,
            product: &card.product,
            status: status(card.status),
            usage: usage(card.usage),
            balances: balances.as_deref().map(|list| self::balances(list, BalanceTable::List)),
            links,
        }
    }
}

/// The cards of a consent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Cards")]
pub struct CardList<'a> {
    /// The cards, in the order they were issued.
    pub cards: Vec<CardOut<'a>>,
    #[serde(flatten)]
    pub envelope: Envelope,
}

/// A payment card.
#[derive(Serialize, JsonSchema)]
pub struct CardDetails<'a> {
    #[serde(flatten)]
    pub card: CardOut<'a>,
    #[serde(flatten)]
    pub envelope: EnvelopeTail,
}

/// The balances of a card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardBalances<'a> {
    /// The card.
    card_account: Reference<'a>,
    /// The balances.
    balances: Vec<BalanceOut>,
    #[serde(flatten)]
    envelope: Envelope,
}

impl<'a> CardBalances<'a> {
    pub fn of(card: &'a Card, list: &[Balance]) -> Self {
        Self {
            card_account: Reference::of_card(card),
            balances: balances(list, BalanceTable::List),
            envelope: Envelope::with(Links::one("card", format!("/v1/cards/{}", card.id))),
        }
    }
}

/// A page of a card's statement.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardTransactions")]
pub struct CardStatement<'a> {
    /// The card.
    card_account: Reference<'a>,
    /// The transactions.
    card_transactions: TransactionLists<Vec<CardTransactionOut<'a>>>,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    #[serde(flatten)]
    envelope: Envelope,
}

impl<'a> CardStatement<'a> {
    pub fn of(view: &'a CardStatementView, links: Links) -> Self {
        let masked = view.card.masked_pan.as_str();
        let booked = view.booked.as_ref().map(|page| {
            page.lines.iter().map(|(id, line)| CardTransactionOut::booked(*id, line, masked)).collect()
        });
        let pending = view.pending.as_ref().map(|lines| {
            lines.iter().map(|(id, line)| CardTransactionOut::pending(*id, line, masked)).collect()
        });
        Self {
            card_account: Reference::of_card(&view.card),
            card_transactions: TransactionLists { booked, pending, links },
            balances: view.balances.as_deref().map(|list| balances(list, BalanceTable::List)),
            envelope: Envelope::with(Links::one("card", format!("/v1/cards/{}", view.card.id))),
        }
    }
}

/// A transaction of a card.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardTransaction")]
struct CardTransactionOut<'a> {
    /// The id.
    card_transaction_id: Uuid,
    /// The id of the terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    card_acceptor_id: Option<&'a str>,
    /// The address of the card acceptor.
    #[serde(skip_serializing_if = "Option::is_none")]
    card_acceptor_address: Option<AddressOut<'a>>,
    /// The merchant category, ISO 18245.
    #[serde(skip_serializing_if = "Option::is_none")]
    merchant_category_code: Option<&'a str>,
    /// The masked card number.
    #[serde(rename = "maskedPAN")]
    masked_pan: &'a str,
    /// The text of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_details: Option<&'a str>,
    /// Whether the transaction was invoiced.
    invoiced: bool,
    /// The bank's own code of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    proprietary_bank_transaction_code: Option<&'a str>,
    /// Empty, on pending transactions.
    #[serde(rename = "_links", skip_serializing_if = "Option::is_none")]
    links: Option<Links>,
}

impl<'a> CardTransactionOut<'a> {
    fn booked(id: Uuid, line: &'a CardTransaction, masked: &'a str) -> Self {
        let out =
            Self::from_line(id, line.amount, line.event, line.detail.as_ref(), line.booking_day, masked);
        Self { booking_date: Some(format_date(line.booking_day)), ..out }
    }

    fn pending(id: Uuid, line: &'a PendingCardTransaction, masked: &'a str) -> Self {
        let out = Self::from_line(id, line.amount, line.event, line.detail.as_ref(), line.day, masked);
        Self { links: Some(Links::default()), ..out }
    }

    fn from_line(
        id: Uuid,
        amount: Money,
        event: LedgerEvent,
        detail: Option<&'a CardTransactionDetail>,
        day: Date,
        masked_pan: &'a str,
    ) -> Self {
        Self {
            card_transaction_id: id,
            terminal_id: detail.and_then(|detail| detail.terminal_id.as_deref()),
            transaction_date: format_date(detail.map_or(day, |detail| detail.transaction_day)),
            booking_date: None,
            transaction_amount: amount.into(),
            currency_exchange: detail
                .map(|detail| detail.exchanges.iter().map(ExchangeOut::of_card).collect())
                .unwrap_or_default(),
            original_amount: detail.and_then(|detail| detail.original_amount).map(Amount::from),
            markup_fee: detail.and_then(|detail| detail.markup_fee).map(Amount::from),
            markup_fee_percentage: detail.and_then(|detail| detail.markup_basis_points).map(percent),
            card_acceptor_id: detail.and_then(|detail| detail.acceptor_id.as_deref()),
            card_acceptor_address: detail
                .and_then(|detail| detail.acceptor_address.as_ref())
                .map(AddressOut::of),
            merchant_category_code: detail.and_then(|detail| detail.merchant_category_code.as_deref()),
            masked_pan,
            transaction_details: detail.and_then(|detail| detail.text.as_deref()),
            invoiced: detail.is_some_and(|detail| detail.invoiced),
            proprietary_bank_transaction_code: detail
                .and_then(|detail| detail.proprietary_code.as_deref())
                .or(Some(event.name())),
            links: None,
        }
    }
}

/// Basis points in percent: 150 is "1.50".
fn percent(basis_points: i64) -> String {
    format!("{}.{:02}", basis_points / 100, basis_points % 100)
}

/// The address of a card acceptor.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AcceptorAddress")]
struct AddressOut<'a> {
    /// The street.
    #[serde(skip_serializing_if = "Option::is_none")]
    street: Option<&'a str>,
    /// The building number.
    #[serde(skip_serializing_if = "Option::is_none")]
    building_number: Option<&'a str>,
    /// The city.
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<&'a str>,
    /// The postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<&'a str>,
    /// Two letters of ISO 3166-1.
    country: &'a str,
}

impl<'a> AddressOut<'a> {
    fn of(address: &'a AcceptorAddress) -> Self {
        Self {
            street: address.street.as_deref(),
            building_number: address.building_number.as_deref(),
            city: address.city.as_deref(),
            postal_code: address.postal_code.as_deref(),
            country: &address.country,
        }
    }
}
