//! Validation of a payment order: all errors at once, each with its path. Amounts are never rounded, texts never truncated.

use super::{BulkTerms, PaymentService, PaymentTiming};
use crate::clearing::is_sepa_country;
use crate::field::{Field, FieldPath};
use crate::money::{Currency, Money};
use crate::reference::{AccountReference, Bic, Iban, Identifier, Pan, StoredReference};
use crate::refusal::FieldErrors;
use crate::string_enum::string_enum;
use crate::text::is_control_or_bidi;

/// The largest SEPA credit transfer: 999,999,999.99.
const MAX_SEPA_MINOR: i64 = 99_999_999_999;
const MAX_END_TO_END_ID_CHARS: usize = 35;
const MAX_NAME_CHARS: usize = 70;
const MAX_REMITTANCE_CHARS: usize = 140;
const MAX_ADDRESS_CHARS: usize = 70;

string_enum! {
    /// The payment product in the path.
    pub enum PaymentProduct {
        InternalTransfers = "internal-transfers",
        SepaCreditTransfers = "sepa-credit-transfers",
        /// The payee's bank answers within seconds, day and night. The Berlin Group's interface only.
        InstantSepaCreditTransfers = "instant-sepa-credit-transfers",
    }
}

impl PaymentProduct {
    /// The products of the native interface.
    pub const NATIVE: [Self; 2] = [Self::InternalTransfers, Self::SepaCreditTransfers];

    pub fn parse_native(name: &str) -> Option<Self> {
        Self::parse(name).filter(|product| Self::NATIVE.contains(product))
    }

    /// Whether the money goes to another bank, in euro and within SEPA.
    pub const fn is_sepa(self) -> bool {
        matches!(self, Self::SepaCreditTransfers | Self::InstantSepaCreditTransfers)
    }
}

/// Fees per product, in euro cents. Payments in other currencies are free of charge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fees {
    pub internal_minor: i64,
    pub sepa_minor: i64,
}

impl Fees {
    pub fn of(&self, product: PaymentProduct, currency: Currency) -> Money {
        let minor = match product {
            PaymentProduct::InternalTransfers => self.internal_minor,
            PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
                self.sepa_minor
            }
        };
        if currency == Currency::EUR { Money::new(minor, currency) } else { Money::zero(currency) }
    }
}

/// The payee's address as sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    pub building_number: Option<String>,
    pub city: Option<String>,
    pub country: Option<String>,
    pub postal_code: Option<String>,
    pub street: Option<String>,
}

/// The parsed fields of an order; a field that did not parse is `None` and its error is already recorded.
#[derive(Clone, Debug, Default)]
pub struct PaymentOrderFields<'a> {
    pub end_to_end_id: Option<&'a str>,
    pub debtor: Option<AccountReference>,
    pub amount: Option<Money>,
    pub creditor: Option<AccountReference>,
    pub creditor_agent: Option<&'a str>,
    pub creditor_agent_name: Option<&'a str>,
    pub creditor_name: Option<&'a str>,
    pub creditor_address: Option<Address>,
    pub remittance: Option<&'a str>,
    /// When it is executed. The date is compared with the present when the payment is initiated.
    pub timing: PaymentTiming,
}

/// A payment order that is valid by its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentOrder {
    pub product: PaymentProduct,
    pub end_to_end_id: Option<String>,
    pub debtor: AccountReference,
    pub amount: Money,
    /// The payee's account must be an IBAN.
    pub creditor: Iban,
    pub creditor_currency: Option<Currency>,
    pub creditor_agent: Option<Bic>,
    pub creditor_agent_name: Option<String>,
    pub creditor_name: String,
    pub creditor_address: Option<Address>,
    pub remittance: Option<String>,
    pub timing: PaymentTiming,
}

