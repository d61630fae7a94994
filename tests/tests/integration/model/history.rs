//! Random histories: rounds of calls that actors make at once, with time between them. A seed gives the same history again.

/// A call of an actor. Numbers choose among the objects that the actor has made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Orders a payment; the amount is one of a few.
    Pay(usize),
    Start(usize),
    Password(usize),
    Code(usize),
    WrongCode(usize),
    Cancel(usize),
    Status(usize),
    Consent {
        one_off: bool,
    },
    /// All steps of the authorisation of a consent.
    Authorise(usize),
    Read(usize),
    Terminate(usize),
}

/// How a call reaches the bank and its answer the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Once,
    /// The caller sends the same again.
    Repeated,
    /// The answer is lost after this number of microseconds, and the caller sends the same again.
    Lost(u64),
}

/// What happens after a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    pub minutes: i64,
    pub sweep: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// By actor.
    pub calls: Vec<Vec<(Call, Delivery)>>,
    pub pause: Pause,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    pub rounds: Vec<Round>,
}

/// Numbers that follow from a seed (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count as u64).unwrap()
    }
}

/// Minutes between rounds: inside and outside of every limit of time.
const PAUSES: [i64; 8] = [0, 0, 1, 6, 16, 21, 12 * 60, 25 * 60];

impl History {
    pub fn random(seed: u64, actors: usize) -> Self {
        let mut random = Random::new(seed);
        let rounds = 1 + random.below(5);
        let rounds = (0..rounds).map(|_| {
            // In half of the rounds one actor is alone, and its answers follow exactly.
            let alone = (random.below(2) == 0).then(|| random.below(actors));
            let calls = (0..actors).map(|actor| match alone {
                Some(only) if only != actor => Vec::new(),
                _ => (0..random.below(7)).map(|_| call(&mut random)).collect(),
            });
            let calls = calls.collect();
            let pause = Pause { minutes: PAUSES[random.below(PAUSES.len())], sweep: random.below(2) == 0 };
            Round { calls, pause }
        });
        Self { rounds: rounds.collect() }
    }

    pub fn len(&self) -> usize {
        self.rounds.iter().flat_map(|round| &round.calls).map(Vec::len).sum()
    }

    /// How many calls are repeated or lose their answer, and how often time jumps.
    pub fn faults(&self) -> usize {
        let calls = self.rounds.iter().flat_map(|round| &round.calls).flatten();
        let disturbed = calls.filter(|(_, delivery)| *delivery != Delivery::Once).count();
        disturbed + self.rounds.iter().filter(|round| round.pause.minutes > 0).count()
    }

    /// Smaller histories, the smallest first: without a round, without an actor's calls of a round, without a call.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for round in 0..self.rounds.len() {
            let mut without = self.clone();
            without.rounds.remove(round);
            all.push(without);
        }
        for (round, one) in self.rounds.iter().enumerate() {
            for (actor, calls) in one.calls.iter().enumerate() {
                if calls.len() > 1 {
                    let mut without = self.clone();
                    without.rounds[round].calls[actor].clear();
                    all.push(without);
                }
                for index in 0..calls.len() {
                    let mut without = self.clone();
                    without.rounds[round].calls[actor].remove(index);
                    all.push(without);
                }
            }
            if one.pause.minutes != 0 {
                let mut without = self.clone();
                without.rounds[round].pause.minutes = 0;
                all.push(without);
            }
        }
        all
    }
}

fn call(random: &mut Random) -> (Call, Delivery) {
    let which = random.below(4);
    // Payments go on most often: their calls are needed in order.
    let call = match random.below(22) {
        0..=3 => Call::Pay(random.below(4)),
        4..=6 => Call::Start(which),
        7..=9 => Call::Password(which),
        10..=12 => Call::Code(which),
        13 => Call::WrongCode(which),
        14 => Call::Cancel(which),
        15 => Call::Status(which),
        16 => Call::Consent { one_off: random.below(3) == 0 },
        17 => Call::Authorise(which),
        18..=20 => Call::Read(which),
        _ => Call::Terminate(which),
    };
    let delivery = match random.below(6) {
        0 => Delivery::Repeated,
        1 => Delivery::Lost(random.next() % 4000),
        _ => Delivery::Once,
    };
    (call, delivery)
}
