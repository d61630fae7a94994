//! Serialises messages. The output is deterministic.

use super::super::xml::Element;
use super::{NAMESPACE, NOT_PROVIDED, TRANSFERS, kind};
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::clearing::{
    ClearingMessage, CreditTransfers, GroupHeader, InterbankReturn, InterbankTransfer, PaymentReturns,
    ReportedStatus, StatusReport,
};
use trapeza_domain::money::Money;
use trapeza_domain::payment::Address;
use trapeza_domain::reference::Bic;
use trapeza_domain::time::Date;

pub fn serialize(message: &ClearingMessage) -> String {
    let body = match message {
        ClearingMessage::CreditTransfers(transfers) => transfers_body(transfers),
        ClearingMessage::StatusReport(report) => report_body(report),
        ClearingMessage::PaymentReturns(returns) => returns_body(returns),
    };
    let namespace = format!("{NAMESPACE}{}", kind(message));
    Element::new("Document").with_attribute("xmlns", &namespace).with(body).serialize()
}

fn transfers_body(message: &CreditTransfers) -> Element {
    let total = message.transfers.iter().map(|transfer| transfer.amount);
    let head = head(&message.header)
        .with(Element::leaf("NbOfTxs", message.transfers.len().to_string()))
        .with_all(total_of(total, "TtlIntrBkSttlmAmt"))
        .with(day("IntrBkSttlmDt", message.settlement_day))
        .with(settlement())
        .with(Element::nested("PmtTpInf/SvcLvl/Cd", "SEPA"));
    let transfers = message.transfers.iter().map(transfer);
    Element::new("FIToFICstmrCdtTrf").with(head).with_all(transfers)
}

fn transfer(transfer: &InterbankTransfer) -> Element {
    let end_to_end = transfer.end_to_end_id.as_deref().unwrap_or(NOT_PROVIDED);
    let names = Element::new("PmtId")
        .with(Element::leaf("EndToEndId", end_to_end))
        .with(Element::leaf("TxId", transfer.id.as_str()))
        .with_all(transfer.uetr.as_ref().map(|uetr| Element::leaf("UETR", uetr.as_str())));
    let debtor_account = transfer.debtor.map(|iban| Element::nested("DbtrAcct/Id/IBAN", iban.as_str()));
    let creditor = Element::new("Cdtr")
        .with(Element::leaf("Nm", transfer.creditor_name.as_str()))
        .with_all(transfer.creditor_address.as_ref().map(address));
    let remittance = transfer.remittance.as_ref().map(|text| Element::nested("RmtInf/Ustrd", text.as_str()));
    Element::new("CdtTrfTxInf")
        .with(names)
        .with(amount("IntrBkSttlmAmt", transfer.amount))
        .with(Element::leaf("ChrgBr", "SLEV"))
        .with(Element::nested("Dbtr/Nm", transfer.debtor_name.as_str()))
        .with_all(debtor_account)
        .with(agent("DbtrAgt", transfer.debtor_agent.as_ref()))
        .with(agent("CdtrAgt", transfer.creditor_agent.as_ref()))
        .with(creditor)
        .with(Element::nested("CdtrAcct/Id/IBAN", transfer.creditor.as_str()))
        .with_all(remittance)
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
        .with(Element::leaf("OrgnlMsgId", report.about.as_str()))
        .with(Element::leaf("OrgnlMsgNmId", TRANSFERS))
        .with_all(report.group.map(|reported| Element::leaf("GrpSts", word(reported))))
        .with_all(report.group.and_then(|reported| reason("StsRsnInf", reported)));
    let transfers = report.transfers.iter().map(|(id, reported)| {
        Element::new("TxInfAndSts")
            .with(Element::leaf("OrgnlTxId", id.as_str()))
            .with(Element::leaf("TxSts", word(*reported)))
            .with_all(reason("StsRsnInf", *reported))
    });
    Element::new("FIToFIPmtStsRpt").with(head(&report.header)).with(group).with_all(transfers)
}

const fn word(reported: ReportedStatus) -> &'static str {
    match reported {
        ReportedStatus::Settled => "ACSC",
        ReportedStatus::Rejected(_) => "RJCT",
        ReportedStatus::Pending => "ACSP",
    }
}

fn reason(name: &str, reported: ReportedStatus) -> Option<Element> {
    match reported {
        ReportedStatus::Rejected(code) => {
            Some(Element::new(name).with(Element::nested("Rsn/Cd", code.as_str())))
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
        .with(amount("RtrdIntrBkSttlmAmt", returned.amount))
        .with(Element::leaf("ChrgBr", "SLEV"))
        .with(Element::new("RtrRsnInf").with(Element::nested("Rsn/Cd", returned.reason.as_str())))
}

fn head(header: &GroupHeader) -> Element {
    Element::new("GrpHdr")
        .with(Element::leaf("MsgId", header.id.as_str()))
        .with(Element::leaf("CreDtTm", format_timestamp(header.sent_at)))
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

/// A sum that overflows is omitted, as the standard allows.
fn total_of(mut amounts: impl Iterator<Item = Money>, name: &str) -> Option<Element> {
    let first = amounts.next()?;
    let total = amounts.try_fold(first, |sum, next| sum.checked_add(next)).ok()?;
    Some(amount(name, total))
}
