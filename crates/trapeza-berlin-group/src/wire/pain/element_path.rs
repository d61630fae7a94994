//! The paths of the domain's fields in pain.001.

use super::super::field_name;
use trapeza_app::UseCaseError;
use trapeza_domain::field::{Field, FieldPath, PathSegment};

pub const PAYMENT: &str = "CstmrCdtTrfInitn/PmtInf";

/// The path of a field of a transfer, or of the payment to which it belongs; `transfer` is the path of the transfer.
pub fn spell(path: &FieldPath, transfer: &str) -> String {
    let FieldPath::Fields(segments) = path else { return field_name::spell(path) };
    let mut out = match segments.first() {
        Some(PathSegment {
            field: Field::Payments | Field::DebtorAccount | Field::ExecutionDate, ..
        }) => PAYMENT.to_owned(),
        _ => transfer.to_owned(),
    };
    for PathSegment { field, index } in segments {
        let name = match (field, out.ends_with("InstdAmt")) {
            (Field::Currency, true) => "@Ccy",
            (field, _) => element(*field),
        };
        if !name.is_empty() {
            out.push('/');
            out.push_str(name);
        }
        if let Some(index) = index {
            out.push_str(&format!("[{index}]"));
        }
    }
    out
}

/// The element of a field that orders have; empty for any other and for the value of an amount, which is the element's own.
const fn element(field: Field) -> &'static str {
    match field {
        Field::Payments => "CdtTrfTxInf",
        Field::ExecutionDate => "ReqdExctnDt",
        Field::DebtorAccount => "DbtrAcct",
        Field::CreditorAccount => "CdtrAcct",
        Field::Iban => "Id/IBAN",
        Field::Currency => "Ccy",
        Field::EndToEndId => "PmtId/EndToEndId",
        Field::InstructedAmount => "Amt/InstdAmt",
        Field::CreditorAgent => "CdtrAgt/FinInstnId",
        Field::CreditorAgentName => "CdtrAgt/FinInstnId/Nm",
        Field::CreditorName => "Cdtr/Nm",
        Field::CreditorAddress => "Cdtr/PstlAdr",
        Field::BuildingNumber => "BldgNb",
        Field::City => "TwnNm",
        Field::Country => "Ctry",
        Field::PostalCode => "PstCd",
        Field::Street => "StrtNm",
        Field::Remittance => "RmtInf/Ustrd",
        _ => "",
    }
}

/// A refusal of an order that was sent as pain.001: fields of the order are called by their elements.
pub fn with_element_names(error: UseCaseError) -> UseCaseError {
    let UseCaseError::Refused(mut refusal) = error else { return error };
    for error in &mut refusal.errors {
        let outermost = error.path.outermost();
        if outermost.is_some_and(|field| !element(field).is_empty()) {
            error.path = FieldPath::spelled(spell(&error.path, &format!("{PAYMENT}/CdtTrfTxInf[0]")));
        }
    }
    refusal.into()
}
