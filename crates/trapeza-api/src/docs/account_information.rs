//! Documentation of accounts, cards, balances and transactions (§2.5, §4.3).

use super::content::{Doc, EMPTY, Header, Payload, REMAINING, Shell, value};
use super::examples;
use super::parameter::{
    ACCOUNT_PATH, BOOKING_STATUS, CARD_PATH, CONSENT_ID, CURSOR, DATE_FROM, DATE_TO, ENTRY_REFERENCE_FROM,
    LIMIT, PSU_ADDRESS, Parameter, TRANSACTION_PATH, WITH_BALANCE,
};
use crate::wire::account::{AccountBalances, AccountDetails, AccountList, AccountOut, BalanceTable};
use crate::wire::card::{CardBalances, CardDetails, CardList, CardOut, CardStatement};
use crate::wire::envelope::{Envelope, EnvelopeTail, Links};
use crate::wire::transaction::{self, Statement, TransactionLists};
use schemars::JsonSchema;
use serde_json::Value;
use trapeza_app::account_information::TransactionView;

pub static ACCOUNTS: Doc = read::<AccountList<'_>>(
    &[&CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    "The accounts of the consent.",
    || {
        let view = examples::account_view(true);
        let accounts = vec![AccountOut::of(&view, BalanceTable::List)];
        value(&AccountList { accounts, envelope: Envelope::default() })
    },
)
.with_shell(Shell::capture(&[("ACCOUNT_ID", ".accounts[0].resourceId")]));

pub static ACCOUNT: Doc = read::<AccountDetails<'_>>(
    &[&ACCOUNT_PATH, &CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    "The account.",
    || {
        let view = examples::account_view(false);
        let account = AccountOut::of(&view, BalanceTable::Details);
        value(&AccountDetails { account, envelope: EnvelopeTail::default() })
    },
);

pub static ACCOUNT_BALANCES: Doc =
    read::<AccountBalances<'_>>(&[&ACCOUNT_PATH, &CONSENT_ID, &PSU_ADDRESS], "The balances.", || {
        let view = examples::account_view(true);
        value(&AccountBalances::of(&view.account, &view.balances.unwrap_or_default()))
    });

pub static ACCOUNT_TRANSACTIONS: Doc = read::<Statement<'_>>(
    &[
        &ACCOUNT_PATH,
        &CONSENT_ID,
        &PSU_ADDRESS,
        &DATE_FROM,
        &DATE_TO,
        &ENTRY_REFERENCE_FROM,
        &BOOKING_STATUS,
        &LIMIT,
        &CURSOR,
        &WITH_BALANCE,
    ],
    "A page of the statement.",
    || {
        let path = format!("/v1/accounts/{}/transactions", ACCOUNT_PATH.example);
        let next = format!("{path}?dateFrom=2026-09-01&cursor={}", CURSOR.example);
        let (account, (id, line)) = (examples::account(), examples::line());
        let booked = Some(vec![TransactionView::booked(id, &line)]);
        let lists = TransactionLists { booked, pending: None, links: Links::one("next", next) };
        value(&transaction::page(&account, lists, None))
    },
)
.with_shell(Shell::capture(&[("TRANSACTION_ID", ".transactions.booked[0].transactionId")]));

pub static ACCOUNT_TRANSACTION: Doc = read::<transaction::Details<'_>>(
    &[&ACCOUNT_PATH, &TRANSACTION_PATH, &CONSENT_ID, &PSU_ADDRESS],
    "The transaction.",
    || {
        let (id, line) = examples::line();
        value(&transaction::details(id, &line, &format!("/v1/accounts/{}", ACCOUNT_PATH.example)))
    },
);

pub static CARDS: Doc =
    read::<CardList<'_>>(&[&CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE], "The cards of the consent.", || {
        let view = examples::card_view();
        value(&CardList { cards: vec![CardOut::of(&view)], envelope: Envelope::default() })
    })
    .with_shell(Shell::capture(&[("CARD_ID", ".cards[0].resourceId")]));

pub static CARD: Doc =
    read::<CardDetails<'_>>(&[&CARD_PATH, &CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE], "The card.", || {
        let view = examples::card_view();
        value(&CardDetails { card: CardOut::of(&view), envelope: EnvelopeTail::default() })
    });

pub static CARD_BALANCES: Doc =
    read::<CardBalances<'_>>(&[&CARD_PATH, &CONSENT_ID, &PSU_ADDRESS], "The balances.", || {
        let view = examples::card_view();
        value(&CardBalances::of(&view.card, &view.balances.unwrap_or_default()))
    });

pub static CARD_TRANSACTIONS: Doc = read::<CardStatement<'_>>(
    &[
        &CARD_PATH,
        &CONSENT_ID,
        &PSU_ADDRESS,
        &DATE_FROM,
        &DATE_TO,
        &ENTRY_REFERENCE_FROM,
        &BOOKING_STATUS,
        &LIMIT,
        &CURSOR,
        &WITH_BALANCE,
    ],
    "A page of the card's statement.",
    || value(&CardStatement::of(&examples::card_statement(), Links::default())),
);

const HEADERS: &[&Header] = &[&REMAINING];

/// A read under a consent.
const fn read<T: JsonSchema>(
    parameters: &'static [&'static Parameter],
    description: &'static str,
    example: fn() -> Value,
) -> Doc {
    let response = Some(Payload::json::<T>(description, example));
    Doc { parameters, response, headers: HEADERS, ..EMPTY }
}
