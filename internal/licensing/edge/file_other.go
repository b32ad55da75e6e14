//go:build !unix

package edge

import "io/fs"

// fileNumber cannot tell files from others here: a log that is rotated has to be cut.
func fileNumber(fs.FileInfo) uint64 { return 1 }
