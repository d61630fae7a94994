//! Account information: accounts and cards under a consent.

use super::AIS;
use axum::http::Method;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::statistics::Service;
use trapeza_http::operation::{Access, ApiFamily, BodyLimit, ErrorKey, MessageCodeList, Operation};

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
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ,
};
pub static ACCOUNT_DETAILS: Operation = operation! { "getAccount" GET "/v1/accounts/{account-id}",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ_ONE,
};
pub static ACCOUNT_BALANCES: Operation = operation! { "getAccountBalances" GET "/v1/accounts/{account-id}/balances",
    family: ApiFamily::OpenBanking, message_codes: MessageCodeList::AccountBalances, access: AIS, service: Service::AccountInformation, refusals: READ_ONE,
};
pub static TRANSACTION_LIST: Operation = operation! { "listTransactions" GET "/v1/accounts/{account-id}/transactions",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ_LINES,
};
pub static TRANSACTION_DETAILS: Operation = operation! { "getTransaction" GET "/v1/accounts/{account-id}/transactions/{transactionId}",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ_ONE,
};
pub static CARD_LIST: Operation = operation! { "listCards" GET "/v1/cards",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ,
};
pub static CARD_DETAILS: Operation = operation! { "getCard" GET "/v1/cards/{card-id}",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ_ONE,
};
pub static CARD_BALANCES: Operation = operation! { "getCardBalances" GET "/v1/cards/{card-id}/balances",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ_ONE,
};
pub static CARD_TRANSACTIONS: Operation = operation! { "listCardTransactions" GET "/v1/cards/{card-id}/transactions",
    family: ApiFamily::OpenBanking, access: AIS, service: Service::AccountInformation, refusals: READ_LINES,
};
