//! Whether a concurrent history has an order of its calls that explains every answer and in which no call comes before one that
//! had ended when it began (Wing and Gong's search; states that were seen with the same calls done are not tried again).

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// A sequential object: what it answers, one call after another.
pub trait Sequential: Clone + Eq + Hash + Debug {
    type Call: Debug;
    type Answer: Debug;

    /// The state after a call, if this is what it answers.
    fn after(&self, call: &Self::Call, answer: &Self::Answer) -> Option<Self>;
}

/// A call with its answer, and when each was seen by the caller.
#[derive(Debug)]
pub struct Recorded<M: Sequential> {
    pub call: M::Call,
    pub answer: M::Answer,
    pub start: Duration,
    pub end: Duration,
}

/// Makes a call and records it.
pub async fn record<M: Sequential>(
    began: Instant,
    call: M::Call,
    answer: impl Future<Output = M::Answer>,
) -> Recorded<M> {
    let start = began.elapsed();
    let answer = answer.await;
    Recorded { call, answer, start, end: began.elapsed() }
}

/// An order of the calls that explains all answers.
pub fn order<M: Sequential>(initial: &M, history: &[Recorded<M>]) -> Option<Vec<usize>> {
    assert!(history.len() <= 64, "a history is a set of bits");
    let all = if history.len() == 64 { u64::MAX } else { (1 << history.len()) - 1 };
    let mut seen = HashSet::new();
    let mut open = vec![(0_u64, initial.clone(), Vec::new())];
    while let Some((done, state, order)) = open.pop() {
        if done == all {
            return Some(order);
        }
        let left = || (0..history.len()).filter(|index| done & (1 << index) == 0);
        // No call may come before one that has ended already.
        let first_end = left().map(|index| history[index].end).min()?;
        for index in left().filter(|index| history[*index].start <= first_end) {
            let one = &history[index];
            let Some(next) = state.after(&one.call, &one.answer) else { continue };
            let done = done | 1 << index;
            if seen.insert((done, next.clone())) {
                let order = order.iter().copied().chain([index]).collect();
                open.push((done, next, order));
            }
        }
    }
    None
}

/// How many pairs of calls overlapped: without any, a history shows nothing.
pub fn overlaps<M: Sequential>(history: &[Recorded<M>]) -> usize {
    let pairs =
        history.iter().enumerate().flat_map(|(i, one)| history[i + 1..].iter().map(move |two| (one, two)));
    pairs.filter(|(one, two)| one.start < two.end && two.start < one.end).count()
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Register(u32);

#[derive(Clone, Copy, Debug)]
enum RegisterCall {
    Write(u32),
    Read,
}

impl Sequential for Register {
    type Call = RegisterCall;
    type Answer = u32;

    fn after(&self, call: &RegisterCall, answer: &u32) -> Option<Self> {
        match call {
            RegisterCall::Write(value) => Some(Self(*value)),
            RegisterCall::Read => (self.0 == *answer).then(|| self.clone()),
        }
    }
}

fn at(call: RegisterCall, answer: u32, start: u64, end: u64) -> Recorded<Register> {
    Recorded { call, answer, start: Duration::from_millis(start), end: Duration::from_millis(end) }
}

#[test]
fn search_history_with_an_order_finds_it() {
    use RegisterCall::{Read, Write};
    // The second read overlaps the write and may still see the old value.
    let history = [at(Write(1), 0, 0, 10), at(Read, 0, 2, 4), at(Read, 1, 5, 6), at(Read, 1, 11, 12)];
    assert_eq!(order(&Register(0), &history), Some(vec![1, 0, 2, 3]));
}

#[test]
fn search_history_without_an_order_finds_none() {
    use RegisterCall::{Read, Write};
    let old_after_new = [at(Write(1), 0, 0, 10), at(Read, 1, 2, 4), at(Read, 0, 5, 6)];
    assert_eq!(order(&Register(0), &old_after_new), None, "the old value is read after the new one");
    let after_its_end = [at(Write(1), 0, 0, 1), at(Read, 0, 2, 3)];
    assert_eq!(order(&Register(0), &after_its_end), None, "the write had ended");
}
