//! Serialises messages. The output is deterministic.

use super::{MAX_ID_CHARS, NAMESPACE, NOT_PROVIDED, TRANSFERS, kind};
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, OriginalTransfer,
    Originator, PaymentReturns, ReportedStatus, StatusReport, TransferStatus,
};
use trapeza_domain::money::Money;
use trapeza_domain::payment::Address;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Date;
use trapeza_xml::Element;

pub fn serialize(message: &ClearingMessage) -> String {
    let body = match message {
        ClearingMessage::CreditTransfers(transfers) => transfers_body(transfers),
        ClearingMessage::StatusReport(report) => report_body(report),
        ClearingMessage::PaymentReturns(returns) => returns_body(returns),
    };
    let namespace = format!("{NAMESPACE}{}", kind(message));
    Element::new("Document").with_attribute("xmlns", &namespace).with(body).serialize()
}

pub(super) fn transfers_body(message: &CreditTransfers) -> Element {
    let total = message.transfers.iter().map(|transfer| transfer.amount);
    let head = head(&message.header)
        .with(Element::leaf("NbOfTxs", message.transfers.len().to_string()))
        .with_all(total_of(total, "TtlIntrBkSttlmAmt"))
        .with(day("IntrBkSttlmDt", message.settlement_day))
        .with(settlement())
        .with(payment_type());
    let transfers = message.transfers.iter().map(transfer);
    Element::new("FIToFICstmrCdtTrf").with(head).with_all(transfers)
}

fn transfer(transfer: &InterbankTransfer) -> Element {
    let end_to_end = transfer.end_to_end_id.as_deref().unwrap_or(NOT_PROVIDED);
    let names = Element::new("PmtId")
        .with(Element::leaf("EndToEndId", end_to_end))
        .with(Element::leaf("TxId", transfer.id.as_str()));
    let creditor = Element::new("Cdtr")
        .with(Element::leaf("Nm", transfer.creditor_name.as_str()))
        .with_all(transfer.creditor_address.as_ref().map(address));
    Element::new("CdtTrfTxInf")
        .with(names)
        .with(amount("IntrBkSttlmAmt", transfer.amount))
        .with(Element::leaf("ChrgBr", "SLEV"))
        .with_all(nested("UltmtDbtr/Nm", &transfer.ultimate_debtor))
        .with(Element::nested("Dbtr/Nm", transfer.debtor_name.as_str()))
        .with_all(debtor_account(transfer))
        .with(agent("DbtrAgt", transfer.debtor_agent.as_ref()))
        .with(agent("CdtrAgt", transfer.creditor_agent.as_ref()))
        .with(creditor)
        .with(creditor_account(transfer))
        .with_all(nested("UltmtCdtr/Nm", &transfer.ultimate_creditor))
        .with_all(nested("Purp/Cd", &transfer.purpose))
        .with_all(remittance(transfer))
}

fn nested(path: &str, text: &Option<String>) -> Option<Element> {
    text.as_ref().map(|text| Element::nested(path, text.as_str()))
}

fn debtor_account(transfer: &InterbankTransfer) -> Option<Element> {
    transfer.debtor.map(|iban| Element::nested("DbtrAcct/Id/IBAN", iban.as_str()))
}

/// What is no IBAN came from another bank and goes back to it as it came.
fn creditor_account(transfer: &InterbankTransfer) -> Element {
    let path = match Iban::parse(&transfer.creditor) {
        Ok(_) => "CdtrAcct/Id/IBAN",
        Err(_) => "CdtrAcct/Id/Othr/Id",
    };
    Element::nested(path, transfer.creditor.as_str())
}

/// The scheme allows one form, the reference before the text.
fn remittance(transfer: &InterbankTransfer) -> Option<Element> {
    let Some(reference) = &transfer.creditor_reference else {
        return nested("RmtInf/Ustrd", &transfer.remittance);
    };
    let kind = Element::new("Tp").with(Element::nested("CdOrPrtry/Cd", "SCOR"));
    let kind = match reference.starts_with("RF") {
        true => kind.with(Element::leaf("Issr", "ISO")),
        false => kind,
    };
    let reference = Element::new("CdtrRefInf").with(kind).with(Element::leaf("Ref", reference.as_str()));
    Some(Element::new("RmtInf").with(Element::new("Strd").with(reference)))
}

/// The original transfer in a message about it.
fn original(original: &OriginalTransfer) -> Element {
    let transfer = &original.transfer;
    let party = |name: &str, text: &str| Element::new(name).with(Element::nested("Pty/Nm", text));
    let ultimate = |name: &str, text: &Option<String>| text.as_ref().map(|text| party(name, text));
    Element::new("OrgnlTxRef")
        .with(amount("IntrBkSttlmAmt", transfer.amount))
        .with(day("IntrBkSttlmDt", original.settlement_day))
        .with(settlement())
        .with(payment_type())
        .with_all(remittance(transfer))
        .with_all(ultimate("UltmtDbtr", &transfer.ultimate_debtor))
        .with(party("Dbtr", &transfer.debtor_name))
        .with_all(debtor_account(transfer))
        .with(agent("DbtrAgt", transfer.debtor_agent.as_ref()))
        .with(agent("CdtrAgt", transfer.creditor_agent.as_ref()))
        .with(party("Cdtr", &transfer.creditor_name))
        .with(creditor_account(transfer))
        .with_all(ultimate("UltmtCdtr", &transfer.ultimate_creditor))
        .with_all(nested("Purp/Cd", &transfer.purpose))
}

fn originator(originator: &Originator) -> Element {
    match originator {
        Originator::Bank(bic) => Element::nested("Orgtr/Id/OrgId/AnyBIC", bic.as_str()),
        Originator::Name(name) => Element::nested("Orgtr/Nm", name.as_str()),
    }
}

