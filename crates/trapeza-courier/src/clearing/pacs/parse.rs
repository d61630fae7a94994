//! Parses messages, or reports what is wrong with them. Errors never repeat content of a message.

use super::{MAX_ID_CHARS, NAMESPACE, NOT_PROVIDED, REPORT, RETURNS, TRANSFERS};
use std::collections::HashSet;
use std::hash::Hash;
use trapeza_app::{parse_date, parse_timestamp};
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, OriginalTransfer,
    Originator, PaymentReturns, ReasonCode, ReportedStatus, StatusReport, TransferStatus,
};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Date;
use trapeza_xml::{self as xml, Element, plain_decimal};

/// The maximum length of texts.
const MAX_TEXT_CHARS: usize = 140;
const MAX_PURPOSE_CHARS: usize = 4;
/// The largest amount of the scheme: 999,999,999.99. Sums of larger amounts could overflow an account.
const MAX_AMOUNT_MINOR: i64 = 99_999_999_999;

type Read<T> = Result<T, &'static str>;

pub fn parse(bytes: &[u8]) -> Read<ClearingMessage> {
    let document = xml::parse(bytes)?;
    if document.name != "Document" {
        return Err("the root is not Document");
    }
    let namespaces = document.attributes.iter().filter(|(name, _)| name.starts_with("xmlns"));
    let kind = namespaces.filter_map(|(_, value)| value.strip_prefix(NAMESPACE)).next();
    let body = |name: &str| document.find(name).ok_or("the message element does not match its namespace");
    match kind.ok_or("the namespace is not ISO 20022")? {
        TRANSFERS => Ok(ClearingMessage::CreditTransfers(transfers(body("FIToFICstmrCdtTrf")?)?)),
        REPORT => Ok(ClearingMessage::StatusReport(report(body("FIToFIPmtStsRpt")?)?)),
        RETURNS => Ok(ClearingMessage::PaymentReturns(returns(body("PmtRtr")?)?)),
        _ => Err("the message type is not supported"),
    }
}

fn header(body: &Element) -> Read<GroupHeader> {
    let sent_at = body.text("GrpHdr/CreDtTm").and_then(parse_instant_loosely).ok_or("CreDtTm is invalid")?;
    Ok(GroupHeader { id: id(body, "GrpHdr/MsgId")?.ok_or("MsgId is missing")?, sent_at })
}

/// The standard does not require an offset; without one UTC is assumed.
fn parse_instant_loosely(text: &str) -> Option<trapeza_domain::time::Timestamp> {
    parse_timestamp(text).or_else(|| parse_timestamp(&format!("{text}Z")))
}

/// A wrong count shows that something is missing.
fn check_count(body: &Element, found: usize) -> Read<()> {
    match body.text("GrpHdr/NbOfTxs").and_then(|count| count.parse::<usize>().ok()) {
        Some(count) if count == found => Ok(()),
        _ => Err("NbOfTxs is not the number of its transactions"),
    }
}

/// A wrong total shows that an amount was changed. Totals are optional in the standard.
fn check_total(body: &Element, total: &str, amounts: impl Iterator<Item = Money> + Clone) -> Read<()> {
    let (head, control) = (body.find(total), body.find("GrpHdr/CtrlSum"));
    if head.is_none() && control.is_none() {
        return Ok(());
    }
    let mut rest = amounts;
    let first = rest.next().ok_or("it has no transactions")?;
    let sum = rest.try_fold(first, |sum, next| sum.checked_add(next));
    let sum = sum.map_err(|_| "the sum of its amounts overflows or mixes currencies")?;
    if head.is_some_and(|head| amount_in(head, head.attribute("Ccy")) != Ok(sum)) {
        return Err("the total is not the sum of its amounts");
    }
    if control.is_some_and(|control| amount_in(control, Some(sum.currency.code())) != Ok(sum)) {
        return Err("CtrlSum is not the sum of its amounts");
    }
    Ok(())
}

/// Two transactions with one id look like one that was sent twice, and only one would be booked.
fn check_distinct<T: Eq + Hash>(mut ids: impl Iterator<Item = T>) -> Read<()> {
    let mut seen = HashSet::new();
    if ids.all(|id| seen.insert(id)) { Ok(()) } else { Err("two transactions have the same id") }
}

fn transfers(body: &Element) -> Read<CreditTransfers> {
    let transfers: Vec<_> = body.all("CdtTrfTxInf").map(transfer).collect::<Read<_>>()?;
    check_count(body, transfers.len())?;
    let amounts = transfers.iter().map(|transfer: &InterbankTransfer| transfer.amount);
    check_total(body, "GrpHdr/TtlIntrBkSttlmAmt", amounts)?;
    check_distinct(transfers.iter().map(|transfer| transfer.id.as_str()))?;
    Ok(CreditTransfers { header: header(body)?, settlement_day: day(body)?, transfers })
}

