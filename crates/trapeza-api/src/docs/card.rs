//! Documentation of cards (§2.5, §4.3).

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
        "The cards of the consent.",
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
    description: "The cards of a consent.",
    schema: || {
        with_envelope(vec![required(
            "cards",
            list(Schema::Component(&CARD)),
            "The cards, in the order they were issued.",
        )])
    },
};

static CARD: Component = Component {
    name: "Card",
    description: "A payment card.",
    schema: || {
        let mut fields = card_fields();
        fields.push(required("_links", Schema::Component(&LINKS), "Links to what the consent covers."));
        Schema::Object(fields)
    },
};

fn card_fields() -> Vec<Field> {
    vec![
        required("resourceId", Formatted("uuid"), "The id in paths; it never changes."),
        required("maskedPan", Text, "The masked card number."),
        required("currency", Text, "The currency, ISO 4217."),
        required("name", Text, "The holder's name for the card."),
        required("product", Text, "The name of the product."),
        required("status", Schema::EnumIndex(&["enabled", "deleted", "blocked"]), ""),
        required("usage", Schema::EnumIndex(&["PRIV", "ORGA"]), ""),
        optional(
            "balances",
            list(Schema::Component(&BALANCE)),
            "The balances, if requested and covered by the consent.",
        ),
    ]
}

static CARD_BALANCES: Component = Component {
    name: "CardBalances",
    description: "The balances of a card.",
    schema: || {
        with_envelope(vec![
            required("cardAccount", Schema::Component(&ACCOUNT_REFERENCE), "The card."),
            required("balances", list(Schema::Component(&BALANCE)), "The balances."),
        ])
    },
};

static STATEMENT: Component = Component {
    name: "CardTransactions",
    description: "A page of a card's statement.",
    schema: || {
        with_envelope(vec![
            required("cardAccount", Schema::Component(&ACCOUNT_REFERENCE), "The card."),
            required("cardTransactions", lines(|| Schema::Component(&TRANSACTION)), "The transactions."),
            optional(
                "balances",
                list(Schema::Component(&BALANCE)),
                "The balances, if requested and covered by the consent.",
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
            required("cardTransactionId", Formatted("uuid"), "The id."),
            optional("terminalId", Text, "The id of the terminal."),
            required("transactionDate", Formatted("date"), "The date of the purchase."),
            optional("bookingDate", Formatted("date"), "The booking date."),
            required("transactionAmount", amount(), "The amount; negative for purchases."),
            exchanges(),
            optional("originalAmount", amount(), "The amount in the currency of the card acceptor."),
            optional("markupFee", amount(), "The bank's fee for the exchange."),
            optional("markupFeePercentage", Text, "The fee in percent."),
            optional("cardAcceptorId", Text, "The id of the card acceptor."),
            optional("cardAcceptorAddress", Schema::Component(&ADDRESS), "The address of the card acceptor."),
            optional("merchantCategoryCode", Text, "The merchant category, ISO 18245."),
            required("maskedPAN", Text, "The masked card number."),
            optional("transactionDetails", Text, "The text of the transaction."),
            required("invoiced", Boolean, "Whether the transaction was invoiced."),
            optional("proprietaryBankTransactionCode", Text, "The bank's own code of the transaction."),
            optional("_links", Schema::Component(&LINKS), "Empty, on pending transactions."),
        ])
    },
};

static ADDRESS: Component = Component {
    name: "AcceptorAddress",
    description: "The address of a card acceptor.",
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
