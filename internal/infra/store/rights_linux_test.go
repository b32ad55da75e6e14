package store_test

import (
	"os"
	"syscall"
	"testing"
)

// dropFileRights takes root's rights over files away from the calling thread.
func dropFileRights(t *testing.T) (restore func()) {
	t.Helper()
	if os.Getuid() != 0 {
		return func() {}
	}
	const nobody = 65534
	set := func(id int) {
		if err := syscall.Setfsuid(id); err != nil {
			t.Fatal(err)
		}
	}
	set(nobody)
	return func() { set(0) }
}
