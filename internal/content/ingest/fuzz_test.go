package ingest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content/ingest/document"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/infra/fetch"
)

// FuzzVisitedPage reads any answer of a web server as a page, a feed and a list.
func FuzzVisitedPage(f *testing.F) {
	f.Add(`<base href="x/"><a href="?PHPSESSID=1">a</a><meta http-equiv=refresh content="0;url=/b"><meta name=robots content=none>`, "text/html; charset=koi8-r", "noindex, frontdesk: none")
	f.Add(`<rss><channel><item><title>a</title><link>/b</link><description>&lt;p&gt;c</description></item></channel></rss>`, "application/rss+xml", "")
	f.Add(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="xhtml"><div>a</div></title><link href="b"/></entry></feed>`, "application/atom+xml", "all")
	f.Add(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"a"}]}`, "application/json", "")
	f.Add("\x1f\x8b", "application/gzip", "")
	at, _ := url.Parse("https://x.example/a/b?c=d")
	web := Web{URL: "https://x.example/", Agent: "frontdesk", Crawler: &fetch.Crawler{}}
	source := Source{Site: "x.example", Web: &web}
	f.Fuzz(func(t *testing.T, body, media, robots string) {
		header := http.Header{"Content-Type": {media}, "X-Robots-Tag": {robots}}
		v := &visit{address: at, at: at, looks: true}
		v.response = &fetch.Response{URL: at.String(), Status: 200, Header: header, Body: []byte(body)}
		newCrawl(&source, "https://x.example/", document.Limits{}.WithDefaults()).sniff(v)
		s, err := newScan(source, document.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []document.Format{document.HTML, document.Feed} {
			u := unit{visit: v}
			u.Portion = document.Portion{File: document.File{Name: at.String()}, Format: form, Text: body, Media: media}
			s.locate(&u)
			for _, p := range s.reader().Read(&u.Portion).Problems {
				if strings.Contains(p.Reason, "a fault of the program") && form == document.HTML {
					t.Errorf("%+v", p)
				}
			}
			if v.sight == nil {
				continue
			}
			if len(v.sight.Links) > markup.MaxLinks {
				t.Errorf("%d links", len(v.sight.Links))
			}
			for _, link := range v.sight.Links {
				if u, err := url.Parse(link); err != nil || u.Scheme != "http" && u.Scheme != "https" ||
					u.Fragment != "" || u.User != nil {
					t.Errorf("a link to %q", link)
				}
			}
		}
	})
}

// FuzzRecollection reads what may stand in a damaged database.
func FuzzRecollection(f *testing.F) {
	whole, err := (&recollection{ETag: "e", Items: []string{"a", "b"}, Links: []string{"c"}}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, state []byte) {
		m := recalled(state)
		if m == nil {
			return
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if back := recalled(again); !cmp.Equal(m, back) {
			t.Errorf("%+v, then %+v", m, back)
		}
	})
}
