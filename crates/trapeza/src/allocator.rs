//! The program's memory: who hands it out, and giving it back. Making the demo bank needs tens of mebibytes for a moment,
//! which would otherwise be kept for as long as the process runs.

use mimalloc::MiMalloc;

/// Threads hand requests to each other here, and what one has taken another gives back: the C library's allocator takes a
/// lock for that.
#[global_allocator]
static MEMORY: MiMalloc = MiMalloc;

/// Hands free memory back to the system.
pub fn release_free_memory() {
    #[expect(unsafe_code, reason = "a call of the allocator without arguments that could be wrong")]
    // SAFETY: mi_collect takes no pointer and may be called at any time from any thread.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}
