//! The MAC of a transfer, under the key of the audit log. A row that was written or changed past the bank has none that fits.

use ring::hmac;
use trapeza_domain::time::Date;

/// Half of the HMAC is enough, since nothing can be tried without the key.
pub(crate) const MAC_BYTES: usize = 16;

/// The columns that are covered.
pub(crate) struct MacFields<'a> {
    pub(crate) debit: i64,
    pub(crate) credit: i64,
    pub(crate) currency: &'a str,
    pub(crate) amount_minor: i64,
    pub(crate) debit_seq: Option<i64>,
    pub(crate) credit_seq: Option<i64>,
    pub(crate) event: &'a str,
    pub(crate) reference: &'a str,
    pub(crate) booking_date: Date,
    pub(crate) value_date: Date,
}

impl MacFields<'_> {
    pub(crate) fn mac(&self, key: &hmac::Key) -> [u8; MAC_BYTES] {
        let mut mac = hmac::Context::with_key(key);
        // The audit log uses the same key; its messages begin with a MAC.
        mac.update(b"transfer");
        for number in [self.debit, self.credit, self.amount_minor] {
            mac.update(&number.to_be_bytes());
        }
        // Entries are numbered from one.
        for seq in [self.debit_seq, self.credit_seq] {
            mac.update(&seq.unwrap_or(0).to_be_bytes());
        }
        for date in [self.booking_date, self.value_date] {
            mac.update(&date.0.to_be_bytes());
        }
        for text in [self.currency, self.event, self.reference] {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        let mut half = [0; MAC_BYTES];
        half.copy_from_slice(&mac.sign().as_ref()[..MAC_BYTES]);
        half
    }
}
