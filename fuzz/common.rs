//! The properties that the targets share with the tests.
#![allow(dead_code, reason = "each target uses a part")]

#[path = "../tests/common/robust.rs"]
pub(crate) mod robust;
#[path = "../tests/common/stub.rs"]
pub(crate) mod stub;
#[path = "../tests/common/wait.rs"]
pub(crate) mod wait;
