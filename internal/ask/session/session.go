// Package session keeps what a conversation needs beyond one request, at three places. What was
// said goes with the caller, sealed (Conversations). What the caller wants to be remembered is in
// the store, encrypted, for as long as the owner says (Memory). And what was promised is there,
// with the work on it (Promises).
//
// Package ask decides what is kept, what is promised, and to whom; this package keeps it in the
// store. What a question means is known to package query alone.
package session
