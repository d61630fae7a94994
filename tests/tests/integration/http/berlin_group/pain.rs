//! Orders as messages pain.001: the same payments as those of JSON orders.

use super::instant_payment::{advance, rounds};
use super::payment::{OTHER_BANK_IBAN, payer};
use super::{authorise, iban, link, links, path, psu, refusal};
use crate::http::payment::{balance, check_ledger};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

pub(crate) const SINGLE: &str = "/v1/payments/pain.001-sepa-credit-transfers";
pub(super) const INSTANT: &str = "/v1/payments/pain.001-instant-sepa-credit-transfers";
pub(super) const BULK: &str = "/v1/bulk-payments/pain.001-sepa-credit-transfers";

/// The versions of pain.001.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    V03,
    V09,
}

impl Version {
    const fn suffix(self) -> &'static str {
        match self {
            Self::V03 => "03",
            Self::V09 => "09",
        }
    }
}

/// A transfer: the payee's account and name, and the amount.
pub(crate) type Transfer<'a> = (&'a str, &'a str, &'a str);

/// A message from the first customer's account, for today. Transfers have the references `INSTR-1`, `LINE-1` and so on.
pub(crate) fn message(bank: &TestBank, version: Version, transfers: &[Transfer<'_>]) -> String {
    let minor: i64 =
        transfers.iter().map(|(_, _, amount)| amount.replace('.', "").parse::<i64>().unwrap()).sum();
    let (count, sum) = (transfers.len(), format!("{}.{:02}", minor / 100, minor % 100));
    let (today, debtor, suffix) = (bank.days_ago(0), iban(bank, 0), version.suffix());
    let (day, agent) = match version {
        Version::V03 => (today.clone(), "BIC"),
        Version::V09 => (format!("<Dt>{today}</Dt>"), "BICFI"),
    };
    let each = transfers.iter().zip(1..).map(|((creditor, name, amount), number)| {
        format!(
            "<CdtTrfTxInf><PmtId><InstrId>INSTR-{number}</InstrId><EndToEndId>LINE-{number}</EndToEndId></PmtId>\
             <Amt><InstdAmt Ccy=\"EUR\">{amount}</InstdAmt></Amt><Cdtr><Nm>{name}</Nm></Cdtr>\
             <CdtrAcct><Id><IBAN>{creditor}</IBAN></Id></CdtrAcct><RmtInf><Ustrd>Invoice {number}</Ustrd></RmtInf></CdtTrfTxInf>"
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pain.001.001.{suffix}\"><CstmrCdtTrfInitn>\
         <GrpHdr><MsgId>MSG-7</MsgId><CreDtTm>{today}T09:30:00</CreDtTm><NbOfTxs>{count}</NbOfTxs><CtrlSum>{sum}</CtrlSum>\
         <InitgPty><Nm>Any Company</Nm></InitgPty></GrpHdr>\
         <PmtInf><PmtInfId>PMT-7</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>false</BtchBookg><NbOfTxs>{count}</NbOfTxs><CtrlSum>{sum}</CtrlSum>\
         <PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt>{day}</ReqdExctnDt><Dbtr><Nm>Any Company</Nm></Dbtr>\
         <DbtrAcct><Id><IBAN>{debtor}</IBAN></Id></DbtrAcct><DbtrAgt><FinInstnId><{agent}>TRPZGRAA</{agent}></FinInstnId></DbtrAgt>\
         <ChrgBr>SLEV</ChrgBr>{}</PmtInf></CstmrCdtTrfInitn></Document>",
        each.collect::<String>()
    )
}

/// Sends a message; other requests of the client are JSON.
pub(crate) async fn send(tpp: &ApiClient, product: &str, message: &str) -> ApiResponse {
    let xml = tpp.clone().with("Content-Type", "application/xml");
    xml.send(Method::POST, &path(product), Some(message.into())).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn single_message_is_authorised_executed_and_read_in_both_forms(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(Version::V03, Version::V09)] version: Version,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let before = balance(&bank, from).await;
    let sent = message(&bank, version, &[(OTHER_BANK_IBAN, "Anna Muster", "12.34")]);
    let initiated = send(&tpp, SINGLE, &sent).await;
    assert_eq!((initiated.status, initiated.text("/transactionStatus")), (201, "RCVD"), "{initiated:?}");
    assert_eq!(links(&initiated), ["self", "startAuthorisationWithPsuAuthentication", "status"]);
    assert!(link(&bank, &initiated, "self").starts_with(&path(SINGLE)));
    authorise(&bank, &tpp, &initiated, 0).await;
    let status = link(&bank, &initiated, "status");
    assert_eq!(tpp.get(&status).await.text("/transactionStatus"), "ACCP");
    assert_eq!(balance(&bank, from).await, (before.0, before.1 + 1_234));
    bank.advance("P1D").await;
    assert_eq!(tpp.get(&status).await.text("/transactionStatus"), "ACSC");
    assert_eq!(balance(&bank, from).await, (before.0 - 1_234, before.1));
    check_ledger(&bank).await;

    let own = link(&bank, &initiated, "self");
    let xml = tpp.clone().with("Accept", "application/xml").get(&own).await;
    assert_eq!((xml.status, &*xml.headers["content-type"]), (200, "application/xml"));
    assert_eq!(xml.body, Value::String(sent), "as it was sent");
    let expected = json!({
        "endToEndIdentification": "LINE-1",
        "debtorAccount": { "iban": from },
        "instructedAmount": { "currency": "EUR", "amount": "12.34" },
        "creditorAccount": { "iban": OTHER_BANK_IBAN },
        "creditorName": "Anna Muster",
        "remittanceInformationUnstructured": "Invoice 1",
        "transactionStatus": "ACSC",
    });
    assert_eq!(tpp.get(&own).await.body, expected);
    assert_eq!(tpp.get(&own.replace("pain.001-", "")).await.body, expected, "the same payment");
    let other = tpp.get(&own.replace("pain.001-", "pain.001-instant-")).await;
    assert_eq!(refusal(&other), (403, "PRODUCT_INVALID".to_owned()));
    let extended = tpp.get(&format!("{own}/extended-status")).await;
    assert_eq!(refusal(&extended), (405, "SERVICE_INVALID".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn message_within_the_bank_is_booked_on_the_spot_and_one_of_a_later_day_waits(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    let (before, payee) = (balance(&bank, from).await, balance(&bank, to).await);
    let name = psu(&bank, 1)["name"].as_str().unwrap();
    let sent = message(&bank, Version::V09, &[(to, name, "5.00")]);
    let initiated = send(&tpp, SINGLE, &sent).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    assert_eq!(tpp.get(&link(&bank, &initiated, "status")).await.text("/transactionStatus"), "ACCC");
    assert_eq!(balance(&bank, from).await, (before.0 - 500, before.1));
    assert_eq!(balance(&bank, to).await, (payee.0 + 500, payee.1));

    let (today, later) = (bank.days_ago(0), bank.days_ago(-30));
    let day = |day: &str| sent.replace(&format!("<Dt>{today}</Dt>"), day);
    let initiated = send(&tpp, SINGLE, &day(&format!("<DtTm>{later}T10:00:00Z</DtTm>"))).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    let own = link(&bank, &initiated, "self");
    let details = tpp.get(&own).await;
    assert_eq!(details.text("/requestedExecutionDate"), later, "{details:?}");
    assert_eq!(details.text("/transactionStatus"), "ACTC");
    let called = tpp.delete(&own).await;
    assert_eq!(
        (called.status, links(&called)),
        (202, vec!["self".to_owned(), "startAuthorisation".to_owned(), "status".to_owned()])
    );
    assert!(link(&bank, &called, "startAuthorisation").starts_with(&own), "{called:?}");

    let over = send(&tpp, SINGLE, &day(&format!("<Dt>{}</Dt>", bank.days_ago(1)))).await;
    assert_eq!(refusal(&over), (400, "EXECUTION_DATE_INVALID".to_owned()), "{over:?}");
    assert_eq!(over.text("/tppMessages/0/path"), "CstmrCdtTrfInitn/PmtInf/ReqdExctnDt");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn instant_message_is_executed_at_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let before = balance(&bank, from).await;
    let sent = message(&bank, Version::V03, &[(OTHER_BANK_IBAN, "Anna Muster", "12.34")]);
    let sent = sent.replace("</SvcLvl>", "</SvcLvl><LclInstrm><Cd>INST</Cd></LclInstrm>");
    let initiated = send(&tpp, INSTANT, &sent).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    rounds(&bank).await;
    advance(&bank, 2).await;
    rounds(&bank).await;
    assert_eq!(tpp.get(&link(&bank, &initiated, "status")).await.text("/transactionStatus"), "ACSC");
    assert_eq!(balance(&bank, from).await, (before.0 - 1_234, before.1));
    let later = sent.replace(
        &format!("<ReqdExctnDt>{}", bank.days_ago(0)),
        &format!("<ReqdExctnDt>{}", bank.days_ago(-1)),
    );
    assert_eq!(refusal(&send(&tpp, INSTANT, &later).await), (400, "PARAMETER_NOT_SUPPORTED".to_owned()));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_id_replays_the_same_message_and_accepts_another(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp =
        payer(&bank).without("X-Request-ID").with("X-Request-ID", "99391c7e-ad88-49ec-a2ad-99ddcb1f7721");
    let sent = message(&bank, Version::V03, &[(OTHER_BANK_IBAN, "Anna Muster", "12.34")]);
    let first = send(&tpp, SINGLE, &sent).await;
    let again = send(&tpp, SINGLE, &sent).await;
    assert_eq!((first.status, again.status, &again.body), (201, 201, &first.body));
    assert_eq!(again.headers["idempotent-replay"], "true");
    let other = send(&tpp, SINGLE, &sent.replace("MSG-7", "MSG-8")).await;
    assert_ne!(other.text("/paymentId"), first.text("/paymentId"));
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM payment_message"), 2);
    let day = bank.days_ago(0);
    bank.advance("PT20H").await;
    assert_ne!(bank.days_ago(0), day);
    let next_day = send(&tpp, SINGLE, &sent).await;
    assert_eq!((next_day.status, &next_day.body), (201, &first.body), "also when its day is over");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bulk_message_is_executed_and_shows_rejected_lines(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(Version::V03, Version::V09)] version: Version,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    let before = balance(&bank, from).await;
    let lines = [
        (to, "Any Name", "1.00"),
        (OTHER_BANK_IBAN, "REJECT AC04", "2.00"),
        (OTHER_BANK_IBAN, "Anna Muster", "4.00"),
    ];
    let sent = message(&bank, version, &lines).replace("<BtchBookg>false", "<BtchBookg>true");
    let initiated = send(&tpp, BULK, &sent).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    bank.advance("PT5S").await;
    let own = link(&bank, &initiated, "self");
    let extended = tpp.get(&format!("{own}/extended-status")).await;
    let rejected = json!([{ "originalEndToEndId": "LINE-2", "transactionStatus": "RJCT", "statusReasonInformationCode": "AC04" }]);
    assert_eq!(
        extended.body,
        json!({ "groupStatus": "PART", "originalTransactionInformationAndStatus": rejected })
    );
    assert_eq!(balance(&bank, from).await, (before.0 - 500, before.1));
    let details = tpp.get(&own).await;
    assert_eq!((details.status, &details.body["batchBookingPreferred"]), (200, &json!(true)));
    assert_eq!(details.body["payments"].as_array().unwrap().len(), 3);
    assert_eq!(tpp.clone().with("Accept", "application/xml").get(&own).await.body, Value::String(sent));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_that_was_ordered_as_json_is_no_message(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let order = super::payment::order(&bank, OTHER_BANK_IBAN);
    let initiated = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
    let own = link(&bank, &initiated, "self");
    let below = own.replace("sepa-credit", "pain.001-sepa-credit");
    for address in [below.clone(), format!("{below}/status"), format!("{below}/authorisations")] {
        assert_eq!(refusal(&tpp.get(&address).await), (403, "PRODUCT_INVALID".to_owned()), "{address}");
    }
    assert_eq!(refusal(&tpp.delete(&below).await), (403, "PRODUCT_INVALID".to_owned()));
    let xml = tpp.clone().with("Accept", "application/xml").get(&own).await;
    assert_eq!((xml.status, &xml.body), (406, &Value::Null), "{xml:?}");
}
