// Package plain removes from other people's texts what readers do not see and a model may obey: the
// special tokens of chat templates, controls of writing direction, control characters and invisible
// tag characters.
//
// Enter at Sanitize and SanitizeJSON. A text without any of them comes back as it is. The package
// is pure.
package plain

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// tokens are the special tokens of chat templates: ChatML and Llama 3 (<|...|>), DeepSeek
// (<｜...｜>), Llama 2 and Mistral ([INST], <<SYS>>, <s>, [TOOL_CALLS]), Gemma (<start_of_turn>), and
// the tags of tool calls.
var tokens = regexp.MustCompile(`(?i)<[|｜][^<>|｜\n]{0,64}[|｜]>|<<\s*/?\s*SYS\s*>>|\[\s*/?\s*INST\s*\]|</?s>|</?(?:bos|eos|pad|unk)>|` +
	`</?(?:start|end)_of_(?:turn|image)>|\[/?(?:AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]|` +
	`</?(?:antml:)?(?:tool_calls?|tool_responses?|function_calls?|function_results?|tool_use|invoke)>`)

// maxRounds bounds how often tokens are looked for again, since taking one out may put another
// together.
const maxRounds = 8

// Sanitize returns a text without special tokens and invisible characters.
func Sanitize(s string) string {
	if !suspicious(s) {
		return s
	}
	s = strings.Map(visible, strings.ToValidUTF8(s, "\uFFFD"))
	for range maxRounds {
		if !tokens.MatchString(s) {
			return s
		}
		s = tokens.ReplaceAllString(s, "")
	}
	return strings.NewReplacer("<", "", "[", "").Replace(s) // somebody nested them on purpose
}

// visible drops a character that is a control, but for the ends of lines and tabs.
func visible(r rune) rune {
	switch {
	case r == '\n', r == '\r', r == '\t':
		return r
	case r < ' ', r >= 0x7f && r < 0xa0,
		r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
		r >= 0xe0000 && r <= 0xe007f:
		return -1
	}
	return r
}

// suspicious says whether a text may have something to take out: it has a control, or the beginning
// of a token.
func suspicious[T string | []byte](s T) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<' || c == '[':
			if i+1 < len(s) && begins(s[i+1]) {
				return true
			}
		case c >= ' ' && c < 0x7f, c == '\n', c == '\t', c == '\r':
		case c < utf8.RuneSelf: // a control
			return true
		case c == 0xc2:
			if i+1 < len(s) && s[i+1] < 0xa0 {
				return true
			}
		case c == 0xd8:
			if i+1 < len(s) && s[i+1] == 0x9c {
				return true
			}
		case c == 0xe2:
			if i+2 < len(s) &&
				(s[i+1] == 0x80 && (s[i+2] == 0x8e || s[i+2] == 0x8f || s[i+2] >= 0xaa && s[i+2] <= 0xae) ||
					s[i+1] == 0x81 && s[i+2] >= 0xa6 && s[i+2] <= 0xa9) {
				return true
			}
		case c == 0xf3:
			if i+1 < len(s) && s[i+1] == 0xa0 {
				return true
			}
		}
	}
	return false
}

// begins says whether a token may go on so, behind its bracket.
func begins(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '|' || c == '<' || c == '/' || c == 0xef || c == ' '
}

// SanitizeJSON returns a JSON value without them, in its names and its texts. What is not JSON
// comes back as it is.
func SanitizeJSON(value []byte) []byte {
	if !suspicious(value) && !bytes.Contains(value, []byte(`\u`)) {
		return value
	}
	var out bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	changed := false
	for in.PeekKind() != 0 {
		token, err := in.ReadToken()
		if err == nil && token.Kind() == '"' {
			text := token.String()
			cleaned := Sanitize(text)
			changed = changed || cleaned != text
			token = jsontext.String(cleaned)
		}
		if err != nil || enc.WriteToken(token) != nil {
			return value
		}
	}
	if !changed {
		return value
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'})
}
