//! Payments as rows. Every statement of a caller names the application, so that no third party reaches another's; only
//! the sweep looks across all of them. What a change of state means is decided elsewhere.
//!
//! The column `id` holds what a payment is kept under, which on SQLite is its serial.

use crate::consent::reference;
use crate::error::StoreError;
use crate::params;
use crate::serial::{SerialKind, serial};
use crate::tx::Tx;
use crate::value::{Param, Row};
use trapeza_domain::clearing::ReasonCode;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::money::Currency;
use trapeza_domain::payee_verification::PayeeVerification;
use trapeza_domain::payment::{
    Address, Payment, PaymentInstruction, PaymentProduct, PaymentState, RejectionReason, TransactionStatus,
};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;

/// The most payments that one job of the sweep takes.
pub const PAYMENT_SWEEP_ROWS: i64 = 100;

/// The columns of a payment, in the order that `payment` reads them.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, application, product, psu, status, cause, accepted, cancellation_hold_until, created_at, last_action,
                    end_to_end_id, debtor_kind, debtor_value, debtor_pan_hash, debtor_currency, currency,
                    amount_minor, creditor_iban, creditor_currency, creditor_agent, creditor_agent_name,
                    creditor_name, addressed, building_number, city, country, postal_code, street, remittance,
                    payee_verification, submit_at, reason_code, fee_minor
             FROM payment ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Keeps a payment that was just received.
    pub fn payment_insert(&mut self, payment: &Payment) -> Result<(), StoreError> {
        let terms = &payment.instruction;
        let debtor = reference::columns(&terms.debtor);
        let address = terms.creditor_address.as_ref();
        let part =
            |pick: fn(&Address) -> &Option<String>| address.and_then(|address| pick(address).as_deref());
        self.execute_later(
            "INSERT INTO payment (id, application, product, psu, status, created_at, last_action, due_at,
                end_to_end_id, debtor_kind, debtor_value, debtor_pan_hash, debtor_currency, currency, amount_minor,
                creditor_iban, creditor_currency, creditor_agent, creditor_agent_name, creditor_name, addressed,
                building_number, city, country, postal_code, street, remittance, fee_minor)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23, $24, $25, $26, $27, $28)",
            params![
                &self.id_kept(payment.id.uuid()),
                payment.application.as_bytes(),
                terms.product.name(),
                &payment.psu,
                payment.state.status().name(),
                payment.created_at.0,
                payment.last_action.0,
                payment.next_deadline().map(|due| due.0),
                terms.end_to_end_id.as_deref(),
                debtor.kind,
                debtor.value,
                debtor.pan_hash,
                debtor.currency,
                terms.amount.currency.code(),
                terms.amount.minor,
                terms.creditor.as_str(),
                terms.creditor_currency.map(Currency::code),
                terms.creditor_agent.as_ref().map(Bic::as_str),
                terms.creditor_agent_name.as_deref(),
                &terms.creditor_name,
                address.is_some(),
                part(|address| &address.building_number),
                part(|address| &address.city),
                part(|address| &address.country),
                part(|address| &address.postal_code),
                part(|address| &address.street),
                terms.remittance.as_deref(),
                terms.fee.minor
            ],
        )?;
        Ok(())
    }

    pub fn payment_find(
        &mut self,
        application: ApplicationId,
        id: PaymentId,
    ) -> Result<Option<Payment>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2"),
            params![&self.id_kept(id.uuid()), application.as_bytes()],
            |row| payment(row, id),
        )
    }

    /// The same, and nobody else changes it before this transaction ends.
    pub fn payment_lock(
        &mut self,
        application: ApplicationId,
        id: PaymentId,
    ) -> Result<Option<Payment>, StoreError> {
        self.query_opt(
            select!("WHERE id = $1 AND application = $2 FOR UPDATE"),
            params![&self.id_kept(id.uuid()), application.as_bytes()],
            |row| payment(row, id),
        )
    }

    /// Writes the state and how the payee's name was found. What a payment says never changes.
    pub fn payment_update(&mut self, payment: &Payment) -> Result<(), StoreError> {
        let (cause, accepted, code) = match payment.state {
            PaymentState::Rejected { accepted, reason, code } => (Some(reason.name()), Some(accepted), code),
            _ => (None, None, None),
        };
        let (submit_at, cancellation_hold_until) = match payment.state {
            PaymentState::Accepted { submit_at, cancellation_hold_until } => {
                (Some(submit_at.0), cancellation_hold_until)
            }
            _ => (None, None),
        };
        let changed = self.execute(
            "UPDATE payment SET status = $3, cause = $4, accepted = $5, cancellation_hold_until = $6, last_action = $7,
                due_at = $8, payee_verification = $9, submit_at = $10, reason_code = $11
             WHERE id = $1 AND application = $2",
            params![
                &self.id_kept(payment.id.uuid()),
                payment.application.as_bytes(),
                payment.state.status().name(),
                cause,
                accepted,
                cancellation_hold_until.map(|until| until.0),
                payment.last_action.0,
                payment.next_deadline().map(|due| due.0),
                payment.payee_verification.map(PayeeVerification::name),
                submit_at,
                code.as_ref().map(ReasonCode::as_str)
            ],
        )?;
        if changed == 1 { Ok(()) } else { Err(StoreError::internal("a payment to be changed is gone")) }
    }

    /// Payments that time has overtaken, locked; those that somebody works on now are left for the next time.
    pub fn payment_expired(&mut self, now: Timestamp) -> Result<Vec<Payment>, StoreError> {
        let sql = select!("WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED");
        self.payment_query(sql, params![now.0, PAYMENT_SWEEP_ROWS])
    }

    /// Whether payments wait to be handed to clearing whose turn has come.
    pub fn payment_submission_is_due(&mut self, now: Timestamp) -> Result<bool, StoreError> {
        let first = self.query_opt(
            "SELECT 1 FROM payment WHERE submit_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1) LIMIT 1",
            params![now.0],
            |_| Ok(()),
        )?;
        Ok(first.is_some())
    }

    /// Those payments, locked; one that somebody works on now is left for the next time.
    pub fn payment_submission_due(&mut self, now: Timestamp) -> Result<Vec<Payment>, StoreError> {
        let sql = select!(
            "WHERE submit_at <= $1 AND (cancellation_hold_until IS NULL OR cancellation_hold_until <= $1)
             ORDER BY submit_at, id LIMIT $2 FOR UPDATE SKIP LOCKED"
        );
        self.payment_query(sql, params![now.0, PAYMENT_SWEEP_ROWS])
    }

    /// The largest serial of any payment.
    pub(crate) fn payment_last_serial(&mut self) -> Result<Option<[u8; 16]>, StoreError> {
        let (from, to) = (serial(SerialKind::Payment, 0), serial(SerialKind::Payment, i64::MAX));
        self.query_opt(
            "SELECT id FROM payment WHERE id BETWEEN $1 AND $2 ORDER BY id DESC LIMIT 1",
            params![&from, &to],
            |row| row.array(0),
        )
    }

    fn payment_query(&mut self, sql: &'static str, params: &[Param<'_>]) -> Result<Vec<Payment>, StoreError> {
        let mut payments = self.query(sql, params, |row| payment(row, row.id(0, PaymentId::new)?))?;
        for payment in &mut payments {
            payment.id = PaymentId::new(self.id_told(payment.id.uuid()));
        }
        Ok(payments)
    }
}

