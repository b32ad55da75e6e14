package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const module = "frontdesk"

// fault is one way in which the tree breaks a rule. What an exception can name of it: the rule, the
// package it lies in, what it is about, and for sizes how much it is.
type fault struct {
	rule string
	from string
	to   string
	size int
	text string
}

// check returns how the files break the rules, exceptions not regarded.
func check(files []file, banned []bannedName) []fault {
	var faults []fault
	byPackage := map[string][]file{}
	for _, f := range files {
		byPackage[f.pkg] = append(byPackage[f.pkg], f)
		for _, imported := range f.imports {
			if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
				faults = append(faults, checkOurs(f, ours)...)
			} else if isStandard(imported) {
				faults = append(faults, checkStandard(f, imported)...)
			} else {
				faults = append(faults, checkLibrary(f, imported)...)
			}
		}
		faults = append(faults, checkLedger(f)...)
		faults = append(faults, checkReads(f)...)
		faults = append(faults, checkClock(f)...)
		for _, why := range f.wide {
			faults = append(faults, fault{rule: lineWidth, from: f.pkg, text: why})
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		faults = append(faults, checkPlace(pkg)...)
		faults = append(faults, checkSQL(pkg, byPackage[pkg])...)
		faults = append(faults, checkSizes(pkg, byPackage[pkg])...)
		faults = append(faults, checkNames(pkg, byPackage[pkg], banned)...)
	}
	return faults
}

func checkPlace(pkg string) []fault {
	if _, ok := layerOf(pkg); ok {
		return nil
	}
	return []fault{{rule: inTree, from: pkg, text: pkg + " lies in none of the places of the tree"}}
}

// checkOurs holds one import of a package of ours.
func checkOurs(f file, imported string) []fault {
	var faults []fault
	add := func(rule, why string) {
		text := fmt.Sprintf("%s imports %s: %s", f.name, imported, why)
		faults = append(faults, fault{rule: rule, from: f.pkg, to: imported, text: text})
	}
	l, placed := layerOf(f.pkg)
	switch {
	case !forTest(f) && coveredByAny(imported, testHelpers):
		add(forTests, "only tests may")
	case placed && !mayImport(l, f, imported):
		rule := edges
		if l.handlers {
			rule = handlers
		}
		add(rule, fmt.Sprintf("%s may not (layers in test/imports/rules.go says what it may)", l.path))
	}
	if isPure(f.pkg) && !f.test && !isPure(imported) {
		add(purity, f.pkg+" has no I/O, so it may not import what may have some")
	}
	return faults
}

// mayImport tells whether a file may import a package of ours by its layer. A test may use what
// lies below at any distance, and the helpers of tests.
func mayImport(l layer, f file, imported string) bool {
	may := strings.Fields(l.may)
	if f.test {
		may = append(reach(treeOf(f.pkg)), testHelpers...)
	}
	switch {
	case covers("wire", imported):
		return true
	case l.handlers && !f.test:
		return slices.Contains(may, imported) || covers(f.pkg, imported)
	}
	return covers(treeOf(f.pkg), imported) || coveredByAny(imported, may)
}

// checkStandard holds one import of the standard library.
func checkStandard(f file, imported string) []fault {
	if f.test {
		return nil
	}
	var faults []fault
	add := func(rule, why string) {
		text := fmt.Sprintf("%s imports %s: %s", f.name, imported, why)
		faults = append(faults, fault{rule: rule, from: f.pkg, to: imported, text: text})
	}
	if may, ok := guarded[imported]; ok && !coveredByAny(f.pkg, strings.Fields(may)) {
		add(standard, "it belongs to few packages (guarded in test/imports/rules.go)")
	}
	if isPure(f.pkg) && !slices.Contains(pureStandard, imported) {
		add(purity, f.pkg+" has no I/O")
	}
	return faults
}

// checkLibrary holds one import of somebody else's module.
func checkLibrary(f file, imported string) []fault {
	if forTest(f) && coveredByAny(imported, testTools) {
		return nil
	}
	for _, l := range libraries {
		if covers(l.path, imported) && coveredByAny(f.pkg, strings.Fields(l.in)) {
			return nil
		}
	}
	text := fmt.Sprintf("%s imports %s: test/imports/libraries.go does not name it for %s", f.name, imported, f.pkg)
	return []fault{{rule: thirdParty, from: f.pkg, to: imported, text: text}}
}

