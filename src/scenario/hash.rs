//! Fingerprints of scenarios and results.
