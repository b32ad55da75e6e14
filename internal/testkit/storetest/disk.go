package storetest

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	mathrand "math/rand/v2"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/vfs"
)

// Disk is a file layer under SQLite that remembers what was written and what was synced, so that a
// test can see what a loss of power at any moment would have left: all that was synced, and of the
// rest whatever the disk pleases.
type Disk struct {
	// Name is what the layer is called; see store.Config.Files.
	Name string

	mu   sync.Mutex
	done []doing
	full atomic.Bool
}

// Fill has the layer refuse to write anything, as a full disk does; Free has it write again.
func (d *Disk) Fill() { d.full.Store(true) }

// Free is the opposite of Fill.
func (d *Disk) Free() { d.full.Store(false) }

// doing is something that was done to a file.
type doing struct {
	file string
	what string // write, truncate, sync, create, delete
	at   int64
	data []byte
}

// sector is how much a disk writes at once, or not at all.
const sector = 512

// NewDisk makes a layer that goes with the test.
func NewDisk(t testing.TB) *Disk {
	d := &Disk{Name: "disk-" + rand.Text()[:12]}
	vfs.Register(d.Name, recorded{vfs.Find("os").(vfs.VFSFilename), d})
	t.Cleanup(func() { vfs.Unregister(d.Name) })
	return d
}

func (d *Disk) note(x doing) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = append(d.done, x)
}

// Now is the moment at which the layer is: how much was done.
func (d *Disk) Now() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.done)
}

// Crashes is at how many moments a test loses the power: FRONTDESK_TEST_CRASHES, or few, and a
// third of few in short form.
func Crashes(t testing.TB, few int) int {
	t.Helper()
	text := os.Getenv("FRONTDESK_TEST_CRASHES")
	if text == "" {
		if testing.Short() {
			few /= 3
		}
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("FRONTDESK_TEST_CRASHES is %q; it must be a number of crashes", text)
	}
	return n
}

// Crash writes to a folder what a loss of power at a moment leaves, and lets source decide about
// what was not synced.
func (d *Disk) Crash(at int, source *mathrand.Rand, folder string) error {
	d.mu.Lock()
	done := d.done[:at]
	d.mu.Unlock()
	synced := map[string]int{} // until where a file is safe
	for i, x := range done {
		if x.what == "sync" {
			synced[x.file] = i
		}
	}
	files := map[string][]byte{}
	for i, x := range done {
		safe := i < synced[x.file]
		switch x.what {
		case "create":
			if files[x.file] == nil {
				files[x.file] = []byte{}
			}
		case "delete":
			delete(files, x.file)
		case "truncate":
			if safe || source.IntN(2) == 0 {
				files[x.file] = resized(files[x.file], int(x.at))
			}
		case "write":
			for from := 0; from < len(x.data); from += sector {
				if safe || source.IntN(2) == 0 {
					part := x.data[from:min(from+sector, len(x.data))]
					end := int(x.at) + from + len(part)
					if len(files[x.file]) < end {
						files[x.file] = resized(files[x.file], end)
					}
					copy(files[x.file][int(x.at)+from:], part)
				}
			}
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(name)), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func resized(data []byte, size int) []byte {
	if size <= len(data) {
		return data[:size]
	}
	return append(data, make([]byte, size-len(data))...)
}

// recorded is the operating system's layer, with a note of what is done.
type recorded struct {
	vfs.VFSFilename
	disk *Disk
}

func (r recorded) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	_, err := os.Stat(name.String())
	file, flags, failed := r.VFSFilename.OpenFilename(name, flags)
	if failed != nil {
		return nil, flags, failed
	}
	if errors.Is(err, fs.ErrNotExist) {
		r.disk.note(doing{file: name.String(), what: "create"})
	}
	return &recordedFile{file, name.String(), r.disk}, flags, nil
}

func (r recorded) Delete(name string, syncDir bool) error {
	err := r.VFSFilename.Delete(name, syncDir)
	if err == nil {
		r.disk.note(doing{file: name, what: "delete"})
	}
	return err
}

type recordedFile struct {
	vfs.File
	name string
	disk *Disk
}

func (f *recordedFile) WriteAt(p []byte, at int64) (int, error) {
	if f.disk.full.Load() {
		return 0, sqlite3.FULL
	}
	f.disk.note(doing{file: f.name, what: "write", at: at, data: append([]byte(nil), p...)})
	return f.File.WriteAt(p, at)
}

func (f *recordedFile) Truncate(size int64) error {
	f.disk.note(doing{file: f.name, what: "truncate", at: size})
	return f.File.Truncate(size)
}

func (f *recordedFile) Sync(flags vfs.SyncFlag) error {
	err := f.File.Sync(flags)
	if err == nil {
		f.disk.note(doing{file: f.name, what: "sync"})
	}
	return err
}

// SharedMemory is that of the layer below.
func (f *recordedFile) SharedMemory() vfs.SharedMemory {
	return f.File.(vfs.FileSharedMemory).SharedMemory()
}