/// A payment order as stored: a card number is its hash and mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentInstruction {
    pub product: PaymentProduct,
    pub end_to_end_id: Option<String>,
    pub debtor: StoredReference,
    pub amount: Money,
    /// The bank's fee, fixed when the payment was initiated.
    pub fee: Money,
    pub creditor: Iban,
    pub creditor_currency: Option<Currency>,
    pub creditor_agent: Option<Bic>,
    pub creditor_agent_name: Option<String>,
    pub creditor_name: String,
    pub creditor_address: Option<Address>,
    pub remittance: Option<String>,
    pub timing: PaymentTiming,
    /// Of a bulk payment, whose amount and fee are the sums of its lines and whose payee is that of its first line.
    pub bulk: Option<BulkTerms>,
}

impl PaymentInstruction {
    /// The service under which third parties find the payment.
    pub const fn service(&self) -> PaymentService {
        match (&self.bulk, self.timing) {
            (Some(_), _) => PaymentService::BulkPayments,
            (None, PaymentTiming::Standing(_)) => PaymentService::PeriodicPayments,
            (None, PaymentTiming::Immediate | PaymentTiming::OnDate(_)) => PaymentService::Payments,
        }
    }
}

impl PaymentOrder {
    /// Validates the fields; with an error in `errors` there is no order.
    pub fn parse(
        product: PaymentProduct,
        parts: PaymentOrderFields<'_>,
        errors: &mut FieldErrors,
    ) -> Option<Self> {
        let mut text = |field: Field, given: Option<&str>, max: usize| check_text(field, given, max, errors);
        let end_to_end_id = text(Field::EndToEndId, parts.end_to_end_id, MAX_END_TO_END_ID_CHARS);
        let creditor_agent_name = text(Field::CreditorAgentName, parts.creditor_agent_name, MAX_NAME_CHARS);
        let creditor_name = text(Field::CreditorName, parts.creditor_name, MAX_NAME_CHARS);
        let remittance = text(Field::Remittance, parts.remittance, MAX_REMITTANCE_CHARS);
        let creditor_agent =
            parts.creditor_agent.and_then(|bic| errors.collect(Field::CreditorAgent, Bic::parse(bic)));
        if let Some(address) = &parts.creditor_address {
            address.check(errors);
        }
        let creditor = parts.creditor.and_then(|creditor| payee(product, &creditor, errors));
        if let Some(amount) = parts.amount {
            check_amount(product, amount, errors);
            let currencies = [
                (Field::DebtorAccount, parts.debtor.as_ref().and_then(|debtor| debtor.currency)),
                (Field::CreditorAccount, creditor.and_then(|(_, currency)| currency)),
            ];
            for (account, currency) in currencies {
                if currency.is_some_and(|currency| currency != amount.currency) {
                    errors.add([account, Field::Currency], "must be the currency of instructedAmount");
                }
            }
        }
        let (debtor, (creditor, creditor_currency)) = (parts.debtor?, creditor?);
        if debtor.identifier == Identifier::Iban(creditor) {
            errors.add(Field::CreditorAccount, "must differ from debtorAccount");
        }
        Some(Self {
            product,
            end_to_end_id,
            debtor,
            amount: parts.amount?,
            creditor,
            creditor_currency,
            creditor_agent,
            creditor_agent_name,
            creditor_name: creditor_name?,
            creditor_address: parts.creditor_address,
            remittance,
            timing: parts.timing,
        })
    }

    pub fn instruction(self, fees: &Fees, hash: impl Fn(&Pan) -> [u8; 32]) -> PaymentInstruction {
        PaymentInstruction {
            fee: fees.of(self.product, self.amount.currency),
            product: self.product,
            end_to_end_id: self.end_to_end_id,
            debtor: self.debtor.to_stored(hash),
            amount: self.amount,
            creditor: self.creditor,
            creditor_currency: self.creditor_currency,
            creditor_agent: self.creditor_agent,
            creditor_agent_name: self.creditor_agent_name,
            creditor_name: self.creditor_name,
            creditor_address: self.creditor_address,
            remittance: self.remittance,
            timing: self.timing,
            bulk: None,
        }
    }
}

