//! The states of a basket: created → opened → approved, declined or expired. A basket is always evaluated as of now.

use super::BasketOrder;
use crate::audit_event::AuditEvent;
use crate::field::Field;
use crate::id::{ApplicationId, LoanId, MerchantId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::Timestamp;
use std::fmt;

/// The integer id that the merchant receives. It starts with the time, so that new rows are adjacent in an index, and ends
/// with random bits, so that it does not reveal the number of baskets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BasketId(i64);

impl BasketId {
    const RANDOM_BITS: u32 = 12;
    const TIME_BITS: u32 = 41;
    /// 2020-01-01, the epoch of the ids.
    const FIRST: Timestamp = Timestamp(1_577_836_800_000_000);

    /// 41 bits of milliseconds and 12 bits of `random`: exact in every JSON parser and never zero. The milliseconds wrap
    /// around in 2089.
    pub const fn generate(now: Timestamp, random: u16) -> Self {
        let milliseconds = now.0.saturating_sub(Self::FIRST.0) / 1000;
        let time = milliseconds & ((1 << Self::TIME_BITS) - 1);
        let random = random as i64 & ((1 << Self::RANDOM_BITS) - 1);
        let number = time << Self::RANDOM_BITS | random;
        Self(if number == 0 { 1 } else { number })
    }

    pub const fn new(number: i64) -> Self {
        Self(number)
    }

    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for BasketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a basket in links: 128 random bits, because knowing it suffices to open the checkout.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicBasketId([u8; 16]);

impl PublicBasketId {
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// A text that does not parse is the id of no basket.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let right = text.len() == 32 && text.bytes().all(lower);
        right.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(|number| Self(number.to_be_bytes()))
    }

    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for PublicBasketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Printed by hand: every basket prints it three times, and formatting a u128 is several times slower.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut buffer = [0; 32];
        for (pair, byte) in buffer.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&buffer).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for PublicBasketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicBasketId({self})")
    }
}

string_enum! {
    /// Why a basket was declined. The first six are the rules of the credit decision, in their order.
    pub enum DeclineReason {
        /// The amount is outside the merchant's limits.
        MerchantLimit = "MERCHANT_LIMIT",
        PhoneBlocked = "PHONE_BLOCKED",
        /// An installment was more than 30 days late in the last 12 months.
        LateHistory = "LATE_HISTORY",
        /// The exposure would be too high.
        Exposure = "EXPOSURE",
        /// Too many loans in a day.
        Velocity = "VELOCITY",
        /// The installments are too high for the shopper's income.
        Affordability = "AFFORDABILITY",
        CustomerLeft = "CUSTOMER_LEFT",
        /// No decision was made in time.
        Expired = "EXPIRED",
        /// The merchant voided the basket before a decision.
        Voided = "VOIDED",
        /// A merchant's developer requested a decline.
        Sandbox = "SANDBOX",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasketState {
    Created,
    /// A shopper is at the checkout and has requested this loan.
    Opened {
        loan: LoanId,
    },
    Approved {
        loan: LoanId,
    },
    /// There is a loan when the checkout was opened.
    Declined {
        loan: Option<LoanId>,
        reason: DeclineReason,
    },
    /// There is a loan when the checkout was opened.
    Expired {
        loan: Option<LoanId>,
    },
}

impl BasketState {
    /// The stored name, also shown to operators.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Opened { .. } => "opened",
            Self::Approved { .. } => "approved",
            Self::Declined { .. } => "declined",
            Self::Expired { .. } => "expired",
        }
    }

    pub const fn is_final(self) -> bool {
        matches!(self, Self::Approved { .. } | Self::Declined { .. } | Self::Expired { .. })
    }

    pub const fn loan(self) -> Option<LoanId> {
        match self {
            Self::Created => None,
            Self::Opened { loan } | Self::Approved { loan } => Some(loan),
            Self::Declined { loan, .. } | Self::Expired { loan } => loan,
        }
    }
}

/// The identity, owner and validity of a new basket.
#[derive(Clone, Debug)]
pub struct NewBasket {
    pub id: BasketId,
    pub public: PublicBasketId,
    pub application: ApplicationId,
    pub merchant: MerchantId,
    /// The merchant's request id, as sent.
    pub request: String,
    pub now: Timestamp,
    pub expires_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basket {
    pub id: BasketId,
    pub public: PublicBasketId,
    pub application: ApplicationId,
    pub merchant: MerchantId,
    pub request: String,
    pub order: BasketOrder,
    pub state: BasketState,
    pub created_at: Timestamp,
    /// The first point in time at which it is expired.
    pub expires_at: Timestamp,
    pub last_action: Timestamp,
}

/// The changed basket and its audit event.
pub type Transition = (Basket, AuditEvent);

impl Basket {
    pub fn create(new: NewBasket, order: BasketOrder) -> Transition {
        let NewBasket { id, public, application, merchant, request, now, expires_at } = new;
        let state = BasketState::Created;
        let (created_at, last_action) = (now, now);
        let basket = Self {
            id,
            public,
            application,
            merchant,
            request,
            order,
            state,
            created_at,
            expires_at,
            last_action,
        };
        let event = basket.event("basket.created");
        (basket, event)
    }

