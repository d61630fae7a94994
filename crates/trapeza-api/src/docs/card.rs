//! Cards, documented (§2.5, §4.3).

use super::account::{AMOUNT, BALANCE, REMAINING, exchanges, lines, with_tail};
use super::content::value;
use super::content::{Doc, EMPTY, Payload};
use super::envelope::{ACCOUNT_REFERENCE, LINKS, with_envelope};
use super::examples;
use super::parameter::{
    BOOKING_STATUS, CARD_PATH, CONSENT_ID, CURSOR, DATE_FROM, DATE_TO, ENTRY_REFERENCE_FROM, LIMIT,
    PSU_ADDRESS, WITH_BALANCE,
};
use super::schema::Schema::{self, Boolean, Formatted, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire::card::{CardBalances, CardDetails, CardList, CardOut, CardStatement};
use crate::wire::envelope::{Envelope, EnvelopeTail, Links};

pub static LIST: Doc = Doc {
    parameters: &[&CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The cards.",
        || Schema::Component(&CARDS),
        || {
            value(&CardList {
                cards: vec![CardOut::of(&examples::card_view())],
                envelope: Envelope::default(),
            })
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static DETAILS: Doc = Doc {
    parameters: &[&CARD_PATH, &CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The card.",
        || with_tail(card_fields()),
        || {
            value(&CardDetails {
                card: CardOut::of(&examples::card_view()),
                envelope: EnvelopeTail::default(),
            })
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static BALANCES: Doc = Doc {
    parameters: &[&CARD_PATH, &CONSENT_ID, &PSU_ADDRESS],
    answer: Some(Payload::json(
        "The balances.",
        || Schema::Component(&CARD_BALANCES),
        || {
            let view = examples::card_view();
            value(&CardBalances::of(&view.card, &view.balances.unwrap_or_default()))
        },
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static TRANSACTIONS: Doc = Doc {
    parameters: &[
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
    answer: Some(Payload::json(
        "A page of the card's statement.",
        || Schema::Component(&STATEMENT),
        || value(&CardStatement::of(&examples::card_statement(), Links::default())),
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

static CARDS: Component = Component {
    name: "Cards",
    description: "The cards that a consent opens.",
    schema: || {
        with_envelope(vec![required(
            "cards",
            list(Schema::Component(&CARD)),
            "In the order they were issued.",
        )])
    },
};

static CARD: Component = Component {
    name: "Card",
    description: "A payment card.",
    schema: || {
        let mut fields = card_fields();
        fields.push(required("_links", Schema::Component(&LINKS), "What of it the consent covers."));
        Schema::Object(fields)
    },
};

fn card_fields() -> Vec<Field> {
    vec![
        required("resourceId", Formatted("uuid"), "Its id in paths; it never changes."),
        required("maskedPan", Text, "Its number with the middle hidden."),
        required("currency", Text, "Its currency, ISO 4217."),
        required("name", Text, "What its holder calls it."),
        required("product", Text, "What the bank calls it."),
        required("status", Schema::EnumIndex(&["enabled", "deleted", "blocked"]), ""),
        required("usage", Schema::EnumIndex(&["PRIV", "ORGA"]), ""),
        optional("balances", list(Schema::Component(&BALANCE)), "When they were asked for and are covered."),
    ]
}

static CARD_BALANCES: Component = Component {
    name: "CardBalances",
    description: "The balances of a card.",
    schema: || {
        with_envelope(vec![
            required("cardAccount", Schema::Component(&ACCOUNT_REFERENCE), "Which card."),
            required("balances", list(Schema::Component(&BALANCE)), "Its balances."),
        ])
    },
};

static STATEMENT: Component = Component {
    name: "CardTransactions",
    description: "A page of a card's statement.",
    schema: || {
        with_envelope(vec![
            required("cardAccount", Schema::Component(&ACCOUNT_REFERENCE), "Which card."),
            required("cardTransactions", lines(|| Schema::Component(&TRANSACTION)), "The transactions."),
            optional(
                "balances",
                list(Schema::Component(&BALANCE)),
                "When they were asked for and are covered.",
            ),
        ])
    },
};

static TRANSACTION: Component = Component {
    name: "CardTransaction",
    description: "A transaction of a card.",
    schema: || {
        let amount = || Schema::Component(&AMOUNT);
        Schema::Object(vec![
            required("cardTransactionId", Formatted("uuid"), "Its id."),
            optional("terminalId", Text, "At which terminal."),
            required("transactionDate", Formatted("date"), "When the card was used."),
            optional("bookingDate", Formatted("date"), "When it was booked."),
            required("transactionAmount", amount(), "How much; negative when it was spent."),
            exchanges(),
            optional("originalAmount", amount(), "The price in the shop's currency."),
            optional("markupFee", amount(), "What the bank adds for the exchange."),
            optional("markupFeePercentage", Text, "That fee in percent."),
            optional("cardAcceptorId", Text, "Which shop."),
            optional("cardAcceptorAddress", Schema::Component(&ADDRESS), "Where."),
            optional("merchantCategoryCode", Text, "What kind of shop, by ISO 18245."),
            required("maskedPAN", Text, "The card's number with the middle hidden."),
            optional("transactionDetails", Text, "What the holder reads."),
            required("invoiced", Boolean, "Whether it stands on an invoice."),
            optional("proprietaryBankTransactionCode", Text, "Its kind in the bank's words."),
            optional("_links", Schema::Component(&LINKS), "On pending ones."),
        ])
    },
};

static ADDRESS: Component = Component {
    name: "AcceptorAddress",
    description: "Where a card was used.",
    schema: || {
        Schema::Object(vec![
            optional("street", Text, ""),
            optional("buildingNumber", Text, ""),
            optional("city", Text, ""),
            optional("postalCode", Text, ""),
            required("country", Text, "Two letters of ISO 3166-1."),
        ])
    },
};
