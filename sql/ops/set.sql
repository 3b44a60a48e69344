set variable "{name}" = $value::{type};
