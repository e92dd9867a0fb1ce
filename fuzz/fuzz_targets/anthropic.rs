//! Answers of one wire format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanobot_runtime::provider::AnthropicWire;

fuzz_target!(|data: &[u8]| nanobot_fuzz::check(&AnthropicWire, data));
