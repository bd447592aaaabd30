//! With the feature `serde`, types that are serialized as their texts, and scrambles.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::cube::{Cube, Metric, Sequence};
use crate::method::known::Method;
use crate::picture::Color;
use crate::scramble::{Event, Scramble, Subset};
use crate::search::Profile;

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

as_text!(
    Color, Cube, Event, Method, Metric, Profile, Sequence, Subset
);

/// An object with `scramble`, the turns; `moves`, their number without rotations; and `state`, 96 facelets, faces in the
/// order U R F D L B. The effort and whether a deadline cut the search short are not in it.
impl Serialize for Scramble {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Scramble", 3)?;
        object.serialize_field("scramble", &self.sequence)?;
        object.serialize_field("moves", &self.move_count())?;
        object.serialize_field("state", &self.state)?;
        object.end()
    }
}

/// From an object with `scramble`, the turns, and optionally the `state` that they lead to. Other members are ignored. As the
/// effort is not in it, it is the lowest.
impl<'de> Deserialize<'de> for Scramble {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scramble, D::Error> {
        #[derive(serde::Deserialize)]
        struct Members {
            scramble: Sequence,
            state: Option<Cube>,
        }
        let Members { scramble, state } = Members::deserialize(deserializer)?;
        let scramble = Scramble::from(scramble);
        match state {
            Some(state) if state != scramble.state => Err(D::Error::custom(
                "the turns of scramble do not lead to state",
            )),
            _ => Ok(scramble),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scramble::Recipe;

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
        let names = ["444bf", "pll", "compact"];
        let json = serde_json::to_string(&names).unwrap();
        let named: (Event, Subset, Profile) = serde_json::from_str(&json).unwrap();
        assert_eq!(named, (Event::Blindfolded, Subset::Pll, Profile::Compact));
        assert_eq!(serde_json::to_string(&named).unwrap(), json);
        for (recipe, json) in [
            (Recipe::Standard, r#""standard""#),
            (Recipe::Subset(Subset::Pll), r#"{"subset":"pll"}"#),
            (Recipe::Padded, r#""padded""#),
        ] {
            assert_eq!(serde_json::to_string(&recipe).unwrap(), json);
            assert_eq!(serde_json::from_str::<Recipe>(json).unwrap(), recipe);
        }
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

    #[test]
    fn scrambles_are_read_from_what_they_are_written_as() {
        let turns: Sequence = "Rw U2 F' x".parse().unwrap();
        let scramble = Scramble::from(turns);
        let json = serde_json::to_string(&scramble).unwrap();
        assert_eq!(serde_json::from_str::<Scramble>(&json).unwrap(), scramble);
        let turns = r#"{"scramble": "Rw U2 F' x"}"#;
        assert_eq!(serde_json::from_str::<Scramble>(turns).unwrap(), scramble);
        let other = json.replace("Rw", "R");
        let error = serde_json::from_str::<Scramble>(&other).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the turns of scramble do not lead to state")
        );
    }
}
