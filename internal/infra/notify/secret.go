// Package notify sends what happened to the owner's own systems: by webhooks, signed as Standard
// Webhooks are, and by mail.
//
// Enter at Webhook.Post and NewMailer. The package owns the form of both, and must not know when to
// send: intake/offers asks a webhook what to offer, the outbox delivers accepted offers. What it
// sends is personal; its errors and log lines hold none of it, and nothing that the other side
// answered.
package notify

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// maxCredential bounds a file that holds one credential.
const maxCredential = 4096

// ReadSecret reads what a variable of the environment or a file holds: one line of text. One of the
// two is named; with neither it is empty. The error says which of them is at fault and never what
// is there.
func ReadSecret(variable, file string) (string, error) {
	var text string
	switch {
	case variable != "" && file != "":
		return "", errors.New("a variable of the environment and a file are both named; keep one of them")
	case variable != "":
		if text = os.Getenv(variable); strings.TrimSpace(text) == "" {
			return "", fmt.Errorf("the environment has no %s; set it, or name a file", variable)
		}
	case file != "":
		read, err := os.ReadFile(file)
		if err != nil {
			return "", errors.New("the file cannot be read")
		}
		text = string(read)
	default:
		return "", nil
	}
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxCredential || strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f
	}) {
		return "", errors.New("what is there is no credential: one line of text")
	}
	return text, nil
}
