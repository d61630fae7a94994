//! Payments. Every query of a caller names the application; only the sweep and clearing read those of all.

use crate::consent::reference;
use crate::error::StoreError;
use crate::params;
use crate::payment_timing;
use crate::tx::{EngineKind, Tx};
use crate::value::RowReader;
use trapeza_domain::clearing::ReasonCode;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::money::Money;
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_domain::payment::{
    Address, Payment, PaymentInstruction, PaymentProduct, PaymentState, PaymentTiming, RejectionReason,
    TransactionStatus,
};
use trapeza_domain::reference::{Bic, Iban, StoredReference};
use trapeza_domain::time::Timestamp;

/// How many payments one job of the sweep takes.
pub const PAYMENT_SWEEP_ROWS: i64 = 100;

macro_rules! select_payment {
    ($rest:literal) => {
        concat!(
            "SELECT id, application, psu_login, status, rejection_reason, clearing_reason_code, was_accepted, submit_at,
                    execute_at, cancellation_hold_until, has_open_lines, created_at, last_action_at, payee_verification,
                    payee_owner_name, routed_agent, product, end_to_end_id, debtor_kind, debtor_value, debtor_pan_hash, debtor_currency,
                    currency, amount_minor, fee_minor, creditor_iban, creditor_currency, creditor_agent,
                    creditor_agent_name, creditor_name, remittance,
                    has_creditor_address, building_number, city, country, postal_code, street, execution_date,
                    frequency, start_date, end_date, execution_rule, day_of_execution, months_of_execution,
                    bulk_line_count, batch_booking, lines_digest, standing_order, bulk, execution_number, batch_account,
                    notifies, signing_basket
             FROM payment ",
            $rest
        )
    };
}

/// The payments that a customer `$1` created in the app before id `$2`, at most `$3`. The application is a constant, so that its
/// partial index is used.
pub const PAYMENTS_OF_APP_SQLITE: &str = select_payment!(
    "WHERE application = x'00000000000000000000000000000000' AND psu_login = $1 AND id < $2
     ORDER BY id DESC LIMIT $3"
);
/// The same for PostgreSQL.
pub const PAYMENTS_OF_APP_POSTGRES: &str = select_payment!(
    "WHERE application = '00000000-0000-0000-0000-000000000000' AND psu_login = $1 AND id < $2
     ORDER BY id DESC LIMIT $3"
);

pub(crate) use select_payment;

