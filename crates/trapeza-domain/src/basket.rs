//! Baskets: what a merchant's customer wants to buy now and pay later, and what becomes of that (§2.6, §3).
//!
//! The order is judged by its form and its sums. Whether the money is lent is decided elsewhere (`credit`), and what is
//! owed afterwards is the loan's (`loan`).

mod order;
mod product;
mod state;
mod transitions;
mod validate;

pub use order::{AmountLimits, BasketFields, BasketOrder, MERCHANT_DATA_BYTES, PRODUCTS_MAX};
pub use product::{Product, ProductFields};
pub use state::{Basket, BasketId, BasketState, DeclineReason, NewBasket, PublicBasketId, Transition};
pub use transitions::transition_table;
