//! Gavel's simulator: recorded runs are reproduced, and cases worked out by hand.

mod recorded;
