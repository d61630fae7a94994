//! What the published OpenAPI description of the standard (version 1.3) requires of answers: members that must be there, lengths,
//! patterns and codes. It is written from those facts and allows further members, as the description does; the dialect's own document
//! (`schema`) refuses them.

use super::standard_code::refusal;
use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use trapeza_testkit::ApiResponse;

static COMPILED: LazyLock<Mutex<HashMap<String, Option<Validator>>>> = LazyLock::new(Mutex::default);

/// Panics where an answer is not one that the standard allows. `template` is the path of the operation.
pub fn check(method: &Method, template: &str, answer: &ApiResponse) {
    let mut compiled = COMPILED.lock().expect("no test panics while it holds the lock");
    let operation = format!("{method} {template} {}", answer.status);
    let validator = compiled.entry(operation).or_insert_with(|| validator(method, template, answer.status));
    let errors: Vec<String> = validator
        .iter()
        .flat_map(|validator| validator.iter_errors(&answer.body))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    drop(compiled);
    assert!(errors.is_empty(), "{method} {template}: {errors:#?} {answer:?}");
}

/// `None` where the description has no body.
fn validator(method: &Method, template: &str, status: u16) -> Option<Validator> {
    let schema = match status {
        400..=599 => refusal(template, method, status),
        _ => body(template, method, status),
    };
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    schema.map(|schema| options.build(&schema).expect("a valid schema"))
}

fn text(max: usize) -> Value {
    json!({ "type": "string", "maxLength": max })
}

