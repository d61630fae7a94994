//! Adaptive concurrency per application. A slow receiver gets fewer slots, so that all slots are not used up by slow ones. A
//! fast error does not reduce the slots.

use super::Freed;
use std::collections::HashMap;
use trapeza_domain::id::ApplicationId;

/// Slots of all applications together.
const UNDER_WAY: usize = 256;
/// Slots of one application: initial, maximum and minimum.
const FIRST: usize = 8;
const MOST: usize = 24;
const LEAST: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lane {
    under_way: usize,
    allowance: usize,
}

impl Default for Lane {
    fn default() -> Self {
        Self { under_way: 0, allowance: FIRST }
    }
}

pub(super) struct DeliverySlots {
    lanes: HashMap<ApplicationId, Lane>,
    under_way: usize,
    /// The last application served; the next allocation starts after it (round robin).
    last: Option<ApplicationId>,
}

impl DeliverySlots {
    pub(super) fn new() -> Self {
        Self { lanes: HashMap::new(), under_way: 0, last: None }
    }

    pub(super) fn has_room(&self) -> bool {
        self.under_way < UNDER_WAY
    }

    /// How many callbacks of each application may be claimed now, in jobs of at most `job` callbacks.
    pub(super) fn rooms(
        &mut self,
        mut due: Vec<ApplicationId>,
        job: usize,
    ) -> Vec<Vec<(ApplicationId, i64)>> {
        due.sort();
        let behind = due.partition_point(|application| Some(*application) <= self.last);
        due.rotate_left(behind);
        let mut left = UNDER_WAY - self.under_way;
        let mut jobs = Vec::new();
        let (mut rooms, mut size) = (Vec::new(), 0);
        for application in due {
            let lane = self.lanes.get(&application).copied().unwrap_or_default();
            let room = lane.allowance.saturating_sub(lane.under_way).min(left);
            if room == 0 {
                continue;
            }
            if size + room > job && size > 0 {
                jobs.push(std::mem::take(&mut rooms));
                size = 0;
            }
            left -= room;
            size += room;
            self.last = Some(application);
            rooms.push((application, i64::try_from(room).unwrap_or(1)));
        }
        if !rooms.is_empty() {
            jobs.push(rooms);
        }
        jobs
    }

    pub(super) fn take(&mut self, application: ApplicationId) {
        self.under_way += 1;
        self.lanes.entry(application).or_default().under_way += 1;
    }

    pub(super) fn give_back(&mut self, freed: &Freed) {
        self.under_way = self.under_way.saturating_sub(1);
        let Some(lane) = self.lanes.get_mut(&freed.application) else { return };
        lane.under_way = lane.under_way.saturating_sub(1);
        lane.allowance =
            if freed.slow { (lane.allowance / 2).max(LEAST) } else { (lane.allowance + 1).min(MOST) };
        // An application in its initial state is forgotten.
        if lane.under_way == 0 && lane.allowance >= FIRST {
            self.lanes.remove(&freed.application);
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
        let (mut lanes, one) = (DeliverySlots::new(), application(1));
        for (slow, allowance) in [(true, LEAST), (false, MOST)] {
            for _ in 0..2 {
                lanes.take(one);
            }
            for _ in 0..MOST {
                lanes.take(one);
                lanes.give_back(&Freed { application: one, slow });
            }
            assert_eq!(lanes.lanes[&one].allowance, allowance);
        }
    }

    #[test]
    fn allocation_is_bounded_and_fair() {
        let mut lanes = DeliverySlots::new();
        let due: Vec<_> = (0..200).map(application).collect();
        let first = all(lanes.rooms(due.clone(), 100));
        assert_eq!(first.iter().map(|(_, room)| room).sum::<i64>(), 256);
        assert_eq!(first.len(), 32);
        let second = all(lanes.rooms(due, 100));
        assert_eq!(second[0].0, application(32), "the next allocation starts after the last one served");
    }

    #[test]
    fn job_size_is_limited() {
        let mut lanes = DeliverySlots::new();
        let jobs = lanes.rooms((0..40).map(application).collect(), 100);
        assert!(jobs.iter().all(|job| job.iter().map(|(_, room)| room).sum::<i64>() <= 100));
        assert_eq!(jobs.len(), 3);
    }

    #[test]
    fn application_without_free_slots_is_skipped() {
        let mut lanes = DeliverySlots::new();
        for _ in 0..FIRST {
            lanes.take(application(1));
        }
        assert_eq!(all(lanes.rooms(vec![application(1), application(2)], 100)), [(application(2), 8)]);
    }
}
