//! Account information: accounts and cards under a consent.

use super::{AIS, Area, BodyLimit, Codes, EMPTY, Operation, Right};
use crate::docs::{account, card};
use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;

const READ: &[RefusalReason] = &[
    RefusalReason::ConsentUnknown,
    RefusalReason::ConsentInvalid,
    RefusalReason::ConsentExpired,
    RefusalReason::AccessExceeded,
];
const READ_ONE: &[RefusalReason] = &[
    RefusalReason::ConsentUnknown,
    RefusalReason::ConsentInvalid,
    RefusalReason::ConsentExpired,
    RefusalReason::ResourceUnknown,
    RefusalReason::ConsentLacksRight,
    RefusalReason::AccessExceeded,
];
const READ_LINES: &[RefusalReason] = &[
    RefusalReason::Inconsistent,
    RefusalReason::Unsupported,
    RefusalReason::PeriodInvalid,
    RefusalReason::ConsentUnknown,
    RefusalReason::ConsentInvalid,
    RefusalReason::ConsentExpired,
    RefusalReason::ResourceUnknown,
    RefusalReason::ConsentLacksRight,
    RefusalReason::AccessExceeded,
];

pub static ACCOUNT_LIST: Operation = operation! { "listAccounts" GET "/v1/accounts",
    tag: "Accounts", summary: "The accounts that a consent opens",
    area: Area::OpenBanking, right: AIS, refusals: READ, doc: &account::LIST,
};
pub static ACCOUNT_DETAILS: Operation = operation! { "fetchAccount" GET "/v1/accounts/{account-id}",
    tag: "Accounts", summary: "One account",
    area: Area::OpenBanking, right: AIS, refusals: READ_ONE, doc: &account::DETAILS,
};
pub static ACCOUNT_BALANCES: Operation = operation! { "fetchAccountBalances" GET "/v1/accounts/{account-id}/balances",
    tag: "Accounts", summary: "An account's balances",
    area: Area::OpenBanking, codes: Codes::AccountBalances, right: AIS, refusals: READ_ONE, doc: &account::BALANCES,
};
pub static TRANSACTION_LIST: Operation = operation! { "listTransactions" GET "/v1/accounts/{account-id}/transactions",
    tag: "Accounts", summary: "An account's transactions, newest first, page by page",
    area: Area::OpenBanking, right: AIS, refusals: READ_LINES, doc: &account::TRANSACTIONS,
};
pub static TRANSACTION_DETAILS: Operation = operation! { "fetchTransaction" GET "/v1/accounts/{account-id}/transactions/{transactionId}",
    tag: "Accounts", summary: "One transaction with all it tells",
    area: Area::OpenBanking, right: AIS, refusals: READ_ONE, doc: &account::TRANSACTION,
};
pub static CARD_LIST: Operation = operation! { "listCards" GET "/v1/cards",
    tag: "Cards", summary: "The cards that a consent opens",
    area: Area::OpenBanking, right: AIS, refusals: READ, doc: &card::LIST,
};
pub static CARD_DETAILS: Operation = operation! { "fetchCard" GET "/v1/cards/{card-id}",
    tag: "Cards", summary: "One card",
    area: Area::OpenBanking, right: AIS, refusals: READ_ONE, doc: &card::DETAILS,
};
pub static CARD_BALANCES: Operation = operation! { "fetchCardBalances" GET "/v1/cards/{card-id}/balances",
    tag: "Cards", summary: "A card's balances",
    area: Area::OpenBanking, right: AIS, refusals: READ_ONE, doc: &card::BALANCES,
};
pub static CARD_TRANSACTIONS: Operation = operation! { "listCardTransactions" GET "/v1/cards/{card-id}/transactions",
    tag: "Cards", summary: "A card's transactions, newest first, page by page",
    area: Area::OpenBanking, right: AIS, refusals: READ_LINES, doc: &card::TRANSACTIONS,
};
