//! What a borrower who cannot pay as agreed sees.

use trapeza_domain::loan::{InstallmentState, Loan, LoanReview, ReviewKind};
use trapeza_domain::time::Date;
use trapeza_store::{StoreError, Tx};

/// What a borrower can be offered, and what was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForbearanceView {
    pub can_pause: bool,
    pub can_ask_for_extension: bool,
    pub extension: Option<Box<LoanReview>>,
    pub paused_on: Option<Date>,
}

/// What can be done for a loan.
pub(super) fn view(
    tx: &mut Tx<'_>,
    loan: &Loan,
    installments: &[InstallmentState],
) -> Result<ForbearanceView, StoreError> {
    let reviews = tx.loan_review_list(loan.id)?;
    let extension = reviews.into_iter().find(|review| review.kind == ReviewKind::Extension);
    Ok(ForbearanceView {
        can_pause: loan.is_pausable(installments),
        can_ask_for_extension: extension.is_none() && loan.is_extensible(installments),
        extension: extension.map(Box::new),
        paused_on: loan.dates.paused_on,
    })
}
