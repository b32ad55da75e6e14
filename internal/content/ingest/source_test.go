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
	for _, source := range []Source{{Site: "x", Base: "mailto:a@b.example"}, {Site: "x", Base: "ftp://x/"}, {Site: "x", Base: "://"}} {
		if got, err := source.baseAddress(); fail.From(err).Code != fail.Invalid {
			t.Errorf("%+v: %q, %v", source, got, err)
		}
	}
}

func TestPageAddressIsThatOfTheSite(t *testing.T) {
	t.Parallel()
	base, _ := folder("https://www.example.com/docs")
	for name, want := range map[string]string{
		"a/b.html": "/docs/a/b.html", "a/index.html": "/docs/a/", "index.htm.gz": "/docs/", "a/b.md": "/docs/a/b", "a/_index.md": "/docs/a/",
		"a/b.markdown.gz": "/docs/a/b", "data.jsonl.gz": "/docs/data.jsonl", "ü ä/ß.html": "/docs/%C3%BC%20%C3%A4/%C3%9F.html",
		"a:b.html": "/docs/a:b.html", "50%.html": "/docs/50%25.html", "q?x#y.html": "/docs/q%3Fx%23y.html",
	} {
		if got := pageAddress(base, name).String(); got != "https://www.example.com"+want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestLanguagesAreTags(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"en": "en", "EN-us": "en-us", "pt_BR": "pt-br", "zh-Hans-CN": "zh-hans-cn", "de_DE.UTF-8": "de-de", "English": "en", "日本語": "ja",
		"": "", "e": "", "englisch bitte": "", "x-klingon": "", "http://x": "", "123456789": "",
	} {
		if got := languageTag(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestDatesAreReadInTheirForms(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2024-05-06": "2024-05-06T00:00:00Z", "2024-05-06T07:08:09Z": "2024-05-06T07:08:09Z", "2024-05-06T07:08:09+02:00": "2024-05-06T05:08:09Z",
		"2024-05-06T07:08:09+0200": "2024-05-06T05:08:09Z", "2024-05-06 07:08": "2024-05-06T07:08:00Z", "2024-05": "2024-05-01T00:00:00Z", "1066": "1066-01-01T00:00:00Z",
		"May 6, 2024": "2024-05-06T00:00:00Z", "6 May 2024": "2024-05-06T00:00:00Z", "06.05.2024": "2024-05-06T00:00:00Z", "Mon, 06 May 2024 07:08:09 GMT": "2024-05-06T07:08:09Z",
		"2024-05-06T07:08:09.123Z": "2024-05-06T07:08:09Z", " 2024-05-06 ": "2024-05-06T00:00:00Z",
	} {
		if got := date(s).Format("2006-01-02T15:04:05Z07:00"); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
	for _, s := range []string{"", "soon", "0000-00-00", "2024-13-01", "99999-01-01", "P1D"} {
		if got := date(s); !got.IsZero() {
			t.Errorf("%q: %s", s, got)
		}
	}
}

func TestFiguresAreForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1536: "1.5 KiB", 4 << 20: "4 MiB", 3 << 30: "3 GiB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := countText(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
