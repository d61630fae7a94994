//! The terms of an access consent: how the bank limits what a third party requests.

use super::{Access, AccessOptions, Validity};
use crate::field::Field;
use crate::reference::{AccountReference, Pan, StoredReference};
use crate::refusal::{FieldErrors, Refusal};
use crate::time::{Date, Timestamp};

/// Maximum validity of a consent in days from today.
const MAX_VALIDITY_DAYS: i32 = 180;
/// Maximum number of reads per day without the customer (RTS 2018/389, Art. 36).
const MAX_FREQUENCY_PER_DAY: i64 = 4;

/// The end of a validity as given: a whole day in the bank's time zone, or a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidUntil {
    Date(Date),
    Timestamp(Timestamp),
}

/// The current time and the bank's calendar.
pub struct Calendar<'a> {
    pub now: Timestamp,
    pub today: Date,
    /// The last point in time of a date in the bank's time zone.
    pub day_end: &'a dyn Fn(Date) -> Timestamp,
}

/// An access consent as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessConsentRequest {
    pub access: Access<AccountReference>,
    pub options: AccessOptions<AccountReference>,
    pub recurring: bool,
    pub valid_until: ValidUntil,
    pub frequency_per_day: i64,
    /// Stored without any effect.
    pub combined_service: bool,
}

/// An access consent as granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessTerms {
    pub access: Access<StoredReference>,
    pub options: AccessOptions<StoredReference>,
    pub recurring: bool,
    pub valid_until: ValidUntil,
    /// The last point in time of `valid_until`.
    pub end: Timestamp,
    pub frequency_per_day: i64,
    pub combined_service: bool,
}

impl ValidUntil {
    pub fn is_past(self, calendar: &Calendar<'_>) -> bool {
        match self {
            Self::Date(day) => day < calendar.today,
            Self::Timestamp(instant) => instant <= calendar.now,
        }
    }
}

impl AccessConsentRequest {
    /// The granted terms. A validity or frequency above the maximum is reduced; a later GET shows the reduced value.
    pub fn terms(
        &self,
        calendar: &Calendar<'_>,
        hash: &dyn Fn(&Pan) -> [u8; 32],
    ) -> Result<AccessTerms, Refusal> {
        let mut errors = FieldErrors::default();
        if self.valid_until.is_past(calendar) {
            errors.add(Field::ValidUntil, "must be in the future");
        }
        if self.frequency_per_day < 1 {
            errors.add(Field::FrequencyPerDay, "must be at least 1");
        } else if !self.recurring && self.frequency_per_day != 1 {
            errors.add(Field::FrequencyPerDay, "must be 1 when recurringIndicator is false");
        }
        errors.finish()?;
        let (valid_until, end) = clip(self.valid_until, calendar);
        Ok(AccessTerms {
            access: self.access.to_stored(hash),
            options: self.options.to_stored(hash),
            recurring: self.recurring,
            valid_until,
            end,
            frequency_per_day: self.frequency_per_day.min(MAX_FREQUENCY_PER_DAY),
            combined_service: self.combined_service,
        })
    }
}

impl AccessTerms {
    pub const fn validity(&self) -> Validity {
        Validity { end: Some(self.end), one_off: !self.recurring }
    }
}

