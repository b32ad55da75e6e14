package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed page.html assets
var embedded embed.FS

// Files are the page's files, served from a folder whose name is their common hash: a browser may
// keep them for good, and modules that import each other are always of one version.
type Files struct {
	Root   string // "/assets/<hash>"
	byName map[string][]byte
}

// LoadFiles reads the files of a folder that is embedded.
func LoadFiles(files embed.FS, folder string) *Files {
	f := &Files{byName: map[string][]byte{}}
	sum := sha256.New()
	err := fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		sum.Write([]byte(name))
		sum.Write(text)
		f.byName[path.Base(name)] = text
		return err
	})
	if err != nil {
		panic(err) // the files are embedded above: only a build without them could fail
	}
	f.Root = "/assets/" + hex.EncodeToString(sum.Sum(nil)[:6])
	return f
}

// add puts a file that is made beside those that are embedded.
func (f *Files) add(name string, text []byte) {
	f.byName[name] = text
	sum := sha256.Sum256(append([]byte(f.Root), text...))
	f.Root = "/assets/" + hex.EncodeToString(sum[:6])
}

// Serve answers with a file. Under the name of another version, which a page from before an upgrade
// asks for, it serves the file as it is now and lets nobody keep it.
func (f *Files) Serve(w http.ResponseWriter, r *http.Request) {
	folder, name := path.Split(r.URL.Path)
	text, ok := f.byName[name]
	if !ok || strings.Count(folder, "/") != 3 {
		http.NotFound(w, r)
		return
	}
	header := w.Header()
	header.Set("Content-Type", contentType(name))
	header.Set("X-Content-Type-Options", "nosniff")
	if strings.TrimSuffix(folder, "/") == f.Root {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	answer(w, r, text)
}

// contentType does not rely on the machine's own tables.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// answer sends a body, or only its tag to a client that has it already.
func answer(w http.ResponseWriter, r *http.Request, body []byte) {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if strings.TrimPrefix(strings.TrimSpace(known), "W/") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Write(body)
}
