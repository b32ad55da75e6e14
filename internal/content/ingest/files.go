package ingest

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/infra/fail"
)

// files are the files of a source, in their order.
type files struct {
	from     fs.FS
	all      []document.File
	problems []document.Problem // what could not be entered: nobody knows what it holds
	refused  []document.Problem // links that are left out, as what they lead to is no part of the source
	close    func() error
}

// findFiles lists a source's files, sorted by path. Names that begin with a dot are left out, and
// so are folders of program parts. Links are followed to files inside of the folder only.
func findFiles(source *Source) (*files, error) {
	if source.FS != nil {
		return findIn(source.FS, cleanName(source.Path), func() error { return nil })
	}
	if info, err := os.Stat(source.Path); err == nil {
		dir, name := source.Path, "."
		if !info.IsDir() {
			return oneFile(source.Path, info)
		}
		return findBelow(dir, name)
	} else if !strings.ContainsAny(source.Path, "*?[") {
		return nil, unreadable(source.Path, err)
	}
	dir, pattern := splitPattern(filepath.ToSlash(source.Path))
	return findBelow(filepath.FromSlash(dir), pattern)
}

func cleanName(name string) string {
	if name = path.Clean("/" + filepath.ToSlash(name))[1:]; name == "" {
		return "."
	}
	return name
}

func unreadable(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fail.New(fail.Invalid, "there is no file or folder %q; check the path", name).Wrap(err)
	}
	return fail.New(fail.Invalid, "%q cannot be read; check that this program may", name).Wrap(err)
}

// oneFile takes a file that was named itself, wherever it leads and whatever its name is.
func oneFile(name string, info fs.FileInfo) (*files, error) {
	if !info.Mode().IsRegular() {
		return nil, fail.New(fail.Invalid, "%q is neither a file nor a folder", name)
	}
	f, zipped := document.FormatOf(name)
	if f == document.Unknown {
		return nil, fail.New(fail.Invalid, "%q has no ending that tells its form; the known ones are %s", name,
			document.Extensions)
	}
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	return &files{
		from:  os.DirFS(dir), // follows a link, as the one who named it will have meant
		all:   []document.File{{Name: base, Size: info.Size(), Format: f, Zipped: zipped}},
		close: func() error { return nil },
	}, nil
}

// findBelow looks for a pattern below a folder, out of which no link leads.
func findBelow(dir, pattern string) (*files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(dir, err)
	}
	found, err := findIn(root.FS(), pattern, root.Close)
	if err != nil {
		root.Close()
	}
	return found, err
}

// findIn looks for a file, a folder or a pattern.
func findIn(from fs.FS, pattern string, close func() error) (*files, error) {
	start := pattern
	if strings.ContainsAny(pattern, "*?[") {
		if _, err := fs.Stat(from, pattern); err != nil {
			start = "."
		}
	}
	w := walk{files: &files{from: from, close: close}, pattern: strings.Split(pattern, "/"), all: start == pattern,
		start: start}
	if err := fs.WalkDir(from, start, w.visit); err != nil {
		return nil, unreadable(pattern, err)
	}
	w.addLinks()
	if len(w.files.all) == 0 && len(w.files.problems) == 0 && len(w.files.refused) == 0 {
		return nil, fail.New(fail.Invalid, "found no content in %q; files are known by their endings: %s", pattern,
			document.Extensions)
	}
	return w.files, nil
}

// splitPattern divides a path into the folder before the first wildcard and the pattern below it.
func splitPattern(name string) (dir, pattern string) {
	at := strings.IndexAny(name, "*?[")
	slash := strings.LastIndexByte(name[:at], '/')
	switch {
	case slash < 0:
		return ".", name
	case slash == 0:
		return "/", name[1:]
	}
	return name[:slash], name[slash+1:]
}

// walk collects files.
type walk struct {
	*files
	start   string
	pattern []string
	all     bool // everything below start
	links   []document.File
	seen    map[fileMark][]fs.FileInfo
}

// fileMark is equal for one file under two names, and seldom for two files.
type fileMark struct {
	size int64
	time time.Time
}

func (w *walk) visit(name string, entry fs.DirEntry, err error) error {
	if err != nil {
		if name == w.start {
			return err
		}
		w.problems = append(w.problems,
			document.Problem{Origin: name, Reason: "cannot be entered; check that this program may read it"})
		if entry != nil && entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	if entry.IsDir() {
		if name != w.start && skipped(entry.Name()) {
			return fs.SkipDir
		}
		return nil
	}
	f := document.File{Name: name}
	f.Format, f.Zipped = document.FormatOf(name)
	if f.Format == document.Unknown ||
		name != w.start && (skipped(entry.Name()) || slices.Contains(machinery, entry.Name())) ||
		!w.all && !matches(w.pattern, strings.Split(name, "/")) {
		return nil
	}
	if entry.Type()&fs.ModeSymlink != 0 {
		w.links = append(w.links, f)
		return nil
	}
	if !entry.Type().IsRegular() {
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return nil // gone since
	}
	w.add(f, info)
	return nil
}

// skipped says whether a folder or file of this name is passed by.
func skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// machinery are files that belong to tools and tell nothing of a site.
var machinery = strings.Fields("package.json package-lock.json tsconfig.json composer.json manifest.json")

func (w *walk) add(f document.File, info fs.FileInfo) {
	f.Size = info.Size()
	w.files.all = append(w.files.all, f)
	if w.seen == nil {
		w.seen = map[fileMark][]fs.FileInfo{}
	}
	mark := fileMark{info.Size(), info.ModTime()}
	w.seen[mark] = append(w.seen[mark], info)
}

// addLinks follows the links to files. What a link leads to is read once, under its own name if it
// has one here.
func (w *walk) addLinks() {
	for _, f := range w.links {
		info, err := fs.Stat(w.from, f.Name)
		if err != nil && unknown(err) {
			w.problems = append(w.problems,
				document.Problem{Origin: f.Name, Reason: "the link cannot be followed: " + document.WithoutPath(err)})
			continue
		}
		if err != nil {
			w.refused = append(w.refused,
				document.Problem{Origin: f.Name,
					Reason: "the link leads out of the folder or to nothing; put the file itself there"})
			continue
		}
		if info.Mode().IsRegular() && !w.has(info) {
			w.add(f, info)
		}
	}
	if len(w.links) > 0 {
		sortFiles(w.files.all)
	}
}

// unknown says whether a link may well lead to a file of the source that cannot be seen now; one
// that leads out of the folder, nowhere or to itself does not.
func unknown(err error) bool {
	var ofSystem syscall.Errno // os.Root's own refusal is none
	return errors.As(err, &ofSystem) && !errors.Is(err, fs.ErrNotExist) && ofSystem != syscall.ELOOP &&
		ofSystem != syscall.ENOTDIR
}

func (w *walk) has(info fs.FileInfo) bool {
	for _, known := range w.seen[fileMark{info.Size(), info.ModTime()}] {
		if os.SameFile(known, info) {
			return true
		}
	}
	return false
}

// matches says whether the parts of a path match those of a pattern; a part ** matches any number
// of parts.
func matches(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for skip := range len(name) + 1 {
				if matches(pattern[1:], name[skip:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); !ok || err != nil {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}

// sortFiles orders files by the parts of their paths.
func sortFiles(all []document.File) {
	slices.SortFunc(all, func(a, b document.File) int { return cmp.Compare(a.Name, b.Name) })
}
