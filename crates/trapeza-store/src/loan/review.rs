//! Reviews by a person of declined purchases and of requests for longer plans.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{LoanId, LoanReviewId, PsuId, ShopperId};
use trapeza_domain::loan::{DeclaredIncome, IncomeSource, LoanReview, ReviewKind, ReviewStatus};
use trapeza_domain::money::Currency;
use trapeza_domain::time::Date;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, loan, kind, shopper, psu, statement, income_minor, expenses_minor, income_source, status,
                    requested_at, decided_at, explanation, valid_until, used_by
             FROM loan_review ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// Inserts a review with the language of its messages. False when the loan has one of this kind.
    pub fn loan_review_insert(&mut self, review: &LoanReview, language: &str) -> Result<bool, StoreError> {
        let income = review.income;
        let inserted = self.execute(
            "INSERT INTO loan_review (id, loan, kind, shopper, psu, language, statement, income_minor, expenses_minor,
                income_source, status, requested_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (loan, kind) DO NOTHING",
            params![
                review.id,
                review.loan,
                review.kind.name(),
                review.shopper,
                review.psu,
                language,
                review.statement.as_str(),
                income.map(|income| income.income_minor),
                income.map(|income| income.expenses_minor),
                income.map(|income| income.source.name()),
                review.status.name(),
                review.requested_at
            ],
        )?;
        Ok(inserted == 1)
    }

    /// Updates the state. What the customer stated never changes.
    pub fn loan_review_update(&mut self, review: &LoanReview) -> Result<(), StoreError> {
        self.update_one(
            "loan_review",
            "UPDATE loan_review SET status = $2, decided_at = $3, explanation = $4, valid_until = $5, used_by = $6
             WHERE id = $1",
            params![
                review.id,
                review.status.name(),
                review.decided_at,
                review.explanation.as_deref(),
                review.valid_until,
                review.used_by
            ],
        )
    }

    /// A review, locked until the transaction ends.
    pub fn loan_review_lock(&mut self, id: LoanReviewId) -> Result<Option<LoanReview>, StoreError> {
        self.query_opt(select!("WHERE id = $1 FOR UPDATE"), params![id], review)
    }

    /// The tag of the language in which the customer asked for a review.
    pub fn loan_review_language(&mut self, id: LoanReviewId) -> Result<String, StoreError> {
        self.query_one("SELECT language FROM loan_review WHERE id = $1", params![id], |row| {
            Ok(row.read::<&str>()?.to_owned())
        })
    }

    /// The reviews of a loan.
    pub fn loan_review_list(&mut self, loan: LoanId) -> Result<Vec<LoanReview>, StoreError> {
        self.query(select!("WHERE loan = $1 ORDER BY requested_at"), params![loan], review)
    }

    /// The reviews that wait for a decision, the oldest first.
    pub fn loan_review_open_list(&mut self, limit: i64) -> Result<Vec<LoanReview>, StoreError> {
        self.query(select!("WHERE status = 'open' ORDER BY requested_at LIMIT $1"), params![limit], review)
    }

    /// Whether a loan has a review that waits for a decision.
    pub fn loan_review_is_open(&mut self, loan: LoanId) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM loan_review WHERE loan = $1 AND status = 'open'", params![loan])
    }

    /// The reviews that a customer asked for, newest first.
    pub fn loan_review_list_by_psu(&mut self, psu: PsuId, limit: i64) -> Result<Vec<LoanReview>, StoreError> {
        self.query(
            select!(
                "WHERE psu = $1 OR (psu IS NULL AND shopper IN (SELECT id FROM shopper WHERE psu = $1))
                 ORDER BY requested_at DESC LIMIT $2"
            ),
            params![psu, limit],
            review,
        )
    }

    /// The largest approval of a customer, or of a guest with this or another of the customer's telephone numbers, that can be used today,
    /// with its amount.
    pub fn loan_review_approval(
        &mut self,
        shopper: ShopperId,
        psu: Option<PsuId>,
        currency: Currency,
        today: Date,
    ) -> Result<Option<(LoanReviewId, i64)>, StoreError> {
        self.query_opt(
            "SELECT r.id, l.amount_minor FROM loan_review r JOIN loan l ON l.id = r.loan
             WHERE (r.psu = $2 OR (r.psu IS NULL AND (r.shopper = $1 OR r.shopper IN (SELECT id FROM shopper WHERE psu = $2))))
                AND r.status = 'granted'
                AND r.kind = 'decision' AND r.valid_until >= $4 AND l.currency = $3
             ORDER BY l.amount_minor DESC, r.id LIMIT 1",
            params![shopper, psu, currency, today],
            |row| Ok((row.read()?, row.read()?)),
        )
    }
}

fn review(row: &mut RowReader<'_>) -> Result<LoanReview, StoreError> {
    Ok(LoanReview {
        id: row.read()?,
        loan: row.read()?,
        kind: row.parse(ReviewKind::parse)?,
        shopper: row.read()?,
        psu: row.read()?,
        statement: row.read::<&str>()?.to_owned(),
        income: declared_income(row)?,
        status: row.parse(ReviewStatus::parse)?,
        requested_at: row.read()?,
        decided_at: row.read()?,
        explanation: row.read::<Option<&str>>()?.map(str::to_owned),
        valid_until: row.read()?,
        used_by: row.read()?,
    })
}

/// A declared income, from the columns of its amounts and its source.
pub(crate) fn declared_income(row: &mut RowReader<'_>) -> Result<Option<DeclaredIncome>, StoreError> {
    let (income, expenses): (Option<i64>, Option<i64>) = (row.read()?, row.read()?);
    let source = row.parse_opt(IncomeSource::parse)?;
    let declared = income.zip(expenses).zip(source);
    Ok(declared.map(|((income_minor, expenses_minor), source)| DeclaredIncome {
        income_minor,
        expenses_minor,
        source,
    }))
}
