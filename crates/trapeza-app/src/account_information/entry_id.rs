//! Public ids of statement entries, and cursors of pages.
//!
//! An entry is identified by its account and sequence number. The public id is both, encrypted as one AES block, so
//! it reveals neither, needs no index, and cannot be made up.

use crate::Keyring;
use crate::keyring::KeyPurpose;
use aes::Aes128;
use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::time::Date;
use trapeza_store::Cursor;
use uuid::Uuid;

pub(crate) struct EntryIdCipher(Aes128);

/// The kind of a block. The other leading bits are zero, so a made-up block is detected.
const ENTRY: u8 = 1;
const PENDING: u8 = 2;
const CURSOR: u8 = 3;

impl EntryIdCipher {
    pub(crate) fn new(keyring: &Keyring) -> Self {
        Self(Aes128::new(&keyring.derive_block(KeyPurpose::EntryId).into()))
    }

    pub(crate) fn entry_id(&self, account: LedgerAccountId, seq: i64) -> Uuid {
        self.seal(pack(ENTRY, account, seq))
    }

    /// The ids of entries of one account. Encrypting several blocks at once takes less time than one after the other.
    pub(crate) fn entry_id_list(
        &self,
        account: LedgerAccountId,
        seqs: impl Iterator<Item = i64>,
    ) -> Vec<Uuid> {
        let mut blocks: Vec<_> = seqs.map(|seq| Block::<Aes128>::from(pack(ENTRY, account, seq))).collect();
        self.0.encrypt_blocks(&mut blocks);
        blocks.into_iter().map(|block| Uuid::from_bytes(block.into())).collect()
    }

    /// The sequence number of an entry of this account.
    pub(crate) fn entry_seq(&self, account: LedgerAccountId, id: &str) -> Option<i64> {
        let (kind, of, seq) = unpack(self.open(id)?);
        (kind == ENTRY && of == account).then_some(seq)
    }

    pub(crate) fn pending(&self, account: LedgerAccountId, hold: i64) -> Uuid {
        self.seal(pack(PENDING, account, hold))
    }

    /// The cursor of the next page of an account's statement.
    pub(crate) fn encode_cursor(&self, account: LedgerAccountId, cursor: Cursor) -> Uuid {
        let mut block = [0; 16];
        block[0] = CURSOR;
        // Forty bits of the account bind the cursor to it; date and sequence number fill the rest.
        block[1..6].copy_from_slice(&account.0.to_be_bytes()[3..]);
        block[6..10].copy_from_slice(&cursor.date.0.to_be_bytes());
        block[10..].copy_from_slice(&cursor.seq.to_be_bytes()[2..]);
        self.seal(block)
    }

    pub(crate) fn cursor_parse(&self, account: LedgerAccountId, id: &str) -> Option<Cursor> {
        let block = self.open(id)?;
        if block[0] != CURSOR || block[1..6] != account.0.to_be_bytes()[3..] {
            return None;
        }
        let day = i32::from_be_bytes(block[6..10].try_into().ok()?);
        let mut seq = [0; 8];
        seq[2..].copy_from_slice(&block[10..]);
        Some(Cursor { date: Date(day), seq: i64::from_be_bytes(seq) })
    }

    fn seal(&self, block: [u8; 16]) -> Uuid {
        let mut block = Block::<Aes128>::from(block);
        self.0.encrypt_block(&mut block);
        Uuid::from_bytes(block.into())
    }

    fn open(&self, id: &str) -> Option<[u8; 16]> {
        let id = (id.len() == 36).then(|| Uuid::try_parse(id).ok()).flatten()?;
        let mut block = Block::<Aes128>::from(*id.as_bytes());
        self.0.decrypt_block(&mut block);
        Some(block.into())
    }
}

/// Kind, account in 55 bits, number in 64 bits.
fn pack(kind: u8, account: LedgerAccountId, number: i64) -> [u8; 16] {
    let mut block = [0; 16];
    block[..8].copy_from_slice(&account.0.to_be_bytes());
    block[0] = kind;
    block[8..].copy_from_slice(&number.to_be_bytes());
    block
}

fn unpack(mut block: [u8; 16]) -> (u8, LedgerAccountId, i64) {
    let kind = std::mem::replace(&mut block[0], 0);
    let (mut account, mut number) = ([0; 8], [0; 8]);
    account.copy_from_slice(&block[..8]);
    number.copy_from_slice(&block[8..]);
    (kind, LedgerAccountId(i64::from_be_bytes(account)), i64::from_be_bytes(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_id_decodes_only_for_its_account() {
        let ids = EntryIdCipher::new(&Keyring::new([1; 32]));
        let (one, other) = (LedgerAccountId(7), LedgerAccountId(8));
        let id = ids.entry_id(one, 42).to_string();
        assert_eq!(ids.entry_seq(one, &id), Some(42));
        assert_eq!(ids.entry_seq(other, &id), None);
        let list = ids.entry_id_list(one, 1..100);
        assert_eq!(list, (1..100).map(|seq| ids.entry_id(one, seq)).collect::<Vec<_>>());
        assert_eq!(ids.entry_seq(one, &ids.pending(one, 42).to_string()), None);
        assert_eq!(ids.entry_seq(one, &Uuid::from_u128(42).to_string()), None);
        assert_eq!(ids.entry_seq(one, "42"), None);
        assert_ne!(EntryIdCipher::new(&Keyring::new([2; 32])).entry_id(one, 42).to_string(), id);
    }

    #[test]
    fn cursor_decodes_only_for_its_account() {
        let ids = EntryIdCipher::new(&Keyring::new([1; 32]));
        let account = LedgerAccountId(7);
        for cursor in [Cursor { date: Date(20_000), seq: 9_999_999 }, Cursor { date: Date(-1), seq: 0 }] {
            let encoded = ids.encode_cursor(account, cursor).to_string();
            assert_eq!(ids.cursor_parse(account, &encoded), Some(cursor));
            assert_eq!(ids.cursor_parse(LedgerAccountId(8), &encoded), None);
        }
        assert_eq!(ids.cursor_parse(account, &ids.entry_id(account, 1).to_string()), None);
    }
}
