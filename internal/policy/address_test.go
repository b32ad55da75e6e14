package policy_test

import (
	"testing"

	"frontdesk/internal/policy"
)

func TestAnAddressHasItsHostInASCII(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://bücher.example/a?b=%C3%BC#c": "https://xn--bcher-kva.example/a?b=%C3%BC#c",
		"https://BÜCHER.example.:8443/":       "https://xn--bcher-kva.example.:8443/",
		"https://b%C3%BCcher.example/a%2Fb":   "https://xn--bcher-kva.example/a%2Fb",
		"https://例え.テスト/":                     "https://xn--r8jz45g.xn--zckzah/",
		"https://www.Example.com/A":           "https://www.Example.com/A",
		"https://xn--bcher-kva.example/":      "https://xn--bcher-kva.example/",
		"":                                    "",
	} {
		if got := policy.ASCIIAddress(address); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
}

func TestTheHostOfAnAddress(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://bücher.example/a": "xn--bcher-kva.example", "HTTPS://WWW.Example.com.:8443/": "www.example.com",
		"http://a@b.example":     "b.example",
		"https:\\\\b.example\\a": "b.example", "ftp://example.com/": "", "urn:isbn:1": "", "https:///a": "",
		"example.com": "", "": "",
	} {
		if got, ok := policy.Host(address); got != want || ok != (want != "") {
			t.Errorf("%s has the host %q (%v), want %q", address, got, ok, want)
		}
	}
}
