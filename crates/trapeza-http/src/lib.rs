//! Trapeza http.
