//! The options of one request.

use super::JobOption;
use crate::cluster::{Cluster, Geometry, Slice, SliceMemory};
use crate::units::{MilliGpus, Rate, TypeId};
use crate::workload::profile::{Gpu, ProfileId};

/// What decides the options of a job, beside the types it may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Request {
    /// The throughput profile.
    pub(super) profile: ProfileId,
    /// GPUs of all workers.
    pub(super) gpus: MilliGpus,
    /// Workers, at least 1.
    pub(super) workers: u32,
    /// Memory needed on each device, in MB; 0 = as the profile says.
    pub(super) memory_mb: u32,
    /// The fewest slots of a 7-slot device it can run in; 0 = any.
    pub(super) min_slots: u8,
}

impl Request {
    /// Whether each worker asks for less than one GPU.
    fn is_fractional(self) -> bool {
        u64::from(self.gpus.0) < 1000 * u64::from(self.workers)
    }

    /// Devices it needs: one for each fractional worker, else as many as its GPUs.
    fn devices(self) -> u32 {
        if self.is_fractional() { self.workers } else { self.gpus.whole_devices() }
    }

    /// The share of a device that each worker asks for; 1 for whole GPUs.
    fn share(self) -> f64 {
        if self.is_fractional() { f64::from(self.gpus.0) / (1000.0 * f64::from(self.workers)) } else { 1.0 }
    }

    /// The fewest slots of a device that satisfy it: a gang's are all of them.
    fn least_slots(self, geometry: Geometry) -> u64 {
        let all = u64::from(geometry.slots());
        if self.is_fractional() {
            let asked = (u64::from(self.gpus.0) * all).div_ceil(1000 * u64::from(self.workers));
            asked.max((u64::from(self.min_slots) * all).div_ceil(7))
        } else if self.devices() > 1 {
            all
        } else {
            (u64::from(self.min_slots) * all).div_ceil(7)
        }
    }

    fn memory_gb(self) -> f64 {
        if self.memory_mb > 0 { f64::from(self.memory_mb) / 1024.0 } else { self.profile.profile().memory_gb }
    }
}

/// The options of `request` on the types `allowed`, by type and then ascending slots, and its speed on the reference GPU relative
/// to T_ref, at which its duration becomes work. `None` if it has no option.
pub(super) fn options_of(
    cluster: &Cluster,
    allowed: &[TypeId],
    request: Request,
    reference: Gpu<'_>,
) -> Option<(Vec<JobOption>, Rate)> {
    let profile = request.profile.profile();
    let devices = request.devices();
    let memory_gb = request.memory_gb();
    let mut speeds: Vec<(TypeId, Slice, f64)> = Vec::new();
    let mut t_ref = 0.0f64;
    for &type_id in allowed {
        let gpu_type = cluster.gpu_type(type_id);
        let geometry = gpu_type.geometry;
        if devices > gpu_type.devices {
            continue;
        }
        let least = request.least_slots(geometry);
        let has_memory = |slice| geometry.slice_memory_gb(gpu_type.memory_gb, slice) >= memory_gb;
        for &slice in geometry.slices().iter().filter(|slice| u64::from(slice.slots) >= least) {
            let double = slice.memory == SliceMemory::Double;
            if !has_memory(slice) || double && has_memory(Slice::plain(slice.slots)) {
                continue;
            }
            let speed = profile.speed_with_memory(Gpu::from(gpu_type), geometry, slice, devices);
            if let Some(speed) = speed.filter(|speed| *speed > 0.0) {
                speeds.push((type_id, slice, speed));
                if slice.slots == geometry.slots() && speed > t_ref {
                    t_ref = speed;
                }
            }
        }
    }
    if speeds.is_empty() || t_ref <= 0.0 {
        return None;
    }
    let option = |(type_id, Slice { slots, memory }, speed)| JobOption {
        type_id,
        slots,
        memory,
        devices,
        rate: Rate::from_f64(speed / t_ref),
    };
    let options = speeds.into_iter().map(option).collect();
    // The traced job ran there, whatever was measured: a gang that failed on that GPU counts as fast as one device of it.
    let on_reference =
        profile.device_speed(reference, devices).or_else(|| profile.device_speed(reference, 1));
    let share = if request.is_fractional() { profile.share_speed(request.share()) } else { 1.0 };
    Some((options, Rate::from_f64(on_reference.unwrap_or(1.0) * share / t_ref)))
}
