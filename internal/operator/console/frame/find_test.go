package frame

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/testkit/storetest"
)

// box is a console of three lists that are served to whom they say, and one that is not served.
type box struct {
	t       *testing.T
	console *Frame
	cookies []*http.Cookie
	asked   []string
}

func newBox(t *testing.T, role string) *box {
	db := storetest.OpenSQLite(t, identity.Schema, identity.LoginSchema)
	keys := identity.NewKeys(db, nil)
	b := &box{t: t}
	finder := func(path string, find func(text string) ([]Found, error)) Finder {
		return Finder{Path: path, All: path + "?q=", Find: func(_ context.Context, text string) ([]Found, error) {
			b.asked = append(b.asked, path+" "+text)
			return find(text)
		}}
	}
	drawn := func(http.ResponseWriter, *http.Request, *Visit) error { return nil }
	b.console = New(Config{
		Now: time.Now, Session: time.Hour, PublicURL: func(*http.Request) string { return "https://desk.example" },
		Logins: identity.NewLogins(db, keys, nil),
	}, func(*Frame) Pages {
		return Pages{
			Templates: fstest.MapFS{"pages.html": {Data: []byte(`{{define "none"}}{{end}}`)}},
			Rows: []Page{
				{"GET content", identity.See, drawn}, {"GET receipts", identity.See, drawn},
				{"GET keys", identity.Operate, drawn},
			},
			Finders: []Finder{
				finder("receipts", func(text string) ([]Found, error) {
					switch text {
					case "7":
						return []Found{{Text: "seven", Path: "receipts/seven", Exact: true}}, nil
					case "both", "secret":
						return []Found{{Text: "<i>r</i>", Note: "a note", Path: "receipts/r"}}, nil
					case "broken", "half":
						return nil, errors.New("no database")
					}
					return nil, nil
				}),
				finder("content", func(text string) (all []Found, err error) {
					switch text {
					case "many":
						for n := range MaxFound + 1 {
							all = append(all, Found{Text: fmt.Sprint("cup ", n), Path: "content/item?url=a"})
						}
					case "one", "half":
						all = []Found{{Text: "one", Path: "content/item?url=one"}}
					case "7", "both":
						all = []Found{{Text: "7 cups", Path: "content/item?url=cups"}}
					}
					return all, err
				}),
				finder("keys", func(text string) ([]Found, error) {
					if text == "secret" {
						return []Found{{Text: "k_secret", Path: "keys#k_secret"}}, nil
					}
					return nil, nil
				}),
				finder("sales", func(string) ([]Found, error) {
					return []Found{{Text: "sold", Path: "sales", Exact: true}}, nil
				}),
			},
		}
	})
	token, _, err := keys.Create(t.Context(), identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(role)})
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := b.console.Logins.Begin(t.Context(), token, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b.cookies = []*http.Cookie{{Name: sessionCookie, Value: secret}}
	return b
}

func (b *box) find(text string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "https://desk.example/console/find?"+url.Values{"q": {text}}.Encode(), nil)
	for _, cookie := range b.cookies {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	b.console.ServeHTTP(w, r)
	return w
}

// TestTheBoxLeadsToTheOneThing holds where the box leads, and that it lists where it cannot know.
func TestTheBoxLeadsToTheOneThing(t *testing.T) {
	t.Parallel()
	b := newBox(t, identity.Operator)
	for text, want := range map[string]string{
		"7":         "receipts/seven",       // named, though a part of something else
		" 7\x00\n ": "receipts/seven",       // as it comes from a clipboard
		"one":       "content/item?url=one", // alone
		"both":      "",
		"half":      "", // alone, but not everything was searched
		"many":      "",
		"none":      "",
	} {
		w := b.find(text)
		if want == "" && w.Code != http.StatusOK ||
			want != "" && (w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/console/"+want) {
			t.Errorf("%q: %d to %q, want %q", text, w.Code, w.Header().Get("Location"), want)
		}
	}
}

// TestTheBoxTellsWhatItFound holds the page of what was found.
func TestTheBoxTellsWhatItFound(t *testing.T) {
	t.Parallel()
	b := newBox(t, identity.Operator)
	for text, c := range map[string]struct {
		has, not []string
	}{
		"both": {[]string{`<h2>Content</h2>`, `href="/console/receipts/r"><bdi>&lt;i&gt;r&lt;/i&gt;</bdi>`, "a note",
			`value="both"`},
			[]string{"Nothing was found", "There is more", "What can be found"}},
		"many": {[]string{"cup 9", "There is more", `href="/console/content?q=many"`}, []string{"cup 10"}},
		"broken": {[]string{"Receipts: this list could not be searched", "Nothing was found"},
			[]string{"no database"}},
		"": {[]string{"What can be found", "the id or the number of a receipt"}, []string{"Nothing was found"}},
		"<b>x\"</b>&1": {[]string{"“&lt;b&gt;x&#34;&lt;/b&gt;&amp;1”", `value="&lt;b&gt;x&#34;&lt;/b&gt;&amp;1"`},
			[]string{"<b>x"}},
	} {
		w := b.find(text)
		for _, want := range c.has {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%q: no %q in\n%s", text, want, w.Body)
			}
		}
		for _, not := range c.not {
			if strings.Contains(w.Body.String(), not) {
				t.Errorf("%q: %q in\n%s", text, not, w.Body)
			}
		}
	}
}

// TestTheBoxSearchesWhatSomebodyMaySee holds that neither what is not served is asked, nor what a
// role may not see.
func TestTheBoxSearchesWhatSomebodyMaySee(t *testing.T) {
	t.Parallel()
	b := newBox(t, identity.Operator)
	if w := b.find("secret"); !strings.Contains(w.Body.String(), "k_secret") {
		t.Errorf("to an operator: %d %s", w.Code, w.Body)
	}
	if want := "[content secret receipts secret keys secret]"; fmt.Sprint(b.asked) != want {
		t.Errorf("asked %v, want %s", b.asked, want)
	}
	b = newBox(t, identity.Viewer)
	if w := b.find("secret"); w.Header().Get("Location") != "/console/receipts/r" {
		t.Errorf("to a viewer: %d %s", w.Code, w.Body)
	}
	if want := "[content secret receipts secret]"; fmt.Sprint(b.asked) != want {
		t.Errorf("asked %v, want %s", b.asked, want)
	}
	if w := b.find(""); !strings.Contains(w.Body.String(), "of a receipt") ||
		strings.Contains(w.Body.String(), "platform’s key") || strings.Contains(w.Body.String(), "of a purchase") {
		t.Errorf("a viewer is told of more: %s", w.Body)
	}
	b.cookies = nil
	if w := b.find("7"); w.Header().Get("Location") != "/console/login" {
		t.Errorf("a stranger: %d %s", w.Code, w.Body)
	}
}

func TestTheBoxRefusesWhatIsTooLong(t *testing.T) {
	t.Parallel()
	b := newBox(t, identity.Viewer)
	if w := b.find(strings.Repeat("ü", maxFind)); w.Code != http.StatusOK {
		t.Errorf("of the most characters: %d", w.Code)
	}
	b.asked = nil
	w := b.find(strings.Repeat("soup ", 2000))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "at most 200 characters") ||
		b.asked != nil ||
		strings.Contains(w.Body.String(), "soup") {
		t.Errorf("of 10 kB: %d, asked %v: %s", w.Code, b.asked, w.Body)
	}
}
