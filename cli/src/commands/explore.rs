//! `plumb explore`: stateright's Explorer over a configuration, on the loopback interface.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use plumb_checker::Registry;

use crate::arguments::ExploreArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output;
use crate::workspace::Workspace;

/// How often the command looks whether it was interrupted, or the server ended.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves the chosen configuration until it is interrupted.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ExploreArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let configuration = workspace.configuration(&arguments.choice)?;
    let address = free_address(arguments.port)?;
    let interrupt = Interrupt::listen();
    // The Explorer prefers files of a folder `ui` of the working directory to its own pages.
    let empty = tempfile::tempdir().and_then(|folder| {
        std::env::set_current_dir(folder.path())?;
        Ok(folder)
    });
    let empty = empty.map_err(|error| {
        CliError::failed(format!("cannot work in a temporary folder: {error}"), None)
    })?;
    let name = configuration.name;
    let model = configuration.model;
    let server = thread::Builder::new()
        .name("explorer".into())
        .spawn(move || model.serve_explorer(address))
        .map_err(|error| CliError::failed(format!("cannot start a thread: {error}"), None))?;
    while !server.is_finished() && !interrupt.is_set() && TcpStream::connect(address).is_err() {
        thread::sleep(PAUSE);
    }
    if !server.is_finished() && !interrupt.is_set() {
        output::print(&format!("{name}: http://{address} (Ctrl-C ends it)\n"))?;
    }
    while !server.is_finished() && !interrupt.is_set() {
        thread::sleep(PAUSE);
    }
    drop(empty);
    if interrupt.is_set() {
        return Ok(Status::Expected);
    }
    // It returns only by a panic, whose message is on standard error already.
    Err(CliError::failed(
        format!("the Explorer at {address} ended by itself"),
        None,
    ))
}

/// An address on which the Explorer will be able to listen: it panics where it cannot.
fn free_address(port: u16) -> Result<SocketAddr, CliError> {
    let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let probe = TcpListener::bind(wanted).and_then(|listener| listener.local_addr());
    probe.map_err(|error: io::Error| {
        CliError::failed(
            format!("cannot listen on {wanted}: {error}"),
            Some("choose another --port, or leave it out".to_owned()),
        )
    })
}
