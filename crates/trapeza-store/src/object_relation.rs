//! Objects that belong to another one, for the pages of the bank's staff. Every query reads an index, except the applications of a
//! merchant, of which there are few.

use crate::error::StoreError;
use crate::params;
use crate::search::SearchHit;
use crate::tx::Tx;
use crate::value::Param;
use trapeza_domain::id::{ApplicationId, ConsentId, PaymentId, SigningBasketId};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::search::SearchKind;
use uuid::Uuid;

/// How many entries of an account are looked through for payments.
const MAX_ENTRIES: i64 = 200;

/// Which objects of an object are listed. The newest are first where there may be many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectRelation {
    CustomerAccounts,
    CustomerCards,
    /// By login.
    CustomerConsents,
    /// By login.
    CustomerSigningBaskets,
    CustomerLoans,
    CustomerShoppers,
    /// By login.
    CustomerRejectedPayments,
    AccountOwners,
    AccountCards,
    ShopperLoans,
    ApplicationRequests,
    ApplicationDeadCallbacks,
    MerchantApplications,
    MerchantPayouts,
    /// By the id of a consent, payment or signing basket.
    TargetAuthorisations,
    /// The signing baskets that a payment or consent is or was in.
    MemberSigningBaskets,
    /// The batch in which a payment was submitted.
    PaymentBatch,
    /// The loan whose refund a payment pays back.
    PaymentLoan,
    /// The payments that execute a standing order.
    PaymentExecutions,
    /// The payments that the lines of a bulk payment became.
    BulkLines,
    /// The merchant whose balance a payment pays out.
    PaymentMerchant,
    /// By the public id as callbacks have it.
    BasketCallbacks,
    LoanRefundPayments,
    BatchPayments,
    BatchReturns,
}

impl ObjectRelation {
    /// Whether the key is a text, a login or a public id of a basket; otherwise it is a UUID.
    pub const fn has_text_key(self) -> bool {
        matches!(
            self,
            Self::CustomerConsents
                | Self::CustomerSigningBaskets
                | Self::CustomerRejectedPayments
                | Self::BasketCallbacks
        )
    }

