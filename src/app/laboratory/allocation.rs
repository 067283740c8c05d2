//! The chart of one policy's allocation.

use super::answers::Solved;
use super::draft::{Draft, Kind, TenantRow, TypeRow};
use super::number::shown;
use crate::app::strings;
use crate::chart::{Share, ShareChart, ShareColumn};

/// Types as columns, tenants stacked.
#[must_use]
pub fn chart(draft: &Draft, solved: &Solved) -> ShareChart {
    let held: Vec<Vec<f64>> = draft.tenants.iter().map(|tenant| solved.held(draft, &tenant.name)).collect();
    let column = |(k, of_type): (usize, &TypeRow)| {
        let (capacity, one, many) = match draft.kind {
            Kind::Divisible => (of_type.devices, "device", "devices"),
            Kind::Integer => (of_type.capacity(), "slot", "slots"),
        };
        let share = |(index, (tenant, held)): (usize, (&TenantRow, &Vec<f64>))| Share {
            tenant: tenant.name.clone(),
            index,
            amount: held.get(k).copied().unwrap_or(0.0),
            text: shown(held.get(k).copied().unwrap_or(0.0)),
        };
        ShareColumn {
            name: of_type.name.clone(),
            capacity: f64::from(capacity),
            capacity_text: strings::counted(u64::from(capacity), one, many),
            shares: draft.tenants.iter().zip(&held).enumerate().map(share).collect(),
        }
    };
    ShareChart::new("lab-alloc", "Allocation", 0.0, draft.types.iter().enumerate().map(column).collect())
}
