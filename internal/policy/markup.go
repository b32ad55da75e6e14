package policy

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
)

// Markup reads the terms that an item states in its own schema.org members; nil for none. Types are
// those of the item, isA as Options have it.
//
//   - isAccessibleForFree, when it is false, of an article or a page: its text is not free to read.
//     Of other things it says what the thing costs (a book, an event, a museum), and nothing of the
//     text about it.
//   - license, when it is a Creative Commons licence that is not for commercial use: no commercial
//     user.
func Markup(types []string, object []byte, isA func(t, ancestor string) bool) *Own {
	if !bytes.Contains(object, []byte(`"isAccessibleForFree"`)) && !bytes.Contains(object, []byte(`"license"`)) {
		return nil
	}
	var members struct {
		Free    json.RawMessage `json:"isAccessibleForFree"`
		License json.RawMessage `json:"license"`
	}
	if json.Unmarshal(object, &members) != nil {
		return nil // what cannot be read is not an item either
	}
	var own Own
	if isText(types, isA) && saysNo(members.Free) {
		own.Unfree = true
		own.From = append(own.From, "isAccessibleForFree")
	}
	if address := licenseOf(members.License); nonCommercial(address) {
		own.Stated = true
		own.Options = []Option{{Users: Restriction{Prohibit: []string{"commercial"}}}}
		own.From = append(own.From, "license "+address)
	}
	if !own.Unfree && !own.Stated {
		return nil
	}
	return &own
}

// isText says whether an item is a text to be read.
func isText(types []string, isA func(t, ancestor string) bool) bool {
	for _, t := range types {
		if isA(t, "Article") || isA(t, "WebPage") {
			return true
		}
	}
	return false
}

// saysNo reads schema.org's Boolean in the forms in which sites write it.
func saysNo(value json.RawMessage) bool {
	switch strings.ToLower(BareType(strings.Trim(string(value), `" `))) {
	case "false", "no", "0":
		return true
	}
	return false
}

// licenseOf is the address of a licence, which is a text, or a thing with an address.
func licenseOf(value json.RawMessage) string {
	var address string
	if json.Unmarshal(value, &address) == nil {
		return address
	}
	var thing struct {
		URL string `json:"url"`
		ID  string `json:"@id"`
	}
	var several []json.RawMessage
	switch {
	case json.Unmarshal(value, &several) == nil && len(several) == 1:
		return licenseOf(several[0])
	case json.Unmarshal(value, &thing) == nil && thing.URL != "":
		return thing.URL
	}
	return thing.ID
}

// nonCommercial says whether an address is that of a Creative Commons licence without commercial
// use.
func nonCommercial(address string) bool {
	u, err := url.Parse(address)
	if err != nil || strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") != "creativecommons.org" {
		return false
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	return len(parts) >= 2 && parts[0] == "licenses" && strings.Contains("-"+strings.ToLower(parts[1])+"-", "-nc-")
}
