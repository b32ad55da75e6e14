package http

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// setUserTimeout is how long what was sent may stay unacknowledged (RFC 5482).
func setUserTimeout(conn *net.TCPConn, most time.Duration) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	failed := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(most/time.Millisecond))
	})
	if failed != nil {
		return failed
	}
	return err
}

// openFiles is how many files, connections among them, this process may have open; 0 for not known.
// Go has raised the limit as far as it may.
func openFiles() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<30))
}