fn address(address: &Address) -> Element {
    let parts = [
        ("StrtNm", &address.street),
        ("BldgNb", &address.building_number),
        ("PstCd", &address.postal_code),
        ("TwnNm", &address.city),
        ("Ctry", &address.country),
    ];
    let given = parts.into_iter().filter_map(|(name, part)| Some(Element::leaf(name, part.as_deref()?)));
    Element::new("PstlAdr").with_all(given)
}

fn report_body(report: &StatusReport) -> Element {
    let group = Element::new("OrgnlGrpInfAndSts")
        .with(Element::leaf("OrgnlMsgId", report.original_message_id.as_str()))
        .with(Element::leaf("OrgnlMsgNmId", TRANSFERS))
        .with_all(report.group.map(|reported| Element::leaf("GrpSts", word(reported))))
        .with_all(report.group.and_then(|reported| reason(reported, None)));
    let transfers = report.transfers.iter().map(transfer_status);
    Element::new("FIToFIPmtStsRpt").with(head(&report.header)).with(group).with_all(transfers)
}

fn transfer_status(reported: &TransferStatus) -> Element {
    // An id of the report's own, which says what it is about.
    let id: String = format!("S{}", reported.id).chars().take(MAX_ID_CHARS).collect();
    let end_to_end = reported.end_to_end_id.as_ref();
    Element::new("TxInfAndSts")
        .with(Element::leaf("StsId", id))
        .with_all(end_to_end.map(|id| Element::leaf("OrgnlEndToEndId", id.as_str())))
        .with(Element::leaf("OrgnlTxId", reported.id.as_str()))
        .with(Element::leaf("TxSts", word(reported.status)))
        .with_all(reason(reported.status, reported.originator.as_ref()))
        .with_all(reported.original.as_deref().map(original))
}

const fn word(reported: ReportedStatus) -> &'static str {
    match reported {
        ReportedStatus::Settled => "ACSC",
        ReportedStatus::Rejected(_) => "RJCT",
        ReportedStatus::Pending => "ACSP",
    }
}

fn reason(reported: ReportedStatus, by: Option<&Originator>) -> Option<Element> {
    match reported {
        ReportedStatus::Rejected(code) => {
            let info = Element::new("StsRsnInf").with_all(by.map(originator));
            Some(info.with(Element::nested("Rsn/Cd", code.as_str())))
        }
        ReportedStatus::Settled | ReportedStatus::Pending => None,
    }
}

fn returns_body(message: &PaymentReturns) -> Element {
    let total = message.returns.iter().map(|returned| returned.amount);
    let head = head(&message.header)
        .with(Element::leaf("NbOfTxs", message.returns.len().to_string()))
        .with_all(total_of(total, "TtlRtrdIntrBkSttlmAmt"))
        .with(day("IntrBkSttlmDt", message.settlement_day))
        .with(settlement());
    Element::new("PmtRtr").with(head).with_all(message.returns.iter().map(returned))
}

fn returned(returned: &InterbankReturn) -> Element {
    let message = returned.message.as_ref().map(|message| {
        Element::new("OrgnlGrpInf")
            .with(Element::leaf("OrgnlMsgId", message.as_str()))
            .with(Element::leaf("OrgnlMsgNmId", TRANSFERS))
    });
    let end_to_end = returned.end_to_end_id.as_ref();
    Element::new("TxInf")
        .with(Element::leaf("RtrId", returned.id.as_str()))
        .with_all(message)
        .with_all(end_to_end.map(|id| Element::leaf("OrgnlEndToEndId", id.as_str())))
        .with(Element::leaf("OrgnlTxId", returned.transfer.as_str()))
        .with_all(returned.original_amount.map(|money| amount("OrgnlIntrBkSttlmAmt", money)))
        .with(amount("RtrdIntrBkSttlmAmt", returned.amount))
        .with(Element::leaf("ChrgBr", "SLEV"))
        .with(
            Element::new("RtrRsnInf")
                .with_all(returned.originator.as_ref().map(originator))
                .with(Element::nested("Rsn/Cd", returned.reason.as_str())),
        )
        .with_all(returned.original.as_deref().map(original))
}

pub(super) fn head(header: &GroupHeader) -> Element {
    Element::new("GrpHdr")
        .with(Element::leaf("MsgId", header.id.as_str()))
        .with(Element::leaf("CreDtTm", format_timestamp(header.sent_at)))
}

fn payment_type() -> Element {
    Element::nested("PmtTpInf/SvcLvl/Cd", "SEPA")
}

fn settlement() -> Element {
    Element::nested("SttlmInf/SttlmMtd", "CLRG")
}

fn agent(name: &str, bic: Option<&Bic>) -> Element {
    let known = match bic {
        Some(bic) => Element::nested("FinInstnId/BICFI", bic.as_str()),
        None => Element::nested("FinInstnId/Othr/Id", NOT_PROVIDED),
    };
    Element::new(name).with(known)
}

fn day(name: &str, day: Date) -> Element {
    Element::leaf(name, format_date(day))
}

fn amount(name: &str, money: Money) -> Element {
    let text = money.to_string();
    let digits = text.split(' ').next().unwrap_or_default();
    Element::leaf(name, digits).with_attribute("Ccy", money.currency.code())
}

/// A sum that overflows is omitted, as the standard allows; the scheme's limits do not allow one.
fn total_of(mut amounts: impl Iterator<Item = Money>, name: &str) -> Option<Element> {
    let first = amounts.next()?;
    let total = amounts.try_fold(first, |sum, next| sum.checked_add(next)).ok()?;
    Some(amount(name, total))
}
