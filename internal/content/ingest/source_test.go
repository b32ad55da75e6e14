package ingest

import (
	"testing"

	"frontdesk/internal/infra/fail"
)

func TestBaseIsMadeOfTheSite(t *testing.T) {
	t.Parallel()
	for source, want := range map[Source]string{
		{Site: "www.example.com"}:                                      "https://www.example.com/",
		{Site: "local"}:                                                "https://local/",
		{Site: "Example.com:8080"}:                                     "https://example.com:8080/",
		{Site: "My little shop!"}:                                      "https://my-little-shop.invalid/",
		{Site: "x", Base: "http://127.0.0.1:8080/blog"}:                "http://127.0.0.1:8080/blog/",
		{Site: "x", Base: "shop.example/a/"}:                           "https://shop.example/a/",
		{Site: "x", Base: "https://shop.example/a?utm_source=x&b=c#d"}: "https://shop.example/a/",
	} {
		if got, err := source.baseAddress(); err != nil || got != want {
			t.Errorf("%+v: %q, %v; want %q", source, got, err, want)
		}
	}
	for _, source := range []Source{{Site: "x", Base: "mailto:a@b.example"}, {Site: "x", Base: "ftp://x/"},
		{Site: "x", Base: "://"}} {
		if got, err := source.baseAddress(); fail.From(err).Code != fail.Invalid {
			t.Errorf("%+v: %q, %v", source, got, err)
		}
	}
}

func TestFiguresAreForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := countText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
