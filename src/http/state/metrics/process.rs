//! What the operating system says of the process, under the names that Prometheus' clients agree on.

use std::fmt;

use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

/// Asks the system whenever measurements are read.
#[derive(Debug)]
pub(super) struct ProcessCollector;

/// The process as it is.
struct Facts {
    cpu_seconds: f64,
    start_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    threads: i64,
    open_descriptors: u64,
    /// None if there is no limit.
    most_descriptors: Option<u64>,
}

impl Facts {
    fn now() -> ProcResult<Facts> {
        let process = Process::myself()?;
        let stat = process.stat()?;
        let ticks = procfs::ticks_per_second() as f64;
        Ok(Facts {
            cpu_seconds: (stat.utime + stat.stime) as f64 / ticks,
            start_seconds: procfs::boot_time_secs()? as f64 + stat.starttime as f64 / ticks,
            resident_bytes: stat.rss_bytes().get(),
            virtual_bytes: stat.vsize,
            threads: stat.num_threads,
            open_descriptors: process.fd_count()? as u64,
            most_descriptors: match process.limits()?.max_open_files.soft_limit {
                LimitValue::Value(most) => Some(most),
                LimitValue::Unlimited => None,
            },
        })
    }
}

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        // A process without a free descriptor cannot be asked about; the rest is told all the same.
        let Ok(facts) = Facts::now() else {
            return Ok(());
        };
        let mut tell = |name, help, unit: Option<Unit>, value: &dyn EncodeMetric| {
            let kind = value.metric_type();
            value.encode(encoder.encode_descriptor(name, help, unit.as_ref(), kind)?)
        };
        let (bytes, seconds) = (|| Some(Unit::Bytes), || Some(Unit::Seconds));
        tell(
            "process_cpu",
            "Processor time, of user and system",
            seconds(),
            &ConstCounter::new(facts.cpu_seconds),
        )?;
        tell(
            "process_start_time",
            "When the process was started, since 1970",
            seconds(),
            &ConstGauge::new(facts.start_seconds),
        )?;
        tell(
            "process_resident_memory",
            "Memory that is there, mapped tables included",
            bytes(),
            &ConstGauge::new(facts.resident_bytes as f64),
        )?;
        tell(
            "process_virtual_memory",
            "Memory that is spoken for",
            bytes(),
            &ConstGauge::new(facts.virtual_bytes as f64),
        )?;
        tell(
            "process_threads",
            "Threads",
            None,
            &ConstGauge::new(facts.threads),
        )?;
        tell(
            "process_open_fds",
            "Open file descriptors",
            None,
            &ConstGauge::new(facts.open_descriptors as f64),
        )?;
        if let Some(most) = facts.most_descriptors {
            tell(
                "process_max_fds",
                "The most file descriptors that may be open",
                None,
                &ConstGauge::new(most as f64),
            )?;
        }
        Ok(())
    }
}
