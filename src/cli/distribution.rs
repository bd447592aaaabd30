//! Printing distance distributions.

use std::io::{self, Write};

use cube444::table::Distribution;

/// Writes a distribution as a table between empty lines.
pub(super) fn write_distribution(
    out: &mut dyn Write,
    distribution: &Distribution,
) -> io::Result<()> {
    writeln!(out)?;
    let mut line = |distance: &str, positions: &str, unique: &str| {
        writeln!(out, "{distance:>8}  {positions:>20}  {unique:>20}")
    };
    let Distribution {
        positions, unique, ..
    } = distribution;
    line("distance", "positions", "unique")?;
    for (distance, (&positions, &unique)) in positions.iter().zip(unique).enumerate() {
        line(&distance.to_string(), &grouped(positions), &grouped(unique))?;
    }
    let (positions, unique) = (distribution.total(), unique.iter().sum());
    line("total", &grouped(positions), &grouped(unique))?;
    writeln!(out)
}

/// A number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0, 999, 1_000, 1_608_475_077].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,608,475,077"]);
    }
}
