//go:build !linux

package http

import (
	"net"
	"time"
)

// setUserTimeout does nothing: there is no such option, or none that is the same everywhere.
func setUserTimeout(*net.TCPConn, time.Duration) error { return nil }

// openFiles is not known.
func openFiles() int { return 0 }
