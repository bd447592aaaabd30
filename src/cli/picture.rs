//! `scramble444 picture`.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

use clap::Args;
use cube444::picture::{Format, Scale, Scheme, png, svg};

use super::config::{InvalidArguments, one_of, require};
use super::output::{OutputArgs, PUBLIC};
use super::position::PositionArgs;

/// Draw a position as a net, as SVG or PNG.
#[derive(Args)]
pub(super) struct PictureArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// The file format [default: the extension of the file, svg for standard output].
    #[arg(long, value_parser = one_of::<Format, _>(Format::ALL.map(Format::name)))]
    format: Option<Format>,
    /// The colors of the faces B,D,F,L,R,U, each rgb or rrggbb, with or without #.
    #[arg(long, value_name = "COLORS", default_value_t)]
    scheme: Scheme,
    /// The scale of a PNG, 1 (default) to 8. Without scale it has 170 by 128 pixels.
    #[arg(long, value_name = "N")]
    scale: Option<Scale>,
}

pub(super) fn run(args: &PictureArgs) -> anyhow::Result<()> {
    let cube = args.position.position()?.cube;
    let bytes = match args.format()? {
        Format::Svg => {
            require(args.scale.is_none(), "--scale is only for PNG")?;
            svg(&cube, &args.scheme).into_bytes()
        }
        Format::Png => {
            require(
                args.output.file().is_some() || !io::stdout().is_terminal(),
                "a PNG cannot be shown on a terminal; name a file (--output) or redirect standard output",
            )?;
            png(&cube, &args.scheme, args.scale.unwrap_or_default())
        }
    };
    args.output.open(PUBLIC)?.write_document([bytes])
}

impl PictureArgs {
    /// The format by `--format` or by the file's extension.
    fn format(&self) -> Result<Format, InvalidArguments> {
        let (None, Some(path)) = (self.format, self.output.file()) else {
            return Ok(self.format.unwrap_or(Format::Svg));
        };
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        extension.to_ascii_lowercase().parse().map_err(|_| {
            InvalidArguments(format!(
                "{} (--output) has an unknown extension; use .svg or .png, or give --format",
                path.display()
            ))
        })
    }
}
