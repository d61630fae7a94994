//! An entry of a camt message. The versions differ in the status, in the amounts of its parts and in the parties.

use super::{sign, unsigned};
use crate::wire::text::{cut, short_id};
use trapeza_app::account_information::{
    EntryAccount, EntryAccountKind, EntryExchange, EntryFields, EntryParty, TransactionView,
};
use trapeza_app::{Zone, format_date, format_timestamp};
use trapeza_domain::money::Money;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_http::CamtVersion;
use trapeza_xml::Element;

pub struct EntryWriter<'a> {
    pub version: CamtVersion,
    pub zone: &'a Zone,
}

impl EntryWriter<'_> {
    pub fn entry(&self, transaction: &TransactionView<'_>) -> Element {
        let (details, amount) = (&transaction.details, transaction.amount);
        let id = short_id(transaction.id);
        // Only a booked entry can be asked for by its reference.
        let reference = transaction.booking_day.map(|_| Element::leaf("NtryRef", id.as_str()));
        let booked = transaction.booking_day.map(|day| Element::nested("BookgDt/Dt", format_date(day)));
        let code = details.bank_transaction_code;
        let own_code = text("Cd", details.proprietary_code, 35);
        let own_code = own_code.unwrap_or_else(|| Element::leaf("Cd", cut(details.event, 35)));
        Element::new("Ntry")
            .with_all(reference)
            .with(unsigned("Amt", amount))
            .with(sign(amount))
            .with(self.status(if transaction.booking_day.is_some() { "BOOK" } else { "PDNG" }))
            .with_all(booked)
            .with(Element::nested("ValDt/Dt", format_date(details.value_day)))
            .with(Element::leaf("AcctSvcrRef", id))
            .with(transaction_code(code, own_code))
            .with(self.details(transaction))
            .with_all(text("AddtlNtryInf", details.additional_information, 500))
    }

    fn status(&self, code: &str) -> Element {
        match self.version {
            CamtVersion::V02 => Element::leaf("Sts", code),
            CamtVersion::V08 => Element::nested("Sts/Cd", code),
        }
    }

    /// The payments of a batch, or the one payment.
    fn details(&self, transaction: &TransactionView<'_>) -> Element {
        let (amount, details) = (transaction.amount, &transaction.details);
        if details.batch_parts().is_empty() {
            return Element::new("NtryDtls").with(self.part(amount, &details.particulars));
        }
        let batch = Element::new("Btch")
            .with(Element::leaf("NbOfTxs", details.batch_parts().len().to_string()))
            .with(unsigned("TtlAmt", amount))
            .with(sign(amount));
        let parts = details.batch_parts().iter().map(|part| self.part(part.amount, &part.particulars));
        Element::new("NtryDtls").with(batch).with_all(parts)
    }

    fn part(&self, amount: Money, fields: &EntryFields<'_>) -> Element {
        let references = Element::new("Refs")
            .with_all(text("EndToEndId", fields.end_to_end_id, 35))
            .with_all(text("MndtId", fields.rare().mandate_id, 35))
            .with_all(text("ChqNb", fields.rare().check_id, 35));
        let parties = Element::new("RltdPties")
            .with_all(self.party("Dbtr", fields.debtor.name, None))
            .with_all(account("DbtrAcct", &fields.debtor))
            .with_all(self.party("UltmtDbtr", fields.rare().ultimate_debtor, None))
            .with_all(self.party("Cdtr", fields.creditor.name, fields.rare().creditor_id))
            .with_all(account("CdtrAcct", &fields.creditor))
            .with_all(self.party("UltmtCdtr", fields.rare().ultimate_creditor, None));
        let purpose = fields.purpose.and_then(PurposeCode::from_index);
        Element::new("TxDtls")
            .with_all(filled(references))
            .with_all(self.amounts(amount, fields.rare().exchanges.first()))
            .with_all(filled(parties))
            .with_all(purpose.map(|code| Element::nested("Purp/Cd", code.name())))
            .with_all(remittance(fields))
    }

    /// The amount of a payment. The older version has it among the details alone.
    fn amounts(&self, amount: Money, exchange: Option<&EntryExchange<'_>>) -> Vec<Element> {
        let exchange = exchange.and_then(|exchange| self.exchange(exchange));
        let plain = match self.version {
            CamtVersion::V02 => None,
            CamtVersion::V08 => Some([unsigned("Amt", amount), sign(amount)]),
        };
        let has_details = plain.is_none() || exchange.is_some();
        let details = has_details.then(|| {
            let amount = Element::new("TxAmt").with(unsigned("Amt", amount)).with_all(exchange);
            Element::new("AmtDtls").with(amount)
        });
        plain.into_iter().flatten().chain(details).collect()
    }

    /// A rate that the schema cannot express, with more than eleven digits, is left out with its exchange.
    fn exchange(&self, exchange: &EntryExchange<'_>) -> Option<Element> {
        let rate = exchange.rate;
        let digits = rate.bytes().filter(u8::is_ascii_digit).count();
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_decimal = rate.splitn(2, '.').all(is_number);
        let quoted_at = format_timestamp(self.zone.start_of(exchange.quotation_day));
        (is_decimal && digits <= 11).then(|| {
            Element::new("CcyXchg")
                .with(Element::leaf("SrcCcy", exchange.source))
                .with(Element::leaf("TrgtCcy", exchange.target))
                .with(Element::leaf("UnitCcy", exchange.unit))
                .with(Element::leaf("XchgRate", rate))
                .with_all(text("CtrctId", exchange.contract, 35))
                .with(Element::leaf("QtnDt", quoted_at))
        })
    }

    /// A party; the creditor of a direct debit also has an id.
    fn party(&self, name: &str, holder: Option<&str>, id: Option<&str>) -> Option<Element> {
        let id = text("Id", id, 35).map(|id| {
            let other = Element::new("Othr").with(id).with(Element::nested("SchmeNm/Prtry", "SEPA"));
            Element::new("Id").with(Element::new("PrvtId").with(other))
        });
        let fields: Vec<Element> = text("Nm", holder, 140).into_iter().chain(id).collect();
        let party = match self.version {
            CamtVersion::V02 => Element::new(name).with_all(fields),
            CamtVersion::V08 => Element::new(name).with_all(filled(Element::new("Pty").with_all(fields))),
        };
        filled(party)
    }
}

