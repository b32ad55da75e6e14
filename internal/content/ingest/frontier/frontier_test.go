package frontier

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func at(address string) *url.URL {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	return u
}

func newFrontier(start string, change ...func(*Options)) *Frontier {
	o := Options{Start: at(start), Pages: 1000, Depth: 10}
	for _, c := range change {
		c(&o)
	}
	return New(o)
}

func TestWhatIsInsideIsVisitedOnce(t *testing.T) {
	t.Parallel()
	f := newFrontier("https://www.x.example/blog/", func(o *Options) {
		o.Hosts = []string{"docs.x.example"}
		o.Exclude = []string{"/blog/drafts/**", "/**/print"}
	})
	for _, test := range []struct {
		address string
		want    Verdict
	}{
		{"https://www.x.example/blog/", Admitted},
		{"https://www.x.example/blog/", Known},
		{"https://x.example/blog/a", Admitted},
		{"https://www.x.example/blog/a", Admitted},
		{"https://docs.x.example/anything", Admitted},
		{"https://www.x.example/blogs", Outside},
		{"https://www.x.example/", Outside},
		{"https://evil.example/blog/a", Outside},
		{"https://www.x.example.evil.example/blog/a", Outside},
		{"https://www.x.example/blog/drafts/1", Outside},
		{"https://www.x.example/blog/a/b/print", Outside},
		{"https://www.x.example/blog/a.PDF", Outside},
		{"https://www.x.example/blog/logout", Outside},
		{"https://www.x.example/blog/a?add-to-cart=7", Outside},
		{"https://www.x.example/blog/" + strings.Repeat("x", 3000), Outside},
	} {
		if got := f.Offer(at(test.address), 1, false); got != test.want {
			t.Errorf("%.80s: %d, want %d", test.address, got, test.want)
		}
	}
	only := newFrontier("https://x.example/", func(o *Options) { o.Include = []string{"/recipes/**"} })
	for address, want := range map[string]Verdict{"https://x.example/": Admitted,
		"https://x.example/recipes/soup": Admitted, "https://x.example/about": Outside} {
		if got := only.Offer(at(address), 1, false); got != want {
			t.Errorf("include: %s: %d, want %d", address, got, want)
		}
	}
	beside := newFrontier("https://x.example/docs/index.html")
	if got := beside.Offer(at("https://x.example/docs/b.html"), 1, false); got != Admitted {
		t.Errorf("beside the start page: %d", got)
	}
}

func TestBoundsOfNumberAndDepth(t *testing.T) {
	t.Parallel()
	f := newFrontier("https://x.example/", func(o *Options) { o.Pages, o.Depth = 2, 3 })
	for i, want := range []Verdict{Admitted, Deep, Admitted, Full} {
		depth := map[Verdict]int{Deep: 4}[want]
		if got := f.Offer(at(fmt.Sprint("https://x.example/", i)), depth, false); got != want {
			t.Errorf("%d: %d, want %d", i, got, want)
		}
	}
	if f.admitted != 2 || f.Count(Full) != 1 || f.Count(Deep) != 1 {
		t.Errorf("%d admitted, %d full, %d deep", f.admitted, f.Count(Full), f.Count(Deep))
	}
}

func TestAddressesThatLookEndlessAreTraps(t *testing.T) {
	t.Parallel()
	f := newFrontier("https://x.example/")
	for address, want := range map[string]Verdict{
		"/a/b/a/b":     Trap,
		"/a/a/a":       Trap,
		"/x/a/y/a/z/a": Admitted,
		"/1" + strings.Repeat("/n", 1) + strings.Repeat("/m/o", 9): Trap,
		"/?a=1&b=2&c=3&d=4&e=5&f=6&g=7":                            Trap,
		"/2024/01/01/news":                                         Admitted,
		"/de/de/x":                                                 Admitted,
		"/a?b=1&c=2":                                               Admitted,
	} {
		if got := f.Offer(at("https://x.example"+address), 1, false); got != want {
			t.Errorf("%s: %d, want %d", address, got, want)
		}
		if got := newFrontier("https://x.example/").Offer(at("https://x.example"+address), 1, true); got != Admitted {
			t.Errorf("%s, which the site lists: %d", address, got)
		}
	}
}

