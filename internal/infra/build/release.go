// Package build says which build of the program this is: its version, the commit that it was made
// of, and whether that was changed. Enter at Current. It imports nothing of ours.
package build

import (
	"runtime/debug"
	"strings"
	"sync"
)

// What build.sh writes into the binary. The go command knows some of it by itself, where it is
// allowed to look.
var version, commit, built string

// Info describes the build of the running program.
type Info struct {
	Version string // "v1.2.3", "v0.0.0-20261121150405-0123456789ab", or "(devel)"
	Commit  string // the whole hash; "unknown" when nothing told it
	Time    string // of the commit, RFC 3339; may be empty
	Changed bool   // there were changes that no commit has
}

// Current reads the build's description once and returns it.
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
