package edge

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func example() Batch {
	return Batch{
		Version: Version, ID: "bat-1",
		Deliveries: []Delivery{{ID: "dlv-1", Transaction: "txn-1", Agent: "abc", URI: "https://news.example/a?b=c",
			Form: "hmac", State: Ended, Status: 200, Announced: 5, Bytes: 5,
			SHA256: strings.Repeat("ab", 32), At: noon, Ended: noon.Add(time.Second)}},
		Sightings: []Sighting{{Hour: noon, Host: "news.example", Agent: "GPTBot", Path: "/a/", Outcome: "refused",
			Count: 3}},
	}
}

func TestABatchIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	text, err := example().Text()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"version":1,"id":"bat-1","deliveries":[{"id":"dlv-1","transaction":"txn-1","agent":"abc","uri":"https://news.example/a?b=c","form":"hmac","state":"ended","status":200,` +
		`"announced":5,"bytes":5,"sha256":"abababababababababababababababababababababababababababababababab","at":"2027-05-04T12:00:00Z","ended":"2027-05-04T12:00:01Z"}],` +
		`"sightings":[{"hour":"2027-05-04T12:00:00Z","host":"news.example","agent":"GPTBot","path":"/a/","outcome":"refused","count":3}]}`
	if string(text) != want {
		t.Errorf("%s", text)
	}
	b, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Text(); err != nil || string(again) != want {
		t.Errorf("%s, %v", again, err)
	}
}

func TestABatchThatCannotBeMeantIsRefusedByItsPlace(t *testing.T) {
	t.Parallel()
	for place, change := range map[string]func(*Batch){
		"version":                  func(b *Batch) { b.Version = 2 },
		"id":                       func(b *Batch) { b.ID = "a b" },
		"a batch has at most":      func(b *Batch) { b.Deliveries = make([]Delivery, MaxDeliveries+1) },
		"deliveries/0/id":          func(b *Batch) { b.Deliveries[0].ID = strings.Repeat("x", 65) },
		"deliveries/0/transaction": func(b *Batch) { b.Deliveries[0].Transaction = "a\nb" },
		"deliveries/0/agent":       func(b *Batch) { b.Deliveries[0].Agent = "\u00fc" },
		"deliveries/0/form":        func(b *Batch) { b.Deliveries[0].Form = "HMAC" },
		"deliveries/0/state":       func(b *Batch) { b.Deliveries[0].State = "lost" },
		"deliveries/0/status":      func(b *Batch) { b.Deliveries[0].Status = 99 },
		"deliveries/0/bytes":       func(b *Batch) { b.Deliveries[0].Bytes = -1 },
		"deliveries/0/sha256":      func(b *Batch) { b.Deliveries[0].SHA256 = strings.Repeat("AB", 32) },
		"deliveries/0/at":          func(b *Batch) { b.Deliveries[0].At = time.Time{} },
		"deliveries/0/ended":       func(b *Batch) { b.Deliveries[0].Ended = time.Time{} },
		"deliveries/0/uri":         func(b *Batch) { b.Deliveries[0].URI = "/a" },
		"sightings/0/hour":         func(b *Batch) { b.Sightings[0].Hour = noon.Add(time.Minute) },
		"sightings/0/host":         func(b *Batch) { b.Sightings[0].Host = "News.example" },
		"sightings/0/agent":        func(b *Batch) { b.Sightings[0].Agent = strings.Repeat("x", 65) },
		"sightings/0/path":         func(b *Batch) { b.Sightings[0].Path = "/\u00fc" },
		"sightings/0/outcome":      func(b *Batch) { b.Sightings[0].Outcome = "" },
		"sightings/0/count":        func(b *Batch) { b.Sightings[0].Count = 0 },
	} {
		b := example()
		change(&b)
		if err := b.Check(); err == nil || !strings.HasPrefix(err.Error(), place) {
			t.Errorf("%s: %v", place, err)
		}
	}
	begun := example()
	begun.Deliveries[0].State = Begun
	if err := begun.Check(); err == nil || !strings.HasPrefix(err.Error(), "deliveries/0/ended") {
		t.Errorf("begun, with an end: %v", err)
	}
	for _, uri := range []string{"ftp://a.example/", "https://u@a.example/", "https:///a",
		"https://a.example/" + strings.Repeat("x", MaxURI)} {
		b := example()
		b.Deliveries[0].URI = uri
		if b.Check() == nil {
			t.Errorf("%.40s is taken", uri)
		}
	}
}

func FuzzRead(f *testing.F) {
	text, _ := example().Text()
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Read(text)
		if err != nil {
			return
		}
		again, err := b.Text()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(again); err != nil {
			t.Errorf("%s is read, and not what is written of it: %v", text, err)
		}
	})
}

// FuzzUsualAddress holds that what is taken for an address quickly is one in all.
func FuzzUsualAddress(f *testing.F) {
	for _, uri := range []string{"https://www.example.com/a?b=c", "https:///a", "https://a", "https://a:b/c",
		"https://a@b/c", "https://a/%zz", "https://-./#[x]?"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		if !usual(uri) {
			return
		}
		u, err := url.Parse(uri)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" || !plain(uri, len(uri)) {
			t.Errorf("%q: %+v, %v", uri, u, err)
		}
	})
}
