// Package session keeps what a conversation needs beyond one request: what was promised, and the work on it.
//
// It stands between desk, which decides what is promised and to whom, and store. It knows nothing of questions and
// answers: both are bytes here.
package session
