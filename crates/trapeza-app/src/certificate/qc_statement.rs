//! The QcStatements extension: the PSD2 roles (ETSI TS 119 495 §5.1) and the type of a qualified certificate (ETSI EN 319 412-5
//! §4.2.3).
//!
//! The standard requires one SEQUENCE per role. Some issuers write all roles into one SEQUENCE, object identifier and
//! name in turn, and their certificates are in use; both forms are accepted. Names are ignored, only identifiers
//! count.

use super::CertificateParseError;
use trapeza_domain::application::Role;
use x509_cert::der::asn1::AnyRef;
use x509_cert::der::oid::ObjectIdentifier;
use x509_cert::der::{Decode, Reader, SliceReader, Tag, Tagged};

pub(super) const QC_STATEMENTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.3");
const PSD2_STATEMENT: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.19495.2");
const TYPE_STATEMENT: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6");
const TYPE_SEAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6.2");

const MALFORMED: CertificateParseError =
    CertificateParseError("the certificate's QcStatements extension is malformed");

/// The roles, each once, in the order of [`Role::ALL`]; none without a PSD2 statement.
pub(super) fn roles(extension: &[u8]) -> Result<Vec<Role>, CertificateParseError> {
    let mut found = [false; Role::ALL.len()];
    for info in infos(extension, PSD2_STATEMENT)? {
        // The authority's name and id follow the roles. They are not used, but must be well-formed.
        let parts = members(&info)?;
        roles_mark(parts.first().ok_or(MALFORMED)?, &mut found)?;
    }
    Ok(Role::ALL.into_iter().zip(found).filter_map(|(role, held)| held.then_some(role)).collect())
}

/// Whether the certificate is for electronic seals. A certificate without a type is for electronic signatures (ETSI EN 319 412-5
/// §4.2.3).
pub(super) fn is_seal(extension: &[u8]) -> Result<bool, CertificateParseError> {
    let mut found = false;
    for info in infos(extension, TYPE_STATEMENT)? {
        for item in members(&info)? {
            found |= object_id(&item)? == TYPE_SEAL;
        }
    }
    Ok(found)
}

/// The infos of all statements with an identifier. Each of them must have one.
fn infos(extension: &[u8], kind: ObjectIdentifier) -> Result<Vec<AnyRef<'_>>, CertificateParseError> {
    let mut found = Vec::new();
    for statement in members(&AnyRef::from_der(extension).map_err(|_| MALFORMED)?)? {
        let parts = members(&statement)?;
        let (id, info) = parts.split_first().ok_or(MALFORMED)?;
        if object_id(id)? == kind {
            let [info] = info else { return Err(MALFORMED) };
            found.push(*info);
        }
    }
    Ok(found)
}

fn roles_mark(list: &AnyRef<'_>, found: &mut [bool; Role::ALL.len()]) -> Result<(), CertificateParseError> {
    let items = members(list)?;
    // Pairs directly in the list, without a SEQUENCE, occur as well.
    if items.first().is_some_and(|item| item.tag() == Tag::ObjectIdentifier) {
        return pairs_mark(&items, found);
    }
    for item in &items {
        let pairs = members(item)?;
        if pairs.is_empty() {
            return Err(MALFORMED);
        }
        pairs_mark(&pairs, found)?;
    }
    Ok(())
}

/// Object identifier and name in turn. An unknown identifier gives no role.
fn pairs_mark(
    items: &[AnyRef<'_>],
    found: &mut [bool; Role::ALL.len()],
) -> Result<(), CertificateParseError> {
    for pair in items.chunks(2) {
        let [id, name] = pair else { return Err(MALFORMED) };
        let id = object_id(id)?;
        if !matches!(name.tag(), Tag::Utf8String | Tag::PrintableString | Tag::Ia5String) {
            return Err(MALFORMED);
        }
        if let Some(at) = Role::ALL.into_iter().position(|role| role_id(role) == id) {
            found[at] = true;
        }
    }
    Ok(())
}

fn role_id(role: Role) -> ObjectIdentifier {
    match role {
        Role::AccountServicing => ObjectIdentifier::new_unwrap("0.4.0.19495.1.1"),
        Role::PaymentInitiation => ObjectIdentifier::new_unwrap("0.4.0.19495.1.2"),
        Role::AccountInformation => ObjectIdentifier::new_unwrap("0.4.0.19495.1.3"),
        Role::CardIssuing => ObjectIdentifier::new_unwrap("0.4.0.19495.1.4"),
    }
}

fn object_id(item: &AnyRef<'_>) -> Result<ObjectIdentifier, CertificateParseError> {
    item.decode_as().map_err(|_| MALFORMED)
}

/// The members of a SEQUENCE, up to its last byte.
fn members<'a>(sequence: &AnyRef<'a>) -> Result<Vec<AnyRef<'a>>, CertificateParseError> {
    if sequence.tag() != Tag::Sequence {
        return Err(MALFORMED);
    }
    let mut reader = SliceReader::new(sequence.value()).map_err(|_| MALFORMED)?;
    let mut items = Vec::new();
    while !reader.is_finished() {
        items.push(AnyRef::decode(&mut reader).map_err(|_| MALFORMED)?);
    }
    Ok(items)
}
