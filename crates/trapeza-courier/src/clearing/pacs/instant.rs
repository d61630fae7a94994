//! Messages of instant payments: a credit transfer with the local instrument INST and the time of its acceptance, a status request
//! (pacs.028.001.03), and the answer to both, a pacs.002 about one transaction.

use super::serialize::{head, transfers_body};
use super::{MAX_ID_CHARS, NAMESPACE, REPORT, TRANSFERS};
use trapeza_app::format_timestamp;
use trapeza_domain::clearing::{CreditTransfers, GroupHeader, ReasonCode, ReportedStatus};
use trapeza_domain::time::Timestamp;
use trapeza_xml::{self as xml, Element};

const STATUS_REQUEST: &str = "pacs.028.001.03";

/// The message with one transfer. It was accepted when the message was created.
pub fn serialize_instant(message: &CreditTransfers) -> String {
    let mut body = transfers_body(message);
    let accepted_at = Element::leaf("AccptncDtTm", format_timestamp(message.header.sent_at));
    for part in &mut body.children {
        match part.name.as_str() {
            "GrpHdr" => {
                let kind = part.children.iter_mut().find(|child| child.name == "PmtTpInf");
                if let Some(kind) = kind {
                    kind.children.push(Element::nested("LclInstrm/Cd", "INST"));
                }
            }
            _ => {
                let before = part.children.iter().position(|child| child.name == "ChrgBr").unwrap_or(0);
                part.children.insert(before, accepted_at.clone());
            }
        }
    }
    document(TRANSFERS, body)
}

/// The question what became of the transfer of a message.
pub fn serialize_status_request(message: &CreditTransfers, asked_at: Timestamp) -> String {
    let id = |prefix: &str, id: &str| format!("{prefix}{id}").chars().take(MAX_ID_CHARS).collect::<String>();
    let header = GroupHeader { id: id("028", &message.header.id), sent_at: asked_at };
    let group = Element::new("OrgnlGrpInf")
        .with(Element::leaf("OrgnlMsgId", message.header.id.as_str()))
        .with(Element::leaf("OrgnlMsgNmId", TRANSFERS));
    let transfers = message.transfers.iter().map(|transfer| {
        Element::new("TxInf")
            .with(Element::leaf("StsReqId", id("Q", &transfer.id)))
            .with_all(transfer.end_to_end_id.as_ref().map(|id| Element::leaf("OrgnlEndToEndId", id.as_str())))
            .with(Element::leaf("OrgnlTxId", transfer.id.as_str()))
    });
    let body = Element::new("FIToFIPmtStsReq").with(head(&header)).with(group).with_all(transfers);
    document(STATUS_REQUEST, body)
}

/// The status of the transfer of a message in an answer; `None` when the answer is not about it or is no final one. The scheme
/// confirms an instant payment with ACCP.
pub fn parse_instant_answer(message: &CreditTransfers, answer: &[u8]) -> Option<ReportedStatus> {
    let document = xml::parse(answer).ok()?;
    let namespace = document.attribute("xmlns")?.strip_prefix(NAMESPACE)?;
    let report = document.find("FIToFIPmtStsRpt").filter(|_| namespace == REPORT)?;
    let transfer = message.transfers.first()?;
    let found =
        report.all("TxInfAndSts").find(|found| found.text("OrgnlTxId") == Some(transfer.id.as_str()))?;
    let original_message_id =
        report.text("OrgnlGrpInfAndSts/OrgnlMsgId").or_else(|| found.text("OrgnlGrpInf/OrgnlMsgId"));
    if original_message_id != Some(message.header.id.as_str()) {
        return None;
    }
    match found.text("TxSts")? {
        "ACCP" | "ACSC" | "ACCC" => Some(ReportedStatus::Settled),
        "RJCT" => {
            let code = found.text("StsRsnInf/Rsn/Cd").and_then(ReasonCode::parse);
            Some(ReportedStatus::Rejected(code.unwrap_or(ReasonCode::NARRATIVE)))
        }
        _ => None,
    }
}

fn document(kind: &str, body: Element) -> String {
    let namespace = format!("{NAMESPACE}{kind}");
    Element::new("Document").with_attribute("xmlns", &namespace).with(body).serialize()
}

#[cfg(test)]
mod tests {
    use super::super::conformance::problems;
    use super::*;
    use trapeza_domain::clearing::InterbankTransfer;
    use trapeza_domain::money::{Currency, Money};
    use trapeza_domain::reference::{Bic, Iban};
    use trapeza_domain::time::Date;

    fn message() -> CreditTransfers {
        let agent = Some(Bic::parse("COBADEFF").unwrap());
        let transfer = InterbankTransfer {
            id: "t".repeat(32),
            end_to_end_id: Some("INSTANT-7".to_owned()),
            amount: Money::new(1_234, Currency::EUR),
            debtor_name: "Jonas".to_owned(),
            debtor: Some(Iban::parse("GR1601101250000000012300695").unwrap()),
            debtor_agent: agent.clone(),
            creditor_name: "Anna".to_owned(),
            creditor: "DE89370400440532013000".to_owned(),
            creditor_agent: agent,
            creditor_address: None,
            ultimate_debtor: None,
            ultimate_creditor: None,
            purpose: None,
            remittance: None,
            creditor_reference: None,
        };
        let header = GroupHeader { id: "m".repeat(32), sent_at: Timestamp(1_800_000_000_000_000) };
        CreditTransfers { header, settlement_day: Date(20_772), transfers: vec![transfer] }
    }

    #[test]
    fn instant_messages_have_the_structure_of_the_standard() {
        let text = serialize_instant(&message());
        assert_eq!(problems(&text), Vec::<String>::new(), "{text}");
        assert!(text.contains("<Cd>INST</Cd>") && text.contains("<AccptncDtTm>"), "{text}");
        let text = serialize_status_request(&message(), Timestamp(1_800_000_010_000_000));
        assert_eq!(problems(&text), Vec::<String>::new(), "{text}");
    }

    #[test]
    fn answer_about_another_transfer_or_without_a_final_status_is_none() {
        let answer = |original_message_id: &str, id: &str, status: &str| {
            let reason = "<StsRsnInf><Rsn><Cd>AC04</Cd></Rsn></StsRsnInf>";
            let text = format!(
                "<Document xmlns=\"{NAMESPACE}{REPORT}\"><FIToFIPmtStsRpt><GrpHdr/><OrgnlGrpInfAndSts><OrgnlMsgId>{original_message_id}</OrgnlMsgId>\
                 </OrgnlGrpInfAndSts><TxInfAndSts><OrgnlTxId>{id}</OrgnlTxId><TxSts>{status}</TxSts>{reason}</TxInfAndSts>\
                 </FIToFIPmtStsRpt></Document>"
            );
            parse_instant_answer(&message(), text.as_bytes())
        };
        let (original_message_id, id) = ("m".repeat(32), "t".repeat(32));
        for status in ["ACCP", "ACSC", "ACCC"] {
            assert_eq!(answer(&original_message_id, &id, status), Some(ReportedStatus::Settled), "{status}");
        }
        let closed = ReportedStatus::Rejected(ReasonCode::ACCOUNT_CLOSED);
        assert_eq!(answer(&original_message_id, &id, "RJCT"), Some(closed));
        for (original_message_id, id, status) in [
            (&original_message_id, &id, "PDNG"),
            (&id, &id, "ACSC"),
            (&original_message_id, &original_message_id, "ACSC"),
        ] {
            assert_eq!(answer(original_message_id, id, status), None, "{status}");
        }
        assert_eq!(parse_instant_answer(&message(), b"{}"), None);
    }
}
