//! A credit transfer of a message.

use super::content::{self, MAX_ID_CHARS};
use super::document::PainVersion;
use super::element_path::spell;
use super::node::Node;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::{Address, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentTiming};
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_xml::plain_decimal;

/// What a payer writes who has no reference, and for a bank that is not named.
const NOT_PROVIDED: &str = "NOTPROVIDED";
const MAX_NAME_CHARS: usize = 140;
const MAX_AMOUNT_CHARS: usize = 20;

/// Reads a transfer, which is paid from the payment's account.
pub fn order(
    product: PaymentProduct,
    transfer: &Node<'_>,
    debtor: Option<&AccountReference>,
) -> Option<PaymentOrder> {
    transfer.check(content::TRANSFER);
    check_conditions(product, transfer);
    let ids = transfer.open("PmtId", content::PAYMENT_ID);
    if let Some(ids) = &ids {
        ids.text("InstrId", MAX_ID_CHARS);
    }
    let creditor = transfer.open("Cdtr", content::CREDITOR);
    let agent = transfer.open("CdtrAgt", content::AGENT);
    let institution = agent.and_then(|agent| agent.open("FinInstnId", content::INSTITUTION));
    let institution = institution.as_ref();
    let bic = match transfer.version {
        PainVersion::V03 => "BIC",
        PainVersion::V09 => "BICFI",
    };
    if let Some(other) = institution.and_then(|found| found.open("Othr", content::OTHER_ID)) {
        other.one_of("Id", &[NOT_PROVIDED]);
    }
    let parts = PaymentOrderFields {
        end_to_end_id: ids
            .and_then(|ids| ids.text("EndToEndId", MAX_ID_CHARS))
            .filter(|id| *id != NOT_PROVIDED),
        // The currency of the account is compared once.
        debtor: debtor.map(|debtor| AccountReference { currency: None, ..debtor.clone() }),
        amount: amount(transfer),
        creditor: account(transfer, "CdtrAcct"),
        creditor_agent: institution.and_then(|found| found.text(bic, MAX_ID_CHARS)),
        creditor_agent_name: institution.and_then(|found| found.text("Nm", MAX_NAME_CHARS)),
        creditor_name: creditor.as_ref().and_then(|creditor| creditor.text("Nm", MAX_NAME_CHARS)),
        creditor_address: creditor.as_ref().and_then(address),
        remittance: remittance(transfer),
        timing: PaymentTiming::Immediate,
    };
    let parse = |errors: &mut _| PaymentOrder::parse(product, parts, errors);
    let order = transfer.validate(|field| spell(field, &transfer.path), parse)?;
    Some(PaymentOrder { debtor: debtor?.clone(), ..order })
}

/// Checks the service level and who bears the charges, which a payment or a transfer may say, against what SEPA prescribes.
pub fn check_conditions(product: PaymentProduct, node: &Node<'_>) {
    node.one_of("ChrgBr", &["SLEV", "SHAR"]);
    let Some(kind) = node.open("PmtTpInf", content::PAYMENT_TYPE) else { return };
    kind.one_of("InstrPrty", &["NORM"]);
    for level in kind.all("SvcLvl") {
        level.check(content::CODE);
        level.one_of("Cd", &["SEPA"]);
    }
    if let Some(instrument) = kind.open("LclInstrm", content::CODE) {
        match product {
            PaymentProduct::InstantSepaCreditTransfers => instrument.one_of("Cd", &["INST"]),
            _ => instrument.unsupported("is not supported for this product; remove it"),
        }
    }
}

/// An account by its IBAN.
pub fn account(parent: &Node<'_>, name: &str) -> Option<AccountReference> {
    let account = parent.open(name, content::ACCOUNT)?;
    let currency = account.parsed("Ccy", 3, Currency::parse);
    let id = account.open("Id", content::ACCOUNT_ID)?;
    if !id.has("IBAN") && !id.has("Othr") {
        id.error("must contain an IBAN");
    }
    Some(AccountReference::iban(id.parsed("IBAN", 34, Iban::parse)?, currency))
}

fn amount(transfer: &Node<'_>) -> Option<Money> {
    let amount = transfer.open("Amt", content::AMOUNT)?;
    let Some(instructed) = amount.child("InstdAmt") else {
        if !amount.has("EqvtAmt") {
            amount.error("must contain an InstdAmt");
        }
        return None;
    };
    let text = instructed.own_text(MAX_AMOUNT_CHARS, &["Ccy"]);
    let currency = instructed.attribute("Ccy").ok_or("must have a currency in Ccy").and_then(Currency::parse);
    let currency = currency.map_err(|text| instructed.error(text)).ok()?;
    let Some(plain) = plain_decimal(text?) else {
        instructed.error("must be an amount such as 10.00");
        return None;
    };
    Money::parse(&plain, currency).map_err(|text| instructed.error(text)).ok()
}

fn remittance<'a>(transfer: &Node<'a>) -> Option<&'a str> {
    let information = transfer.open("RmtInf", content::REMITTANCE)?;
    let texts = information.all("Ustrd");
    let [only] = texts.as_slice() else {
        if let Some(first) = texts.first() {
            first.unsupported("must not be repeated");
        }
        return None;
    };
    only.own_text(MAX_NAME_CHARS, &[])
}

/// The structured address of the payee. Lines of text and an address without a country have no place in an order.
fn address(creditor: &Node<'_>) -> Option<Address> {
    let address = creditor.open("PstlAdr", content::ADDRESS)?;
    let part = |name, max| address.text(name, max).map(str::to_owned);
    let country = address.parsed("Ctry", 2, |text| {
        let is_country = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_country.then(|| text.to_owned()).ok_or("must be two letters of ISO 3166-1, for example GR")
    });
    let found = Address {
        building_number: part("BldgNb", 16),
        city: part("TwnNm", 35),
        postal_code: part("PstCd", 16),
        street: part("StrtNm", 70),
        country,
    };
    found.country.is_some().then_some(found)
}
