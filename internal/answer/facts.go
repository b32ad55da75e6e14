package answer

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FactsOf reads an item's figures from its schema.org object. What it cannot read is left out.
func FactsOf(object []byte) Facts {
	var o struct {
		Offers          jsontext.Value `json:"offers"`
		AggregateRating jsontext.Value `json:"aggregateRating"`
		TotalTime       jsontext.Value `json:"totalTime"`
		CookTime        jsontext.Value `json:"cookTime"`
		StartDate       jsontext.Value `json:"startDate"`
	}
	if json.Unmarshal(object, &o, jsontext.AllowDuplicateNames(true)) != nil {
		return Facts{}
	}
	var f Facts
	offer := members(o.Offers)
	for _, name := range []string{"price", "lowPrice"} {
		if f.Price == 0 {
			f.Price = number(offer[name])
		}
	}
	f.Currency = text(offer["priceCurrency"])
	f.Rating = number(members(o.AggregateRating)["ratingValue"])
	if f.Minutes = durationMinutes(text(o.TotalTime)); f.Minutes == 0 {
		f.Minutes = durationMinutes(text(o.CookTime))
	}
	f.Start = date(text(o.StartDate))
	return f
}

// members returns the members of an object, or of the first object of an array.
func members(v jsontext.Value) map[string]jsontext.Value {
	switch v.Kind() {
	case '{':
		var m map[string]jsontext.Value
		if json.Unmarshal(v, &m, jsontext.AllowDuplicateNames(true)) == nil {
			return m
		}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list, jsontext.AllowDuplicateNames(true)) == nil && len(list) > 0 && list[0].Kind() == '{' {
			return members(list[0])
		}
	}
	return nil
}

func text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(s)
}

// number reads a number, or a string that is one with a dot as decimal sign.
func number(v jsontext.Value) float64 {
	s := string(v)
	if v.Kind() == '"' {
		s = strings.TrimSpace(text(v))
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e12 {
		return 0
	}
	return f
}

var isoDuration = regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+(?:\.\d+)?S)?)?$`)

// durationMinutes reads an ISO 8601 duration of days, hours and minutes; 0 when it is none.
func durationMinutes(s string) int {
	m := isoDuration.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	total := 0
	for i, minutes := range []int{24 * 60, 60, 1} {
		n, _ := strconv.Atoi(m[i+1])
		total += min(n, 1_000_000) * minutes
	}
	return total
}

// date reads an ISO 8601 date or date with time; zero when it is none. The day is the one at its own place.
func date(s string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at
		}
	}
	return time.Time{}
}
