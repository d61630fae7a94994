//! Cards, documented (§2.5, §4.3).

use super::account::{AMOUNT, BALANCE, REMAINING, exchanges, lines, value, with_tail};
use super::content::{Doc, EMPTY, Payload};
use super::envelope::{ACCOUNT_REFERENCE, LINKS, with_envelope};
use super::parameter::{
    BOOKING_STATUS, CARD_PATH, CONSENT_ID, CURSOR, DATE_FROM, DATE_TO, ENTRY_REFERENCE_FROM, LIMIT,
    PSU_ADDRESS, WITH_BALANCE,
};
use super::sample;
use super::schema::Schema::{self, Boolean, Formatted, Text};
use super::schema::{Component, Field, always, list, perhaps};
use crate::wire::account::EnvelopeTail;
use crate::wire::card::{CardBalances, CardDetails, CardList, CardOut, CardStatement};
use crate::wire::envelope::{Envelope, Links};

pub static LIST: Doc = Doc {
    parameters: &[&CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The cards.",
        || Schema::Component(&CARDS),
        || value(&CardList { cards: vec![CardOut::of(&sample::card_view())], envelope: Envelope::default() }),
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

pub static DETAILS: Doc = Doc {
    parameters: &[&CARD_PATH, &CONSENT_ID, &PSU_ADDRESS, &WITH_BALANCE],
    answer: Some(Payload::json(
        "The card.",
        || with_tail(card_fields()),
        || value(&CardDetails { card: CardOut::of(&sample::card_view()), envelope: EnvelopeTail::default() }),
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
            let view = sample::card_view();
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
        || value(&CardStatement::of(&sample::card_statement(), Links::default())),
    )),
    headers: &[&REMAINING],
    ..EMPTY
};

static CARDS: Component = Component {
    name: "Cards",
    description: "The cards that a consent opens.",
    schema: || {
        with_envelope(vec![always("cards", list(Schema::Component(&CARD)), "In the order they were issued.")])
    },
};

static CARD: Component = Component {
    name: "Card",
    description: "A payment card.",
    schema: || {
        let mut fields = card_fields();
        fields.push(always("_links", Schema::Component(&LINKS), "What of it the consent covers."));
        Schema::Object(fields)
    },
};

fn card_fields() -> Vec<Field> {
    vec![
        always("resourceId", Formatted("uuid"), "Its id in paths; it never changes."),
        always("maskedPan", Text, "Its number with the middle hidden."),
        always("currency", Text, "Its currency, ISO 4217."),
        always("name", Text, "What its holder calls it."),
        always("product", Text, "What the bank calls it."),
        always("status", Schema::Place(&["enabled", "deleted", "blocked"]), ""),
        always("usage", Schema::Place(&["PRIV", "ORGA"]), ""),
        perhaps("balances", list(Schema::Component(&BALANCE)), "When they were asked for and are covered."),
    ]
}

static CARD_BALANCES: Component = Component {
    name: "CardBalances",
    description: "The balances of a card.",
    schema: || {
        with_envelope(vec![
            always("cardAccount", Schema::Component(&ACCOUNT_REFERENCE), "Which card."),
            always("balances", list(Schema::Component(&BALANCE)), "Its balances."),
        ])
    },
};

static STATEMENT: Component = Component {
    name: "CardTransactions",
    description: "A page of a card's statement.",
    schema: || {
        with_envelope(vec![
            always("cardAccount", Schema::Component(&ACCOUNT_REFERENCE), "Which card."),
            always("cardTransactions", lines(|| Schema::Component(&TRANSACTION)), "The transactions."),
            perhaps(
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
            always("cardTransactionId", Formatted("uuid"), "Its id."),
            perhaps("terminalId", Text, "At which terminal."),
            always("transactionDate", Formatted("date"), "When the card was used."),
            perhaps("bookingDate", Formatted("date"), "When it was booked."),
            always("transactionAmount", amount(), "How much; negative when it was spent."),
            exchanges(),
            perhaps("originalAmount", amount(), "The price in the shop's currency."),
            perhaps("markupFee", amount(), "What the bank adds for the exchange."),
            perhaps("markupFeePercentage", Text, "That fee in percent."),
            perhaps("cardAcceptorId", Text, "Which shop."),
            perhaps("cardAcceptorAddress", Schema::Component(&ADDRESS), "Where."),
            perhaps("merchantCategoryCode", Text, "What kind of shop, by ISO 18245."),
            always("maskedPAN", Text, "The card's number with the middle hidden."),
            perhaps("transactionDetails", Text, "What the holder reads."),
            always("invoiced", Boolean, "Whether it stands on an invoice."),
            perhaps("proprietaryBankTransactionCode", Text, "Its kind in the bank's words."),
            perhaps("_links", Schema::Component(&LINKS), "On pending ones."),
        ])
    },
};

static ADDRESS: Component = Component {
    name: "AcceptorAddress",
    description: "Where a card was used.",
    schema: || {
        Schema::Object(vec![
            perhaps("street", Text, ""),
            perhaps("buildingNumber", Text, ""),
            perhaps("city", Text, ""),
            perhaps("postalCode", Text, ""),
            always("country", Text, "Two letters of ISO 3166-1."),
        ])
    },
};
