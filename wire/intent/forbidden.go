package intent

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/document"
	"frontdesk/wire/strictjson"
)

// What extensions may not carry. Each is a phrase of words that the name of a member, or a value of
// "type" or "@type", may not have side by side: "offer" is in "acme.specialOffer" and not in
// "proffered".
var (
	// commercial is what retrieval and events are kept clean of: prices, offers, licences, actions,
	// advertising.
	commercial = []string{
		"price", "prices", "pricing", "price specification", "cost", "costs", "fee", "fees", "currency", "budget",
		"spend", "discount", "payment", "checkout",
		"offer", "offers", "aggregate offer", "license", "licenses", "licence", "licences", "licensing",
		"acquire license page",
		"action", "actions", "potential action",
		"ad", "ads", "advert", "adverts", "advertisement", "advertisements", "advertiser", "advertisers", "advertising",
		"sponsor", "sponsored", "sponsors", "promoted",
		"promotion", "affiliate", "campaign", "creative", "creatives", "brand", "brands",
		"auction", "auctions", "bid", "bids", "bidding", "bidder", "bidfloor", "cpm", "cpx", "cpc", "cpa", "ecpm",
		"deal", "deals",
	}
	// identity is what would tell a person from another beyond the session.
	identity = []string{
		"user", "users", "user id", "userid", "user name", "username", "visitor", "visitor id", "customer",
		"customer id", "person", "email", "e mail", "phone",
		"ip", "ip address", "device id", "deviceid", "advertising id", "idfa", "gaid", "cookie", "cookies",
		"fingerprint", "birth date", "gender",
	}
	// operator is what operators know of their own ranking.
	operator = []string{"embedding", "embeddings", "score", "scores", "scoring", "ranking"}
	// engagement is what events do not measure, and what would join them to a conversation.
	engagement = []string{"impression", "impressions", "click", "clicks", "dwell", "dwell time", "engagement",
		"conversion", "conversions", "session id"}
)

// harmless are names that have such a word and mean something else.
var harmless = []string{"user agent"}

// forbidden gives the JSON pointer of the first thing in extensions that their document may not
// carry, and the phrase that gives it away.
func forbidden(extensions Extensions, phrases ...[]string) (pointer, phrase string) {
	look := lookout{slices.Concat(phrases...)}
	for _, name := range slices.Sorted(maps.Keys(extensions)) {
		at := "/extensions/" + document.Escape(name)
		if phrase := look.named(name); phrase != "" {
			return at, phrase
		}
		if pointer, phrase := look.inside(at, extensions[name]); phrase != "" {
			return pointer, phrase
		}
	}
	return "", ""
}

type lookout struct{ phrases []string }

// named gives the phrase that a name has.
func (l lookout) named(name string) string {
	words := " " + strings.Join(wordsOf(name), " ") + " "
	for _, phrase := range harmless {
		words = strings.ReplaceAll(words, " "+phrase+" ", " ")
	}
	for _, phrase := range l.phrases {
		if strings.Contains(words, " "+phrase+" ") {
			return phrase
		}
	}
	return ""
}

// inside looks through a value's members.
func (l lookout) inside(at string, value strictjson.Value) (pointer, phrase string) {
	switch value.Kind() {
	case '{':
		var members map[string]jsontext.Value
		if json.Unmarshal(value, &members) != nil {
			return at, "unreadable"
		}
		return l.members(at, members)
	case '[':
		var elements []jsontext.Value
		if json.Unmarshal(value, &elements) != nil {
			return at, "unreadable"
		}
		for i, element := range elements {
			if pointer, phrase := l.inside(at+"/"+strconv.Itoa(i), element); phrase != "" {
				return pointer, phrase
			}
		}
	}
	return "", ""
}

func (l lookout) members(at string, members map[string]jsontext.Value) (pointer, phrase string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		here, value := at+"/"+document.Escape(name), members[name]
		if phrase := l.named(name); phrase != "" {
			return here, phrase
		}
		if name == "@type" || name == "type" {
			if phrase := l.typed(value); phrase != "" {
				return here, phrase
			}
		}
		if pointer, phrase := l.inside(here, value); phrase != "" {
			return pointer, phrase
		}
	}
	return "", ""
}

// typed gives the phrase that a type's name, or one of several, has.
func (l lookout) typed(value jsontext.Value) string {
	var one string
	var several []string
	if json.Unmarshal(value, &one) == nil {
		several = []string{one}
	} else if json.Unmarshal(value, &several) != nil {
		return ""
	}
	for _, name := range several {
		if phrase := l.named(name); phrase != "" {
			return phrase
		}
	}
	return ""
}

// wordsOf splits a name into words in lower case: at what is no letter or digit, and where a
// capital begins a word.
func wordsOf(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 &&
			(unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}
