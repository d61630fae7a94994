-- Loans being paid back: what has become of each installment, and when the next thing does.

-- Its interest is in the books; and how many tries to collect it have failed.
ALTER TABLE loan_installment ADD COLUMN accrued INTEGER NOT NULL DEFAULT 0;
ALTER TABLE loan_installment ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
-- The day on which something becomes due of it; null when nothing will.
ALTER TABLE loan ADD COLUMN next_day INTEGER;
UPDATE loan SET next_day = (SELECT MIN(i.due_day) FROM loan_installment i WHERE i.loan = loan.id)
WHERE status = 'active' AND customer IS NOT NULL;
CREATE INDEX loan_next ON loan (next_day) WHERE next_day IS NOT NULL;
CREATE INDEX loan_status ON loan (status, last_action);
