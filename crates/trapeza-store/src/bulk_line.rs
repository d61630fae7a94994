//! The lines of bulk payments: as they were ordered, and the payments that they became.

use crate::error::StoreError;
use crate::params;
use crate::payment::{payment, select_payment, single_instruction};
use crate::tx::Tx;
use trapeza_domain::id::{ApplicationId, PaymentId};
use trapeza_domain::payment::{Address, LineCounts, Payment, PaymentInstruction};
use trapeza_domain::reference::Bic;

impl Tx<'_> {
    /// Inserts the lines of a bulk payment that was just initiated, numbered from 1.
    pub fn bulk_line_insert(
        &mut self,
        bulk: &Payment,
        lines: &[PaymentInstruction],
    ) -> Result<(), StoreError> {
        for (line, number) in lines.iter().zip(1_i64..) {
            let address = line.creditor_address.as_ref();
            let part =
                |pick: fn(&Address) -> &Option<String>| address.and_then(|address| pick(address).as_deref());
            self.execute_deferred(
                "INSERT INTO bulk_line (bulk, application, number, product, end_to_end_id, currency, amount_minor,
                    fee_minor, creditor_iban, creditor_currency, creditor_agent, creditor_agent_name,
                    creditor_name, remittance, has_creditor_address, building_number, city, country, postal_code,
                    street)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
                params![
                    bulk.id,
                    bulk.application,
                    number,
                    line.product.name(),
                    line.end_to_end_id.as_deref(),
                    line.amount.currency,
                    line.amount.minor,
                    line.fee.minor,
                    line.creditor.as_str(),
                    line.creditor_currency,
                    line.creditor_agent.as_ref().map(Bic::as_str),
                    line.creditor_agent_name.as_deref(),
                    &line.creditor_name,
                    line.remittance.as_deref(),
                    address.is_some(),
                    part(|address| &address.building_number),
                    part(|address| &address.city),
                    part(|address| &address.country),
                    part(|address| &address.postal_code),
                    part(|address| &address.street)
                ],
            )?;
        }
        Ok(())
    }

    /// The first lines of a bulk payment in their order. They are paid from the bulk's account.
    pub fn bulk_line_list(
        &mut self,
        bulk: &Payment,
        limit: usize,
    ) -> Result<Vec<PaymentInstruction>, StoreError> {
        let debtor = &bulk.instruction.debtor;
        self.query(
            "SELECT product, end_to_end_id, currency, amount_minor, fee_minor, creditor_iban, creditor_currency,
                    creditor_agent, creditor_agent_name, creditor_name, remittance, has_creditor_address,
                    building_number, city, country, postal_code, street
             FROM bulk_line WHERE bulk = $1 AND application = $2 ORDER BY number LIMIT $3",
            params![bulk.id, bulk.application, i64::try_from(limit).unwrap_or(i64::MAX)],
            |row| single_instruction(row, |_| Ok(debtor.clone())),
        )
    }

    /// The payments that the lines of a bulk became and that were rejected, in the order of the lines.
    pub fn bulk_rejected_list(
        &mut self,
        application: ApplicationId,
        bulk: PaymentId,
    ) -> Result<Vec<Payment>, StoreError> {
        self.query(
            select_payment!(
                "WHERE bulk = $1 AND application = $2 AND status = 'RJCT' ORDER BY execution_number"
            ),
            params![bulk, application],
            payment,
        )
    }

    /// How many lines of a bulk are in which state.
    pub fn bulk_line_count(
        &mut self,
        application: ApplicationId,
        bulk: PaymentId,
    ) -> Result<LineCounts, StoreError> {
        let counts = self.query(
            "SELECT CAST(SUM(CASE WHEN status IN ('ACSC', 'ACCC') THEN 1 ELSE 0 END) AS BIGINT),
                    CAST(SUM(CASE WHEN status IN ('RJCT', 'CANC') THEN 1 ELSE 0 END) AS BIGINT), COUNT(*)
             FROM payment WHERE bulk = $1 AND application = $2",
            params![bulk, application],
            |row| Ok((row.read::<Option<i64>>()?, row.read::<Option<i64>>()?, row.read::<i64>()?)),
        )?;
        let number = |count: i64| u64::try_from(count).unwrap_or(0);
        Ok(counts.first().map_or_else(LineCounts::default, |(done, rejected, all)| {
            let (done, rejected) = (number(done.unwrap_or(0)), number(rejected.unwrap_or(0)));
            LineCounts { open: number(*all) - done - rejected, done, rejected }
        }))
    }
}
