-- A message is claimed before it is sent, so that of two couriers only one sends it; a claim that nobody settles ends.
ALTER TABLE message ADD COLUMN claimed_until BIGINT;
