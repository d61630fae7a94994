//! Actions on the ledger: manual postings and their reversal.

use super::parameter_reader::{ParameterReader, short_text};
use super::{ActionContext, ActionOutcome};
use crate::UseCaseError;
use crate::ledger::manual::{self, ManualContext};
use trapeza_domain::field::Field;
use trapeza_domain::id::ManualPostingId;
use trapeza_domain::ledger::manual::{ManualAccount, ManualPosting};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::staff::StaffAction;
use trapeza_store::Tx;

#[derive(Clone, Debug)]
pub(super) enum LedgerCommand {
    Post(ManualPosting),
    Reverse { id: ManualPostingId, text: String },
}

impl LedgerCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        let id = reader.id("posting", Field::ManualPostingId, ManualPostingId::parse);
        let text = reader.parsed("text", Field::StatementText, short_text);
        if action == StaffAction::LedgerReverseManual {
            return Some(Self::Reverse { id: id?, text: text? });
        }
        let debit = reader.parsed("debit", Field::DebitAccount, ManualAccount::parse);
        let credit = reader.parsed("credit", Field::CreditAccount, ManualAccount::parse);
        let currency = reader.parsed("currency", Field::Currency, Currency::parse);
        let amount = reader
            .parsed("amount", Field::Amount, |text| Money::parse(text, currency.unwrap_or(Currency::EUR)));
        Some(Self::Post(ManualPosting {
            id: id?,
            debit: debit?,
            credit: credit?,
            amount: Money::new(amount?.minor, currency?),
            text: text?,
        }))
    }

    pub(super) fn approved_state(&self, tx: &mut Tx<'_>) -> Result<String, UseCaseError> {
        match self {
            Self::Post(posting) => manual::post_approved_state(tx, posting),
            Self::Reverse { id, .. } => manual::reverse_approved_state(tx, *id),
        }
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let &ActionContext { actor, now, today, .. } = context;
        let posting_context = ManualContext { actor, now, today, bank_name: context.bank_name.clone() };
        let text = match self {
            Self::Post(posting) => {
                manual::manual_post(tx, posting, &posting_context)?;
                let (debit, credit) = (posting.debit.masked(), posting.credit.masked());
                format!("posted {} from {debit} to {credit}, posting {}", posting.amount, posting.id)
            }
            Self::Reverse { id, text } => {
                let posting = manual::reverse(tx, *id, text, &posting_context)?;
                format!("reversed posting {id} of {}", posting.amount)
            }
        };
        Ok(ActionOutcome::of(text))
    }
}
