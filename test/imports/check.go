package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const module = "frontdesk"

// check returns a sentence for each way in which the files break the table.
func check(table []room, files []file) []string {
	var faults []string
	rows := map[string]room{}
	for _, r := range table {
		if _, twice := rows[r.path]; twice {
			faults = append(faults, r.path+" has two rows in the table of rooms")
		}
		rows[r.path] = r
	}
	faults = append(faults, checkTable(rows)...)
	seen := map[string]bool{}
	for _, f := range files {
		r, ok := rows[f.pkg]
		if !ok && !seen[f.pkg] {
			faults = append(faults, fmt.Sprintf("%s has no row in the table of rooms: say what it may import", f.pkg))
		}
		seen[f.pkg] = true
		if ok {
			faults = append(faults, checkFile(rows, r, f)...)
		}
	}
	return faults
}

// checkTable holds what the rows promise among themselves: a room without I/O stands on such rooms alone.
func checkTable(rows map[string]room) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		for _, below := range rows[name].inside {
			if rows[name].pure && !rows[below].pure {
				faults = append(faults, fmt.Sprintf("%s has no I/O, so it may not import %s, which has", name, below))
			}
		}
	}
	return faults
}

// checkFile holds one file against its room's row. A test may also use the test tools, the standard library
// freely, every room below its own, and the rooms that exist for tests.
func checkFile(rows map[string]room, r room, f file) []string {
	var faults []string
	below := r.inside
	outside := r.outside
	if f.test {
		below = append(reachable(rows, r), testRooms...)
		outside = append(slices.Clone(outside), testTools...)
	}
	for _, imported := range f.imports {
		if why := refuse(r, f, imported, below, outside); why != "" {
			faults = append(faults, fmt.Sprintf("%s imports %s: %s", f.name, imported, why))
		}
	}
	if r.pure && !f.test {
		for _, use := range f.clock {
			faults = append(faults, fmt.Sprintf("%s uses %s: a room without I/O is handed the time", f.pkg, use))
		}
	}
	return faults
}

// refuse says why a file may not import a package; empty when it may.
func refuse(r room, f file, imported string, inside, outside []string) string {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		if slices.Contains(inside, ours) || f.test && ours == r.path {
			return ""
		}
		return fmt.Sprintf("the row of %s does not name it", r.path)
	}
	if isStandard(imported) {
		return refuseStandard(r, f, imported)
	}
	for _, prefix := range outside {
		if imported == prefix || strings.HasPrefix(imported, prefix+"/") {
			return ""
		}
	}
	return fmt.Sprintf("the row of %s names no such library", r.path)
}

func refuseStandard(r room, f file, imported string) string {
	if f.test {
		return ""
	}
	if may, ok := guarded[imported]; ok {
		if !may(r) {
			return "this package of the standard library is not for this room"
		}
		if imported == "unsafe" {
			return ""
		}
	}
	if r.pure && !slices.Contains(pureStandard, imported) {
		return "a room without I/O may not"
	}
	return ""
}

// isStandard tells the standard library from third parties, whose paths begin with a host.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// reachable lists the rooms below a room, at any distance.
func reachable(rows map[string]room, r room) []string {
	found := map[string]bool{}
	var visit func(string)
	visit = func(name string) {
		if !found[name] {
			found[name] = true
			for _, below := range rows[name].inside {
				visit(below)
			}
		}
	}
	visit(r.path)
	return slices.Sorted(maps.Keys(found))
}
