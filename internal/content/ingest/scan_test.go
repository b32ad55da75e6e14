package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/document"
)

// books makes lines of items.
func books(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `{"@type":"Book","name":"Book %d","url":"/%d","description":"The story of number %d."}`+"\n", i, i, i)
	}
	return out.String()
}

// itemsOf reads a source and hands its items to fn in the order of the source, and what could not
// be used to problem, without storing anything. An error of fn ends it.
func itemsOf(ctx context.Context, source Source, fn func(content.Item) error, problem func(document.Problem)) error {
	s, err := newScan(source, document.Limits{})
	if err != nil {
		return err
	}
	defer s.close()
	return s.run(ctx, outlet{
		item:    func(d document.Draft) error { return fn(d.Item) },
		problem: problem,
	})
}

func TestOrderOfItemsIsThatOfTheSource(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	var want []string
	for f := range 20 {
		var body strings.Builder
		for i := range 700 {
			fmt.Fprintf(&body, `{"@type":"Book","name":"n","url":"/%02d/%d"}`+"\n", f, i)
			want = append(want, fmt.Sprintf("/%02d/%d", f, i))
		}
		files[fmt.Sprintf("%02d.jsonl", f)] = body.String()
	}
	from := fstest.MapFS{}
	for name, body := range files {
		from[name] = &fstest.MapFile{Data: []byte(body)}
	}
	var got []string
	err := itemsOf(t.Context(), Source{Site: "www.example.com", FS: from}, func(i content.Item) error {
		got = append(got, strings.TrimPrefix(i.URL, "https://www.example.com"))
		return nil
	}, func(p document.Problem) { t.Error(p) })
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestErrorOfTheReceiverEndsTheRun(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	seen := 0
	err := itemsOf(t.Context(), Source{Site: "x.example", FS: fstest.MapFS{"a.jsonl": {Data: []byte(books(50_000))}}},
		func(content.Item) error {
			if seen++; seen == 1000 {
				return stop
			}
			return nil
		}, func(document.Problem) {})
	if !errors.Is(err, stop) || seen != 1000 {
		t.Errorf("err %v after %d items", err, seen)
	}
}

func TestCancelledRunStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	err := itemsOf(ctx, Source{Site: "x.example", FS: fstest.MapFS{"a.jsonl": {Data: []byte(books(50_000))}}},
		func(content.Item) error {
			if seen++; seen == 1000 {
				cancel()
			}
			return nil
		}, func(document.Problem) {})
	if !errors.Is(err, context.Canceled) || seen >= 50_000 {
		t.Errorf("err %v after %d items", err, seen)
	}
}

// endless is a file of lines as long as its size, made while it is read.
type endless struct {
	size, at int64
	line     string
}

func (e *endless) Open(name string) (fs.File, error) {
	if name == "." {
		return fstest.MapFS{"long.jsonl": {}}.Open(".")
	}
	return &endless{size: e.size, line: e.line}, nil
}
func (e *endless) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
func (e *endless) Close() error               { return nil }
func (e *endless) Read(p []byte) (int, error) {
	if e.at >= e.size {
		return 0, io.EOF
	}
	n := copy(p, e.line[e.at%int64(len(e.line)):])
	e.at += int64(n)
	return n, nil
}

// Not parallel: it measures memory.
func TestLongFileTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB")
	}
	line := `{"@type":"Book","name":"A book","url":"/b","description":"` + strings.Repeat("Quite some words. ", 100) + `"}` + "\n"
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var most uint64
	seen := 0
	err := itemsOf(t.Context(), Source{Site: "x.example", FS: &endless{size: 64 << 20, line: line}},
		func(content.Item) error {
			if seen++; seen%2000 == 0 {
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
			return nil
		}, func(p document.Problem) { t.Error(p) })
	if err != nil || seen < 30_000 {
		t.Fatalf("%d items, err %v", seen, err)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}