fn day(body: &Element) -> Read<Date> {
    let own = body.text("GrpHdr/IntrBkSttlmDt");
    let day = own.or_else(|| body.children.iter().find_map(|child| child.text("IntrBkSttlmDt")));
    day.and_then(parse_date).ok_or("IntrBkSttlmDt is invalid")
}

fn transfer(found: &Element) -> Read<InterbankTransfer> {
    let names = TransferIds {
        id: id(found, "PmtId/TxId")?.ok_or("TxId is missing")?,
        end_to_end_id: id(found, "PmtId/EndToEndId")?.filter(|id| id != NOT_PROVIDED),
    };
    content(found, "Nm", names)
}

struct TransferIds {
    id: String,
    end_to_end_id: Option<String>,
}

/// The original transfer in a message about it, where the message repeats it.
fn original(found: &Element, names: TransferIds) -> Read<Option<Box<OriginalTransfer>>> {
    let Some(repeated) = found.find("OrgnlTxRef") else { return Ok(None) };
    let Some(settlement_day) = repeated.text("IntrBkSttlmDt").and_then(parse_date) else { return Ok(None) };
    if repeated.find("IntrBkSttlmAmt").is_none() {
        return Ok(None);
    }
    let transfer = content(repeated, "Pty/Nm", names)?;
    Ok(Some(Box::new(OriginalTransfer { settlement_day, transfer })))
}

/// The parts of a transfer; the names of its parties are at `name`.
fn content(found: &Element, name: &str, names: TransferIds) -> Read<InterbankTransfer> {
    let text = |path: &str| bounded(found.text(path), MAX_TEXT_CHARS);
    let party = |party: &str| text(&format!("{party}/{name}"));
    let bic = |path: &str| found.text(path).and_then(|bic| Bic::parse(bic).ok());
    // An invalid IBAN is kept as it is: it matches no account, and the money is returned.
    let other = text("CdtrAcct/Id/Othr/Id")?;
    let creditor = text("CdtrAcct/Id/IBAN")?.or(other).unwrap_or_default();
    let remittance: Vec<&str> = found
        .find("RmtInf")
        .into_iter()
        .flat_map(|all| all.all("Ustrd"))
        .map(|one| one.text.as_str())
        .collect();
    Ok(InterbankTransfer {
        id: names.id,
        end_to_end_id: names.end_to_end_id,
        amount: amount(found.find("IntrBkSttlmAmt"))?,
        debtor_name: party("Dbtr")?.unwrap_or_default(),
        debtor: found.text("DbtrAcct/Id/IBAN").and_then(|iban| Iban::parse(iban).ok()),
        debtor_agent: bic("DbtrAgt/FinInstnId/BICFI"),
        creditor_name: party("Cdtr")?.unwrap_or_default(),
        creditor,
        creditor_agent: bic("CdtrAgt/FinInstnId/BICFI"),
        creditor_address: None,
        ultimate_debtor: party("UltmtDbtr")?,
        ultimate_creditor: party("UltmtCdtr")?,
        purpose: bounded(found.text("Purp/Cd"), MAX_PURPOSE_CHARS)?,
        creditor_reference: id(found, "RmtInf/Strd/CdtrRefInf/Ref")?,
        remittance: bounded(
            Some(remittance.join(" ").as_str()).filter(|text| !text.is_empty()),
            MAX_TEXT_CHARS,
        )?,
    })
}

fn report(body: &Element) -> Read<StatusReport> {
    let mut groups = body.all("OrgnlGrpInfAndSts");
    let (group, more) = (groups.next(), groups.next());
    if more.is_some() {
        return Err("it refers to more than one message");
    }
    let mut original_message_id = match group {
        Some(group) => id(group, "OrgnlMsgId")?,
        None => None,
    };
    let mut transfers = Vec::new();
    for found in body.all("TxInfAndSts") {
        let own = id(found, "OrgnlGrpInf/OrgnlMsgId")?;
        if own.is_some() && original_message_id.is_some() && own != original_message_id {
            return Err("it refers to more than one message");
        }
        original_message_id = original_message_id.or(own);
        let named = id(found, "OrgnlTxId")?.ok_or("OrgnlTxId is missing")?;
        let status = found.text("TxSts").ok_or("TxSts is missing")?;
        let reported = reported_status(status, found)?.ok_or("TxSts is unknown")?;
        let end_to_end_id = id(found, "OrgnlEndToEndId")?;
        let names = TransferIds { id: named.clone(), end_to_end_id: end_to_end_id.clone() };
        transfers.push(TransferStatus {
            id: named,
            end_to_end_id,
            status: reported,
            originator: originator(found, "StsRsnInf/Orgtr")?,
            original: original(found, names)?,
        });
    }
    let group = match group.and_then(|group| Some((group, group.text("GrpSts")?))) {
        Some((group, status)) => reported_status(status, group)?,
        None => None,
    };
    let original_message_id = original_message_id.ok_or("OrgnlMsgId is missing")?;
    Ok(StatusReport { header: header(body)?, original_message_id, group, transfers })
}

