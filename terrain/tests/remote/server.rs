//! A web server for one folder: whole files and ranges, and breakdowns on demand.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// What the server does to those who ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Mood {
    Well,
    /// Hangs up in the middle of an answer.
    HangsUp,
    /// Says that it is overloaded.
    Overloaded,
    /// Sends as many bytes as it should, others.
    Lies,
}

/// A server on a port of its own, for as long as the process runs.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    pub(crate) url: String,
    mood: Arc<AtomicUsize>,
    answers: Arc<AtomicU64>,
}

impl Server {
    pub(crate) fn of(folder: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/worlds/town.world", listener.local_addr().unwrap());
        let server = Self { url, mood: Arc::default(), answers: Arc::default() };
        let told = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (folder, server) = (folder.clone(), told.clone());
                thread::spawn(move || server.serve(&folder, stream.unwrap()));
            }
        });
        server
    }

    pub(crate) fn set_mood(&self, mood: Mood) {
        self.mood.store(mood as usize, Ordering::SeqCst);
    }

    /// Requests answered so far.
    pub(crate) fn answers(&self) -> u64 {
        self.answers.load(Ordering::SeqCst)
    }

    /// Answers one request after the other; an error is a connection that is gone.
    fn serve(&self, folder: &std::path::Path, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut stream = stream;
        loop {
            let (mut first, mut range) = (String::new(), None);
            reader.read_line(&mut first).ok().filter(|read| *read > 0)?;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).ok()?;
                let line = line.trim().to_ascii_lowercase();
                if line.is_empty() {
                    break;
                }
                if let Some(bytes) = line.strip_prefix("range: bytes=") {
                    let (low, high) = bytes.split_once('-')?;
                    range = Some((low.parse::<usize>().ok()?, high.parse::<usize>().ok()?));
                }
            }
            let mut words = first.split(' ');
            let (verb, path) = (words.next()?, words.next()?);
            let path = path.strip_prefix("/worlds/town.world/").unwrap_or("").replace("%2B", "+");
            self.answers.fetch_add(1, Ordering::SeqCst);
            let bytes = std::fs::read(folder.join(&path));
            self.answer(&mut stream, verb, bytes.ok(), range)?;
        }
    }

    fn answer(
        &self,
        stream: &mut TcpStream,
        verb: &str,
        bytes: Option<Vec<u8>>,
        range: Option<(usize, usize)>,
    ) -> Option<()> {
        let mood = self.mood.load(Ordering::SeqCst);
        let head = |status: &str, length: usize, more: &str| {
            format!(
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}\
                 Last-Modified: Sun, 22 Nov 2026 00:00:00 GMT\r\n\r\n"
            )
        };
        if mood == Mood::Overloaded as usize {
            return stream.write_all(head("503 Busy", 0, "").as_bytes()).ok();
        }
        let Some(bytes) = bytes.filter(|_| verb == "GET" || verb == "HEAD") else {
            let status = if verb == "PROPFIND" { "405 No" } else { "404 No" };
            return stream.write_all(head(status, 0, "").as_bytes()).ok();
        };
        let (status, part, more) = match range {
            None => ("200 OK", &bytes[..], String::new()),
            Some((low, high)) => {
                let high = high.min(bytes.len() - 1);
                let more = format!("Content-Range: bytes {low}-{high}/{}\r\n", bytes.len());
                ("206 Part", &bytes[low..=high], more)
            }
        };
        stream.write_all(head(status, part.len(), &more).as_bytes()).ok()?;
        if verb == "HEAD" {
            return Some(());
        }
        if mood == Mood::HangsUp as usize {
            stream.write_all(&part[..part.len() / 2]).ok()?;
            return None;
        }
        let mut part = part.to_vec();
        if mood == Mood::Lies as usize {
            let middle = part.len() / 2;
            part[middle] ^= 1;
        }
        stream.write_all(&part).ok()
    }
}
