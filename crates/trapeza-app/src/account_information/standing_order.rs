//! The standing orders of an account, as a third party reads them with the right to transactions.

use super::{ConsentSession, ConsentedRequest, GrantedAccount, Metered, ReadKind, require};
use crate::consent::CustomerAssets;
use crate::{App, Required, UseCaseError};
use trapeza_domain::account::Account;
use trapeza_domain::id::AccountId;
use trapeza_domain::payment::Payment;
use trapeza_store::Tx;

impl App {
    /// The standing orders that will debit an account again, oldest first. The terms are in `instruction.timing`, the day of the next
    /// execution is [`Payment::next_execution_day`]. The read counts as one of transactions.
    pub async fn account_standing_orders(
        &self,
        request: &ConsentedRequest,
        id: &str,
    ) -> Result<Metered<(Account, Vec<Payment>)>, UseCaseError> {
        let id = AccountId::parse(id);
        let read = |tx: &mut Tx<'_>, open: &mut ConsentSession| {
            let GrantedAccount { account, grant, .. } = open.account()?;
            require(grant.transactions, "transactions")?;
            let orders = open.standing_orders(tx, &account)?;
            Ok((account, orders))
        };
        self.read_with_consent(request, ReadKind::of("transactions"), id.map(|id| id.uuid()), read).await
    }
}

impl ConsentSession {
    /// The standing orders that will debit an account of the customer again.
    pub(super) fn standing_orders(
        &self,
        tx: &mut Tx<'_>,
        account: &Account,
    ) -> Result<Vec<Payment>, UseCaseError> {
        let login = tx.psu_find(self.psu)?.required("customer")?.login;
        let assets = CustomerAssets::load(tx, self.psu)?;
        let mut orders = Vec::new();
        for order in tx.payment_upcoming_list(&login)? {
            if order.instruction.timing.standing_order().is_none() {
                continue;
            }
            let debited = assets.matching_accounts(tx, &order.instruction.debtor)?;
            if debited.contains(&account.id) && order.instruction.amount.currency == account.currency {
                orders.push(order);
            }
        }
        Ok(orders)
    }
}
