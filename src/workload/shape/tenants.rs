//! Tenants merged or split.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::units::TenantId;
use crate::workload::{JobRecord, Workload};

/// The name of the tenant that all jobs belong to under [`TenantsBy::One`].
pub const ONE_TENANT: &str = "all";

/// Who is a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TenantsBy {
    /// The virtual cluster, account or queue of the trace; the user where there is none.
    #[default]
    Vc,
    /// The user; the virtual cluster where no user is named.
    User,
    /// Each user in each virtual cluster: `vc1/ann`.
    Both,
    /// Nobody in particular: all jobs belong to one tenant.
    One,
}

impl TenantsBy {
    /// The tenant of a job of `workload`, whose tenants are as traced.
    #[must_use]
    pub fn name(self, workload: &Workload, job: &JobRecord) -> String {
        let vc = workload.tenants.get(job.tenant.index()).map_or("", String::as_str);
        let user = job.user.and_then(|user| workload.users.get(user as usize)).map(String::as_str);
        match (self, user) {
            (Self::One, _) => ONE_TENANT.to_owned(),
            (Self::User, Some(user)) => user.to_owned(),
            (Self::Both, Some(user)) if user != vc => format!("{vc}/{user}"),
            _ => vc.to_owned(),
        }
    }

    /// Gives every job its tenant; tenants in order of first appearance.
    pub(super) fn regroup(self, workload: &mut Workload) {
        if self == Self::Vc {
            return;
        }
        let mut tenants: Vec<String> = Vec::new();
        let mut numbers: HashMap<(TenantId, Option<u32>), TenantId> = HashMap::new();
        let mut by_name: HashMap<String, TenantId> = HashMap::new();
        for at in 0..workload.jobs.len() {
            let Some(job) = workload.jobs.get(at) else { break };
            let key = (job.tenant, job.user);
            let number = match numbers.get(&key) {
                Some(number) => *number,
                None => {
                    let name = self.name(workload, job);
                    let number = *by_name.entry(name).or_insert_with_key(|name| {
                        tenants.push(name.clone());
                        TenantId(tenants.len() as u32 - 1)
                    });
                    numbers.insert(key, number);
                    number
                }
            };
            if let Some(job) = workload.jobs.get_mut(at) {
                job.tenant = number;
            }
        }
        workload.tenants = tenants;
    }
}
