//! Baskets: what a merchant's customer wants to buy now and pay later, and what becomes of that (§2.6, §3).
//!
//! The order is judged by its form and its sums. Whether the money is lent is decided elsewhere (`credit`), and what is
//! owed afterwards is the loan's (`loan`).

mod life;
mod matrix;
mod order;
mod place;
mod product;

pub use life::{Basket, BasketBirth, BasketId, BasketState, Changed, Decline, PublicBasketId};
pub use matrix::matrix;
pub use order::{BasketFields, BasketOrder, Limits, MERCHANT_DATA_BYTES, PRODUCTS_MAX};
pub use product::{Product, ProductFields};
