package licence

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Text gives a document in UTF-8 that is in UTF-16: by its mark, or, as XML and JSON begin with a
// character of ASCII, by the zero beside that. Any other is given as it is. It is an error where
// the document is damaged or breaks off within a character: what it says cannot be told then; the
// text is what can be read of it.
func Text(document []byte) ([]byte, error) {
	if len(document) < 2 {
		return document, nil
	}
	big := false
	switch a, b := document[0], document[1]; {
	case a == 0xfe && b == 0xff, a == 0 && b > 0 && b < utf8.RuneSelf:
		big = true
	case a == 0xff && b == 0xfe, a > 0 && a < utf8.RuneSelf && b == 0:
	default:
		return document, nil
	}
	unit := func(i int) rune {
		if big {
			return rune(document[i])<<8 | rune(document[i+1])
		}
		return rune(document[i+1])<<8 | rune(document[i])
	}
	out := make([]byte, 0, len(document)/2+16)
	damaged := -1
	for i := 0; i+1 < len(document); i += 2 {
		r := unit(i)
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(document) {
				low = unit(i + 2)
			}
			if whole := utf16.DecodeRune(r, low); whole != utf8.RuneError {
				i += 2
				r = whole
			} else if damaged < 0 {
				damaged = i
			}
		}
		out = utf8.AppendRune(out, r)
	}
	out = bytes.TrimPrefix(out, []byte("\ufeff"))
	switch {
	case damaged >= 0:
		return out, fmt.Errorf("it is in UTF-16, and damaged at byte %d", damaged)
	case len(document)%2 != 0:
		return out, fmt.Errorf("it is in UTF-16, and breaks off within a character after %d bytes", len(document))
	}
	return out, nil
}
