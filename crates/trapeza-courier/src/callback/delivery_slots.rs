//! Who may be called how much at a time. Each application has its own lane; one whose receiver is slow is given less and
//! less, so that the places of all are not used up by those who only wait. A quick refusal costs nothing and is no
//! reason.

use super::Freed;
use std::collections::HashMap;
use trapeza_domain::id::ApplicationId;

/// Under way in all lanes together: sockets are not without end.
const UNDER_WAY: usize = 256;
/// Under way in one lane: at first, at most, and however slow it is.
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
    /// The last one served: the next look begins behind it, so that nobody is always the first.
    last: Option<ApplicationId>,
}

impl DeliverySlots {
    pub(super) fn new() -> Self {
        Self { lanes: HashMap::new(), under_way: 0, last: None }
    }

    pub(super) fn has_room(&self) -> bool {
        self.under_way < UNDER_WAY
    }

    /// How many of each application may be claimed now, in jobs of at most so many.
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
        // What is as at first need not be remembered.
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
    fn a_slow_lane_shrinks_to_its_least_and_a_quick_one_grows_to_its_most() {
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
    fn nobody_gets_more_than_there_is_room_and_nobody_is_always_the_last() {
        let mut lanes = DeliverySlots::new();
        let due: Vec<_> = (0..200).map(application).collect();
        let first = all(lanes.rooms(due.clone(), 100));
        assert_eq!(first.iter().map(|(_, room)| room).sum::<i64>(), 256);
        assert_eq!(first.len(), 32);
        let second = all(lanes.rooms(due, 100));
        assert_eq!(second[0].0, application(32), "the next look begins behind the last one served");
    }

    #[test]
    fn a_job_is_no_larger_than_asked() {
        let mut lanes = DeliverySlots::new();
        let jobs = lanes.rooms((0..40).map(application).collect(), 100);
        assert!(jobs.iter().all(|job| job.iter().map(|(_, room)| room).sum::<i64>() <= 100));
        assert_eq!(jobs.len(), 3);
    }

    #[test]
    fn a_full_lane_gets_nothing_and_others_do() {
        let mut lanes = DeliverySlots::new();
        for _ in 0..FIRST {
            lanes.take(application(1));
        }
        assert_eq!(all(lanes.rooms(vec![application(1), application(2)], 100)), [(application(2), 8)]);
    }
}
