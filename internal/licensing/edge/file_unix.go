//go:build unix

package edge

import (
	"io/fs"
	"syscall"
)

// fileNumber tells a file from others, whatever its name.
func fileNumber(info fs.FileInfo) uint64 {
	if of, ok := info.Sys().(*syscall.Stat_t); ok {
		return of.Ino
	}
	return 1
}
