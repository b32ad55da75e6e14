package notify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"frontdesk/wire/strictjson"
)

// Acceptance tells the business that somebody accepted an offer (Agent Intake Protocol 0.1.0, Stage
// 5).
type Acceptance struct {
	Intake     string           `json:"intake"` // its id
	OfferID    string           `json:"offer_id"`
	SessionID  string           `json:"session_id"`
	AgentID    string           `json:"agent_id"`
	Platform   string           `json:"platform,omitempty"` // as the agent said; may be empty
	BoundAt    time.Time        `json:"bound_at"`
	Summary    string           `json:"summary"`               // of the offer
	Details    strictjson.Value `json:"details,omitempty"`     // of the offer; nil for none
	IntakeData strictjson.Value `json:"intake_data,omitempty"` // what was submitted; nil where it is not kept
	BindData   strictjson.Value `json:"bind_data"`
	Receipt    string           `json:"receipt,omitempty"` // the id of the entry in the ledger
}

// EventBound is the type of the event that carries an Acceptance.
const EventBound = "intake.bound"

// Event is what a webhook is sent, in the form that Standard Webhooks recommend.
func (a Acceptance) Event() ([]byte, error) {
	a.BoundAt = a.BoundAt.UTC().Truncate(time.Second)
	return json.Marshal(struct {
		Type      string     `json:"type"`
		Timestamp time.Time  `json:"timestamp"`
		Data      Acceptance `json:"data"`
	}{EventBound, a.BoundAt, a})
}

// Text is what a person reads in a mail. What others wrote cannot look like lines of ours: it is
// set in, and has no more than letters.
func (a Acceptance) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "An offer was accepted.\n\nIntake:    %s\nOffer:     %s\nSession:   %s\nAgent:     %s\n", a.Intake,
		a.OfferID, oneLine(a.SessionID, 100), oneLine(a.AgentID, 200))
	if a.Platform != "" {
		fmt.Fprintf(&b, "Platform:  %s\n", oneLine(a.Platform, 200))
	}
	fmt.Fprintf(&b, "Accepted:  %s\n\nWhat was offered:\n\n%s\n", a.BoundAt.UTC().Format("2006-01-02 15:04 MST"),
		inset(a.Summary))
	section(&b, "Details of the offer", a.Details)
	section(&b, "Who accepts", a.BindData)
	section(&b, "What was submitted", a.IntakeData)
	if a.Receipt != "" {
		fmt.Fprintf(&b, "\nReceipt:   %s\n", a.Receipt)
	}
	return b.String()
}

func section(b *strings.Builder, title string, object strictjson.Value) {
	lines := describe(object)
	if lines != "" {
		fmt.Fprintf(b, "\n%s:\n\n%s\n", title, inset(lines))
	}
}

// describe writes the members of an object, each on a line of its own.
func describe(object strictjson.Value) string {
	var b strings.Builder
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return ""
	}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			break
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		fmt.Fprintf(&b, "%s: %s\n", oneLine(fmt.Sprint(name), 100), text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// inset sets lines in.
func inset(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ToValidUTF8(text, "\ufffd")) {
		b.WriteString("    " + strings.TrimRight(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, line), " ") + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
