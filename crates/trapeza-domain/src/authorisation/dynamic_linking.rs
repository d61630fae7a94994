//! Dynamic linking (RTS 2018/389, Art. 5): a digest of what the customer approves. Challenges are bound to it, and it is
//! recomputed from the stored object before the authorisation takes effect, so that the object cannot change in between.
//!
//! Every part is preceded by its length and every list by its count, so that different objects have different inputs.

use super::{Target, TargetKind};
use crate::consent::{Access, AccessOptions, AccessTerms, FundsTerms, OwnerNames, ValidUntil};
use crate::id::{ConsentId, LoanId, PaymentId, SigningBasketId};
use crate::money::Money;
use crate::payment::{BulkTerms, PaymentTiming, StandingOrder};
use crate::reference::{StoredIdentifier, StoredReference};
use crate::time::Timestamp;
use sha2::{Digest, Sha256};

/// The digest that an authorisation is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkingDigest(pub [u8; 32]);

/// The parts of a payment that the customer sees and approves.
#[derive(Clone, Copy, Debug)]
pub struct PaymentLinkingData<'a> {
    pub amount: Money,
    /// The payee's account with its kind as prefix: `iban:GR16…`.
    pub payee_account: &'a str,
    pub payee_name: &'a str,
    pub timing: PaymentTiming,
    /// Of a bulk payment: the amount is the sum of its lines.
    pub bulk: Option<BulkTerms>,
}

/// The parts of an early repayment or a withdrawal that the customer sees and approves.
#[derive(Clone, Copy, Debug)]
pub struct LoanLinkingData<'a> {
    /// What ends the loan: `repayment` or `withdrawal`.
    pub ending: &'a str,
    /// What is debited.
    pub amount: Money,
    /// The IBAN of the account that is debited; empty when what is owed is paid by transfer.
    pub account: &'a str,
    /// When it was shown to the customer.
    pub shown_at: Timestamp,
}

/// Digest of an access consent: accounts, validity, frequency and third party.
pub fn access_consent_digest(id: ConsentId, terms: &AccessTerms, organisation: &str) -> LinkingDigest {
    let mut link = Link::begin(Target::Consent(id));
    link.part(terms.access.scope().name().as_bytes());
    if let Access::Listed(lists) = &terms.access {
        for list in [&lists.accounts, &lists.balances, &lists.transactions] {
            link.number(i64::try_from(list.len()).unwrap_or(i64::MAX));
            list.iter().for_each(|reference| link.reference(reference));
        }
    }
    if let Access::Offered(rights) = &terms.access {
        link.number(i64::from(rights.balances));
        link.number(i64::from(rights.transactions));
    }
    link.number(i64::from(terms.recurring));
    link.until(terms.valid_until);
    link.number(terms.end.0);
    link.number(terms.frequency_per_day);
    link.part(organisation.as_bytes());
    link.options(&terms.options);
    link.finish()
}

/// Digest of a funds consent: account, card and third party.
pub fn funds_consent_digest(id: ConsentId, terms: &FundsTerms, organisation: &str) -> LinkingDigest {
    let mut link = Link::begin(Target::FundsConsent(id));
    link.reference(&terms.account);
    match &terms.card_number {
        Some(card) => link.part(&card.hash),
        None => link.part(b""),
    }
    match terms.card_expiry {
        Some(expiry) => link.until(expiry),
        None => link.part(b""),
    }
    link.part(organisation.as_bytes());
    link.finish()
}

/// Digest of a payment or of its cancellation.
pub fn payment_digest(kind: TargetKind, id: PaymentId, payment: &PaymentLinkingData<'_>) -> LinkingDigest {
    let mut link = Link::begin(Target::new(kind, id.uuid()));
    link.number(payment.amount.minor);
    link.part(payment.amount.currency.code().as_bytes());
    link.part(payment.payee_account.as_bytes());
    link.part(payment.payee_name.as_bytes());
    link.timing(payment.timing);
    if let Some(BulkTerms { count, batch_booking, digest }) = payment.bulk {
        link.part(b"bulk");
        link.number(i64::from(count));
        link.number(i64::from(batch_booking));
        link.part(&digest.0);
    }
    link.finish()
}

/// Digest of a signing basket: the digests of its members in their order.
pub fn signing_basket_digest(id: SigningBasketId, members: &[LinkingDigest]) -> LinkingDigest {
    let mut link = Link::begin(Target::SigningBasket(id));
    link.number(i64::try_from(members.len()).unwrap_or(i64::MAX));
    members.iter().for_each(|member| link.part(&member.0));
    link.finish()
}

