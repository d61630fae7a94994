//! Signing baskets: payments and consents of one customer that are approved together, with one authorisation. Each member is then
//! authorised in its own right.

mod state;
mod transitions;

pub use state::{
    BasketMember, MAX_MEMBERS, NewSigningBasket, SigningBasket, SigningBasketState, SigningBasketStatus,
    Transition,
};
pub use transitions::transition_table;
