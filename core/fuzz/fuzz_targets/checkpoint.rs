//! The state inside a checkpoint, as if its digest fitted: what is believed can be written again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_canonical::Reader;
use plumb_queue::Code;
use plumb_queue::checkpoint::snapshot::Snapshot;
use plumb_queue::wire::Wire;
use plumb_queue::wire::scalar::Repository;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = Reader::default().read(bytes) else {
        return;
    };
    let Ok(snapshot) = Snapshot::read(&value, Code::CheckpointInvalid) else {
        return;
    };
    let Some(repository) = Repository::new("acme/queue") else {
        panic!("acme/queue is a repository");
    };
    if let Ok(state) = snapshot.restore(&repository) {
        let Ok(snapshot) = Snapshot::of(&state) else {
            panic!("a restored state has no snapshot");
        };
        let text = snapshot.write().to_canonical();
        assert!(plumb_canonical::parse(&text).is_ok());
    }
});
