//! The life of a basket: created → opened → approved, declined or expired. Whoever looks at one looks at it as of now.

use super::BasketOrder;
use crate::audit_event::AuditEvent;
use crate::id::{ApplicationId, LoanId, MerchantId};
use crate::refusal::{Refusal, RefusalReason};
use crate::string_enum::string_enum;
use crate::time::Timestamp;
use std::fmt;

/// The number of a basket that its merchant is told. It begins with the time, so that an index keeps new ones together,
/// and ends at random, so that it says nothing about how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BasketId(i64);

impl BasketId {
    const RANDOM_BITS: u32 = 12;
    const TIME_BITS: u32 = 41;
    /// 2020-01-01: what time there was before counts no baskets.
    const FIRST: Timestamp = Timestamp(1_577_836_800_000_000);

    /// 41 bits of milliseconds and 12 of `random`: a number that every JSON reader keeps exactly, and never zero. The
    /// milliseconds last until 2089 and begin anew then.
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

/// What a basket is called in links: 128 random bits, since whoever knows it may open the checkout.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicBasketId([u8; 16]);

impl PublicBasketId {
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// What cannot be read is a basket that does not exist.
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
        // By hand, since every basket prints it three times and the general printer divides its way through 128 bits.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut room = [0; 32];
        for (pair, byte) in room.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&room).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for PublicBasketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicBasketId({self})")
    }
}

string_enum! {
    /// Why nothing is lent for a basket. The first six are the rules of the credit decision, in their order.
    pub enum DeclineReason {
        /// The amount is outside what the merchant may lend.
        MerchantLimit = "MERCHANT_LIMIT",
        PhoneBlocked = "PHONE_BLOCKED",
        /// An installment was more than 30 days late in the last 12 months.
        LateHistory = "LATE_HISTORY",
        /// Too much would be owed at once.
        Exposure = "EXPOSURE",
        /// Too many loans in a day.
        Velocity = "VELOCITY",
        /// The installments are too much for what comes in.
        Affordability = "AFFORDABILITY",
        CustomerLeft = "CUSTOMER_LEFT",
        /// Nobody decided in time.
        Expired = "EXPIRED",
        /// The merchant took the basket back before anybody decided.
        Voided = "VOIDED",
        /// A merchant's developer asked for a no.
        Sandbox = "SANDBOX",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasketState {
    Created,
    /// Somebody is at the checkout, and has asked for this loan.
    Opened {
        loan: LoanId,
    },
    Approved {
        loan: LoanId,
    },
    /// There is a loan where the checkout had been opened.
    Declined {
        loan: Option<LoanId>,
        reason: DeclineReason,
    },
    /// There is a loan where the checkout had been opened.
    Expired {
        loan: Option<LoanId>,
    },
}

impl BasketState {
    /// What is stored, and shown to operators.
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

/// Whose basket it is to be, and for how long.
#[derive(Clone, Debug)]
pub struct NewBasket {
    pub id: BasketId,
    pub public: PublicBasketId,
    pub application: ApplicationId,
    pub merchant: MerchantId,
    /// The merchant's own id of the call that made it, as it was sent.
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
    /// The first instant at which nothing is lent for it any more.
    pub expires_at: Timestamp,
    pub last_action: Timestamp,
}

/// A basket after a command, and what is written down about it.
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

    /// One that was just created, under another number: its own is collect.
    pub fn with_id(self, id: BasketId) -> Transition {
        let basket = Self { id, ..self };
        let event = basket.event("basket.created");
        (basket, event)
    }

    /// Somebody begins the checkout, and a loan is asked for.
    pub fn open(self, loan: LoanId, now: Timestamp) -> Result<Transition, Refusal> {
        match self.as_of(now).state {
            BasketState::Created => Ok(self.moved(BasketState::Opened { loan }, now, "basket.opened")),
            state => Err(out_of_state(state)),
        }
    }

    /// The money is lent.
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

    /// The merchant takes it back before anybody has decided, whether or not somebody is at the checkout.
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

    /// The basket as it is now, whatever was written down last.
    pub fn as_of(&self, now: Timestamp) -> Self {
        self.clone().expire_if_due(now).0
    }

    /// The same, with what is to be written down if time has overtaken it.
    pub fn expire_if_due(self, now: Timestamp) -> (Self, Option<AuditEvent>) {
        let due = self.next_deadline().is_some_and(|due| due <= now);
        if !due {
            return (self, None);
        }
        let (state, at) = (BasketState::Expired { loan: self.state.loan() }, self.expires_at);
        let (basket, event) = self.moved(state, at, "basket.expired");
        (basket, Some(event))
    }

    /// When time alone ends it.
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
    Refusal::at(RefusalReason::StatusInvalid, "basketId", format!("the basket is {} already", state.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_the_time_are_below_two_to_the_53_and_never_zero() {
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
    fn a_public_id_leads_back_and_nothing_else_is_one() {
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
