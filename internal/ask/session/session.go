// Package session keeps what a conversation needs beyond one request, at three places. What was said goes with the caller,
// sealed (Conversations). What the caller wants to be remembered is in the store, encrypted, for as long as the owner
// says (Memory). And what was promised is there, with the work on it (Promises).
//
// It stands between package ask, which decides what is kept, promised and to whom, and store. It knows nothing of what
// a question means: that is query's.
package session
