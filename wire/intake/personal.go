package intake

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// personalNames are names of members that hold what is somebody's, as words side by side.
var personalNames = []string{
	"email", "e mail", "mail", "full name", "first name", "last name", "phone", "telephone", "mobile", "address", "street", "iban", "ssn", "passport", "birth date", "birthdate",
	"birthday", "date of birth",
}

// Personal says whether a member's name is one for personal data: of contact, identity, account or birth.
func Personal(name string) bool {
	words := " " + strings.Join(wordsOf(name), " ") + " "
	return slices.ContainsFunc(personalNames, func(phrase string) bool { return strings.Contains(words, " "+phrase+" ") })
}

// wordsOf are the words of a name, in lower case, however they are joined: full_name, fullName, Full-Name.
func wordsOf(name string) []string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// PersonalText says whether a text holds an e-mail address or a phone number.
func PersonalText(value string) bool {
	return emailAddress.MatchString(value) || phoneNumber.MatchString(value)
}

var (
	emailAddress = regexp.MustCompile(`[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]+`)
	phoneNumber  = regexp.MustCompile(`\+\d[\d \-/().]{6,}\d`)
)
