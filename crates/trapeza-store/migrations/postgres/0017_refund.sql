-- Loans that merchants give back, in part or whole.

-- What was refunded of a loan so far.
ALTER TABLE loan ADD COLUMN refunded_minor BIGINT NOT NULL DEFAULT 0;
-- Principal that a refund took off an installment, and interest that fell away with it. What was agreed stays as it was.
ALTER TABLE loan_installment ADD COLUMN refunded_minor BIGINT NOT NULL DEFAULT 0;
ALTER TABLE loan_installment ADD COLUMN waived_minor BIGINT NOT NULL DEFAULT 0;

-- One refund, as its merchant was told of it.
CREATE TABLE loan_refund (
    id BYTEA NOT NULL,
    loan BYTEA NOT NULL,
    application BYTEA NOT NULL REFERENCES application (id),
    -- The merchant's own id of the call, as it was sent.
    request TEXT NOT NULL,
    reason TEXT,
    amount_minor BIGINT NOT NULL,
    -- What the bank bore of it, what the customer owed less, and what went back to them.
    discount_minor BIGINT NOT NULL,
    relieved_minor BIGINT NOT NULL,
    returned_minor BIGINT NOT NULL,
    -- What was refunded of the loan in all, this one included.
    total_minor BIGINT NOT NULL,
    refunded_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX loan_refund_id ON loan_refund (id);
CREATE INDEX loan_refund_loan ON loan_refund (loan);