impl Address {
    fn check(&self, errors: &mut FieldErrors) {
        for (field, part) in [
            (Field::BuildingNumber, &self.building_number),
            (Field::City, &self.city),
            (Field::Country, &self.country),
            (Field::PostalCode, &self.postal_code),
            (Field::Street, &self.street),
        ] {
            check_text([Field::CreditorAddress, field], part.as_deref(), MAX_ADDRESS_CHARS, errors);
        }
    }
}

/// A text with at least one visible and at most `max` characters.
fn check_text(
    path: impl Into<FieldPath>,
    given: Option<&str>,
    max: usize,
    errors: &mut FieldErrors,
) -> Option<String> {
    let text = given?;
    if text.trim().is_empty() {
        errors.add(path, "must not be empty");
    } else if text.chars().count() > max {
        errors.add(path, format!("must have at most {max} characters"));
    } else if text.chars().any(is_control_or_bidi) {
        errors.add(path, "must not contain control characters");
    } else {
        return Some(text.to_owned());
    }
    None
}

fn payee(
    product: PaymentProduct,
    reference: &AccountReference,
    errors: &mut FieldErrors,
) -> Option<(Iban, Option<Currency>)> {
    match reference.identifier {
        Identifier::Iban(iban) => {
            if product.is_sepa() && !is_sepa_country(&iban) {
                errors.add(
                    [Field::CreditorAccount, Field::Iban],
                    "must be an IBAN of a country that takes part in SEPA",
                );
            }
            Some((iban, reference.currency))
        }
        _ => {
            errors.add(Field::CreditorAccount, "must be given as iban");
            None
        }
    }
}

