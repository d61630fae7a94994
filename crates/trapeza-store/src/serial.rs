//! Ids that lie in the order they were made and tell nobody so.
//!
//! An index of random ids is touched in a place of its own by every row, and each of those places is a page to write. So
//! on SQLite a row is kept under its *serial*: a mark of its kind and a running number. Outside it has the serial as one
//! encrypted block, which looks like any random id. Whoever asks the store uses that id alone; the serial never leaves
//! this crate. On PostgreSQL ids are random and kept as they are: several processes write there, and transactions that
//! all wrote to the last page of an index would be taken for ones that read each other's writes.
//!
//! Rows from before serials are kept under their random ids and found by them.

use aes::Aes128;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use std::sync::atomic::{AtomicI64, Ordering};
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

/// What has serials. The number is in every serial, so it is never given to something else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SerialKind {
    Payment = 1,
}

/// How a serial begins. No random id does (its version stands in the seventh byte), and all of them sort before it, so
/// that serials lie at the end of an index that has both.
const MARK: [u8; 7] = [0xff; 7];

pub(crate) struct Serials {
    cipher: Aes128,
    /// The largest number given to a payment.
    payment: AtomicI64,
}

impl Serials {
    pub(crate) fn new(key: [u8; 16]) -> Self {
        Self { cipher: Aes128::new(&key.into()), payment: AtomicI64::new(0) }
    }

    /// A new id, whose number no other has had. Numbers follow the machine's time, so that a database put back from an
    /// older copy does not give out again what its third parties still know; when the clock goes back they go on.
    pub(crate) fn next(&self, kind: SerialKind, machine: Timestamp) -> Uuid {
        let last = self.last(kind);
        let following = |last: i64| last.saturating_add(1).max(machine.0);
        let before = last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(following(last)));
        let (Ok(before) | Err(before)) = before;
        self.seal(serial(kind, following(before)))
    }

    /// Goes on behind what the database has.
    pub(crate) fn begin_behind(&self, kind: SerialKind, kept: [u8; 16]) {
        let (_, number) = kept.split_at(8);
        let number = number.try_into().map(i64::from_be_bytes).unwrap_or(0);
        self.last(kind).fetch_max(number, Ordering::Relaxed);
    }

    /// What a row is kept under whose id this is.
    pub(crate) fn kept(&self, id: Uuid) -> [u8; 16] {
        let mut block = Block::<Aes128>::from(id.into_bytes());
        self.cipher.decrypt_block(&mut block);
        let block: [u8; 16] = block.into();
        // A serial that somebody sends in place of an id is none: what it opens to is nobody's.
        if is_serial(&block) || is_serial(id.as_bytes()) { block } else { id.into_bytes() }
    }

    /// The id of a row that is kept under this.
    pub(crate) fn told(&self, kept: Uuid) -> Uuid {
        if is_serial(kept.as_bytes()) { self.seal(kept.into_bytes()) } else { kept }
    }

    fn last(&self, kind: SerialKind) -> &AtomicI64 {
        match kind {
            SerialKind::Payment => &self.payment,
        }
    }

    fn seal(&self, serial: [u8; 16]) -> Uuid {
        let mut block = Block::<Aes128>::from(serial);
        self.cipher.encrypt_block(&mut block);
        Uuid::from_bytes(block.into())
    }
}

/// The serial of a number: in their order as bytes, too.
pub(crate) fn serial(kind: SerialKind, number: i64) -> [u8; 16] {
    let mut serial = [0; 16];
    serial[..7].copy_from_slice(&MARK);
    serial[7] = kind as u8;
    serial[8..].copy_from_slice(&number.to_be_bytes());
    serial
}

fn is_serial(bytes: &[u8; 16]) -> bool {
    bytes.starts_with(&MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const OLD: Uuid = Uuid::from_u128(0x6f96_19ff_8b86_4011_b42d_00cf_4fc9_64ff);

    #[test]
    fn ids_follow_each_other_inside_and_look_random_outside() {
        let serials = Serials::new([1; 16]);
        let ids: Vec<Uuid> = (0..1000).map(|_| serials.next(SerialKind::Payment, Timestamp(5_000))).collect();
        assert!(ids.is_sorted_by_key(|id| serials.kept(*id)));
        assert!(ids.iter().all(|id| serials.told(Uuid::from_bytes(serials.kept(*id))) == *id));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 1000);
        assert!(!ids.is_sorted(), "nothing of the order shows");
        let starts: HashSet<u8> = ids.iter().map(|id| id.as_bytes()[0]).collect();
        assert!(starts.len() > 200, "{} of 256 first bytes", starts.len());
        let other = Serials::new([2; 16]);
        assert_ne!(other.kept(ids[0]), serials.kept(ids[0]), "another key reads nothing");
    }

    #[test]
    fn numbers_go_on_behind_the_database_and_behind_the_clock() {
        let serials = Serials::new([1; 16]);
        let next = |machine| serials.kept(serials.next(SerialKind::Payment, Timestamp(machine)));
        assert_eq!(next(70), serial(SerialKind::Payment, 70));
        assert_eq!(next(70), serial(SerialKind::Payment, 71));
        assert_eq!(next(20), serial(SerialKind::Payment, 72), "a clock that went back repeats nothing");
        serials.begin_behind(SerialKind::Payment, serial(SerialKind::Payment, 500));
        assert_eq!(next(90), serial(SerialKind::Payment, 501));
        assert_eq!(next(900), serial(SerialKind::Payment, 900));
    }

    #[test]
    fn an_id_from_before_is_kept_as_it_is_and_a_serial_is_no_id() {
        let serials = Serials::new([1; 16]);
        assert_eq!(serials.kept(OLD), *OLD.as_bytes());
        assert_eq!(serials.told(OLD), OLD);
        let serial = serial(SerialKind::Payment, 500);
        assert_ne!(serials.kept(Uuid::from_bytes(serial)), serial, "a guessed number finds nothing");
    }
}
