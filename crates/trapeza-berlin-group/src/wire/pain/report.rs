//! The status of an order as a message pain.002: 001.03 for an order in pain.001.001.03, 001.10 for one in pain.001.001.09.

use super::document::{NAMESPACE, PainDocument, PainVersion};
use crate::wire::text::{cut, short_id};
use trapeza_app::format_timestamp;
use trapeza_domain::payment::{PaymentRejection, TransactionStatus};
use trapeza_domain::time::Timestamp;
use trapeza_xml::Element;
use uuid::Uuid;

const MAX_NAME_CHARS: usize = 70;
const MAX_REASON_CHARS: usize = 105;

/// The status of an order and of transfers in it.
pub struct PainReport<'a> {
    pub id: Uuid,
    pub created_at: Timestamp,
    /// Who gives the reasons.
    pub bank_name: &'a str,
    pub order: &'a PainDocument,
    pub status: OrderStatus,
    /// The transfers whose status is reported, each with its place in the order, from 0.
    pub transfers: Vec<(usize, OrderStatus)>,
}

/// The status of a payment or of a line of a bulk.
#[derive(Clone, Copy, Debug)]
pub struct OrderStatus {
    pub status: TransactionStatus,
    pub rejection: Option<PaymentRejection>,
}

impl PainReport<'_> {
    /// The message as XML.
    pub fn message(&self) -> String {
        let name = match self.order.version {
            PainVersion::V03 => "pain.002.001.03",
            PainVersion::V09 => "pain.002.001.10",
        };
        let header = Element::new("GrpHdr")
            .with(Element::leaf("MsgId", short_id(self.id)))
            .with(Element::leaf("CreDtTm", format_timestamp(self.created_at)));
        let report = Element::new("CstmrPmtStsRpt").with(header).with(self.group()).with(self.payment());
        Element::new("Document")
            .with_attribute("xmlns", &format!("{NAMESPACE}{name}"))
            .with(report)
            .serialize()
    }

    fn group(&self) -> Element {
        let order = &self.order.message;
        Element::new("OrgnlGrpInfAndSts")
            .with_all(original("OrgnlMsgId", order.text("GrpHdr/MsgId")))
            .with(Element::leaf("OrgnlMsgNmId", self.order.version.name()))
            .with_all(original("OrgnlNbOfTxs", order.text("GrpHdr/NbOfTxs")))
            .with(Element::leaf("GrpSts", self.code(self.status.status)))
    }

    fn payment(&self) -> Element {
        let order = &self.order.message;
        let transfers = order.find("PmtInf").into_iter().flat_map(|payment| payment.all("CdtTrfTxInf"));
        let transfers: Vec<&Element> = transfers.collect();
        let each = self.transfers.iter().filter_map(|(index, status)| {
            transfers.get(*index).map(|transfer| self.transfer(transfer, *status))
        });
        Element::new("OrgnlPmtInfAndSts")
            .with_all(original("OrgnlPmtInfId", order.text("PmtInf/PmtInfId")))
            .with(Element::leaf("PmtInfSts", self.code(self.status.status)))
            .with_all(self.reason(self.status))
            .with_all(each)
    }

    fn transfer(&self, transfer: &Element, status: OrderStatus) -> Element {
        // In 001.03 a transfer cannot be received only.
        let is_shown = !(status.status == TransactionStatus::Rcvd && self.order.version == PainVersion::V03);
        Element::new("TxInfAndSts")
            .with_all(original("OrgnlInstrId", transfer.text("PmtId/InstrId")))
            .with_all(original("OrgnlEndToEndId", transfer.text("PmtId/EndToEndId")))
            .with_all(is_shown.then(|| Element::leaf("TxSts", self.code(status.status))))
            .with_all(self.reason(status))
    }

    /// The code of the message's lists. A cancelled order is rejected with a reason; that it was credited is not in the list of 001.03.
    fn code(&self, status: TransactionStatus) -> &'static str {
        match (status, self.order.version) {
            (TransactionStatus::Canc, _) => TransactionStatus::Rjct.name(),
            (TransactionStatus::Accc, PainVersion::V03) => TransactionStatus::Acsc.name(),
            (status, _) => status.name(),
        }
    }

    fn reason(&self, status: OrderStatus) -> Option<Element> {
        let (code, text) = match (status.status, status.rejection) {
            (TransactionStatus::Canc, _) => ("DS02".to_owned(), "the payment was cancelled"),
            (_, Some(rejection)) => (rejection.iso_code().to_string(), rejection.reason.description()),
            (_, None) => return None,
        };
        let reason = Element::new("StsRsnInf")
            .with(Element::nested("Orgtr/Nm", cut(self.bank_name, MAX_NAME_CHARS)))
            .with(Element::nested("Rsn/Cd", code))
            .with(Element::leaf("AddtlInf", cut(text, MAX_REASON_CHARS)));
        Some(reason)
    }
}

/// A reference of the order.
fn original(name: &str, text: Option<&str>) -> Option<Element> {
    text.map(|text| Element::leaf(name, text))
}
