package model

import "strings"

// Prove holds a summary against its sources as it would be while it comes in pieces, for the fuzzer.
func Prove(a Asking, reply string) (text string, cited []int, told []string, ok bool) {
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