/// The granted end in the form in which it was given, and its last point in time.
fn clip(until: ValidUntil, calendar: &Calendar<'_>) -> (ValidUntil, Timestamp) {
    let last = Date(calendar.today.0.saturating_add(MAX_VALIDITY_DAYS));
    match until {
        ValidUntil::Date(day) => (ValidUntil::Date(day.min(last)), (calendar.day_end)(day.min(last))),
        ValidUntil::Timestamp(instant) => {
            let end = instant.min((calendar.day_end)(last));
            (ValidUntil::Timestamp(end), end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldPath;

    const DAY: i64 = 86_400_000_000;
    const TODAY: Date = Date(100);
    const NOW: Timestamp = Timestamp(100 * DAY + DAY / 2);

    fn end_of(day: Date) -> Timestamp {
        Timestamp((i64::from(day.0) + 1) * DAY - 1)
    }

    fn order(valid_until: ValidUntil, recurring: bool, frequency_per_day: i64) -> AccessConsentRequest {
        let access = Access::AllPsd2;
        AccessConsentRequest {
            access,
            options: AccessOptions::default(),
            recurring,
            valid_until,
            frequency_per_day,
            combined_service: false,
        }
    }

    fn terms(order: &AccessConsentRequest) -> Result<AccessTerms, Vec<FieldPath>> {
        let calendar = Calendar { now: NOW, today: TODAY, day_end: &end_of };
        let refusal = |refusal: Refusal| refusal.errors.into_iter().map(|error| error.path).collect();
        order.terms(&calendar, &|_| [0; 32]).map_err(refusal)
    }

    #[test]
    fn date_is_valid_to_its_end_and_timestamp_as_given() {
        let day = terms(&order(ValidUntil::Date(TODAY), true, 1)).unwrap();
        assert_eq!((day.valid_until, day.end), (ValidUntil::Date(TODAY), end_of(TODAY)));
        let later = Timestamp(NOW.0 + 1);
        let instant = terms(&order(ValidUntil::Timestamp(later), true, 1)).unwrap();
        assert_eq!((instant.valid_until, instant.end), (ValidUntil::Timestamp(later), later));
    }

    #[test]
    fn valid_until_in_the_past_is_refused() {
        for past in [ValidUntil::Date(Date(99)), ValidUntil::Timestamp(NOW)] {
            assert_eq!(terms(&order(past, true, 1)), Err(vec![Field::ValidUntil.into()]), "{past:?}");
        }
    }

    #[test]
    fn validity_is_limited_to_180_days() {
        let last = Date(280);
        let whole = terms(&order(ValidUntil::Date(last), true, 1)).unwrap();
        assert_eq!(whole.valid_until, ValidUntil::Date(last));
        let day = terms(&order(ValidUntil::Date(Date(i32::MAX)), true, 1)).unwrap();
        assert_eq!((day.valid_until, day.end), (ValidUntil::Date(last), end_of(last)));
        let instant = terms(&order(ValidUntil::Timestamp(Timestamp(i64::MAX)), true, 1)).unwrap();
        assert_eq!((instant.valid_until, instant.end), (ValidUntil::Timestamp(end_of(last)), end_of(last)));
    }

    #[test]
    fn frequency_is_between_one_and_four_and_one_for_a_one_off() {
        let until = ValidUntil::Date(TODAY);
        let granted = |recurring, often| terms(&order(until, recurring, often)).map(|t| t.frequency_per_day);
        let refused = || Err(vec![Field::FrequencyPerDay.into()]);
        assert_eq!(granted(true, 0), refused());
        assert_eq!(granted(true, -1), refused());
        assert_eq!(granted(true, 4), Ok(4));
        assert_eq!(granted(true, 1000), Ok(4));
        assert_eq!(granted(false, 1), Ok(1));
        assert_eq!(granted(false, 2), refused());
    }

    #[test]
    fn all_errors_are_reported_together() {
        let wrong = order(ValidUntil::Date(Date(1)), true, 0);
        let fields = [Field::ValidUntil, Field::FrequencyPerDay];
        assert_eq!(terms(&wrong), Err(fields.map(FieldPath::from).to_vec()));
    }

    #[test]
    fn consent_that_is_not_recurring_is_one_off() {
        let validity = |recurring| terms(&order(ValidUntil::Date(TODAY), recurring, 1)).unwrap().validity();
        assert_eq!(validity(true), Validity { end: Some(end_of(TODAY)), one_off: false });
        assert_eq!(validity(false), Validity { end: Some(end_of(TODAY)), one_off: true });
    }
}
