//! Giving memory back. Making the demo bank needs tens of mebibytes for a moment, and the C library would keep them for
//! as long as the process runs.

/// Hands free memory back to the system, where the C library knows how.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(unsafe_code, reason = "a call of the C library without arguments that could be wrong")]
        // SAFETY: malloc_trim takes no pointer and may be called at any time from any thread.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}