impl Tx<'_> {
    /// Inserts a payment that was just initiated.
    pub fn payment_insert(&mut self, payment: &Payment) -> Result<(), StoreError> {
        let instruction = &payment.instruction;
        let debtor = reference::columns(&instruction.debtor);
        let address = instruction.creditor_address.as_ref();
        let part =
            |pick: fn(&Address) -> &Option<String>| address.and_then(|address| pick(address).as_deref());
        self.execute_deferred(
            "INSERT INTO payment (id, application, product, psu_login, status, created_at, last_action_at, deadline,
                end_to_end_id, debtor_kind, debtor_value, debtor_pan_hash, debtor_currency, currency, amount_minor,
                creditor_iban, creditor_currency, creditor_agent, creditor_agent_name, creditor_name,
                has_creditor_address, building_number, city, country, postal_code, street, remittance, fee_minor,
                execution_date)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                $22, $23, $24, $25, $26, $27, $28, $29)",
            params![
                payment.id,
                payment.application,
                instruction.product.name(),
                &payment.psu,
                payment.state.status().name(),
                payment.created_at,
                payment.last_action,
                payment.next_deadline(),
                instruction.end_to_end_id.as_deref(),
                debtor.kind,
                debtor.value,
                debtor.pan_hash,
                debtor.currency,
                instruction.amount.currency,
                instruction.amount.minor,
                instruction.creditor.as_str(),
                instruction.creditor_currency,
                instruction.creditor_agent.as_ref().map(Bic::as_str),
                instruction.creditor_agent_name.as_deref(),
                &instruction.creditor_name,
                address.is_some(),
                part(|address| &address.building_number),
                part(|address| &address.city),
                part(|address| &address.country),
                part(|address| &address.postal_code),
                part(|address| &address.street),
                instruction.remittance.as_deref(),
                instruction.fee.minor,
                instruction.timing.requested_date()
            ],
        )?;
        self.payment_terms_set(payment)
    }

    pub fn payment_find(
        &mut self,
        application: ApplicationId,
        id: PaymentId,
    ) -> Result<Option<Payment>, StoreError> {
        self.query_opt(
            select_payment!("WHERE id = $1 AND application = $2"),
            params![id, application],
            payment,
        )
    }

    /// The same, locked until the transaction ends.
    pub fn payment_lock(
        &mut self,
        application: ApplicationId,
        id: PaymentId,
    ) -> Result<Option<Payment>, StoreError> {
        self.query_opt(
            select_payment!("WHERE id = $1 AND application = $2 FOR UPDATE"),
            params![id, application],
            payment,
        )
    }

    /// Updates the state and the result of payee verification. The payment order never changes.
    pub fn payment_update(&mut self, payment: &Payment) -> Result<(), StoreError> {
        let (reason, was_accepted, code) = match payment.state {
            PaymentState::Rejected { accepted, reason, code } => (Some(reason.name()), Some(accepted), code),
            _ => (None, None, None),
        };
        let has_open_lines = match payment.state {
            PaymentState::PartlyAccepted { has_open_lines } => Some(has_open_lines),
            _ => None,
        };
        let (submit_at, execute_at) = match payment.state {
            PaymentState::Accepted { submit_at, .. } => (Some(submit_at), None),
            PaymentState::Scheduled { execute_at, .. } => (None, Some(execute_at)),
            _ => (None, None),
        };
        self.update_one(
            "payment",
            "UPDATE payment SET status = $3, rejection_reason = $4, was_accepted = $5, cancellation_hold_until = $6,
                last_action_at = $7, deadline = $8, payee_verification = $9, submit_at = $10,
                clearing_reason_code = $11, payee_owner_name = $12, routed_agent = $13, execute_at = $14,
                execution_number = $15, has_open_lines = $16
             WHERE id = $1 AND application = $2",
            params![
                payment.id,
                payment.application,
                payment.state.status().name(),
                reason,
                was_accepted,
                payment.state.cancellation_hold_until(),
                payment.last_action,
                payment.next_deadline(),
                payment.payee_verification.as_ref().map(|verified| verified.result().name()),
                submit_at,
                code.as_ref().map(ReasonCode::as_str),
                payment.payee_verification.as_ref().and_then(VerifiedPayee::owner_name),
                payment.routed_agent.as_ref().map(Bic::as_str),
                execute_at,
                (payment.execution_number > 0).then_some(i64::from(payment.execution_number)),
                has_open_lines
            ],
        )
    }

    /// The payments of a customer that were rejected since a time, newest first: by the bank or by clearing after the customer had
    /// authorised them, and those of the bank's app that the customer did not authorise in time.
    pub fn payment_rejected_list(
        &mut self,
        login: &str,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!(
                "WHERE psu_login = $1 AND last_action_at >= $2 AND rejection_reason IS NOT NULL
                   AND rejection_reason <> 'refused' AND (rejection_reason <> 'overdue' OR application = $3)
                 ORDER BY last_action_at DESC, id LIMIT $4"
            ),
            params![login, since, ApplicationId::BANK, limit],
            payment,
        )
    }

    /// The payments that a customer created in the app before an id, newest first.
    pub fn payment_page_of_app(
        &mut self,
        login: &str,
        before: PaymentId,
        limit: i64,
    ) -> Result<Vec<Payment>, StoreError> {
        let sql = match self.engine() {
            EngineKind::Sqlite => PAYMENTS_OF_APP_SQLITE,
            EngineKind::Postgres => PAYMENTS_OF_APP_POSTGRES,
        };
        self.query(sql, params![login, before, limit], payment)
    }

    /// The payments of a customer before a position, newest first. It reads the whole table, for the copy of personal data only.
    pub fn payment_page_by_login(
        &mut self,
        login: &str,
        (created_at, id): (Timestamp, PaymentId),
        limit: i64,
    ) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!(
                "WHERE psu_login = $1 AND (created_at < $2 OR (created_at = $2 AND id > $3))
                 ORDER BY created_at DESC, id LIMIT $4"
            ),
            params![login, created_at, id, limit],
            payment,
        )
    }

    /// The payments of an application before an id, newest first, among the 10,000 of the bank before it: an index by application would
    /// slow every payment.
    pub fn payment_page_by_application(
        &mut self,
        application: ApplicationId,
        before: PaymentId,
        limit: i64,
    ) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!(
                "WHERE application = $1 AND id < $2 AND id >= COALESCE(
                    (SELECT p.id FROM payment p WHERE p.id < $2 ORDER BY p.id DESC LIMIT 1 OFFSET 10000), $3)
                 ORDER BY id DESC LIMIT $4"
            ),
            params![application, before, PaymentId::new(uuid::Uuid::nil()), limit],
            payment,
        )
    }

    /// Payments whose deadline has passed, locked, except those that are locked already.
    pub fn payment_expired(&mut self, now: Timestamp) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!("WHERE deadline <= $1 ORDER BY deadline LIMIT $2 FOR UPDATE SKIP LOCKED"),
            params![now, PAYMENT_SWEEP_ROWS],
            payment,
        )
    }
}

