// Package settings has the section ask of the configuration, and what of it does not stand in the
// packages that it is for. It knows no other section.
package settings

import (
	"time"
	_ "time/tzdata" // places are known wherever the program runs

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/infra/yamlconf"
)

// Ask is the section ask. It sets how questions are answered.
type Ask struct {
	// Limit is the number of results when a question does not say how many.
	Limit int `yaml:"limit" check:"1..1000"`
	// StrangerLimit is the most results for a caller without a key or signature, whatever the
	// question asks for; never less than `limit`. Known callers get up to 1000, and so does
	// `frontdesk mcp`.
	StrangerLimit int `yaml:"stranger_limit" check:"1..1000"`
	// MinScore is the score, from 0 to 100, below which items are left out. A question may set its
	// own.
	MinScore float64 `yaml:"min_score" check:"0..100"`
	// Spelling says whether misspelt words of a question are corrected to words that items have.
	Spelling bool `yaml:"spelling"`
	// Feedback repeats a question that no item answers whole, with words that the best items have
	// in common.
	Feedback bool `yaml:"feedback"`
	// Timeout is how long reading an answer's items from the database may take. The answer has the
	// items that are ready by then, and says that it is not complete.
	Timeout time.Duration `yaml:"timeout" check:"10ms..1h"`
	// TimeZone is the place whose days count in questions such as "events tomorrow": a name such as
	// `Europe/Berlin`, or `UTC`. Changes need a restart.
	TimeZone string `yaml:"time_zone"`
	// Cache is the memory for items that are ready to be sent.
	Cache yamlconf.Size `yaml:"cache" check:"1MiB..1024GiB"`
	// Session sets how conversations continue. Changes need a restart.
	Session session.Settings `yaml:"session"`
	// Remember limits what is remembered of conversations whose callers ask for it. Changes need a
	// restart.
	Remember session.MemorySettings `yaml:"remember"`
	// Promise says which answers are promised for later. Changes need a restart.
	Promise session.PromiseSettings `yaml:"promise"`
	// Widget is how ChatGPT shows answers in the format `chatgpt_app`.
	Widget Widget `yaml:"widget"`
	// Elicit sets whether vague questions are asked back. Changes need a restart.
	Elicit elicitation.Config `yaml:"elicit"`
}

// DefaultAsk is the section where nothing is said.
func DefaultAsk() Ask {
	return Ask{
		Limit: 10, StrangerLimit: 100, MinScore: 20, Spelling: true, Feedback: true,
		Timeout: 10 * time.Second, TimeZone: "UTC",
		Cache: 64 << 20, Session: session.DefaultSettings(), Remember: session.DefaultMemorySettings(),
		Elicit: elicitation.DefaultConfig(), Promise: session.DefaultPromiseSettings(),
	}
}

// Location is where the days of questions begin. The name was checked.
func (a Ask) Location() *time.Location {
	place, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return time.UTC
	}
	return place
}

// Check looks at the slots and at the time zone. That of the machine is no place: it would not be
// the same on every node.
func (a Ask) Check(r *yamlconf.Report) {
	checkElicit(r.Section("elicit"), a.Elicit)
	if _, err := time.LoadLocation(a.TimeZone); err != nil || a.TimeZone == "Local" {
		r.Problem("time_zone", "%q is no time zone; write a name such as Europe/Berlin, or UTC", a.TimeZone)
	}
}
