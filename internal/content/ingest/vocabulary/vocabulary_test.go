package vocabulary

import (
	"testing"
)

func TestLanguagesAreTags(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"en": "en", "EN-us": "en-us", "pt_BR": "pt-br", "zh-Hans-CN": "zh-hans-cn", "de_DE.UTF-8": "de-de",
		"English": "en", "日本語": "ja",
		"": "", "e": "", "englisch bitte": "", "x-klingon": "", "http://x": "", "123456789": "",
	} {
		if got := LanguageTag(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