/// `PART`: each transaction has its own status.
fn reported_status(status: &str, place: &Element) -> Read<Option<ReportedStatus>> {
    Ok(Some(match status {
        "ACSC" | "ACCC" => ReportedStatus::Settled,
        "RJCT" => ReportedStatus::Rejected(reason(place.text("StsRsnInf/Rsn/Cd"))),
        "RCVD" | "ACTC" | "ACCP" | "ACSP" | "ACWC" | "ACFC" | "ACWP" | "PDNG" => ReportedStatus::Pending,
        "PART" => return Ok(None),
        _ => return Err("a status is unknown"),
    }))
}

/// A reason without a valid code is NARR.
fn reason(code: Option<&str>) -> ReasonCode {
    code.and_then(ReasonCode::parse).unwrap_or(ReasonCode::NARRATIVE)
}

fn returns(body: &Element) -> Read<PaymentReturns> {
    let whole = id(body, "OrgnlGrpInf/OrgnlMsgId")?;
    let returned = |found: &Element| {
        let transfer = id(found, "OrgnlTxId")?.ok_or("OrgnlTxId is missing")?;
        let end_to_end_id = id(found, "OrgnlEndToEndId")?;
        let names = TransferIds { id: transfer.clone(), end_to_end_id: end_to_end_id.clone() };
        Ok(InterbankReturn {
            id: id(found, "RtrId")?.unwrap_or_default(),
            message: id(found, "OrgnlGrpInf/OrgnlMsgId")?.or_else(|| whole.clone()),
            transfer,
            end_to_end_id,
            original_amount: found.find("OrgnlIntrBkSttlmAmt").map(|sent| amount(Some(sent))).transpose()?,
            amount: amount(found.find("RtrdIntrBkSttlmAmt"))?,
            reason: reason(found.text("RtrRsnInf/Rsn/Cd")),
            originator: originator(found, "RtrRsnInf/Orgtr")?,
            original: original(found, names)?,
        })
    };
    let returns: Vec<_> = body.all("TxInf").map(returned).collect::<Read<_>>()?;
    check_count(body, returns.len())?;
    let amounts = returns.iter().map(|returned: &InterbankReturn| returned.amount);
    check_total(body, "GrpHdr/TtlRtrdIntrBkSttlmAmt", amounts)?;
    // A transfer can be returned in parts, each with an id; without one its own id is all there is.
    check_distinct(returns.iter().map(|returned| (returned.id.as_str(), returned.transfer.as_str())))?;
    Ok(PaymentReturns { header: header(body)?, settlement_day: day(body)?, returns })
}

fn originator(place: &Element, path: &str) -> Read<Option<Originator>> {
    let Some(found) = place.find(path) else { return Ok(None) };
    let bank = found.text("Id/OrgId/AnyBIC").and_then(|bic| Bic::parse(bic).ok()).map(Originator::Bank);
    Ok(match bank {
        Some(bank) => Some(bank),
        None => bounded(found.text("Nm"), MAX_TEXT_CHARS)?.map(Originator::Name),
    })
}

fn id(place: &Element, path: &str) -> Read<Option<String>> {
    bounded(place.text(path), MAX_ID_CHARS).map_err(|_| "an id is too long")
}

fn bounded(text: Option<&str>, max: usize) -> Read<Option<String>> {
    match text {
        Some(text) if text.chars().count() > max => Err("a text is too long"),
        text => Ok(text.map(str::to_owned)),
    }
}

fn amount(found: Option<&Element>) -> Read<Money> {
    let found = found.ok_or("an amount is missing")?;
    let money = amount_in(found, found.attribute("Ccy"))?;
    if money.minor > MAX_AMOUNT_MINOR {
        Err("an amount is beyond the limit of the scheme")
    } else {
        Ok(money)
    }
}

fn amount_in(found: &Element, currency: Option<&str>) -> Read<Money> {
    const FAULT: &str = "an amount is invalid";
    let currency = currency.and_then(|code| Currency::parse(code).ok()).ok_or(FAULT)?;
    let plain = plain_decimal(&found.text).ok_or(FAULT)?;
    let money = Money::parse(&plain, currency).map_err(|_| FAULT)?;
    if money.is_positive() { Ok(money) } else { Err(FAULT) }
}
