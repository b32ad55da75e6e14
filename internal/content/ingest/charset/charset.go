// Package charset makes valid UTF-8 of documents in any encoding, also where they do not say in
// which, or say it wrongly.
//
// Enter at DecodePage for HTML, DecodeJSON for JSON and Markdown, NewReader for lines. The package
// is pure, and knows no more of a document than where it may name its encoding.
package charset

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// utf16 gives the decoder of a text that begins like head, nil if that is no UTF-16: it has a byte
// order mark, or begins with an ASCII character in two bytes, as JSON does.
func utf16(head []byte) *encoding.Decoder {
	if len(head) < 2 {
		return nil
	}
	switch a, b := head[0], head[1]; {
	case a == 0xfe && b == 0xff, a == 0 && b > 0:
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	case a == 0xff && b == 0xfe, a > 0 && a < 0x80 && b == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	}
	return nil
}

// NewReader reads lines in UTF-8, whatever a byte order mark says that they are in.
func NewReader(from io.Reader) (*bufio.Reader, error) {
	buffered := bufio.NewReaderSize(from, 64<<10)
	head, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if decoder := utf16(head); decoder != nil {
		return bufio.NewReaderSize(transform.NewReader(buffered, decoder), 64<<10), nil
	}
	return buffered, nil
}

// DecodeJSON converts a JSON document to UTF-8.
func DecodeJSON(data []byte) string {
	if decoder := utf16(data); decoder != nil {
		if decoded, err := decoder.Bytes(data); err == nil {
			data = decoded
		}
	}
	return Repair(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
}

// Repair makes a text valid UTF-8. One in which no byte beyond ASCII fits UTF-8 is taken for
// Windows' form of Latin-1, the usual mistake; in any other, what does not fit becomes U+FFFD.
func Repair(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && size > 1 {
			return strings.ToValidUTF8(s, "\ufffd")
		}
		i += size
	}
	decoded, err := charmap.Windows1252.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return decoded
}

// IsBinary says whether the beginning of a body is no text in any encoding: an image, an archive or
// the like. Zeros do not count, for UTF-16 has them; escapes neither, for ISO-2022 does.
func IsBinary(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return false
	}
	controls := 0
	for _, b := range head {
		if b < ' ' && b != 0 && b != 0x1b && (b < '\t' || b > '\r') {
			controls++
		}
	}
	return 50*controls > len(head)
}

// Printable drops control characters that are no white space.
func Printable(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
			return strings.Map(func(r rune) rune {
				if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
					return -1
				}
				return r
			}, s)
		}
	}
	return s
}
