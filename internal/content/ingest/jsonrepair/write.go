package jsonrepair

import "unicode/utf8"

// Append writes n as compact JSON behind dst. Numbers keep their text. Invalid UTF-8 becomes
// U+FFFD.
func Append(dst []byte, n *Node) []byte {
	switch n.Kind {
	case Bool, Number:
		return append(dst, n.Text...)
	case String:
		return AppendString(dst, n.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendString(dst, m.Name), ':')
			dst = Append(dst, m.Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// AppendString writes s as a JSON string behind dst.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		var escaped string
		switch {
		case c == '"' || c == '\\':
			escaped = `\` + s[i:i+1]
		case c == '\n':
			escaped = `\n`
		case c == '\r':
			escaped = `\r`
		case c == '\t':
			escaped = `\t`
		case c < ' ':
			escaped = `\u00` + string(hex[c>>4]) + string(hex[c&15])
		default:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				escaped = "\ufffd"
			case r == '\u2028' || r == '\u2029': // line ends to JavaScript
				escaped = `\u202` + string(hex[r&15])
			default:
				i += size
				continue
			}
		}
		dst = append(append(dst, s[start:i]...), escaped...)
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
