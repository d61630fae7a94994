//! The posting table: which accounts each business event debits and credits. Use cases name the event, the parties and the
//! amounts; only this table chooses accounts.

use super::account::{LedgerAccountId, LedgerAccountKind};
use super::balance::LedgerError;
use crate::money::{Currency, Money, MoneyError};
use crate::string_enum::string_enum;

string_enum! {
    /// Every event that moves or holds money.
    pub enum LedgerEvent {
        OpeningBalance = "opening_balance",
        OpeningClearing = "opening_clearing",
        InternalTransfer = "internal_transfer",
        SepaOutAccepted = "sepa_out_accepted",
        SepaOutSettled = "sepa_out_settled",
        SepaOutRejected = "sepa_out_rejected",
        SepaOutCancelled = "sepa_out_cancelled",
        SepaOutUnanswered = "sepa_out_silent",
        SepaOutReturned = "sepa_out_returned",
        /// The lines of a bulk that the payer wishes in one entry are debited together; each goes on from clearing in transit.
        BatchDebited = "batch_debited",
        BatchFeeDebited = "batch_fee_debited",
        BatchLineCredited = "batch_line_credited",
        /// A line pays to the collection account.
        BatchLineLoanTransfer = "batch_line_loan_transfer",
        BatchLineSettled = "batch_line_settled",
        BatchLineRejected = "batch_line_rejected",
        /// Clearing settled an instant payment that was rejected at its deadline: the bank has paid without debiting the payer.
        InstantOutLate = "instant_out_late",
        /// The payee's bank returned such a payment.
        InstantOutLateReturned = "instant_out_late_returned",
        SepaIn = "sepa_in",
        SepaInUnknown = "sepa_in_unknown",
        SepaInUnknownReturned = "sepa_in_unknown_returned",
        /// Money on the suspense account is booked to the account that staff found for it.
        SuspenseAssigned = "suspense_assigned",
        FeeCharged = "fee_charged",
        CardAuthorised = "card_authorised",
        CardCleared = "card_cleared",
        CardReversed = "card_reversed",
        CardInvoiced = "card_invoiced",
        LoanApproved = "loan_approved",
        InterestDue = "interest_due",
        InstallmentCollected = "installment_collected",
        LoanWithdrawn = "loan_withdrawn",
        /// A customer of this bank pays to the collection account.
        LoanTransferInternal = "loan_transfer_internal",
        /// Money on the suspense account is assigned to the loan that its reference names.
        LoanTransferAssigned = "loan_transfer_assigned",
        MerchantRefund = "merchant_refund",
        RefundReturned = "refund_returned",
        InterestWaived = "interest_waived",
        /// A payout to the merchant's account at another bank was accepted; a rejection releases the hold like any other.
        MerchantPayoutAccepted = "merchant_payout_accepted",
        MerchantPayoutSettled = "merchant_payout_settled",
        MerchantPayoutReturned = "merchant_payout_returned",
        /// A payout to the merchant's account at this bank.
        MerchantPayoutInternal = "merchant_payout_internal",
        LoanWrittenOff = "loan_written_off",
        /// Staff move an amount by hand; [`super::manual`] lists the pairs of accounts.
        ManualPosting = "manual_posting",
        ManualPostingReversed = "manual_posting_reversed",
    }
}

/// What an event does to its hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldAction {
    /// There is no hold.
    None,
    /// Places a hold of amount and fee on this party's account.
    Place(PostingRole),
    Capture,
    Release,
    /// Leaves the hold as it is: only an answer from clearing ends it, never a timer.
    Keep,
}

/// Whose account a leg uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostingRole {
    Payer,
    Payee,
    Card,
    Merchant,
    LoanPrincipal,
    LoanInterest,
    /// The bank's own account of this kind in the amount's currency.
    Bank(LedgerAccountKind),
    /// The account that staff debit or credit by hand.
    ManualDebit,
    ManualCredit,
}

impl PostingRole {
    /// `None` for accounts that staff choose.
    pub const fn kind(self) -> Option<LedgerAccountKind> {
        Some(match self {
            Self::Payer | Self::Payee => LedgerAccountKind::Customer,
            Self::Card => LedgerAccountKind::Card,
            Self::Merchant => LedgerAccountKind::Merchant,
            Self::LoanPrincipal => LedgerAccountKind::LoanPrincipal,
            Self::LoanInterest => LedgerAccountKind::LoanInterest,
            Self::Bank(kind) => kind,
            Self::ManualDebit | Self::ManualCredit => return None,
        })
    }
}

/// Which amount of an event a leg carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AmountComponent {
    Amount,
    AmountLessDiscount,
    Fee,
    Interest,
    Discount,
}

