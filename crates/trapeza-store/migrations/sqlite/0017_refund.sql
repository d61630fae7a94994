-- Loans that merchants give back, in part or whole.

-- What was refunded of a loan so far.
ALTER TABLE loan ADD COLUMN refunded_minor INTEGER NOT NULL DEFAULT 0;
-- Principal that a refund took off an installment, and interest that fell away with it. What was agreed stays as it was.
ALTER TABLE loan_installment ADD COLUMN refunded_minor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE loan_installment ADD COLUMN waived_minor INTEGER NOT NULL DEFAULT 0;

-- One refund, as its merchant was told of it.
CREATE TABLE loan_refund (
    id BLOB NOT NULL,
    loan BLOB NOT NULL,
    application BLOB NOT NULL REFERENCES application (id),
    -- The merchant's own id of the call, as it was sent.
    request TEXT NOT NULL,
    reason TEXT,
    amount_minor INTEGER NOT NULL,
    -- What the bank bore of it, what the customer owed less, and what went back to them.
    discount_minor INTEGER NOT NULL,
    relieved_minor INTEGER NOT NULL,
    returned_minor INTEGER NOT NULL,
    -- What was refunded of the loan in all, this one included.
    total_minor INTEGER NOT NULL,
    refunded_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX loan_refund_id ON loan_refund (id);
CREATE INDEX loan_refund_loan ON loan_refund (loan);
