package ledger

import (
	"bytes"
	"fmt"
)

// unseemly says whether under a member of this name personal data, questions and secrets come. An
// entry stays for ever, and its holder may show it around.
func unseemly(name []byte) bool {
	switch string(name) {
	case "address", "authorization", "cookie", "email", "ip", "ip_address", "nonce", "password", "person", "phone",
		"query", "query_text", "question",
		"secret", "session", "session_id", "signature", "token", "user", "user_agent", "user_id", "username":
		return true
	}
	return false
}

// checkMemberNames refuses a leaf with a member of such a name, at whatever depth: it is a slip in
// one of our packages. In canonical JSON a quotation mark with a colon behind it ends a member's
// name or, where that is all within a text, has a backslash before it.
func checkMemberNames(leaf []byte) error {
	for rest := []byte(leaf); ; {
		end := bytes.Index(rest, []byte(`":`))
		if end < 0 {
			return nil
		}
		begin := bytes.LastIndexByte(rest[:end], '"') + 1
		if unseemly(rest[begin:end]) {
			return fmt.Errorf("a ledger entry may not hold %q", rest[begin:end])
		}
		rest = rest[end+2:]
	}
}
