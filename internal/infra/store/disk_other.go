//go:build !(linux || darwin || freebsd)

package store

// freeSpace cannot be known here.
func freeSpace(string) (bytes uint64, ok bool) { return 0, false }
