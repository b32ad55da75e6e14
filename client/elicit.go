package client

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"frontdesk/wire/nlweb"
)

// NoPreference is the answer to a question asked back that leaves it to the desk.
const NoPreference = "no preference"

// Answering is the question once more, with answers to what the desk asked back of it
// (Answer.Elicitation), each by the id of its question: a string, a []string for a
// nlweb.QuestionMulti, a number or a bool, or NoPreference. It goes on with the session of that
// answer.
func (q Question) Answering(back *Answer, answers map[string]any) Question {
	filters := maps.Clone(q.Filters)
	if filters == nil {
		filters = map[string]any{}
	}
	maps.Copy(filters, answers)
	q.Filters = filters
	if len(back.Meta.SessionContext) > 0 {
		q.Session = []byte(back.Meta.SessionContext)
	}
	return q
}

// ReadReply reads what a person said to a question that was asked back, as Question.Answering takes
// it: an option by its name or its number from 1, several with commas between, a number, yes or no,
// or words. Nothing said is the question's default, or else NoPreference. The error says what can
// be said.
func ReadReply(q nlweb.Question, said string) (any, error) {
	said = strings.TrimSpace(said)
	switch {
	case said == "" && len(q.Default) > 0:
		return q.Default, nil
	case said == "" || strings.EqualFold(said, NoPreference):
		return NoPreference, nil
	}
	switch q.Type {
	case nlweb.QuestionSingle:
		one, err := option(q, said)
		if err != nil {
			return nil, err
		}
		return one, nil
	case nlweb.QuestionMulti:
		var chosen []string
		for part := range strings.SplitSeq(said, ",") {
			one, err := option(q, strings.TrimSpace(part))
			if err != nil {
				return nil, err
			}
			if !slices.Contains(chosen, one) {
				chosen = append(chosen, one)
			}
		}
		return chosen, nil
	case nlweb.QuestionNumber:
		figure, err := strconv.ParseFloat(strings.ReplaceAll(said, ",", "."), 64)
		if err != nil || figure-figure != 0 {
			return nil, fmt.Errorf("%q is no number", said)
		}
		return figure, nil
	case nlweb.QuestionBoolean:
		switch strings.ToLower(said) {
		case "y", "yes", "true":
			return true, nil
		case "n", "no", "false":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither yes nor no", said)
	}
	return said, nil // free text, or of a type of the desk's own
}

// option finds one by its name or its number.
func option(q nlweb.Question, said string) (string, error) {
	for _, name := range q.Options {
		if strings.EqualFold(name, said) {
			return name, nil
		}
	}
	if n, err := strconv.Atoi(said); err == nil && n >= 1 && n <= len(q.Options) {
		return q.Options[n-1], nil
	}
	return "", fmt.Errorf("%q is none of %s", said, strings.Join(q.Options, ", "))
}