fn check_amount(product: PaymentProduct, amount: Money, errors: &mut FieldErrors) {
    if !amount.is_positive() {
        errors.add([Field::InstructedAmount, Field::AmountValue], "must be greater than zero");
    }
    if product.is_sepa() {
        if amount.currency != Currency::EUR {
            errors.add([Field::InstructedAmount, Field::Currency], "must be EUR for a SEPA credit transfer");
        } else if amount.minor > MAX_SEPA_MINOR {
            errors.add(
                [Field::InstructedAmount, Field::AmountValue],
                "must be at most 999999999.99 for a SEPA credit transfer",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMOUNT: [Field; 2] = [Field::InstructedAmount, Field::AmountValue];
    const PAYER: &str = "GR1601101250000000012300695";
    const PAYEE: &str = "DE89370400440532013000";

    fn account(iban: &str, currency: Option<Currency>) -> AccountReference {
        AccountReference::iban(Iban::parse(iban).unwrap(), currency)
    }

    fn parts() -> PaymentOrderFields<'static> {
        PaymentOrderFields {
            debtor: Some(account(PAYER, None)),
            amount: Some(Money::new(100, Currency::EUR)),
            creditor: Some(account(PAYEE, None)),
            creditor_name: Some("Anna"),
            ..PaymentOrderFields::default()
        }
    }

    fn faulty(product: PaymentProduct, parts: PaymentOrderFields<'_>) -> Vec<FieldPath> {
        let mut errors = FieldErrors::default();
        let order = PaymentOrder::parse(product, parts, &mut errors);
        match errors.finish() {
            Ok(()) => {
                assert!(order.is_some());
                Vec::new()
            }
            Err(refusal) => refusal.errors.into_iter().map(|error| error.path).collect(),
        }
    }

    #[test]
    fn texts_are_limited_in_length() {
        let good = |length| "ä".repeat(length);
        let (e35, e36, n70, n71, r140, r141) = (good(35), good(36), good(70), good(71), good(140), good(141));
        let with = |e, n, r| PaymentOrderFields {
            end_to_end_id: Some(e),
            creditor_name: Some(n),
            remittance: Some(r),
            ..parts()
        };
        let internal = PaymentProduct::InternalTransfers;
        assert_eq!(faulty(internal, with(&e35, &n70, &r140)), Vec::new());
        assert_eq!(
            faulty(internal, with(&e36, &n71, &r141)),
            [Field::EndToEndId, Field::CreditorName, Field::Remittance].map(FieldPath::from)
        );
        assert_eq!(faulty(internal, with("", " ", "a\nb")).len(), 3);
        assert_eq!(faulty(internal, with("\0", "Anna\u{202e}", "\u{2066}a")).len(), 3);
    }

    #[test]
    fn sepa_transfer_is_in_euro_and_limited() {
        let sepa = PaymentProduct::SepaCreditTransfers;
        let amount =
            |minor, currency| PaymentOrderFields { amount: Some(Money::new(minor, currency)), ..parts() };
        assert_eq!(faulty(sepa, amount(99_999_999_999, Currency::EUR)), Vec::new());
        assert_eq!(faulty(sepa, amount(100_000_000_000, Currency::EUR)), [AMOUNT.into()]);
        assert_eq!(
            faulty(sepa, amount(1, Currency::USD)),
            [[Field::InstructedAmount, Field::Currency].into()]
        );
        assert_eq!(faulty(sepa, amount(0, Currency::EUR)), [AMOUNT.into()]);
        let internal = PaymentProduct::InternalTransfers;
        assert_eq!(faulty(internal, amount(100_000_000_000, Currency::USD)), Vec::new());
    }

    #[test]
    fn sepa_transfer_stays_in_sepa() {
        let to = |iban| PaymentOrderFields { creditor: Some(account(iban, None)), ..parts() };
        let sepa = PaymentProduct::SepaCreditTransfers;
        for (iban, in_sepa) in [
            (PAYEE, true),
            ("RS35260005601001611379", true),
            ("BR1800360305000010009795493C1", false),
            ("AE070331234567890123456", false),
            ("UA213223130000026007233566001", false),
        ] {
            let path = FieldPath::from([Field::CreditorAccount, Field::Iban]);
            let expected = if in_sepa { vec![] } else { vec![path] };
            assert_eq!(faulty(sepa, to(iban)), expected, "{iban}");
            assert_eq!(faulty(PaymentProduct::InternalTransfers, to(iban)), [], "{iban} inside the bank");
        }
    }

    #[test]
    fn currencies_agree_and_the_payee_is_another_iban() {
        let internal = PaymentProduct::InternalTransfers;
        let odd = PaymentOrderFields {
            debtor: Some(account(PAYER, Some(Currency::USD))),
            creditor: Some(account(PAYEE, Some(Currency::CHF))),
            creditor_agent: Some("SHORT"),
            creditor_address: Some(Address { city: Some("x".repeat(71)), ..Address::default() }),
            ..parts()
        };
        assert_eq!(
            faulty(internal, odd),
            [
                Field::CreditorAgent.into(),
                [Field::CreditorAddress, Field::City].into(),
                [Field::DebtorAccount, Field::Currency].into(),
                [Field::CreditorAccount, Field::Currency].into(),
            ]
        );
        let itself = PaymentOrderFields { creditor: Some(account(PAYER, None)), ..parts() };
        assert_eq!(faulty(internal, itself), [Field::CreditorAccount.into()]);
        let card = Identifier::Pan(Pan::parse("4111111111111111").unwrap());
        let card = PaymentOrderFields {
            creditor: Some(AccountReference { identifier: card, currency: None }),
            ..parts()
        };
        assert_eq!(faulty(internal, card), [Field::CreditorAccount.into()]);
    }

    #[test]
    fn instant_transfers_are_no_product_of_the_native_interface() {
        let native = |name| PaymentProduct::parse_native(name);
        assert_eq!(native("internal-transfers"), Some(PaymentProduct::InternalTransfers));
        assert_eq!(native("sepa-credit-transfers"), Some(PaymentProduct::SepaCreditTransfers));
        assert_eq!(native("instant-sepa-credit-transfers"), None);
    }
}