/// `PMNT-ICDT-ESCT` is a domain, a family and a subfamily. The bank's own code stands beside it.
fn transaction_code(code: Option<&str>, own: Element) -> Element {
    let mut parts = code.into_iter().flat_map(|code| code.splitn(3, '-'));
    let domain = match (parts.next(), parts.next(), parts.next()) {
        (Some(domain), Some(family), Some(subfamily)) => {
            let family = Element::new("Fmly")
                .with(Element::leaf("Cd", cut(family, 4)))
                .with(Element::leaf("SubFmlyCd", cut(subfamily, 4)));
            Some(Element::new("Domn").with(Element::leaf("Cd", cut(domain, 4))).with(family))
        }
        _ => None,
    };
    Element::new("BkTxCd").with_all(domain).with(Element::new("Prtry").with(own))
}

fn account(name: &str, party: &EntryParty<'_>) -> Option<Element> {
    let EntryAccount { kind, text: number, .. } = party.account.as_ref()?;
    let id = match kind {
        EntryAccountKind::Iban => Element::leaf("IBAN", number.as_ref()),
        EntryAccountKind::Bban | EntryAccountKind::MaskedPan | EntryAccountKind::Msisdn => {
            Element::new("Othr").with(text("Id", Some(number), 34)?)
        }
    };
    Some(Element::new(name).with(Element::new("Id").with(id)))
}

/// A reference has 35 characters at most; a longer one is additional information.
fn remittance(fields: &EntryFields<'_>) -> Option<Element> {
    let structured = fields.rare().remittance_structured.map(trimmed).unwrap_or_default();
    let reference = match structured.chars().count() {
        1..=35 => Some(Element::nested("CdtrRefInf/Ref", structured)),
        _ => text("AddtlRmtInf", Some(structured), 140),
    };
    let structured = reference.map(|reference| Element::new("Strd").with(reference));
    let plain = text("Ustrd", fields.remittance_unstructured, 140);
    filled(Element::new("RmtInf").with_all(plain).with_all(structured))
}

/// A text of limited length; the schema allows no empty one.
pub fn text(name: &str, text: Option<&str>, max: usize) -> Option<Element> {
    let text = cut(trimmed(text?), max);
    (!text.is_empty()).then(|| Element::leaf(name, text))
}

/// Without what is written as a space at its ends.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// An element that has children.
fn filled(element: Element) -> Option<Element> {
    (!element.children.is_empty()).then_some(element)
}
