//! The content of a sandbox bank: objects that are created one by one, and the file that is exported and imported. Both have
//! the same form.

mod body;
mod customer_list;
mod request;
mod response;

pub use body::{AccountBody, BankBody, CardBody, CustomerBody, TransactionBody};
pub use customer_list::{Customers, customers};
pub use request::{account, bank, card, customer, transaction};
pub use response::{
    AccountOut, BankCount, BankOut, CardOut, CustomerOut, Outcomes, TransactionOut, TransactionPage,
    bank_count, bank_file, outcomes, transaction_page,
};
