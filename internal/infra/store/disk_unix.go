//go:build linux || darwin || freebsd

package store

import "golang.org/x/sys/unix"

// freeSpace is how many bytes a user may still write where path is; ok is false when that cannot be
// known.
func freeSpace(path string) (bytes uint64, ok bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(path, &disk); err != nil {
		return 0, false
	}
	return uint64(max(0, int64(disk.Bavail))) * uint64(disk.Bsize), true
}
