package vocabulary

import (
	"strings"
)

// languageNames are the languages that documents name in words.
var languageNames = map[string]string{
	"english": "en", "deutsch": "de", "german": "de", "français": "fr", "francais": "fr", "french": "fr",
	"español": "es",
	"spanish": "es", "italiano": "it", "italian": "it", "português": "pt", "portuguese": "pt", "nederlands": "nl",
	"dutch":   "nl",
	"svenska": "sv", "swedish": "sv", "dansk": "da", "danish": "da", "norsk": "no", "norwegian": "no", "suomi": "fi",
	"finnish": "fi", "polski": "pl", "polish": "pl", "русский": "ru", "russian": "ru", "日本語": "ja", "japanese": "ja",
	"中文":      "zh",
	"chinese": "zh", "한국어": "ko", "korean": "ko", "türkçe": "tr", "turkish": "tr", "العربية": "ar", "arabic": "ar",
	"हिन्दी": "hi", "hindi": "hi",
}

// LanguageTag gives a BCP 47 tag in lower case, empty for what is none.
func LanguageTag(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if tag, ok := languageNames[s]; ok {
		return tag
	}
	s = strings.ReplaceAll(s, "_", "-")
	s, _, _ = strings.Cut(s, ".") // en_US.UTF-8
	for i, part := range strings.Split(s, "-") {
		if len(part) > 8 || len(part) < 1 || i == 0 && (len(part) < 2 || len(part) > 3) ||
			strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return ""
		}
	}
	return s
}
