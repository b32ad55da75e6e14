package nlweb

import (
	"net/http"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/infra/fail"
	wire "frontdesk/wire/nlweb"
)

// maxLanguages is how many bytes of a list of languages are read.
const maxLanguages = 256

// languageOf is what the header of a request prefers; empty for nothing.
func languageOf(r *http.Request) string { return bounded(r.Header.Get("Accept-Language")) }

// bounded is a list of languages that is not too long to be read, else none.
func bounded(header string) string {
	if len(header) > maxLanguages {
		return ""
	}
	return header
}

// heedLanguage takes the languages that the transport prefers for a request that prefers none
// (NLWeb 0.55 §3.3).
func heedLanguage(request *wire.AskRequest, preferred string) {
	if request.Prefer.AcceptLanguage == "" {
		request.Prefer.AcceptLanguage = preferred
	}
}

// languages are those that a request prefers; nil for none.
func languages(request *wire.AskRequest) []string {
	if request == nil || request.Prefer.AcceptLanguage == "" {
		return nil
	}
	return []string{request.Prefer.AcceptLanguage}
}

func (x *exchange) languages() []string { return languages(x.request) }

// speak settles the language of our own words, and states it where the request prefers one.
func (x *exchange) speak() {
	if preferred := x.languages(); preferred != nil {
		x.speaker = i18n.For(preferred...)
		x.meta.Language = x.speaker.Language()
	}
}

// plain are failures that are no fault of the request's, in words for people. All others tell
// developers what is wrong with a request, or operators with a credential, and are in English.
var plain = map[fail.Code]i18n.Text{
	fail.TooLong: i18n.QuestionTooLong, fail.Limited: i18n.TooMany, fail.Unavailable: i18n.NotNow,
	fail.Timeout: i18n.TooSlow, fail.Cancelled: i18n.TakenBack, fail.UnknownPromise: i18n.NoPromise,
	fail.Internal: i18n.WentWrong,
}

// spoken says whether a failure is told in the language of the answer. Package ask itself words
// that there are no results.
func spoken(code fail.Code) bool {
	_, ok := plain[code]
	return ok || code == fail.NoResults
}

// word words a failure. In English its own words say more than what can be said in every language.
func (x *exchange) word(coded *fail.Error) string {
	if text, ok := plain[coded.Code]; ok && x.speaker.Language() != "en" {
		return x.speaker.Say(text)
	}
	return coded.Detail
}
