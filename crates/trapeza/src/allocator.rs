//! The global allocator, and returning free memory to the system. Seeding the demo bank needs tens of mebibytes for a moment,
//! which the process would otherwise retain.

use mimalloc::MiMalloc;

/// Memory is often freed on another thread than the one that allocated it; mimalloc does that without a lock.
#[global_allocator]
static MEMORY: MiMalloc = MiMalloc;

/// Returns free memory to the system.
pub fn release_free_memory() {
    #[expect(unsafe_code, reason = "the call takes no arguments")]
    // SAFETY: mi_collect takes no pointer and may be called at any time from any thread.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}
