//! Properties of STS-Fairness, against oracles that share no code with it.

#![cfg(not(target_arch = "wasm32"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod sts_properties {
    pub(crate) mod oracle;
    pub(crate) mod world;

    mod degenerate;
    mod formulations;
    mod loans;
    mod programs;
    mod quotas;
    mod rounds;
}
