//go:build !linux

package store_test

import (
	"os"
	"testing"
)

// dropFileRights can do nothing for root here.
func dropFileRights(t *testing.T) (restore func()) {
	t.Helper()
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere; run this test as somebody else")
	}
	return func() {}
}
