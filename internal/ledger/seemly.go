package ledger

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/strictjson"
)

// unseemly are names of members under which personal data, questions and secrets come. An entry stays for ever, and its
// holder may show it around.
var unseemly = []string{
	"address", "authorization", "cookie", "email", "ip", "ip_address", "nonce", "password", "person", "phone", "query", "query_text", "question",
	"secret", "session", "session_id", "signature", "token", "user", "user_agent", "user_id", "username",
}

// seemly refuses a body with a member of such a name, at whatever depth: it is a slip in one of our rooms.
func seemly(body strictjson.Value) error {
	if len(body) == 0 {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil // the end; that it is JSON was seen before
		}
		if kind, n := decoder.StackIndex(decoder.StackDepth()); token.Kind() != '"' || kind != '{' || n%2 == 0 {
			continue
		}
		if name := token.String(); slices.Contains(unseemly, name) {
			return fmt.Errorf("a ledger entry may not hold %q", name)
		}
	}
}
