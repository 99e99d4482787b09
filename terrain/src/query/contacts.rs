//! Memory for contacts.

use std::fmt;

use super::gather::Gathered;
use super::types::Contact;

/// Memory for contacts, made once and reused.
pub struct Contacts {
    list: Vec<Contact>,
    most: usize,
    is_cut: bool,
    /// The triangles near the body: contacts are judged by what lies around them.
    pub(super) near: Gathered,
}

impl fmt::Debug for Contacts {
    /// The contacts that are there, not the memory for others.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { list, most: _, is_cut, near: _ } = self;
        f.debug_struct("Contacts")
            .field("list", list)
            .field("is_cut", is_cut)
            .finish_non_exhaustive()
    }
}

impl Clone for Contacts {
    /// With the same capacity and the same contacts.
    fn clone(&self) -> Self {
        // The clone of a vector only has room for its contents, mostly for nothing.
        let mut list = Vec::with_capacity(self.list.capacity());
        list.extend_from_slice(&self.list);
        Self { list, near: self.near.clone(), ..*self }
    }
}

/// Triangles near a body that are gathered. If there are more, judging uses the world.
const NEAR_TRIANGLES: usize = 256;

impl Contacts {
    /// Room for `most` contacts, at least one.
    #[must_use]
    pub fn with_capacity(most: usize) -> Self {
        let most = most.max(1);
        let near = Gathered::with_capacity(NEAR_TRIANGLES);
        Self { list: Vec::with_capacity(most), most, is_cut: false, near }
    }

    /// The contacts, in order of props and triangles, ground first.
    #[must_use]
    pub fn as_slice(&self) -> &[Contact] {
        &self.list
    }

    /// Whether there were more contacts than fit; the deepest were kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The deepest contact; among equals the first.
    #[must_use]
    pub fn deepest(&self) -> Option<&Contact> {
        self.list.iter().reduce(|best, next| if next.depth > best.depth { next } else { best })
    }

    /// Forgets all contacts.
    pub fn clear(&mut self) {
        self.list.clear();
        self.is_cut = false;
    }

    /// Holds these contacts and no others, as far as there is room.
    #[doc(hidden)]
    pub fn assign(&mut self, contacts: impl Iterator<Item = Contact>) {
        self.clear();
        self.list.extend(contacts.take(self.most));
    }

    pub(super) fn put(&mut self, contact: Contact) {
        if self.list.len() < self.most {
            self.list.push(contact);
            return;
        }
        self.is_cut = true;
        // Among equal depths the greater triangle goes, so that the order in which contacts come does not
        // matter.
        let is_less = |a: &Contact, b: &Contact| {
            a.depth < b.depth || (a.depth == b.depth && a.triangle > b.triangle)
        };
        let least = self.list.iter_mut().reduce(|a, b| if is_less(b, a) { b } else { a });
        if let Some(least) = least.filter(|least| is_less(least, &contact)) {
            *least = contact;
        }
    }

    pub(super) fn sort(&mut self) {
        // Each triangle occurs at most once.
        self.list.sort_unstable_by_key(|contact| contact.triangle);
    }
}
