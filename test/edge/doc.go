// Package edge tests the gate before sites from outside: the running `frontdesk edge` on its
// sockets, before an origin and an Exchange that these tests play, with raw requests that are as
// hostile as they come; and behind a real nginx.
package edge
