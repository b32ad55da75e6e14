package llm

import (
	"encoding/json"
	"strings"
)

// Prove holds a summary against its sources as it would be while it comes in pieces, for the
// fuzzer.
func Prove(a SummaryRequest, reply string) (text string, cited []int, told []string, ok bool) {
	check := newProof(a)
	for len(reply) > 0 {
		n := min(3, len(reply))
		sentences, err := check.write(strings.ToValidUTF8(reply[:n], "\uFFFD"))
		told = append(told, sentences...)
		if err != nil {
			return "", nil, told, false
		}
		reply = reply[n:]
	}
	rest, err := check.end()
	told = append(told, rest)
	return strings.TrimSpace(check.text.String()), check.cited, told, err == nil
}

// ReadReply reads a reply of a chat model, whole or streamed, for the fuzzer.
func ReadReply(body string, streamed bool) (string, error) {
	r := &reading{prompt: prompt{}, most: 4096}
	if streamed {
		err := r.stream(strings.NewReader(body))
		return r.text.String(), err
	}
	err := r.whole(strings.NewReader(body))
	return r.text.String(), err
}

// ParseOrder, ParseQuestion and ReadVectors read what a model said.
var ParseOrder, ParseQuestion = parseOrder, parseQuestion

func ReadVectors(body string, n int) ([][]float32, error) {
	var reply embedReply
	if err := json.Unmarshal([]byte(body), &reply); err != nil {
		return nil, err
	}
	return reply.vectors(n)
}
