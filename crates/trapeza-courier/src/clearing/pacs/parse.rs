//! Parses messages, or reports what is wrong with them. Errors never repeat content of a message.

use super::super::xml::{self, Element};
use super::{NAMESPACE, NOT_PROVIDED, REPORT, RETURNS, TRANSFERS};
use trapeza_app::{parse_date, parse_timestamp};
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, PaymentReturns,
    ReasonCode, ReportedStatus, StatusReport,
};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Date;

/// Maximum lengths of the standard.
const ID_MOST: usize = 35;
const TEXT_MOST: usize = 140;

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

fn transfers(body: &Element) -> Read<CreditTransfers> {
    let transfers: Vec<_> = body.all("CdtTrfTxInf").map(transfer).collect::<Read<_>>()?;
    check_count(body, transfers.len())?;
    Ok(CreditTransfers { header: header(body)?, settlement_day: day(body)?, transfers })
}

fn day(body: &Element) -> Read<Date> {
    let own = body.text("GrpHdr/IntrBkSttlmDt");
    let day = own.or_else(|| body.children.iter().find_map(|child| child.text("IntrBkSttlmDt")));
    day.and_then(parse_date).ok_or("IntrBkSttlmDt is invalid")
}

fn transfer(found: &Element) -> Read<InterbankTransfer> {
    let text = |path: &str| bounded(found.text(path), TEXT_MOST);
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
        id: id(found, "PmtId/TxId")?.ok_or("TxId is missing")?,
        uetr: id(found, "PmtId/UETR").unwrap_or_default(),
        end_to_end_id: id(found, "PmtId/EndToEndId")?.filter(|id| id != NOT_PROVIDED),
        amount: amount(found.find("IntrBkSttlmAmt"))?,
        debtor_name: text("Dbtr/Nm")?.unwrap_or_default(),
        debtor: found.text("DbtrAcct/Id/IBAN").and_then(|iban| Iban::parse(iban).ok()),
        debtor_agent: bic("DbtrAgt/FinInstnId/BICFI"),
        creditor_name: text("Cdtr/Nm")?.unwrap_or_default(),
        creditor,
        creditor_agent: bic("CdtrAgt/FinInstnId/BICFI"),
        creditor_address: None,
        remittance: bounded(Some(remittance.join(" ").as_str()).filter(|text| !text.is_empty()), TEXT_MOST)?,
    })
}

fn report(body: &Element) -> Read<StatusReport> {
    let mut groups = body.all("OrgnlGrpInfAndSts");
    let (group, more) = (groups.next(), groups.next());
    if more.is_some() {
        return Err("it refers to more than one message");
    }
    let mut about = match group {
        Some(group) => id(group, "OrgnlMsgId")?,
        None => None,
    };
    let mut transfers = Vec::new();
    for found in body.all("TxInfAndSts") {
        let own = id(found, "OrgnlGrpInf/OrgnlMsgId")?;
        if own.is_some() && about.is_some() && own != about {
            return Err("it refers to more than one message");
        }
        about = about.or(own);
        let named = id(found, "OrgnlTxId")?.ok_or("OrgnlTxId is missing")?;
        let status = found.text("TxSts").ok_or("TxSts is missing")?;
        let reported = reported_status(status, found)?.ok_or("TxSts is unknown")?;
        transfers.push((named, reported));
    }
    let group = match group.and_then(|group| Some((group, group.text("GrpSts")?))) {
        Some((group, status)) => reported_status(status, group)?,
        None => None,
    };
    let about = about.ok_or("OrgnlMsgId is missing")?;
    Ok(StatusReport { header: header(body)?, about, group, transfers })
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
        Ok(InterbankReturn {
            id: id(found, "RtrId")?.unwrap_or_default(),
            message: id(found, "OrgnlGrpInf/OrgnlMsgId")?.or_else(|| whole.clone()),
            transfer: id(found, "OrgnlTxId")?.ok_or("OrgnlTxId is missing")?,
            end_to_end_id: id(found, "OrgnlEndToEndId")?,
            amount: amount(found.find("RtrdIntrBkSttlmAmt"))?,
            reason: reason(found.text("RtrRsnInf/Rsn/Cd")),
        })
    };
    let returns: Vec<_> = body.all("TxInf").map(returned).collect::<Read<_>>()?;
    check_count(body, returns.len())?;
    Ok(PaymentReturns { header: header(body)?, settlement_day: day(body)?, returns })
}

fn id(place: &Element, path: &str) -> Read<Option<String>> {
    bounded(place.text(path), ID_MOST + 1).and_then(|found| match &found {
        // A UETR is one character longer than an id.
        Some(text) if text.chars().count() > ID_MOST && !path.ends_with("UETR") => Err("an id is too long"),
        _ => Ok(found),
    })
}

fn bounded(text: Option<&str>, most: usize) -> Read<Option<String>> {
    match text {
        Some(text) if text.chars().count() > most => Err("a text is too long"),
        text => Ok(text.map(str::to_owned)),
    }
}

fn amount(found: Option<&Element>) -> Read<Money> {
    const FAULT: &str = "an amount is invalid";
    let found = found.ok_or(FAULT)?;
    let currency = found.attribute("Ccy").and_then(|code| Currency::parse(code).ok()).ok_or(FAULT)?;
    // Trailing zeros are allowed.
    let (whole, fraction) = found.text.split_once('.').unwrap_or((&found.text, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    let plain = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    let money = Money::parse(&plain, currency).map_err(|_| FAULT)?;
    if money.is_positive() { Ok(money) } else { Err(FAULT) }
}
