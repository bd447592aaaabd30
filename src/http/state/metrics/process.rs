//! Metrics of the process, under the names that the client libraries of Prometheus use.

use std::fmt;

use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

/// Reads `/proc` whenever metrics are collected.
#[derive(Debug)]
pub(super) struct ProcessCollector;

/// The values at one moment.
struct Snapshot {
    cpu_seconds: f64,
    start_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    threads: i64,
    open_descriptors: u64,
    /// `None` if there is no limit.
    max_descriptors: Option<u64>,
}

impl Snapshot {
    fn take() -> ProcResult<Snapshot> {
        let process = Process::myself()?;
        let stat = process.stat()?;
        let ticks = procfs::ticks_per_second() as f64;
        Ok(Snapshot {
            cpu_seconds: (stat.utime + stat.stime) as f64 / ticks,
            start_seconds: procfs::boot_time_secs()? as f64 + stat.starttime as f64 / ticks,
            resident_bytes: stat.rss_bytes().get(),
            virtual_bytes: stat.vsize,
            threads: stat.num_threads,
            open_descriptors: process.fd_count()? as u64,
            max_descriptors: match process.limits()?.max_open_files.soft_limit {
                LimitValue::Value(limit) => Some(limit),
                LimitValue::Unlimited => None,
            },
        })
    }
}

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        // Without a free descriptor /proc cannot be read. The other metrics are still written.
        let Ok(now) = Snapshot::take() else {
            return Ok(());
        };
        let mut write = |name, help, unit: Option<Unit>, value: &dyn EncodeMetric| {
            let kind = value.metric_type();
            value.encode(encoder.encode_descriptor(name, help, unit.as_ref(), kind)?)
        };
        let (bytes, seconds) = (|| Some(Unit::Bytes), || Some(Unit::Seconds));
        write(
            "process_cpu",
            "Processor time, user and system",
            seconds(),
            &ConstCounter::new(now.cpu_seconds),
        )?;
        write(
            "process_start_time",
            "Start time of the process since 1970",
            seconds(),
            &ConstGauge::new(now.start_seconds),
        )?;
        write(
            "process_resident_memory",
            "Resident memory, including mapped tables",
            bytes(),
            &ConstGauge::new(now.resident_bytes as f64),
        )?;
        write(
            "process_virtual_memory",
            "Virtual memory",
            bytes(),
            &ConstGauge::new(now.virtual_bytes as f64),
        )?;
        write(
            "process_threads",
            "Threads",
            None,
            &ConstGauge::new(now.threads),
        )?;
        write(
            "process_open_fds",
            "Open file descriptors",
            None,
            &ConstGauge::new(now.open_descriptors as f64),
        )?;
        if let Some(limit) = now.max_descriptors {
            write(
                "process_max_fds",
                "Limit of open file descriptors",
                None,
                &ConstGauge::new(limit as f64),
            )?;
        }
        Ok(())
    }
}