/// One transfer of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    pub debit: PostingRole,
    pub credit: PostingRole,
    pub part: AmountComponent,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub hold: HoldAction,
    pub legs: &'static [Leg],
}

macro_rules! legs {
    ($($debit:ident => $credit:ident $part:ident),*) => {
        &[$(Leg { debit: $debit, credit: $credit, part: AmountComponent::$part }),*]
    };
}

const CLEARING: PostingRole = PostingRole::Bank(LedgerAccountKind::ClearingSettlement);
const TRANSIT: PostingRole = PostingRole::Bank(LedgerAccountKind::ClearingTransit);
const SUSPENSE: PostingRole = PostingRole::Bank(LedgerAccountKind::Suspense);
const EQUITY: PostingRole = PostingRole::Bank(LedgerAccountKind::OpeningEquity);
const FEES: PostingRole = PostingRole::Bank(LedgerAccountKind::Fees);
const INTEREST_INCOME: PostingRole = PostingRole::Bank(LedgerAccountKind::InterestIncome);
const DISCOUNT: PostingRole = PostingRole::Bank(LedgerAccountKind::MerchantDiscount);
const CREDIT_LOSS: PostingRole = PostingRole::Bank(LedgerAccountKind::CreditLoss);

impl LedgerEvent {
    /// The table.
    pub const fn rule(self) -> Rule {
        use HoldAction as H;
        use PostingRole::{
            Card, LoanInterest, LoanPrincipal, ManualCredit, ManualDebit, Merchant, Payee, Payer,
        };
        let (hold, legs): (H, &'static [Leg]) = match self {
            Self::OpeningBalance => (H::None, legs![EQUITY => Payee Amount]),
            Self::OpeningClearing => (H::None, legs![EQUITY => CLEARING Amount]),
            Self::InternalTransfer => (H::None, legs![Payer => Payee Amount, Payer => FEES Fee]),
            Self::SepaOutAccepted => (H::Place(Payer), legs![]),
            Self::SepaOutSettled => {
                (H::Capture, legs![Payer => TRANSIT Amount, TRANSIT => CLEARING Amount, Payer => FEES Fee])
            }
            Self::SepaOutRejected | Self::SepaOutCancelled => (H::Release, legs![]),
            Self::SepaOutUnanswered => (H::Keep, legs![]),
            Self::SepaOutReturned => (H::None, legs![CLEARING => Payer Amount]),
            Self::BatchDebited => (H::None, legs![Payer => TRANSIT Amount]),
            Self::BatchFeeDebited => (H::None, legs![Payer => TRANSIT Fee]),
            Self::BatchLineCredited => (H::None, legs![TRANSIT => Payee Amount, TRANSIT => FEES Fee]),
            Self::BatchLineLoanTransfer => (H::None, legs![TRANSIT => SUSPENSE Amount, TRANSIT => FEES Fee]),
            Self::BatchLineSettled => (H::None, legs![TRANSIT => CLEARING Amount, TRANSIT => FEES Fee]),
            Self::BatchLineRejected => (H::None, legs![TRANSIT => Payer Amount, TRANSIT => Payer Fee]),
            Self::InstantOutLate => (H::None, legs![SUSPENSE => CLEARING Amount]),
            Self::InstantOutLateReturned => (H::None, legs![CLEARING => SUSPENSE Amount]),
            Self::SepaIn => (H::None, legs![CLEARING => Payee Amount]),
            Self::SepaInUnknown => (H::None, legs![CLEARING => SUSPENSE Amount]),
            Self::SepaInUnknownReturned => (H::None, legs![SUSPENSE => CLEARING Amount]),
            Self::SuspenseAssigned => (H::None, legs![SUSPENSE => Payee Amount]),
            Self::FeeCharged => (H::None, legs![Payer => FEES Fee]),
            Self::CardAuthorised => (H::Place(Card), legs![]),
            Self::CardCleared => (H::Capture, legs![Card => CLEARING Amount]),
            Self::CardReversed => (H::Release, legs![]),
            Self::CardInvoiced => (H::None, legs![Payer => Card Amount]),
            Self::LoanApproved => (
                H::None,
                legs![LoanPrincipal => Merchant AmountLessDiscount, LoanPrincipal => DISCOUNT Discount],
            ),
            Self::InterestDue => (H::None, legs![LoanInterest => INTEREST_INCOME Interest]),
            // Interest first, so that the remainder of a partial payment reduces the principal.
            Self::InstallmentCollected => {
                (H::None, legs![Payer => LoanInterest Interest, Payer => LoanPrincipal Amount])
            }
            Self::LoanWithdrawn => {
                (H::None, legs![Payer => LoanPrincipal Amount, Payer => LoanInterest Interest])
            }
            Self::LoanTransferInternal => (H::None, legs![Payer => SUSPENSE Amount, Payer => FEES Fee]),
            Self::LoanTransferAssigned => {
                (H::None, legs![SUSPENSE => LoanInterest Interest, SUSPENSE => LoanPrincipal Amount])
            }
            // The reverse of the grant: the merchant returns what it received, the bank its discount.
            Self::MerchantRefund => (
                H::None,
                legs![Merchant => LoanPrincipal AmountLessDiscount, DISCOUNT => LoanPrincipal Discount],
            ),
            Self::RefundReturned => (H::None, legs![LoanPrincipal => Payee Amount]),
            Self::InterestWaived => (H::None, legs![INTEREST_INCOME => LoanInterest Interest]),
            Self::MerchantPayoutAccepted => (H::Place(Merchant), legs![]),
            Self::MerchantPayoutSettled => {
                (H::Capture, legs![Merchant => TRANSIT Amount, TRANSIT => CLEARING Amount])
            }
            Self::MerchantPayoutReturned => (H::None, legs![CLEARING => Merchant Amount]),
            Self::MerchantPayoutInternal => (H::None, legs![Merchant => Payee Amount]),
            Self::LoanWrittenOff => (H::None, legs![CREDIT_LOSS => LoanPrincipal Amount]),
            Self::ManualPosting | Self::ManualPostingReversed => {
                (H::None, legs![ManualDebit => ManualCredit Amount])
            }
        };
        Rule { hold, legs }
    }
}

