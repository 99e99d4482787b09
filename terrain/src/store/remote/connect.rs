//! From a URL and settings to a store.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, ObjectStoreScheme, RetryConfig};

use super::waiter::plain;

/// The longest time between two attempts of one request. A direct read waits that long; a streamer
/// retries by its own schedule.
const BACKOFF_MAX: Duration = Duration::from_secs(2);

/// How a remote world is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteSettings {
    /// Most bytes kept in the folder of fetched files; the least recently used are removed first.
    /// Of several worlds that share a folder, the smallest value applies. Default 16 GiB.
    pub cache_bytes: u64,
    /// Longest time to wait for an answer. Default 30 seconds.
    pub timeout: Duration,
    /// How often a request is retried after a failure that may be temporary. Default 2.
    pub retries: usize,
}

impl Default for RemoteSettings {
    fn default() -> Self {
        Self { cache_bytes: 16 << 30, timeout: Duration::from_secs(30), retries: 2 }
    }
}

/// The store that a URL names, and the folder in it.
pub(super) fn connect(
    url: &str,
    settings: RemoteSettings,
) -> io::Result<(Arc<dyn ObjectStore>, ObjectPath)> {
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
    let parsed = url.parse().map_err(|error| invalid(format!("{url}: not a URL: {error}")))?;
    let (scheme, folder) = ObjectStoreScheme::parse(&parsed).map_err(|_| {
        let kinds = "s3://, gs://, az://, https://, http:// or file://";
        invalid(format!("{url}: unknown kind of URL, expected {kinds}"))
    })?;
    let retry = RetryConfig {
        backoff: BackoffConfig { max_backoff: BACKOFF_MAX, ..BackoffConfig::default() },
        max_retries: settings.retries,
        retry_timeout: settings.timeout.saturating_mul(settings.retries as u32 + 1),
    };
    let is_plain_http = parsed.scheme() == "http";
    let client = ClientOptions::new().with_timeout(settings.timeout).with_allow_http(is_plain_http);
    let store: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::Local => Arc::new(LocalFileSystem::new()),
        ObjectStoreScheme::AmazonS3 => {
            let builder = AmazonS3Builder::from_env().with_url(url);
            Arc::new(builder.with_retry(retry).with_client_options(client).build().map_err(plain)?)
        }
        ObjectStoreScheme::GoogleCloudStorage => {
            let builder = GoogleCloudStorageBuilder::from_env().with_url(url);
            Arc::new(builder.with_retry(retry).with_client_options(client).build().map_err(plain)?)
        }
        ObjectStoreScheme::MicrosoftAzure => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(url);
            Arc::new(builder.with_retry(retry).with_client_options(client).build().map_err(plain)?)
        }
        ObjectStoreScheme::Http => {
            // The folder is requested by its path, so the store begins at the server's root.
            let builder = HttpBuilder::new().with_url(root_of(url));
            Arc::new(builder.with_retry(retry).with_client_options(client).build().map_err(plain)?)
        }
        other => return Err(invalid(format!("{url}: worlds cannot be read from {other:?}"))),
    };
    Ok((store, folder))
}

/// A URL up to its path.
fn root_of(url: &str) -> &str {
    let host = url.find("://").map_or(0, |at| at + 3);
    let length = url[host..].find('/').map_or(url.len(), |slash| host + slash);
    &url[..length]
}
