package server

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
