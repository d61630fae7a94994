//! Cards, their balances and transactions (§2.5). Card numbers are always masked.

use super::account::{BalanceOut, BalanceTable, balances, status, usage};
use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use serde::Serialize;
use trapeza_app::account_information::{CardStatementView, CardView};
use trapeza_app::format_date;
use trapeza_domain::card::{AcceptorAddress, Card, CardTransactionDetail};
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::statement::{CardTransaction, PendingCardTransaction};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::CurrencyExchange;
use uuid::Uuid;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardReference<'a> {
    masked_pan: &'a str,
    currency: &'static str,
}

impl<'a> CardReference<'a> {
    fn of(card: &'a Card) -> Self {
        Self { masked_pan: card.masked_pan.as_str(), currency: card.currency.code() }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardOut<'a> {
    resource_id: String,
    masked_pan: &'a str,
    currency: &'static str,
    name: &'a str,
    product: &'a str,
    status: u32,
    usage: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    #[serde(rename = "_links")]
    links: Links,
}

impl<'a> CardOut<'a> {
    pub fn of(view: &'a CardView) -> Self {
        let CardView { card, grant, balances } = view;
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
            resource_id: card.id.to_string(),
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

#[derive(Serialize)]
pub struct CardList<'a> {
    pub cards: Vec<CardOut<'a>>,
    #[serde(flatten)]
    pub envelope: Envelope,
}

#[derive(Serialize)]
pub struct CardDetails<'a> {
    #[serde(flatten)]
    pub card: CardOut<'a>,
    #[serde(flatten)]
    pub envelope: EnvelopeTail,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardBalances<'a> {
    card_account: CardReference<'a>,
    balances: Vec<BalanceOut>,
    #[serde(flatten)]
    envelope: Envelope,
}

impl<'a> CardBalances<'a> {
    pub fn of(card: &'a Card, list: &[trapeza_app::account_information::Balance]) -> Self {
        Self {
            card_account: CardReference::of(card),
            balances: balances(list, BalanceTable::List),
            envelope: Envelope::with(Links::one("card", format!("/v1/cards/{}", card.id))),
        }
    }
}

/// The requested lists.
#[derive(Serialize)]
struct Lines<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    booked: Option<Vec<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<T>>,
    #[serde(rename = "_links")]
    links: Links,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CardStatement<'a> {
    card_account: CardReference<'a>,
    card_transactions: Lines<CardTransactionOut<'a>>,
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
            card_account: CardReference::of(&view.card),
            card_transactions: Lines { booked, pending, links },
            balances: view.balances.as_deref().map(|list| balances(list, BalanceTable::List)),
            envelope: Envelope::with(Links::one("card", format!("/v1/cards/{}", view.card.id))),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CardTransactionOut<'a> {
    card_transaction_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    terminal_id: Option<&'a str>,
    transaction_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    booking_date: Option<String>,
    transaction_amount: Amount,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    currency_exchange: Vec<ExchangeOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_amount: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    markup_fee: Option<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    markup_fee_percentage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_acceptor_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    card_acceptor_address: Option<AddressOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merchant_category_code: Option<&'a str>,
    #[serde(rename = "maskedPAN")]
    masked_pan: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_details: Option<&'a str>,
    invoiced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    proprietary_bank_transaction_code: Option<&'a str>,
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
            card_transaction_id: id.to_string(),
            terminal_id: detail.and_then(|detail| detail.terminal_id.as_deref()),
            transaction_date: format_date(detail.map_or(day, |detail| detail.transaction_day)),
            booking_date: None,
            transaction_amount: Amount(amount),
            currency_exchange: detail
                .map(|detail| detail.exchanges.iter().map(ExchangeOut::of).collect())
                .unwrap_or_default(),
            original_amount: detail.and_then(|detail| detail.original_amount).map(Amount),
            markup_fee: detail.and_then(|detail| detail.markup_fee).map(Amount),
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AddressOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    street: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    building_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<&'a str>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExchangeOut<'a> {
    source_currency: &'static str,
    exchange_rate: &'a str,
    unit_currency: &'static str,
    target_currency: &'static str,
    quotation_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_identification: Option<&'a str>,
}

impl<'a> ExchangeOut<'a> {
    fn of(exchange: &'a CurrencyExchange) -> Self {
        Self {
            source_currency: exchange.source.code(),
            exchange_rate: &exchange.rate,
            unit_currency: exchange.unit.code(),
            target_currency: exchange.target.code(),
            quotation_date: format_date(exchange.quotation_day),
            contract_identification: exchange.contract.as_deref(),
        }
    }
}
