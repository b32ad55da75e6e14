// Package conformance asks a running frontdesk, over real sockets, for what NLWeb 0.55 and our
// reading of it promise. Each row has a number and a name and is a subtest; a row is a function
// over a probe, so that the same rows run against servers that are wrong on purpose, which shows
// that each of them can fail.
package conformance