// read offers and learns pages until one is refused, and gives how many were read.
func read(f *Frontier, most int, page func(i int) (address, title, text string)) int {
	for i := range most {
		address, title, text := page(i)
		if f.Offer(at("https://x.example"+address), 1, false) != Admitted {
			return i
		}
		f.LearnPage(at("https://x.example"+address), Page{Title: title, Text: Signature(text)})
	}
	return most
}

const furniture = "Welcome to our site with its menu of things and its footer of addresses, where you may write to " +
	"us or come by. "

func TestPagesThatSayTheSameForEverAreLeft(t *testing.T) {
	t.Parallel()
	names := strings.Fields("January February March April May June July August September October November December")
	calendar := func(i int) (string, string, string) {
		return fmt.Sprintf("/calendar/%d/%d", 2026+i/12, i%12+1), fmt.Sprintf("Calendar, %s %d", names[i%12],
				2026+i/12),
			furniture + strings.Repeat("Mon Tue Wed Thu Fri Sat Sun 1 2 3 4 5 6 7 no events ", 5) + names[i%12]
	}
	if n := read(newFrontier("https://x.example/"), 1000, calendar); n > 60 {
		t.Errorf("%d months of a calendar were read", n)
	}
	loop := func(i int) (string, string, string) {
		return fmt.Sprint("/loop?page=", i), fmt.Sprint("Page ", i), furniture + fmt.Sprint("This is page ", i)
	}
	if n := read(newFrontier("https://x.example/"), 1000, loop); n > 60 {
		t.Errorf("%d pages of a loop were read", n)
	}
	maze := func(i int) (string, string, string) {
		return fmt.Sprintf("/maze/%x/%x", i*7919, i*104729), "Maze", furniture + "Go on."
	}
	if n := read(newFrontier("https://x.example/"), 1000, maze); n > 150 {
		t.Errorf("%d pages of a maze were read", n)
	}
}

func TestPagesThatDifferAreReadHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	product := func(i int) (string, string, string) {
		return fmt.Sprint("/product/", i), fmt.Sprintf("Pan with %s handle %s", word(i),
			word(i*7)), strings.Repeat(furniture, 10) + "A pan of " + word(i)
	}
	if n := read(newFrontier("https://x.example/"), 900, product); n != 900 {
		t.Errorf("only %d products with much furniture were read", n)
	}
	list := func(i int) (string, string, string) {
		var names []string
		for k := range 30 {
			names = append(names, "Pan of "+word(i*30+k))
		}
		return fmt.Sprint("/list?page=", i), fmt.Sprint("Pans, page ", i), furniture + strings.Join(names, " ")
	}
	if n := read(newFrontier("https://x.example/"), 900, list); n != 900 {
		t.Errorf("only %d pages of a list were read", n)
	}
}

// word makes a word of a number.
func word(i int) string {
	letters := []byte{}
	for i = i*2654435761%1_000_003 + 17; i > 0; i /= 26 {
		letters = append(letters, byte('a'+i%26))
	}
	return string(letters)
}

func TestPatternsMatchWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"/a/**", "/a/b/c", true}, {"/a/**", "/a", true}, {"/a/**", "/b", false}, {"/**/x", "/a/b/x", true},
		{"/*/x", "/a/b/x", false},
		{"/a*", "/abc", true}, {"/a*", "/abc/d", false}, {"**", "/anything/at/all", true},
	} {
		if got := Matches(split(test.pattern), split(test.path)); got != test.want {
			t.Errorf("%s against %s: %t", test.pattern, test.path, got)
		}
	}
	// What a naive matcher needs more than a lifetime for.
	if Matches(split(strings.Repeat("**/a/", 30)+"b"), split(strings.Repeat("a/", 60)+"c")) {
		t.Error("matches")
	}
}

func FuzzOffer(f *testing.F) {
	f.Add("https://x.example/a/b?c=d", "text")
	f.Fuzz(func(t *testing.T, address, text string) {
		u, err := url.Parse(address)
		if err != nil {
			return
		}
		front := newFrontier("https://x.example/")
		if front.Offer(u, 1, false) == Admitted && front.Offer(u, 1, false) != Known {
			t.Error("admitted twice")
		}
		front.LearnPage(u, Page{Title: text, Text: Signature(text)})
	})
}