/// The accounts of an event's parties; the bank's own accounts are found by their kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parties {
    pub payer: Option<LedgerAccountId>,
    pub payee: Option<LedgerAccountId>,
    pub card: Option<LedgerAccountId>,
    pub merchant: Option<LedgerAccountId>,
    pub loan_principal: Option<LedgerAccountId>,
    pub loan_interest: Option<LedgerAccountId>,
    pub manual_debit: Option<LedgerAccountId>,
    pub manual_credit: Option<LedgerAccountId>,
}

impl Parties {
    pub const NONE: Self = Self {
        payer: None,
        payee: None,
        card: None,
        merchant: None,
        loan_principal: None,
        loan_interest: None,
        manual_debit: None,
        manual_credit: None,
    };

    /// The account in this role; `None` for the bank's own.
    pub fn account(&self, role: PostingRole) -> Result<Option<LedgerAccountId>, LedgerError> {
        let party = match role {
            PostingRole::Payer => self.payer,
            PostingRole::Payee => self.payee,
            PostingRole::Card => self.card,
            PostingRole::Merchant => self.merchant,
            PostingRole::LoanPrincipal => self.loan_principal,
            PostingRole::LoanInterest => self.loan_interest,
            PostingRole::ManualDebit => self.manual_debit,
            PostingRole::ManualCredit => self.manual_credit,
            PostingRole::Bank(_) => return Ok(None),
        };
        party.map(Some).ok_or(LedgerError::PartyMissing)
    }
}

/// The amounts of an event in one currency. A zero component makes no transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amounts {
    pub currency: Currency,
    pub amount_minor: i64,
    pub fee_minor: i64,
    pub interest_minor: i64,
    pub discount_minor: i64,
}

impl Amounts {
    pub const fn of(amount: Money) -> Self {
        let Money { minor, currency } = amount;
        Self { currency, amount_minor: minor, fee_minor: 0, interest_minor: 0, discount_minor: 0 }
    }

    pub const fn fee(mut self, minor: i64) -> Self {
        self.fee_minor = minor;
        self
    }

    pub const fn interest(mut self, minor: i64) -> Self {
        self.interest_minor = minor;
        self
    }

    pub const fn discount(mut self, minor: i64) -> Self {
        self.discount_minor = minor;
        self
    }

    pub fn part(&self, part: AmountComponent) -> Result<Money, LedgerError> {
        let minor = match part {
            AmountComponent::Amount => self.amount_minor,
            AmountComponent::AmountLessDiscount => {
                self.amount_minor.checked_sub(self.discount_minor).ok_or(LedgerError::Overflow)?
            }
            AmountComponent::Fee => self.fee_minor,
            AmountComponent::Interest => self.interest_minor,
            AmountComponent::Discount => self.discount_minor,
        };
        if minor < 0 { Err(LedgerError::AmountNotPositive) } else { Ok(Money::new(minor, self.currency)) }
    }

    /// The amount of a hold: amount plus fee.
    pub fn to_hold(&self) -> Result<Money, LedgerError> {
        let held = self.part(AmountComponent::Amount)?.checked_add(self.part(AmountComponent::Fee)?)?;
        if held.is_positive() { Ok(held) } else { Err(LedgerError::AmountNotPositive) }
    }
}

