//! With the feature `serde`, types that are serialized as their texts, and scrambles.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::cube::{Cube, Metric, Sequence};
use crate::method::known::Method;
use crate::picture::Color;
use crate::scramble::Scramble;

macro_rules! as_text {
    ($($type:ty),+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    )+};
}

as_text!(Color, Cube, Method, Metric, Sequence);

/// An object with `scramble`, the turns; `moves`, their number without rotations; and `state`, 96 facelets, faces in the
/// order U R F D L B.
impl Serialize for Scramble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Scramble", 3)?;
        object.serialize_field("scramble", &self.sequence)?;
        object.serialize_field("moves", &self.move_count())?;
        object.serialize_field("state", &self.state)?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_serialized_as_their_texts() {
        let turns: Sequence = "Rw U2 F'".parse().unwrap();
        let cube = Cube::solved().moved_by(turns.axis_moves());
        let values = (cube, turns, Method::FIVE_STAGE);
        let json = serde_json::to_string(&values).unwrap();
        let expected = format!(r#"["{}","Rw U2 F'","five-stage"]"#, cube.facelets());
        assert_eq!(json, expected);
        assert_eq!(
            serde_json::from_str::<(Cube, Sequence, Method)>(&json).unwrap(),
            values
        );
        for (wrong, message) in [
            ("Q", "a state has 96 facelets"),
            ("cfop", "method must be reduction or five-stage"),
        ] {
            let json = format!("{wrong:?}");
            let error = match wrong {
                "Q" => serde_json::from_str::<Cube>(&json).unwrap_err(),
                _ => serde_json::from_str::<Method>(&json).unwrap_err(),
            };
            assert!(error.to_string().starts_with(message), "{error}");
        }
    }
}