    /// The new basket under another id, because the first one is taken.
    pub fn with_id(self, id: BasketId) -> Transition {
        let basket = Self { id, ..self };
        let event = basket.event("basket.created");
        (basket, event)
    }

    /// A shopper starts the checkout and requests a loan.
    pub fn open(self, loan: LoanId, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            BasketState::Created => Ok(self.moved(BasketState::Opened { loan }, now, "basket.opened")),
            state => Err(out_of_state(state)),
        }
    }

    /// The loan is granted.
    pub fn approve(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            BasketState::Opened { loan } => {
                Ok(self.moved(BasketState::Approved { loan }, now, "basket.approved"))
            }
            state => Err(out_of_state(state)),
        }
    }

    pub fn decline(self, reason: DeclineReason, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            BasketState::Opened { loan } => Ok(self.declined(Some(loan), reason, now)),
            state => Err(out_of_state(state)),
        }
    }

    /// The merchant voids the basket before a decision, whether or not the checkout was opened.
    pub fn void(self, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            state @ (BasketState::Created | BasketState::Opened { .. }) => {
                Ok(self.declined(state.loan(), DeclineReason::Voided, now))
            }
            state => Err(out_of_state(state)),
        }
    }

    fn declined(self, loan: Option<LoanId>, reason: DeclineReason, now: Timestamp) -> Transition {
        let (basket, event) = self.moved(BasketState::Declined { loan, reason }, now, "basket.declined");
        (basket, event.with("reason", reason.name()))
    }

    /// The basket as of `now`, whether or not the sweep has stored it.
    pub fn as_of(&self, now: Timestamp) -> Self {
        self.clone().expire_if_due(now).0
    }

    /// Like [`Self::as_of`], with the audit event if it has expired.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        let due = self.next_deadline().is_some_and(|due| due <= now);
        if !due {
            return (self, None);
        }
        let (state, at) = (BasketState::Expired { loan: self.state.loan() }, self.expires_at);
        let (basket, event) = self.moved(state, at, "basket.expired");
        (basket, Some(event))
    }

    /// When it expires.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        (!self.state.is_final()).then_some(self.expires_at)
    }

    fn moved(self, state: BasketState, now: Timestamp, action: &'static str) -> Transition {
        let basket = Self { state, last_action: now, ..self };
        let event = basket.event(action);
        (basket, event)
    }

    fn event(&self, action: &'static str) -> AuditEvent {
        AuditEvent::new(action, "basket", self.id)
    }
}

fn out_of_state(state: BasketState) -> Refusal {
    Refusal::at(
        RefusalReason::StatusInvalid,
        Field::BasketId,
        format!("the basket is already {}", state.name()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_ids_are_ordered_positive_and_below_two_to_the_53() {
        let now = Timestamp(1_763_208_000_000_000);
        let draws = [(now, 0), (now, 1), (now, u16::MAX), (Timestamp(now.0 + 1000), 0)];
        let draws = draws.map(|(now, random)| BasketId::generate(now, random));
        assert!(draws.is_sorted_by(|one, next| one < next), "{draws:?}");
        assert_eq!(BasketId::generate(Timestamp(now.0 + 999), 7), BasketId::generate(now, 7));
        assert_eq!(BasketId::generate(BasketId::FIRST, 0), BasketId(1));
        for odd in [0, i64::MIN, i64::MAX, now.0, 4_102_444_800_000_000] {
            for random in [0, u16::MAX] {
                let BasketId(number) = BasketId::generate(Timestamp(odd), random);
                assert!((1..1 << 53).contains(&number), "{odd}: {number}");
            }
        }
    }

    #[test]
    fn public_id_parses_its_own_display_only() {
        let id = PublicBasketId::new([0x0f; 16]);
        assert_eq!(id.to_string(), "0f".repeat(16));
        let mixed = PublicBasketId::new(0x0123_4567_89ab_cdef_fedc_ba98_7654_3210_u128.to_be_bytes());
        assert_eq!(mixed.to_string(), "0123456789abcdeffedcba9876543210");
        assert_eq!(PublicBasketId::parse(&id.to_string()), Some(id));
        for odd in
            ["", "0f", &"0F".repeat(16), &"0g".repeat(16), &"0f".repeat(17), &format!("+{}", "0".repeat(31))]
        {
            assert_eq!(PublicBasketId::parse(odd), None, "{odd}");
        }
    }
}