pub(crate) fn payment(row: &mut RowReader<'_>) -> Result<Payment, StoreError> {
    let payment = Payment {
        id: row.read()?,
        application: row.read()?,
        psu: row.read()?,
        state: state(row)?,
        created_at: row.read()?,
        last_action: row.read()?,
        payee_verification: verified_payee(row)?,
        routed_agent: row.parse_opt(Bic::parse)?,
        instruction: instruction(row)?,
        standing_order: row.read()?,
        bulk: row.read()?,
        execution_number: 0,
        batch_account: None,
        notifies: false,
        signing_basket: None,
    };
    let number: Option<i64> = row.read()?;
    let execution_number = u32::try_from(number.unwrap_or(0)).unwrap_or(u32::MAX);
    let batch_account = row.read()?;
    Ok(Payment {
        execution_number,
        batch_account,
        notifies: row.read()?,
        signing_basket: row.read()?,
        ..payment
    })
}

fn verified_payee(row: &mut RowReader<'_>) -> Result<Option<VerifiedPayee>, StoreError> {
    let (result, owner_name) = (row.parse_opt(PayeeVerification::parse)?, row.read()?);
    Ok(result.map(|result| VerifiedPayee::new(result, owner_name)))
}

fn state(row: &mut RowReader<'_>) -> Result<PaymentState, StoreError> {
    let status = row.parse(TransactionStatus::parse)?;
    let reason = row.parse_opt(RejectionReason::parse)?;
    let code = row.parse_opt(ReasonCode::parse)?;
    let accepted: Option<bool> = row.read()?;
    let (submit_at, execute_at): (Option<Timestamp>, Option<Timestamp>) = (row.read()?, row.read()?);
    let cancellation_hold_until = row.read()?;
    let has_open_lines: Option<bool> = row.read()?;
    let incomplete = || StoreError::internal("columns of the payment's status are null");
    Ok(match status {
        TransactionStatus::Rcvd => PaymentState::Received,
        TransactionStatus::Actc => match execute_at {
            Some(execute_at) => PaymentState::Scheduled { execute_at, cancellation_hold_until },
            None => PaymentState::Authorised,
        },
        TransactionStatus::Accp => {
            PaymentState::Accepted { submit_at: submit_at.ok_or_else(incomplete)?, cancellation_hold_until }
        }
        TransactionStatus::Acsp => PaymentState::Submitted,
        TransactionStatus::Acsc => PaymentState::Settled,
        TransactionStatus::Accc => PaymentState::Credited,
        TransactionStatus::Part => {
            PaymentState::PartlyAccepted { has_open_lines: has_open_lines.ok_or_else(incomplete)? }
        }
        TransactionStatus::Rjct => {
            let (accepted, reason) = accepted.zip(reason).ok_or_else(incomplete)?;
            PaymentState::Rejected { accepted, reason, code }
        }
        TransactionStatus::Canc => PaymentState::Cancelled,
    })
}

fn instruction(row: &mut RowReader<'_>) -> Result<PaymentInstruction, StoreError> {
    let single = single_instruction(row, reference::read)?;
    Ok(PaymentInstruction {
        timing: payment_timing::timing(row)?,
        bulk: payment_timing::bulk_terms(row)?,
        ..single
    })
}

/// The instruction of a payment that is executed at once. `debtor` reads the payer's account, or has it from elsewhere.
pub(crate) fn single_instruction<'r>(
    row: &mut RowReader<'r>,
    debtor: impl FnOnce(&mut RowReader<'r>) -> Result<StoredReference, StoreError>,
) -> Result<PaymentInstruction, StoreError> {
    let (product, end_to_end_id) = (row.parse(PaymentProduct::parse)?, row.read()?);
    let debtor = debtor(row)?;
    let amount = row.money()?;
    Ok(PaymentInstruction {
        product,
        end_to_end_id,
        debtor,
        amount,
        fee: Money::new(row.read()?, amount.currency),
        creditor: row.parse(Iban::parse_stored)?,
        creditor_currency: row.read()?,
        creditor_agent: row.parse_opt(Bic::parse)?,
        creditor_agent_name: row.read()?,
        creditor_name: row.read()?,
        remittance: row.read()?,
        creditor_address: address(row)?,
        timing: PaymentTiming::Immediate,
        bulk: None,
    })
}

fn address(row: &mut RowReader<'_>) -> Result<Option<Address>, StoreError> {
    let has_address: bool = row.read()?;
    let address = Address {
        building_number: row.read()?,
        city: row.read()?,
        country: row.read()?,
        postal_code: row.read()?,
        street: row.read()?,
    };
    Ok(has_address.then_some(address))
}
