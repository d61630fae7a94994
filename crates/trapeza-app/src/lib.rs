//! Trapeza app.
