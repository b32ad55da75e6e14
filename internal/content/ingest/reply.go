package ingest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/licence"
	"frontdesk/wire/licence/sitemap"
)

// reply is what came back for an address.
type reply struct {
	response *fetch.Response // its body only until it was dealt with
	err      error           // instead of a response
	digest   []byte          // of the body
	damage   error           // of a list or a feed in UTF-16
}

// sum tells an answer from another, by all that is read of it.
func (r *reply) sum() []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", r.response.Header.Values("X-Robots-Tag"), r.response.Header.Get("Content-Type"))
	if named := licence.FromLink(r.response.Header.Values("Link")); len(named) > 0 {
		fmt.Fprintf(h, "%q\n", named)
	}
	h.Write(r.response.Body)
	return h.Sum(nil)[:12]
}

// reason gives what is known of a failure.
func (r *reply) reason() string {
	var known *fetch.Error
	switch {
	case errors.As(r.err, &known):
		return known.Detail
	case r.err != nil:
		return r.err.Error()
	}
	return fmt.Sprintf("the server answers with status %d", r.response.Status)
}

// media is what the server says that the document is, for people.
func (r *reply) media() string {
	return cmp.Or(r.response.Header.Get("Content-Type"), "without a media type")
}

// form tells the form of a document by its media type, the path of its address and its beginning;
// Unknown for one that is not read, or is a list or a feed.
func (r *reply) form(path string) document.Format {
	media, _, _ := strings.Cut(strings.ToLower(r.response.Header.Get("Content-Type")), ";")
	byName, _ := document.FormatOf(path)
	switch media = strings.TrimSpace(media); media {
	case "text/html", "application/xhtml+xml":
		return document.HTML
	case "application/jsonl", "application/jsonlines", "application/x-jsonlines", "application/x-ndjson",
		"application/ndjson", "application/json-seq":
		return document.Lines
	case "application/json", "application/ld+json", "application/feed+json":
		if byName == document.Lines {
			return document.Lines
		}
		return document.JSON
	case "text/markdown":
		return document.Markdown
	case "", "text/plain", "application/octet-stream", "binary/octet-stream", "application/gzip", "application/x-gzip":
		if looksLikePage(r.response.Body) {
			return document.HTML
		}
		if byName == document.Lines || byName == document.JSON || byName == document.Markdown {
			return byName
		}
	}
	return document.Unknown
}

func looksLikePage(body []byte) bool {
	head := strings.ToLower(strings.TrimLeft(string(body[:min(len(body), 512)]), "\ufeff \t\r\n"))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// directives are what the answer's head says to visitors of this name, or to all (X-Robots-Tag).
func (r *reply) directives(agent string) []string {
	var all []string
	for _, line := range r.response.Header.Values("X-Robots-Tag") {
		name, rest, named := strings.Cut(line, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		switch {
		case !named || strings.ContainsAny(name, ", ") || name == "unavailable_after" ||
			strings.HasPrefix(name, "max-"):
			all = append(all, line)
		case name == agent && agent != "":
			all = append(all, rest)
		}
	}
	return all
}

// widened has the body in UTF-8 of a list or a feed in UTF-16; of a page that is left to whoever
// reads pages.
func (r *reply) widened() {
	text, damage := licence.Text(r.response.Body)
	if bytes.Equal(text, r.response.Body) {
		if lowered := bytes.ToLower(text[:min(len(text), 200)]); bytes.Contains(lowered, []byte("<?xml")) &&
			bytes.Contains(lowered, []byte("utf-16")) {
			r.response.Body = unlabelled(text) // which is not what it says
		}
		return
	}
	head := bytes.TrimLeft(text[:min(len(text), 4<<10)], "\ufeff \t\r\n")
	switch root := strings.ToLower(sitemap.Root(head)); {
	case root == "rss", root == "feed", root == "rdf", sitemap.KindOf(head) != sitemap.None:
		text = unlabelled(text)
	case len(head) > 0 && (head[0] == '{' || head[0] == '['), bytes.HasPrefix(head, []byte("http")):
	default:
		return
	}
	r.response.Body, r.damage = text, damage
}

// unlabelled is a document of XML without its own word for its encoding, which is not that of the
// text any more.
func unlabelled(text []byte) []byte {
	if end := bytes.Index(text[:min(len(text), 1<<10)], []byte("?>")); end > 0 &&
		bytes.HasPrefix(text, []byte("<?xml")) {
		return append([]byte(`<?xml version="1.0"`), text[end:]...)
	}
	return text
}

// unzip unpacks a body that is a file of gzip's, as lists and feeds are.
func (r *reply) unzip(most int64) error {
	defer r.widened()
	if body := r.response.Body; len(body) < 2 || body[0] != 0x1f || body[1] != 0x8b {
		return nil
	}
	from, err := gzip.NewReader(bytes.NewReader(r.response.Body))
	if err != nil {
		return err
	}
	unpacked, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return err
	case int64(len(unpacked)) > most:
		return fmt.Errorf("it has more than %s; divide it", document.FormatBytes(most))
	}
	r.response.Body = unpacked
	return nil
}
