package store

import (
	"sync"

	"github.com/ncruces/go-sqlite3/vfs"
)

// logFiles gives the name of a file layer over another ("" is the operating system's) that writes
// what a transaction adds to the write-ahead log at once. SQLite hands each page over in two
// pieces, each a call of the system.
func logFiles(below string) string {
	name := "frontdesk-log"
	if below != "" {
		name += "-" + below
	}
	logLayers.Lock()
	defer logLayers.Unlock()
	if vfs.Find(name) == nil {
		vfs.Register(name, logLayer{vfs.Find(below).(vfs.VFSFilename)})
	}
	return name
}

var logLayers sync.Mutex

// logLayer is a file layer whose log files are logFile.
type logLayer struct{ vfs.VFSFilename }

// OpenFilename implements vfs.VFSFilename.
func (l logLayer) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, out, err := l.VFSFilename.OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		file = &logFile{File: file}
	}
	return file, out, err
}

// maxHeld is how many bytes of a log are held back at the most.
const maxHeld = 1 << 20

// logFile is a write-ahead log that one connection writes. What is written to it in one piece after
// the other is held back until it is synced or read: with synchronous=FULL, SQLite tells other
// connections of a transaction only after it was synced. It is used by one goroutine at a time.
type logFile struct {
	vfs.File
	held []byte
	at   int64 // where held begins
}

// WriteAt implements vfs.File.
func (f *logFile) WriteAt(p []byte, at int64) (int, error) {
	if at != f.at+int64(len(f.held)) || len(f.held)+len(p) > maxHeld {
		if err := f.flush(); err != nil {
			return 0, err
		}
		f.at = at
	}
	f.held = append(f.held, p...)
	return len(p), nil
}

// flush writes what was held back. What could not be written is not tried again: SQLite takes the
// transaction back.
func (f *logFile) flush() error {
	if len(f.held) == 0 {
		return nil
	}
	_, err := f.File.WriteAt(f.held, f.at)
	f.at += int64(len(f.held))
	f.held = f.held[:0]
	return err
}

// ReadAt implements vfs.File.
func (f *logFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, at)
}

// Sync implements vfs.File.
func (f *logFile) Sync(flags vfs.SyncFlag) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.File.Sync(flags)
}

// Truncate implements vfs.File.
func (f *logFile) Truncate(size int64) error {
	if err := f.flush(); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Size implements vfs.File.
func (f *logFile) Size() (int64, error) {
	if err := f.flush(); err != nil {
		return 0, err
	}
	return f.File.Size()
}

// Close implements vfs.File.
func (f *logFile) Close() error {
	err := f.flush()
	if closed := f.File.Close(); err == nil {
		err = closed
	}
	return err
}
