package catalog

import (
	"strings"
)

// Each of these reads a text as a number of one registry and gives it as the registry writes it, or
// nothing. kind is what the markup calls it, in lower case; a text that says itself what it is
// needs none.

// doi reads a Digital Object Identifier.
func doi(kind, text string) string {
	at := strings.ToLower(text)
	named := strings.Contains(kind, "doi")
	for _, prefix := range []string{"https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/",
		"doi:", "info:doi/", "urn:doi:"} {
		if strings.HasPrefix(at, prefix) {
			text, named = text[len(prefix):], true
			break
		}
	}
	registrant, name, _ := strings.Cut(text, "/")
	digits, ten := strings.CutPrefix(registrant, "10.")
	if !named || !ten || len(digits) < 4 || strings.Trim(digits, "0123456789.") != "" || name == "" ||
		len(text) > 512 || strings.ContainsAny(text, " \n\t<>\"") {
		return ""
	}
	return text
}

// isni reads an International Standard Name Identifier (ISO 27729), whose last digit holds the
// others together.
func isni(kind, text string) string {
	at := strings.ToLower(text)
	named := strings.Contains(kind, "isni")
	for _, prefix := range []string{"https://isni.org/isni/", "http://isni.org/isni/", "https://www.isni.org/isni/",
		"http://www.isni.org/isni/", "https://www.isni.org/", "http://www.isni.org/", "isni:", "urn:isni:", "isni "} {
		if strings.HasPrefix(at, prefix) {
			text, named = text[len(prefix):], true
			break
		}
	}
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if !named || len(text) != 16 || strings.Trim(text[:15], "0123456789") != "" {
		return ""
	}
	sum := 0 // ISO 7064, MOD 11-2
	for _, c := range text[:15] {
		sum = (sum + int(c-'0')) * 2 % 11
	}
	if "0123456789X"[(12-sum)%11] != text[15] {
		return ""
	}
	return text
}

// isbn reads an International Standard Book Number of 10 or 13 digits, and gives 13.
func isbn(kind, text string) string {
	at := strings.ToLower(text)
	named := strings.Contains(kind, "isbn") || strings.HasPrefix(kind, "gtin13")
	for _, prefix := range []string{"urn:isbn:", "isbn:", "isbn "} {
		if strings.HasPrefix(at, prefix) {
			text, named = text[len(prefix):], true
			break
		}
	}
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if !named || len(text) != 10 && len(text) != 13 || strings.Trim(text[:len(text)-1], "0123456789") != "" {
		return ""
	}
	if len(text) == 10 {
		sum := 0
		for i, c := range text[:9] {
			sum += (10 - i) * int(c-'0')
		}
		if "0123456789X"[(11-sum%11)%11] != text[9] {
			return ""
		}
		return "978" + text[:9] + checkDigit("978"+text[:9])
	}
	if checkDigit(text[:12]) != text[12:] || !strings.HasPrefix(text, "978") && !strings.HasPrefix(text, "979") {
		return ""
	}
	return text
}

// checkDigit is the last digit of a number of 13 (GS1).
func checkDigit(twelve string) string {
	sum := 0
	for i, c := range twelve {
		sum += (1 + 2*(i%2)) * int(c-'0')
	}
	return string(rune('0' + (10-sum%10)%10))
}

// iptc reads the identifier of a NewsML-G2 item, which is a urn or a tag.
func iptc(kind, text string) string {
	at := strings.ToLower(text)
	tag := strings.HasPrefix(at, "tag:") && (strings.Contains(kind, "iptc") || strings.Contains(kind, "guid") ||
		strings.Contains(kind, "newsml"))
	if !strings.HasPrefix(at, "urn:newsml:") && !tag || len(text) > 512 || strings.ContainsAny(text, " \n\t<>\"") {
		return ""
	}
	return text
}

// ReadDOI reads what an owner writes as a DOI, with or without that name before it, and gives it as
// the registry writes it; ok is false for what is none.
func ReadDOI(text string) (number string, ok bool) {
	number = doi("doi", text)
	return number, number != ""
}

// ReadISNI is ReadDOI for an ISNI (of a person or an organisation).
func ReadISNI(text string) (number string, ok bool) {
	number = isni("isni", text)
	return number, number != ""
}

// ReadISBN is ReadDOI for an ISBN.
func ReadISBN(text string) (number string, ok bool) {
	number = isbn("isbn", text)
	return number, number != ""
}

// ReadIPTC is ReadDOI for an IPTC GUID.
func ReadIPTC(text string) (number string, ok bool) {
	number = iptc("iptc", text)
	return number, number != ""
}