    pub const ALL: &'static [Self] = &[
        Self::CustomerAccounts,
        Self::CustomerCards,
        Self::CustomerConsents,
        Self::CustomerSigningBaskets,
        Self::CustomerLoans,
        Self::CustomerShoppers,
        Self::CustomerRejectedPayments,
        Self::AccountOwners,
        Self::AccountCards,
        Self::ShopperLoans,
        Self::ApplicationRequests,
        Self::ApplicationDeadCallbacks,
        Self::MerchantApplications,
        Self::MerchantPayouts,
        Self::TargetAuthorisations,
        Self::MemberSigningBaskets,
        Self::PaymentBatch,
        Self::PaymentLoan,
        Self::PaymentExecutions,
        Self::BulkLines,
        Self::PaymentMerchant,
        Self::BasketCallbacks,
        Self::LoanRefundPayments,
        Self::BatchPayments,
        Self::BatchReturns,
    ];

    /// The kind of the objects, and a query with the key and the limit in the shape of a search.
    pub const fn query(self) -> (SearchKind, &'static str) {
        match self {
            Self::CustomerAccounts => (
                SearchKind::Account,
                "SELECT a.id, a.iban, a.status FROM account_owner o JOIN account a ON a.id = o.account
                 WHERE o.psu = $1 ORDER BY a.opened_at, a.id LIMIT $2",
            ),
            Self::CustomerCards => (
                SearchKind::Card,
                "SELECT id, masked_pan, status FROM card WHERE holder = $1 ORDER BY issued_at, id LIMIT $2",
            ),
            Self::CustomerConsents => (
                SearchKind::Consent,
                "SELECT id, kind, status FROM consent WHERE psu_login = $1 ORDER BY created_at DESC LIMIT $2",
            ),
            Self::CustomerSigningBaskets => (
                SearchKind::SigningBasket,
                "SELECT id, '', status FROM signing_basket WHERE psu_login = $1 ORDER BY created_at DESC LIMIT $2",
            ),
            Self::CustomerLoans => (
                SearchKind::Loan,
                "SELECT id, '', status, currency, amount_minor FROM loan WHERE psu = $1
                 ORDER BY requested_at DESC, id LIMIT $2",
            ),
            Self::CustomerShoppers => (
                SearchKind::Shopper,
                "SELECT id, phone, CASE WHEN blocked THEN 'blocked' ELSE 'active' END FROM shopper
                 WHERE psu = $1 ORDER BY created_at, id LIMIT $2",
            ),
            Self::CustomerRejectedPayments => (
                SearchKind::Payment,
                "SELECT id, creditor_name, status, currency, amount_minor FROM payment
                 WHERE psu_login = $1 AND rejection_reason IS NOT NULL ORDER BY last_action_at DESC LIMIT $2",
            ),
            Self::AccountOwners => (
                SearchKind::Customer,
                "SELECT p.id, p.name, CASE WHEN p.closed_at IS NULL THEN 'active' ELSE 'closed' END
                 FROM account_owner o JOIN psu p ON p.id = o.psu WHERE o.account = $1 ORDER BY o.position LIMIT $2",
            ),
            Self::AccountCards => (
                SearchKind::Card,
                "SELECT id, masked_pan, status FROM card WHERE account = $1 ORDER BY issued_at, id LIMIT $2",
            ),
            Self::ShopperLoans => (
                SearchKind::Loan,
                "SELECT id, '', status, currency, amount_minor FROM loan WHERE shopper = $1
                 ORDER BY requested_at DESC, id LIMIT $2",
            ),
            Self::ApplicationRequests => (
                SearchKind::Request,
                "SELECT id, operation, CAST(status AS TEXT) FROM request_log WHERE application = $1
                 ORDER BY id DESC LIMIT $2",
            ),
            Self::ApplicationDeadCallbacks => (
                SearchKind::Callback,
                "SELECT id, kind, status FROM callback WHERE status = 'dead' AND application = $1
                 ORDER BY created_at DESC LIMIT $2",
            ),
            Self::MerchantApplications => (
                SearchKind::Application,
                "SELECT id, name, CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END FROM application
                 WHERE merchant = $1 ORDER BY created_at, id LIMIT $2",
            ),
            // Payment ids are in the order of their creation.
            Self::MerchantPayouts => (
                SearchKind::Payment,
                "SELECT p.id, 'payout', p.status, p.currency, p.amount_minor FROM merchant_payout o
                 JOIN payment p ON p.id = o.payment WHERE o.merchant = $1 ORDER BY o.payment DESC LIMIT $2",
            ),
            Self::TargetAuthorisations => (
                SearchKind::Authorisation,
                "SELECT id, target_kind, status FROM authorisation WHERE target = $1
                 ORDER BY created_at DESC, id LIMIT $2",
            ),
            Self::MemberSigningBaskets => (
                SearchKind::SigningBasket,
                "SELECT b.id, '', b.status FROM signing_basket_member m JOIN signing_basket b ON b.id = m.basket
                 WHERE m.member = $1 ORDER BY b.created_at DESC, b.id LIMIT $2",
            ),
            Self::PaymentBatch => (
                SearchKind::ClearingBatch,
                "SELECT b.id, b.kind, b.status FROM clearing_transaction t JOIN clearing_batch b ON b.id = t.batch
                 WHERE t.payment = $1 LIMIT $2",
            ),
            Self::PaymentLoan => (
                SearchKind::Loan,
                "SELECT l.id, '', l.status, l.currency, l.amount_minor FROM loan_refund_payment r
                 JOIN loan l ON l.id = r.loan WHERE r.payment = $1 LIMIT $2",
            ),
            Self::PaymentExecutions => (
                SearchKind::Payment,
                "SELECT id, 'execution', status, currency, amount_minor FROM payment WHERE standing_order = $1
                 ORDER BY execution_number DESC LIMIT $2",
            ),
            Self::BulkLines => (
                SearchKind::Payment,
                "SELECT id, 'line', status, currency, amount_minor FROM payment WHERE bulk = $1
                 ORDER BY execution_number LIMIT $2",
            ),
            Self::PaymentMerchant => (
                SearchKind::Merchant,
                "SELECT m.id, m.name, m.code FROM merchant_payout o JOIN merchant m ON m.id = o.merchant
                 WHERE o.payment = $1 LIMIT $2",
            ),
            Self::BasketCallbacks => (
                SearchKind::Callback,
                "SELECT id, kind, status FROM callback WHERE object_id = $1 ORDER BY created_at LIMIT $2",
            ),
            Self::LoanRefundPayments => (
                SearchKind::Payment,
                "SELECT p.id, 'refund', p.status, p.currency, p.amount_minor FROM loan_refund_payment r
                 JOIN payment p ON p.id = r.payment WHERE r.loan = $1 ORDER BY r.payment DESC LIMIT $2",
            ),
            // Without names: a batch is shown to people who may not see personal data.
            Self::BatchPayments => (
                SearchKind::Payment,
                "SELECT p.id, p.product, p.status, p.currency, p.amount_minor FROM clearing_transaction t
                 JOIN payment p ON p.id = t.payment WHERE t.batch = $1 ORDER BY t.position LIMIT $2",
            ),
            Self::BatchReturns => (
                SearchKind::IncomingTransfer,
                "SELECT id, 'return', status, currency, amount_minor FROM clearing_incoming WHERE batch = $1
                 ORDER BY position LIMIT $2",
            ),
        }
    }
}

