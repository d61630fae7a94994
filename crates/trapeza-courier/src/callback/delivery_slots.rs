//! Adaptive concurrency per application. A slow receiver gets fewer slots, so that all slots are not used up by slow ones. A
//! fast error does not reduce the slots.

use super::FinishedAttempt;
use std::collections::HashMap;
use trapeza_domain::id::ApplicationId;

/// Slots of all applications together.
const TOTAL_SLOTS: usize = 256;
/// Slots of one application: initial, maximum and minimum.
const INITIAL_SLOTS: usize = 8;
const MAX_SLOTS: usize = 24;
const MIN_SLOTS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReceiverSlots {
    in_use: usize,
    allowance: usize,
}

impl Default for ReceiverSlots {
    fn default() -> Self {
        Self { in_use: 0, allowance: INITIAL_SLOTS }
    }
}

pub(super) struct DeliverySlots {
    slots: HashMap<ApplicationId, ReceiverSlots>,
    in_use: usize,
    /// The last application served; the next allocation starts after it (round robin).
    last: Option<ApplicationId>,
}

impl DeliverySlots {
    pub(super) fn new() -> Self {
        Self { slots: HashMap::new(), in_use: 0, last: None }
    }

    pub(super) fn has_free_slots(&self) -> bool {
        self.in_use < TOTAL_SLOTS
    }

    /// How many callbacks of each application may be claimed now, in jobs of at most `job` callbacks.
    pub(super) fn allocate(
        &mut self,
        mut due: Vec<ApplicationId>,
        job: usize,
    ) -> Vec<Vec<(ApplicationId, i64)>> {
        due.sort();
        let start = due.partition_point(|application| Some(*application) <= self.last);
        due.rotate_left(start);
        let mut left = TOTAL_SLOTS - self.in_use;
        let mut jobs = Vec::new();
        let (mut batch, mut size) = (Vec::new(), 0);
        for application in due {
            let receiver = self.slots.get(&application).copied().unwrap_or_default();
            let free = receiver.allowance.saturating_sub(receiver.in_use).min(left);
            if free == 0 {
                continue;
            }
            if size + free > job && size > 0 {
                jobs.push(std::mem::take(&mut batch));
                size = 0;
            }
            left -= free;
            size += free;
            self.last = Some(application);
            batch.push((application, i64::try_from(free).unwrap_or(1)));
        }
        if !batch.is_empty() {
            jobs.push(batch);
        }
        jobs
    }

    pub(super) fn acquire(&mut self, application: ApplicationId) {
        self.in_use += 1;
        self.slots.entry(application).or_default().in_use += 1;
    }

    pub(super) fn release(&mut self, freed: &FinishedAttempt) {
        self.in_use = self.in_use.saturating_sub(1);
        let Some(slot) = self.slots.get_mut(&freed.application) else { return };
        slot.in_use = slot.in_use.saturating_sub(1);
        slot.allowance = if freed.slow {
            (slot.allowance / 2).max(MIN_SLOTS)
        } else {
            (slot.allowance + 1).min(MAX_SLOTS)
        };
        // An application in its initial state is removed.
        if slot.in_use == 0 && slot.allowance >= INITIAL_SLOTS {
            self.slots.remove(&freed.application);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn application(number: u8) -> ApplicationId {
        let mut bytes = [0; 16];
        bytes[0] = number;
        ApplicationId::from_bytes(&bytes).unwrap()
    }

    fn all(jobs: Vec<Vec<(ApplicationId, i64)>>) -> Vec<(ApplicationId, i64)> {
        jobs.into_iter().flatten().collect()
    }

    #[test]
    fn slots_shrink_for_slow_and_grow_for_fast_receivers() {
        let (mut slots, one) = (DeliverySlots::new(), application(1));
        for (slow, allowance) in [(true, 2), (false, 24)] {
            for _ in 0..2 {
                slots.acquire(one);
            }
            for _ in 0..MAX_SLOTS {
                slots.acquire(one);
                slots.release(&FinishedAttempt { application: one, slow });
            }
            assert_eq!(slots.slots[&one].allowance, allowance);
        }
    }

    #[test]
    fn allocation_is_bounded_and_fair() {
        let mut slots = DeliverySlots::new();
        let due: Vec<_> = (0..200).map(application).collect();
        let first = all(slots.allocate(due.clone(), 100));
        assert_eq!(first.iter().map(|(_, free_slots)| free_slots).sum::<i64>(), 256);
        assert_eq!(first.len(), 32);
        let second = all(slots.allocate(due, 100));
        assert_eq!(second[0].0, application(32), "the next allocation starts after the last one served");
    }

    #[test]
    fn job_size_is_limited() {
        let mut slots = DeliverySlots::new();
        let jobs = slots.allocate((0..40).map(application).collect(), 100);
        assert!(jobs.iter().all(|job| job.iter().map(|(_, free_slots)| free_slots).sum::<i64>() <= 100));
        assert_eq!(jobs.len(), 3);
    }

    #[test]
    fn application_without_free_slots_is_skipped() {
        let mut slots = DeliverySlots::new();
        for _ in 0..INITIAL_SLOTS {
            slots.acquire(application(1));
        }
        assert_eq!(all(slots.allocate(vec![application(1), application(2)], 100)), [(application(2), 8)]);
    }
}
