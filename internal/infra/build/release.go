// Package build knows which build of the program this is: its version, and the commit that it was
// made of.
//
// It is a leaf: every room may import it.
package build

import (
	"runtime/debug"
	"strings"
	"sync"
)

// What build.sh writes into the binary. The go command knows some of it by itself, where it is
// allowed to look.
var version, commit, built string

// Info is what the binary knows of its making.
type Info struct {
	Version string // "v1.2.3", "v0.0.0-20261121150405-0123456789ab", or "(devel)"
	Commit  string // the whole hash; "unknown" when nothing told it
	Time    string // of the commit, RFC 3339; may be empty
	Changed bool   // there were changes that no commit has
}

// Of reads it.
var Current = sync.OnceValue(func() Info {
	if version != "" {
		whole, changed := strings.CutSuffix(commit, "+changes")
		return Info{version, whole, built, changed}
	}
	info := Info{Version: "unknown", Commit: "unknown"}
	told, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if told.Main.Version != "" {
		info.Version = told.Main.Version
	}
	for _, setting := range told.Settings {
		switch setting.Key {
		case "vcs.revision":
			info.Commit = setting.Value
		case "vcs.time":
			info.Time = setting.Value
		case "vcs.modified":
			info.Changed = setting.Value == "true"
		}
	}
	return info
})