impl Tx<'_> {
    /// The objects that belong to the object with this key.
    pub fn object_related<'p>(
        &mut self,
        relation: ObjectRelation,
        key: impl Into<Param<'p>>,
        limit: i64,
    ) -> Result<Vec<SearchHit>, StoreError> {
        let (kind, query) = relation.query();
        self.hits(kind, query, &[key.into(), limit.into()])
    }

    /// The payments among the newest entries of an account, newest first.
    pub fn object_account_payments(
        &mut self,
        account: LedgerAccountId,
        limit: i64,
    ) -> Result<Vec<SearchHit>, StoreError> {
        let references: Vec<String> = self.query(
            "SELECT t.reference FROM (SELECT transfer, booking_date, seq FROM entry WHERE account = $1
                 ORDER BY booking_date DESC, seq DESC LIMIT $2) e
             JOIN transfer t ON t.id = e.transfer ORDER BY e.booking_date DESC, e.seq DESC",
            params![account, MAX_ENTRIES],
            |row| row.read(),
        )?;
        let mut hits: Vec<SearchHit> = Vec::new();
        for id in references.iter().filter_map(|reference| PaymentId::parse(reference)) {
            // Amount and fee of a payment are two entries.
            if hits.last().is_some_and(|hit| hit.id == id.uuid()) {
                continue;
            }
            hits.extend(self.search_find(SearchKind::Payment, id.uuid())?);
            if i64::try_from(hits.len()).is_ok_and(|found| found >= limit) {
                break;
            }
        }
        Ok(hits)
    }

    /// The application of a payment.
    pub fn payment_application(&mut self, id: PaymentId) -> Result<Option<ApplicationId>, StoreError> {
        self.query_opt("SELECT application FROM payment WHERE id = $1", params![id], |row| row.read())
    }

    /// The application of a consent.
    pub fn consent_application(&mut self, id: ConsentId) -> Result<Option<ApplicationId>, StoreError> {
        self.query_opt("SELECT application FROM consent WHERE id = $1", params![id], |row| row.read())
    }

    /// The application of a signing basket.
    pub fn signing_basket_application(
        &mut self,
        id: SigningBasketId,
    ) -> Result<Option<ApplicationId>, StoreError> {
        self.query_opt("SELECT application FROM signing_basket WHERE id = $1", params![id], |row| row.read())
    }

    /// The application of a request in the request log, which is bounded.
    pub fn request_log_application(&mut self, id: Uuid) -> Result<Option<ApplicationId>, StoreError> {
        self.query_opt("SELECT application FROM request_log WHERE id = $1", params![id], |row| row.read())
    }

    /// The public id of a basket by its number.
    pub fn basket_public_id(&mut self, number: i64) -> Result<Option<Uuid>, StoreError> {
        self.query_opt("SELECT public_id FROM basket WHERE number = $1", params![number], |row| row.read())
    }
}
