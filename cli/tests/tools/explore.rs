//! `plumb explore`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use super::{plumb, stderr};

/// The Explorer in the background; ended with the test, whatever happens.
struct Explorer {
    child: Child,
    address: String,
}

impl Explorer {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_plumb"))
            .arg("explore")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let address = line
            .split("http://")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .to_owned();
        Self { child, address }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn interrupt(&mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        self.child.wait().unwrap().code()
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        // It has ended already where the test went as it should.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_serves_states_steps_and_properties_on_the_loopback_until_interrupted() {
    let mut explorer = Explorer::start(&["LifecycleRecurring"]);
    assert!(
        explorer.address.starts_with("127.0.0.1:"),
        "{}",
        explorer.address
    );
    let status = explorer.get("/.status");
    assert!(status.contains(r#"["Always","DAGBarrier","#), "{status}");
    let states = explorer.get("/.states");
    assert!(states.contains("\"state\""), "{states}");
    let page = explorer.get("/");
    assert!(page.contains("<html"), "{page}");
    assert_eq!(explorer.interrupt(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let output = plumb(
        folder.path(),
        &["explore", "ClaimScopeSingle", "--port", &port],
    );
    let error = stderr(&output, 4);
    assert!(
        error.contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{error}"
    );
    assert!(output.stdout.is_empty());
}
