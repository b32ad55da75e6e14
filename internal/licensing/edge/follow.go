package edge

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"frontdesk/internal/infra/periodic"
	wire "frontdesk/wire/edge"
)

// Follower reads the log of a server that asks Auth while the log is written, also across rotation.
type Follower struct {
	Path  string // of the log
	State string // file in which it is remembered how far it was read
	Put   func(wire.Delivery) error
	Log   *slog.Logger

	at read
}

// read is how far a log was read.
type read struct {
	File uint64 `json:"file"` // its number in the file system
	At   int64  `json:"at"`
}

// followEvery is how often the log is looked at.
const followEvery = time.Second

// Run follows the log until ctx ends.
func (f *Follower) Run(ctx context.Context) {
	if text, err := os.ReadFile(f.State); err == nil {
		_ = json.Unmarshal(text, &f.at) // read from its beginning otherwise
	}
	periodic.Run(ctx, followEvery, func(ctx context.Context) {
		if err := f.ReadNew(); err != nil {
			f.Log.Error("the log of deliveries cannot be read on; it is tried again", "error", err)
		}
	})
}

// ReadNew reads what is new.
func (f *Follower) ReadNew() error {
	info, err := os.Stat(f.Path)
	if errors.Is(err, os.ErrNotExist) {
		return f.rest()
	}
	if err != nil {
		return err
	}
	if number := fileNumber(info); number != f.at.File {
		if err := f.rest(); err != nil {
			return err
		}
		f.at = read{File: number}
	}
	if info.Size() < f.at.At { // it was cut
		f.at.At = 0
	}
	return f.more(f.Path)
}

// rest reads what was written to the log before it was moved away.
func (f *Follower) rest() error {
	info, err := os.Stat(f.Path + ".1")
	if err != nil || f.at.File == 0 || fileNumber(info) != f.at.File {
		return nil
	}
	return f.more(f.Path + ".1")
}

func (f *Follower) more(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if before := []byte{0}; f.at.At > 0 {
		if _, err := file.ReadAt(before, f.at.At-1); err != nil || before[0] != '\n' {
			f.at.At = 0 // another file has come to have its number: what was read of it counts once
		}
	}
	if _, err := file.Seek(f.at.At, io.SeekStart); err != nil {
		return err
	}
	bytes, _, unread, err := ReadLog(file, f.Put)
	if unread > 0 {
		f.Log.Warn("lines of the log of deliveries cannot be read; its log_format has to be that of docs/edge.md",
			"lines", unread)
	}
	if bytes == 0 {
		return err
	}
	f.at.At += bytes
	return errors.Join(err, f.remember())
}

func (f *Follower) remember() error {
	text, err := json.Marshal(f.at)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.State), 0o700); err != nil {
		return err
	}
	fresh := f.State + ".new"
	if err := os.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, f.State)
}
