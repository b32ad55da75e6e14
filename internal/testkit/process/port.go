package process

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreePort is a port of this machine that nobody listens on, for an address that a test has to name
// before somebody takes it. It is of those that systems give to no client: a port that the kernel
// chooses may be some connection's by the time it is wanted.
func FreePort(t testing.TB) string {
	t.Helper()
	const first, ports = 20_000, 10_000
	for range 100 {
		port := strconv.Itoa(first + rand.IntN(ports))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}
