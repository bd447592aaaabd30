//! `scramble444 picture`.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::Context;
use clap::Args;

use super::config::one_of;
use super::output::{OutputArgs, Readers};
use super::position::PositionArgs;
use crate::picture::{Format, Scale, Scheme, png, svg};

/// Draw a position as a net, as SVG or PNG.
#[derive(Args)]
pub(super) struct PictureArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// By default what the file's name ends in, and svg for standard output.
    #[arg(long, value_parser = one_of::<Format, _>(Format::ALL.map(Format::name)))]
    format: Option<Format>,
    /// The colours of the faces B,D,F,L,R,U, each rgb or rrggbb, with or without #.
    #[arg(long, value_name = "COLOURS", default_value_t)]
    scheme: Scheme,
    /// How many times each pixel of a PNG is repeated in both directions, 1 (default) to 8; a PNG
    /// has 170 by 128 pixels times this.
    #[arg(long, value_name = "N")]
    scale: Option<Scale>,
}

pub(super) fn run(args: &PictureArgs) -> anyhow::Result<()> {
    let cube = args.position.given()?.cube;
    let bytes = match args.format()? {
        Format::Svg => {
            let no_scale = args.scale.is_none();
            anyhow::ensure!(no_scale, "--scale is for PNG; an SVG has no pixels");
            svg(&cube, &args.scheme).into_bytes()
        }
        Format::Png => {
            let to_terminal = args.output.file().is_none() && io::stdout().is_terminal();
            anyhow::ensure!(
                !to_terminal,
                "a PNG is not for a terminal; name a file (--output), or send standard output elsewhere"
            );
            png(&cube, &args.scheme, args.scale.unwrap_or_default())
        }
    };
    let mut output = args.output.open(Readers::Usual)?;
    output.write(|out| out.write_all(&bytes))?;
    output.finish()
}

impl PictureArgs {
    /// The format that is asked for, or that the file's name tells.
    fn format(&self) -> anyhow::Result<Format> {
        match (self.format, self.output.file()) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Svg),
            (None, Some(path)) => by_ending(path).with_context(|| {
                format!(
                    "{} (--output) does not tell the format; let its name end in .svg or .png, or \
                     give --format",
                    path.display()
                )
            }),
        }
    }
}

/// The format that a file's name tells.
fn by_ending(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?;
    ending.to_ascii_lowercase().parse().ok()
}