// unusedLibraries says which places of the table of libraries nothing needs any more.
func unusedLibraries(files []file) []string {
	var faults []string
	for _, l := range libraries {
		for _, place := range strings.Fields(l.in) {
			uses := func(f file) bool {
				return covers(place, f.pkg) && slices.ContainsFunc(f.imports, func(i string) bool {
					return covers(l.path, i)
				})
			}
			if !slices.ContainsFunc(files, uses) {
				faults = append(faults,
					fmt.Sprintf("nothing in %s imports %s any more: take it from libraries", place, l.path))
			}
		}
	}
	return faults
}

func checkLedger(f file) []fault {
	if forTest(f) || slices.Contains(ledgerWriters, f.pkg) {
		return nil
	}
	var faults []fault
	for _, at := range f.appends {
		faults = append(faults,
			fault{rule: ledgering, from: f.pkg, text: at + " writes to the ledger: only services may"})
	}
	return faults
}

func checkReads(f file) []fault {
	if forTest(f) || slices.Contains(itemReaders, f.pkg) {
		return nil
	}
	var faults []fault
	for _, at := range f.reads {
		text := at + " reads whole items from the store: what leaves is had of content/released"
		faults = append(faults, fault{rule: releasing, from: f.pkg, text: text})
	}
	return faults
}

func checkClock(f file) []fault {
	if f.test || !isPure(f.pkg) {
		return nil
	}
	var faults []fault
	for _, use := range f.clock {
		text := fmt.Sprintf("%s uses %s: a package without I/O is handed the time", f.pkg, use)
		faults = append(faults, fault{rule: purity, from: f.pkg, to: "time", text: text})
	}
	return faults
}

func checkSQL(pkg string, files []file) []fault {
	declares := func(f file) bool { return f.schema && !f.test }
	if slices.Contains(sqlOwners, pkg) || covers("test", pkg) || slices.ContainsFunc(files, declares) {
		return nil
	}
	var faults []fault
	for _, f := range files {
		for _, at := range f.sql {
			if !f.test {
				text := at + " has SQL text, and its package declares no schema"
				faults = append(faults, fault{rule: sqlText, from: pkg, text: text})
			}
		}
	}
	return faults
}

// checkSizes holds how large a package and its types are. Generated code, tests and their helpers
// are free; so are the structs of wire, which are as long as the protocols' messages.
func checkSizes(pkg string, files []file) []fault {
	if coveredByAny(pkg, testHelpers) {
		return nil
	}
	lines, fields, methods := 0, map[string]int{}, map[string]int{}
	for _, f := range files {
		if f.test || f.generated {
			continue
		}
		lines += f.lines
		maps.Copy(fields, f.structs)
		for name, n := range f.methods {
			methods[name] += n
		}
	}
	faults := tooLarge(packageSize, pkg, map[string]int{"": lines}, mostLines)
	if !covers("wire", pkg) {
		faults = append(faults, tooLarge(structSize, pkg, fields, mostFields)...)
	}
	return append(faults, tooLarge(methodCount, pkg, methods, mostMethods)...)
}

func tooLarge(rule, pkg string, sizes map[string]int, most int) []fault {
	var faults []fault
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		if n := sizes[name]; n > most {
			text := fmt.Sprintf("%s has %d %s: at most %d", strings.TrimSpace(pkg+" "+name), n, rule, most)
			faults = append(faults, fault{rule: rule, from: pkg, to: name, size: n, text: text})
		}
	}
	return faults
}

// forTest tells files of tests and of their helpers.
func forTest(f file) bool { return f.test || coveredByAny(f.pkg, testHelpers) }

func isPure(pkg string) bool { return slices.Contains(pure, pkg) || coveredByAny(pkg, pureBelow) }

// covers tells whether a path is a package, or lies below it.
func covers(pkg, path string) bool { return path == pkg || strings.HasPrefix(path, pkg+"/") }

func coveredByAny(path string, packages []string) bool {
	return slices.ContainsFunc(packages, func(pkg string) bool { return covers(pkg, path) })
}

// isStandard tells the standard library from third parties, whose paths begin with a host.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

// layerOf finds a package's layer: the one with the longest path that covers it.
func layerOf(pkg string) (layer, bool) {
	var found layer
	for _, l := range layers {
		if covers(l.path, pkg) && len(l.path) > len(found.path) {
			found = l
		}
	}
	return found, found.path != ""
}

// treeOf names the top of the tree that a package is in: one of the twelve, or the first part of
// its path.
func treeOf(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	if parts[0] == "internal" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// reach lists what the packages of a tree may import at any distance.
func reach(tree string) []string {
	found := []string{tree}
	for i := 0; i < len(found); i++ {
		for _, l := range layers {
			if !covers(found[i], l.path) || l.handlers {
				continue
			}
			for _, next := range strings.Fields(l.may) {
				if !slices.Contains(found, next) {
					found = append(found, next)
				}
			}
		}
	}
	return found
}
