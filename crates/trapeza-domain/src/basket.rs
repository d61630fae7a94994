//! Baskets: what a merchant's shopper wants to buy now and pay later (§2.6, §3).
//!
//! This module validates the form and the sums of a basket and defines its states. The credit decision is in `credit`,
//! the resulting debt in `loan`.

mod order;
mod product;
mod state;
mod transitions;
mod validate;

pub use order::{AmountLimits, BasketFields, BasketOrder, MAX_MERCHANT_DATA_BYTES, MAX_PRODUCTS};
pub use product::{Product, ProductFields};
pub use state::{Basket, BasketId, BasketState, DeclineReason, NewBasket, PublicBasketId, Transition};
pub use transitions::transition_table;
