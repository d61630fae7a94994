//! The payments that wait for a day.

use crate::error::StoreError;
use crate::params;
use crate::payment::{payment, select_payment};
use crate::tx::Tx;
use trapeza_domain::payment::Payment;

impl Tx<'_> {
    /// The payments of a customer that wait for their day and the standing orders that will be executed again, oldest first. Executions
    /// that are tried again are not listed beside their order.
    pub fn payment_upcoming_list(&mut self, login: &str) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!(
                "WHERE psu_login = $1 AND execute_at IS NOT NULL AND standing_order IS NULL ORDER BY id"
            ),
            params![login],
            payment,
        )
    }
}
