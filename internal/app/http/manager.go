package http

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// A service manager such as systemd may take the sockets for the server (sd_listen_fds), so that
// connections wait rather than fail while the server is replaced, and may want to be told when it
// is ready (sd_notify).

// firstSocket is the first file descriptor that a service manager passes sockets with.
const firstSocket = 3

// passed are the sockets that a service manager passed, by the key of the address that each stands
// for. Each is there to be taken once.
var passed struct {
	sync.Mutex
	read    bool
	sockets map[string]*os.File
}

// Inherited gives the socket that was passed for a key; ok says whether there was one. A socket
// stands for `listen` unless its name (FileDescriptorName=) is `redirect` or `metrics`.
func Inherited(key string) (listener net.Listener, ok bool, err error) {
	passed.Lock()
	defer passed.Unlock()
	if !passed.read {
		passed.read, passed.sockets = true, passedSockets()
	}
	file, ok := passed.sockets[key]
	if !ok {
		return nil, false, nil
	}
	delete(passed.sockets, key)
	listener, err = net.FileListener(file)
	if err = errors.Join(err, file.Close()); err != nil {
		err = fmt.Errorf("the socket that the service manager passed for %s cannot be used: %w; "+
			"it must be a TCP socket that listens", key, err)
	}
	return listener, true, err
}

func passedSockets() map[string]*os.File {
	pid, _ := strconv.Atoi(os.Getenv("LISTEN_PID"))
	count, _ := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if pid != os.Getpid() {
		return nil
	}
	names := strings.Split(os.Getenv("LISTEN_FDNAMES"), ":")
	sockets := map[string]*os.File{}
	for i := range min(count, 16) {
		key := "listen"
		if i < len(names) {
			switch names[i] {
			case "redirect":
				key = "tls.redirect"
			case "metrics":
				key = "metrics.listen"
			}
		}
		sockets[key] = os.NewFile(uintptr(firstSocket+i), key)
	}
	return sockets
}

// notifyManager tells the service manager of the server's state, if there is one that wants to
// know. That it could not be told changes nothing here.
func notifyManager(state string) {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return
	}
	if path[0] == '@' {
		path = "\x00" + path[1:]
	}
	connection, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		return
	}
	defer connection.Close()
	_, _ = connection.Write([]byte(state))
}