/// Digest of an early repayment or a withdrawal.
pub fn loan_digest(id: LoanId, loan: &LoanLinkingData<'_>) -> LinkingDigest {
    let mut link = Link::of("loan", id.as_bytes());
    link.part(loan.ending.as_bytes());
    link.number(loan.amount.minor);
    link.part(loan.amount.currency.code().as_bytes());
    link.part(loan.account.as_bytes());
    link.number(loan.shown_at.0);
    link.finish()
}

struct Link(Sha256);

impl Link {
    /// The target's kind and id come first, so that digests of different purposes differ.
    fn begin(target: Target) -> Self {
        Self::of(target.kind().name(), target.id_bytes())
    }

    fn of(kind: &str, id: &[u8]) -> Self {
        let mut link = Self(Sha256::new());
        link.part(kind.as_bytes());
        link.part(id);
        link
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn number(&mut self, number: i64) {
        self.part(&number.to_be_bytes());
    }

    /// What a consent says besides its accounts, where it says anything.
    fn options(&mut self, options: &AccessOptions<StoredReference>) {
        let count = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        match &options.owner_names {
            OwnerNames::Hidden => {}
            OwnerNames::All => self.part(b"all owner names"),
            OwnerNames::Listed(list) => {
                self.part(b"owner names");
                self.number(count(list.len()));
                list.iter().for_each(|reference| self.reference(reference));
            }
        }
        if !options.restricted_to.is_empty() {
            self.part(b"restricted to");
            self.number(count(options.restricted_to.len()));
            options.restricted_to.iter().for_each(|account_type| self.part(account_type.as_bytes()));
        }
    }

    fn until(&mut self, until: ValidUntil) {
        match until {
            ValidUntil::Date(day) => {
                self.part(b"day");
                self.number(i64::from(day.0));
            }
            ValidUntil::Timestamp(instant) => {
                self.part(b"instant");
                self.number(instant.0);
            }
        }
    }

    fn timing(&mut self, timing: PaymentTiming) {
        match timing {
            PaymentTiming::Immediate => self.part(b""),
            PaymentTiming::OnDate(date) => {
                self.part(b"date");
                self.number(i64::from(date.0));
            }
            PaymentTiming::Standing(order) => {
                let StandingOrder { frequency, start, end, rule, day, months } = order;
                self.part(b"standing");
                self.part(frequency.name().as_bytes());
                self.number(i64::from(start.0));
                self.number(end.map_or(i64::MAX, |end| i64::from(end.0)));
                self.part(rule.name().as_bytes());
                self.number(i64::from(day.unwrap_or(0)));
                self.number(months.bits());
            }
        }
    }

    fn reference(&mut self, reference: &StoredReference) {
        let (kind, value): (&str, &[u8]) = match &reference.identifier {
            StoredIdentifier::Iban(iban) => ("iban", iban.as_str().as_bytes()),
            StoredIdentifier::Bban(bban) => ("bban", bban.as_str().as_bytes()),
            StoredIdentifier::Pan(pan) => ("pan", &pan.hash),
            StoredIdentifier::MaskedPan(masked) => ("maskedPan", masked.as_str().as_bytes()),
            StoredIdentifier::Msisdn(msisdn) => ("msisdn", msisdn.as_str().as_bytes()),
        };
        self.part(kind.as_bytes());
        self.part(value);
        self.part(reference.currency.map_or("", |currency| currency.code()).as_bytes());
    }

    fn finish(self) -> LinkingDigest {
        LinkingDigest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consent::{AccessLists, OfferedRights};
    use crate::money::Currency;
    use crate::payment::{ExecutionRule, Frequency, LinesDigest, Months};
    use crate::reference::{Bban, Iban, MaskedPan, StoredPan};
    use crate::time::Date;
    use uuid::Uuid;

    fn iban(text: &str) -> StoredReference {
        StoredReference { identifier: StoredIdentifier::Iban(Iban::parse(text).unwrap()), currency: None }
    }

    fn terms() -> AccessTerms {
        let lists = AccessLists {
            accounts: vec![iban("GR1601101250000000012300695")],
            balances: Vec::new(),
            transactions: Vec::new(),
        };
        AccessTerms {
            access: Access::Listed(lists),
            options: AccessOptions::default(),
            recurring: true,
            valid_until: ValidUntil::Date(Date(100)),
            end: Timestamp(1),
            frequency_per_day: 4,
            combined_service: false,
        }
    }

    fn all_differ(hashes: &[LinkingDigest]) {
        for (index, one) in hashes.iter().enumerate() {
            assert!(!hashes[index + 1..].contains(one), "the digest at {index} occurs twice");
        }
    }

    fn offered(balances: bool, transactions: bool) -> Access<StoredReference> {
        Access::Offered(OfferedRights { balances, transactions })
    }

    #[test]
    fn access_consent_digest_depends_on_every_approved_field() {
        let id = ConsentId::new(Uuid::from_u128(1));
        let link = |terms: &AccessTerms| access_consent_digest(id, terms, "PSDGR-BOG-1");
        let with = |owner_names, types: &[&str]| {
            let restricted_to = types.iter().map(|name| (*name).to_owned()).collect();
            AccessTerms { options: AccessOptions { owner_names, restricted_to }, ..terms() }
        };
        let Access::Listed(lists) = terms().access else { unreachable!() };
        let moved = AccessLists { accounts: Vec::new(), balances: lists.accounts.clone(), ..lists.clone() };
        let other = AccessLists { accounts: vec![iban("DE89370400440532013000")], ..lists };
        all_differ(&[
            link(&terms()),
            link(&AccessTerms { access: Access::Listed(moved), ..terms() }),
            link(&AccessTerms { access: Access::Listed(other), ..terms() }),
            link(&AccessTerms { access: Access::AllPsd2, ..terms() }),
            link(&AccessTerms { access: Access::AvailableAccounts, ..terms() }),
            link(&AccessTerms { access: offered(false, false), ..terms() }),
            link(&AccessTerms { access: offered(true, false), ..terms() }),
            link(&AccessTerms { access: offered(false, true), ..terms() }),
            link(&with(OwnerNames::All, &[])),
            link(&with(OwnerNames::Listed(vec![iban("DE89370400440532013000")]), &[])),
            link(&with(OwnerNames::Listed(vec![iban("GR1601101250000000012300695")]), &[])),
            link(&with(OwnerNames::Hidden, &["CACC"])),
            link(&with(OwnerNames::Hidden, &["SVGS"])),
            link(&with(OwnerNames::Hidden, &["CACC", "SVGS"])),
            link(&AccessTerms { recurring: false, ..terms() }),
            link(&AccessTerms { valid_until: ValidUntil::Date(Date(101)), ..terms() }),
            link(&AccessTerms { valid_until: ValidUntil::Timestamp(Timestamp(100)), ..terms() }),
            link(&AccessTerms { valid_until: ValidUntil::Timestamp(Timestamp(101)), ..terms() }),
            link(&AccessTerms { end: Timestamp(2), ..terms() }),
            link(&AccessTerms { frequency_per_day: 3, ..terms() }),
            access_consent_digest(id, &terms(), "PSDGR-BOG-2"),
            access_consent_digest(ConsentId::new(Uuid::from_u128(2)), &terms(), "PSDGR-BOG-1"),
        ]);
        assert_eq!(link(&terms()), link(&AccessTerms { combined_service: true, ..terms() }));
    }

    #[test]
    fn funds_consent_digest_depends_on_every_approved_field() {
        let (id, text) = (ConsentId::new(Uuid::from_u128(1)), "DE89370400440532013000");
        let terms = || FundsTerms {
            account: iban(text),
            card_number: None,
            card_expiry: None,
            card_information: None,
            registration_information: None,
        };
        let card = |byte| {
            Some(StoredPan { hash: [byte; 32], masked: MaskedPan::parse("411111******1111").unwrap() })
        };
        let link = |terms: &FundsTerms| funds_consent_digest(id, terms, "PSDGR-BOG-1");
        let identifier = StoredIdentifier::Bban(Bban::parse(text).unwrap());
        let bban = StoredReference { identifier, currency: None };
        let with_currency = StoredReference { currency: Some(Currency::EUR), ..iban(text) };
        all_differ(&[
            link(&terms()),
            link(&FundsTerms { account: iban("GR1601101250000000012300695"), ..terms() }),
            link(&FundsTerms { account: bban, ..terms() }),
            link(&FundsTerms { account: with_currency, ..terms() }),
            link(&FundsTerms { card_number: card(1), ..terms() }),
            link(&FundsTerms { card_number: card(2), ..terms() }),
            link(&FundsTerms { card_expiry: Some(ValidUntil::Date(Date(100))), ..terms() }),
            link(&FundsTerms { card_expiry: Some(ValidUntil::Date(Date(101))), ..terms() }),
            funds_consent_digest(id, &terms(), "PSDGR-BOG-2"),
            funds_consent_digest(ConsentId::new(Uuid::from_u128(2)), &terms(), "PSDGR-BOG-1"),
        ]);
    }

    #[test]
    fn signing_basket_digest_depends_on_every_member_and_their_order() {
        let id = SigningBasketId::new(Uuid::from_u128(1));
        let (one, two) = (LinkingDigest([1; 32]), LinkingDigest([2; 32]));
        all_differ(&[
            signing_basket_digest(id, &[]),
            signing_basket_digest(id, &[one]),
            signing_basket_digest(id, &[two]),
            signing_basket_digest(id, &[one, two]),
            signing_basket_digest(id, &[two, one]),
            signing_basket_digest(SigningBasketId::new(Uuid::from_u128(2)), &[one]),
        ]);
    }

    #[test]
    fn loan_digest_depends_on_every_approved_field() {
        let id = LoanId::new(Uuid::from_u128(1));
        let amount = Money { minor: 100, currency: Currency::EUR };
        let loan = LoanLinkingData { ending: "repayment", amount, account: "GR16", shown_at: Timestamp(1) };
        all_differ(&[
            loan_digest(id, &loan),
            loan_digest(id, &LoanLinkingData { ending: "withdrawal", ..loan }),
            loan_digest(id, &LoanLinkingData { amount: Money { minor: 101, ..amount }, ..loan }),
            loan_digest(id, &LoanLinkingData { amount: Money { currency: Currency::USD, ..amount }, ..loan }),
            loan_digest(id, &LoanLinkingData { account: "GR17", ..loan }),
            loan_digest(id, &LoanLinkingData { shown_at: Timestamp(2), ..loan }),
            loan_digest(LoanId::new(Uuid::from_u128(2)), &loan),
        ]);
    }

    #[test]
    fn payment_digest_depends_on_every_approved_field() {
        let id = PaymentId::new(Uuid::from_u128(1));
        let amount = Money { minor: 100, currency: Currency::EUR };
        let payment = PaymentLinkingData {
            amount,
            payee_account: "iban:A",
            payee_name: "Anna",
            timing: PaymentTiming::Immediate,
            bulk: None,
        };
        let link = |payment| payment_digest(TargetKind::Payment, id, &payment);
        let terms = BulkTerms { count: 2, batch_booking: false, digest: LinesDigest([1; 32]) };
        let bulk = |terms| link(PaymentLinkingData { bulk: Some(terms), ..payment });
        let standing = StandingOrder {
            frequency: Frequency::Monthly,
            start: Date(1),
            end: None,
            rule: ExecutionRule::Following,
            day: None,
            months: Months::default(),
        };
        let repeated = |order| link(PaymentLinkingData { timing: PaymentTiming::Standing(order), ..payment });
        all_differ(&[
            link(payment),
            link(PaymentLinkingData { amount: Money { minor: 101, ..amount }, ..payment }),
            link(PaymentLinkingData { amount: Money { currency: Currency::USD, ..amount }, ..payment }),
            link(PaymentLinkingData { payee_account: "iban:AA", payee_name: "nna", ..payment }),
            link(PaymentLinkingData { payee_account: "iban:B", ..payment }),
            link(PaymentLinkingData { payee_name: "Maria", ..payment }),
            link(PaymentLinkingData { timing: PaymentTiming::OnDate(Date(1)), ..payment }),
            link(PaymentLinkingData { timing: PaymentTiming::OnDate(Date(2)), ..payment }),
            repeated(standing),
            repeated(StandingOrder { frequency: Frequency::Quarterly, ..standing }),
            repeated(StandingOrder { start: Date(2), ..standing }),
            repeated(StandingOrder { end: Some(Date(900)), ..standing }),
            repeated(StandingOrder { rule: ExecutionRule::Preceding, ..standing }),
            repeated(StandingOrder { day: Some(31), ..standing }),
            repeated(StandingOrder { months: Months::of(&[3]).unwrap(), ..standing }),
            bulk(terms),
            bulk(BulkTerms { count: 3, ..terms }),
            bulk(BulkTerms { batch_booking: true, ..terms }),
            bulk(BulkTerms { digest: LinesDigest([2; 32]), ..terms }),
            payment_digest(TargetKind::Cancellation, id, &payment),
            payment_digest(TargetKind::Payment, PaymentId::new(Uuid::from_u128(2)), &payment),
        ]);
    }
}