impl From<MoneyError> for LedgerError {
    fn from(error: MoneyError) -> Self {
        match error {
            MoneyError::Overflow => Self::Overflow,
            MoneyError::CurrenciesMixed => Self::CurrenciesMixed,
        }
    }
}

/// The transfers of an event in booking order. An event with legs must move something.
pub fn legs(
    event: LedgerEvent,
    amounts: &Amounts,
) -> Result<Vec<(PostingRole, PostingRole, Money)>, LedgerError> {
    let mut moved = Vec::new();
    for leg in event.rule().legs {
        let money = amounts.part(leg.part)?;
        if money.is_positive() {
            moved.push((leg.debit, leg.credit, money));
        }
    }
    if moved.is_empty() && !event.rule().legs.is_empty() {
        return Err(LedgerError::AmountNotPositive);
    }
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(role: PostingRole) -> String {
        match role {
            PostingRole::Bank(kind) => kind.code().to_string(),
            party => match party.kind() {
                Some(kind) => format!("{}.{party:?}", kind.code()),
                None => format!("{party:?}"),
            },
        }
    }

    #[test]
    fn the_posting_table() {
        let mut table = String::new();
        for event in LedgerEvent::ALL {
            let rule = event.rule();
            let legs =
                rule.legs.iter().map(|l| format!("{} -> {} {:?}", role(l.debit), role(l.credit), l.part));
            let legs = legs.collect::<Vec<_>>().join("; ");
            table += format!("{} | {:?} | {legs}", event.name(), rule.hold).trim_end();
            table.push('\n');
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn roles_with_an_owner_never_use_a_bank_account() {
        for event in LedgerEvent::ALL {
            for leg in event.rule().legs {
                for role in [leg.debit, leg.credit] {
                    let Some(kind) = role.kind() else { continue };
                    assert_eq!(matches!(role, PostingRole::Bank(_)), !kind.has_owner(), "{event:?} {role:?}");
                }
            }
        }
    }

    #[test]
    fn zero_component_makes_no_transfer_and_an_empty_event_is_refused() {
        let amounts = Amounts::of(Money::new(500, Currency::EUR));
        let moved = |event, amounts| legs(event, &amounts).map(|legs| legs.len());
        assert_eq!(moved(LedgerEvent::InternalTransfer, amounts), Ok(1));
        assert_eq!(moved(LedgerEvent::InternalTransfer, amounts.fee(20)), Ok(2));
        assert_eq!(moved(LedgerEvent::SepaOutAccepted, amounts), Ok(0));
        assert_eq!(moved(LedgerEvent::FeeCharged, amounts), Err(LedgerError::AmountNotPositive));
        assert_eq!(
            moved(LedgerEvent::SepaIn, Amounts::of(Money::new(-1, Currency::EUR))),
            Err(LedgerError::AmountNotPositive)
        );
    }

    #[test]
    fn loan_approval_credits_the_merchant_net_of_discount() {
        let amounts = Amounts::of(Money::new(10_000, Currency::EUR)).discount(300);
        let sums = legs(LedgerEvent::LoanApproved, &amounts).unwrap();
        assert_eq!(sums.iter().map(|(_, _, money)| money.minor).collect::<Vec<_>>(), [9_700, 300]);
        assert_eq!(
            legs(LedgerEvent::LoanApproved, &amounts.discount(10_001)),
            Err(LedgerError::AmountNotPositive)
        );
    }

    #[test]
    fn hold_includes_the_fee() {
        let amounts = Amounts::of(Money::new(500, Currency::EUR)).fee(20);
        assert_eq!(amounts.to_hold(), Ok(Money::new(520, Currency::EUR)));
        assert_eq!(
            Amounts::of(Money::new(i64::MAX, Currency::EUR)).fee(1).to_hold(),
            Err(LedgerError::Overflow)
        );
    }

    #[test]
    fn every_role_has_its_own_party() {
        let id = |number| Some(LedgerAccountId(number));
        let parties = Parties {
            payer: id(1),
            payee: id(2),
            card: id(3),
            merchant: id(4),
            loan_principal: id(5),
            loan_interest: id(6),
            manual_debit: id(7),
            manual_credit: id(8),
        };
        let roles = [
            PostingRole::Payer,
            PostingRole::Payee,
            PostingRole::Card,
            PostingRole::Merchant,
            PostingRole::LoanPrincipal,
            PostingRole::LoanInterest,
            PostingRole::ManualDebit,
            PostingRole::ManualCredit,
        ];
        for (number, role) in (1..).zip(roles) {
            assert_eq!(parties.account(role), Ok(id(number)), "{role:?}");
            assert_eq!(Parties::NONE.account(role), Err(LedgerError::PartyMissing), "{role:?}");
        }
        assert_eq!(Parties::NONE.account(PostingRole::Bank(LedgerAccountKind::Fees)), Ok(None));
    }
}