fn matching(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

fn one_of(codes: &[&str]) -> Value {
    json!({ "enum": codes })
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// An object: the names of its required members, and what its known members are.
fn object(required: &[&str], members: Value) -> Value {
    json!({ "type": "object", "required": required, "properties": members })
}

fn currency() -> Value {
    matching("^[A-Z]{3}$")
}

fn bic() -> Value {
    matching("^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$")
}

fn date() -> Value {
    json!({ "type": "string", "format": "date" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn amount() -> Value {
    let value = matching(r"^-?[0-9]{1,14}(\.[0-9]{1,3})?$");
    object(&["currency", "amount"], json!({ "currency": currency(), "amount": value }))
}

fn account() -> Value {
    object(
        &[],
        json!({
            "iban": matching("^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$"), "bban": matching("^[a-zA-Z0-9]{1,30}$"),
            "pan": text(35), "maskedPan": text(35), "msisdn": text(35), "currency": currency(),
        }),
    )
}

/// Links by their names. All of them are objects with an address.
fn links(required: &[&str]) -> Value {
    let link = object(&["href"], json!({ "href": { "type": "string" } }));
    json!({ "type": "object", "required": required, "additionalProperties": link })
}

fn address() -> Value {
    object(&["country"], json!({ "streetName": text(70), "country": matching("^[A-Z]{2}$") }))
}

fn balances() -> Value {
    let kinds = [
        "closingBooked",
        "expected",
        "openingBooked",
        "interimAvailable",
        "interimBooked",
        "forwardAvailable",
        "nonInvoiced",
    ];
    list(object(
        &["balanceAmount", "balanceType"],
        json!({
            "balanceAmount": amount(), "balanceType": one_of(&kinds), "creditLimitIncluded": flag(),
            "lastChangeDateTime": time(), "referenceDate": date(), "lastCommittedTransaction": text(35),
        }),
    ))
}

fn account_details(required: &[&str]) -> Value {
    let mut details = account();
    details["required"] = json!(required);
    let further = json!({
        "resourceId": { "type": "string" }, "name": text(70), "displayName": text(70), "product": text(35),
        "status": one_of(&["enabled", "deleted", "blocked"]), "bic": bic(), "linkedAccounts": text(70),
        "usage": one_of(&["PRIV", "ORGA"]), "details": text(500), "ownerName": text(140), "creditLimit": amount(),
        "cashAccountType": { "type": "string" }, "balances": balances(), "_links": links(&[]),
    });
    let members = details["properties"].as_object_mut().expect("members");
    members.extend(further.as_object().expect("members").clone());
    details
}

fn exchanges() -> Value {
    list(object(
        &["sourceCurrency", "exchangeRate", "unitCurrency", "targetCurrency", "quotationDate"],
        json!({
            "sourceCurrency": currency(), "targetCurrency": currency(), "exchangeRate": { "type": "string" },
            "unitCurrency": { "type": "string" }, "quotationDate": date(),
        }),
    ))
}

fn transaction() -> Value {
    object(
        &["transactionAmount"],
        json!({
            "transactionId": { "type": "string" }, "entryReference": text(35), "endToEndId": text(35), "mandateId": text(35),
            "checkId": text(35), "creditorId": text(35), "bookingDate": date(), "valueDate": date(),
            "transactionAmount": amount(), "currencyExchange": exchanges(), "creditorName": text(70),
            "creditorAccount": account(), "creditorAgent": bic(), "ultimateCreditor": text(70), "debtorName": text(70),
            "debtorAccount": account(), "debtorAgent": bic(), "ultimateDebtor": text(70),
            "remittanceInformationUnstructured": text(140), "remittanceInformationStructured": text(140),
            "remittanceInformationUnstructuredArray": list(text(140)), "additionalInformation": text(500),
            "purposeCode": matching("^[A-Z0-9]{4}$"), "bankTransactionCode": { "type": "string" },
            "proprietaryBankTransactionCode": text(35), "_links": links(&["transactionDetails"]),
            "additionalInformationStructured": object(
                &["standingOrderDetails"],
                json!({ "standingOrderDetails": object(&["startDate", "frequency"], standing_order()) }),
            ),
        }),
    )
}

fn standing_order() -> Value {
    let frequencies = [
        "Daily",
        "Weekly",
        "EveryTwoWeeks",
        "Monthly",
        "EveryTwoMonths",
        "Quarterly",
        "SemiAnnual",
        "Annual",
        "MonthlyVariable",
    ];
    json!({
        "startDate": date(), "endDate": date(), "frequency": one_of(&frequencies),
        "executionRule": one_of(&["following", "preceding"]), "dayOfExecution": matching("^([1-9]|[12][0-9]|3[01])$"),
        "monthsOfExecution": list(matching("^([1-9]|1[0-2])$")), "limitAmount": amount(),
    })
}

fn card_transaction() -> Value {
    object(
        &["transactionAmount"],
        json!({
            "cardTransactionId": text(35), "terminalId": text(35), "transactionDate": date(), "bookingDate": date(),
            "acceptorTransactionDateTime": time(), "transactionAmount": amount(), "currencyExchange": exchanges(),
            "originalAmount": amount(), "markupFee": amount(), "markupFeePercentage": { "type": "string" },
            "cardAcceptorId": text(35), "cardAcceptorAddress": address(),
            "cardAcceptorPhone": matching(r"^\+[0-9]{1,3}-[0-9()+\-]{1,30}$"),
            "merchantCategoryCode": matching("^.{4}$"), "maskedPAN": text(35), "transactionDetails": text(140),
            "invoiced": flag(), "proprietaryBankTransactionCode": text(35),
        }),
    )
}

fn transaction_status() -> Value {
    one_of(&[
        "ACCC", "ACCP", "ACSC", "ACSP", "ACTC", "ACWC", "ACWP", "RCVD", "PDNG", "RJCT", "CANC", "ACFC",
        "PATC", "PART",
    ])
}

fn basket_status() -> Value {
    one_of(&["ACSC", "ACTC", "PATC", "RCVD", "RJCT", "CANC"])
}

fn consent_status() -> Value {
    one_of(&[
        "received",
        "rejected",
        "valid",
        "revokedByPsu",
        "expired",
        "terminatedByTpp",
        "partiallyAuthorised",
    ])
}

fn sca_status() -> Value {
    one_of(&[
        "received",
        "psuIdentified",
        "psuAuthenticated",
        "scaMethodSelected",
        "started",
        "unconfirmed",
        "finalised",
        "failed",
        "exempted",
    ])
}

/// An answer of an authorisation, or of a creation that starts one.
fn authorisation(required: &[&str], members: Value) -> Value {
    let method = object(
        &["authenticationType", "authenticationMethodId"],
        json!({
            "authenticationType": one_of(&["SMS_OTP", "CHIP_OTP", "PHOTO_OTP", "PUSH_OTP", "SMTP_OTP"]),
            "authenticationMethodId": text(35), "name": { "type": "string" },
        }),
    );
    let challenge = object(
        &[],
        json!({
            "data": list(json!({ "type": "string" })), "otpMaxLength": { "type": "integer" },
            "otpFormat": one_of(&["characters", "integer"]), "additionalInformation": { "type": "string" },
        }),
    );
    let mut answer = object(required, members);
    let shared = json!({
        "scaStatus": sca_status(), "authorisationId": { "type": "string" }, "scaMethods": list(method.clone()),
        "chosenScaMethod": method, "challengeData": challenge, "_links": links(&[]), "psuMessage": text(500),
        "transactionFees": amount(), "currencyConversionFees": amount(), "estimatedTotalAmount": amount(),
        "transactionFeeIndicator": flag(),
    });
    answer["properties"]
        .as_object_mut()
        .expect("members")
        .extend(shared.as_object().expect("members").clone());
    answer
}

fn payment(template: &str) -> Value {
    let line = json!({
        "endToEndIdentification": text(35), "instructedAmount": amount(), "creditorAccount": account(), "creditorAgent": bic(),
        "creditorName": text(70), "creditorAddress": address(), "remittanceInformationUnstructured": text(140),
        "requestedExecutionDate": date(), "debtorAccount": account(), "transactionStatus": transaction_status(),
    });
    let mut members = line.clone();
    members.as_object_mut().expect("members").extend(standing_order().as_object().expect("members").clone());
    let single = object(&["debtorAccount", "instructedAmount", "creditorAccount", "creditorName"], members);
    let each = object(&["instructedAmount", "creditorAccount", "creditorName"], line);
    let bulk = object(
        &["payments", "debtorAccount"],
        json!({
            "payments": list(each), "debtorAccount": account(), "batchBookingPreferred": flag(),
            "requestedExecutionDate": date(), "transactionStatus": transaction_status(),
        }),
    );
    assert!(template.contains("{payment-product}"), "{template}");
    json!({ "if": { "required": ["payments"] }, "then": bulk, "else": single })
}

fn consent() -> Value {
    let accounts = list(account());
    let all = one_of(&["allAccounts", "allAccountsWithOwnerName"]);
    let access = object(
        &[],
        json!({
            "accounts": accounts, "balances": accounts, "transactions": accounts, "availableAccounts": all,
            "availableAccountsWithBalance": all, "allPsd2": all,
        }),
    );
    object(
        &["access", "recurringIndicator", "validUntil", "frequencyPerDay", "lastActionDate", "consentStatus"],
        json!({
            "access": access, "recurringIndicator": flag(), "validUntil": date(),
            "frequencyPerDay": { "type": "integer", "minimum": 1 }, "lastActionDate": date(),
            "consentStatus": consent_status(), "_links": links(&[]),
        }),
    )
}

/// A page of a statement: the name of the account's link and member, and what a transaction is.
fn statement(account_name: &str, report: &str, transaction: &Value) -> Value {
    let entries = list(transaction.clone());
    let report_schema = object(
        &["_links"],
        json!({ "booked": entries, "pending": entries, "information": entries, "_links": links(&[account_name]) }),
    );
    object(&[], json!({ account_name: account(), report: report_schema, "balances": balances() }))
}

/// The body of a successful answer.
fn body(template: &str, method: &Method, status: u16) -> Option<Value> {
    let name = template.rsplit('/').next().unwrap_or_default();
    let is_consent = template.starts_with("/v1/consents");
    let is_basket = template.starts_with("/v1/signing-baskets");
    let is_card = template.starts_with("/v1/card-accounts") || template.starts_with("/v1/cards");
    let status_member = match (is_consent || template.starts_with("/v2/consents"), is_basket) {
        (true, _) => json!({ "consentStatus": consent_status() }),
        (_, true) => json!({ "transactionStatus": basket_status() }),
        _ => {
            json!({ "transactionStatus": transaction_status(), "fundsAvailable": flag(), "psuMessage": text(500) })
        }
    };
    let status_name = status_member.as_object()?.keys().next()?.clone();
    Some(match (method.as_str(), name, status) {
        (_, "authorisations" | "cancellation-authorisations", 201) => {
            authorisation(&["scaStatus", "authorisationId", "_links"], json!({}))
        }
        (_, "authorisations" | "cancellation-authorisations", 200) => {
            object(&["authorisationIds"], json!({ "authorisationIds": list(json!({ "type": "string" })) }))
        }
        ("PUT", "{authorisationId}", 200) => authorisation(&["scaStatus"], json!({})),
        ("GET", "{authorisationId}", 200) => authorisation(&["scaStatus"], json!({})),
        (_, "status", 200) => object(&[&status_name], status_member),
        ("POST", "consents", 201) => authorisation(&["consentStatus", "consentId", "_links"], status_member),
        ("POST", "confirmation-of-funds", 201) => {
            authorisation(&["consentStatus", "consentId", "_links"], status_member)
        }
        ("POST", "signing-baskets", 201) => {
            authorisation(&["transactionStatus", "basketId", "_links"], status_member)
        }
        ("POST", "{payment-product}", 201) => {
            authorisation(&["transactionStatus", "paymentId", "_links"], status_member)
        }
        ("DELETE", "{paymentId}", 202) => authorisation(&["transactionStatus"], status_member),
        ("GET", "{consentId}", 200) if is_consent => consent(),
        ("GET", "{basketId}", 200) => object(&["transactionStatus"], status_member),
        ("GET", "{paymentId}", 200) => payment(template),
        ("POST", "funds-confirmations", 200) => {
            object(&["fundsAvailable"], json!({ "fundsAvailable": flag() }))
        }
        ("GET", "accounts", 200) => {
            object(&["accounts"], json!({ "accounts": list(account_details(&["currency"])) }))
        }
        ("GET", "card-accounts", 200) => {
            let each = account_details(&["maskedPan", "currency"]);
            object(&["cardAccounts"], json!({ "cardAccounts": list(each) }))
        }
        ("GET", "{account-id}", 200) if is_card => {
            object(&["cardAccount"], json!({ "cardAccount": account_details(&["maskedPan", "currency"]) }))
        }
        ("GET", "{account-id}", 200) => {
            object(&["account"], json!({ "account": account_details(&["currency"]) }))
        }
        ("GET", "balances", 200) => object(
            &["balances"],
            json!({ "account": account(), "cardAccount": account(), "balances": balances() }),
        ),
        ("GET", "transactions", 200) if template.starts_with("/v1/card-accounts") => {
            statement("cardAccount", "cardTransactions", &card_transaction())
        }
        ("GET", "transactions", 200) if !is_card => statement("account", "transactions", &transaction()),
        ("GET", "{transactionId}", 200) => {
            let details = object(&["transactionDetails"], json!({ "transactionDetails": transaction() }));
            object(&["transactionsDetails"], json!({ "transactionsDetails": details }))
        }
        _ => return None,
    })
}