fn payment(row: &Row<'_>, id: PaymentId) -> Result<Payment, StoreError> {
    Ok(Payment {
        id,
        application: row.id(1, ApplicationId::new)?,
        psu: row.text(3)?,
        instruction: terms(row)?,
        state: state(row)?,
        created_at: Timestamp(row.int(8)?),
        last_action: Timestamp(row.int(9)?),
        payee_verification: match row.opt_text(29)? {
            Some(_) => Some(row.named(29, PayeeVerification::parse)?),
            None => None,
        },
    })
}

fn state(row: &Row<'_>) -> Result<PaymentState, StoreError> {
    Ok(match row.named(4, TransactionStatus::parse)? {
        TransactionStatus::Rcvd => PaymentState::Received,
        TransactionStatus::Actc => PaymentState::Authorised,
        TransactionStatus::Accp => PaymentState::Accepted {
            submit_at: Timestamp(row.int(30)?),
            cancellation_hold_until: row.opt_int(7)?.map(Timestamp),
        },
        TransactionStatus::Acsp => PaymentState::Submitted,
        TransactionStatus::Acsc => PaymentState::Settled,
        TransactionStatus::Accc => PaymentState::Credited,
        TransactionStatus::Rjct => {
            let code = match row.opt_str(31)? {
                Some(_) => Some(row.named(31, ReasonCode::parse)?),
                None => None,
            };
            PaymentState::Rejected {
                accepted: row.bool(6)?,
                reason: row.named(5, RejectionReason::parse)?,
                code,
            }
        }
        TransactionStatus::Canc => PaymentState::Cancelled,
    })
}

fn terms(row: &Row<'_>) -> Result<PaymentInstruction, StoreError> {
    let currency = row.opt_text(18)?.map(|code| Currency::parse(&code)).transpose();
    let agent = row.opt_text(19)?.map(|code| Bic::parse(&code)).transpose();
    Ok(PaymentInstruction {
        product: row.named(2, PaymentProduct::parse)?,
        end_to_end_id: row.opt_text(10)?,
        debtor: reference::read(row, 11)?,
        amount: row.money(15, 16)?,
        fee: row.money(15, 32)?,
        creditor: row.named(17, |text| Iban::parse(text).ok())?,
        creditor_currency: currency.map_err(StoreError::internal)?,
        creditor_agent: agent.map_err(StoreError::internal)?,
        creditor_agent_name: row.opt_text(20)?,
        creditor_name: row.text(21)?,
        creditor_address: if row.bool(22)? { Some(address(row)?) } else { None },
        remittance: row.opt_text(28)?,
    })
}

fn address(row: &Row<'_>) -> Result<Address, StoreError> {
    Ok(Address {
        building_number: row.opt_text(23)?,
        city: row.opt_text(24)?,
        country: row.opt_text(25)?,
        postal_code: row.opt_text(26)?,
        street: row.opt_text(27)?,
    })
}
