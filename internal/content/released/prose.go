package released

import (
	"html"
	"strings"

	"frontdesk/internal/content"
)

// blocks are the paragraphs of an item's running text: a line end parts two of them.
func blocks(item *content.Item) (all []string) {
	for _, p := range item.Passages {
		for line := range strings.Lines(p.Text) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all
}

// page is an item as a page of HTML: its name as the heading, and its paragraphs.
func page(item *content.Item) []byte {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html")
	if item.Language != "" {
		b.WriteString(` lang="` + html.EscapeString(item.Language) + `"`)
	}
	b.WriteString(">\n<head>\n<meta charset=\"utf-8\">\n<title>" + html.EscapeString(item.Name) + "</title>\n")
	b.WriteString(`<link rel="canonical" href="` + html.EscapeString(item.URL) + "\">\n</head>\n<body>\n<article>\n")
	if item.Name != "" {
		b.WriteString("<h1>" + html.EscapeString(item.Name) + "</h1>\n")
	}
	for _, text := range blocks(item) {
		b.WriteString("<p>" + html.EscapeString(text) + "</p>\n")
	}
	b.WriteString("</article>\n</body>\n</html>\n")
	return []byte(b.String())
}

// markdown is an item in Markdown (CommonMark): its name as the heading, and its paragraphs, parted
// by empty lines. Whatever its text has that Markdown would read as more than text is escaped, and
// nothing else.
func markdown(item *content.Item) []byte {
	var b strings.Builder
	if name := strings.Join(strings.Fields(item.Name), " "); name != "" {
		b.WriteString("# ")
		escape(&b, name)
		b.WriteString("\n")
	}
	for _, text := range blocks(item) {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		escape(&b, text)
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// escape writes one line of text so that Markdown reads it as that text.
func escape(b *strings.Builder, line string) {
	start := marker(line)
	for i := range len(line) {
		c := line[i]
		if i == start || meansMore(line, i) {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
}

// marker is where a character stands that makes more of a line than a paragraph: a heading, a list,
// a quotation, a rule; -1 where none does.
func marker(line string) int {
	at := 0
	rest := strings.TrimLeft(line, "#")
	switch {
	case line[0] == '>' || strings.Trim(line, "- \t") == "":
		return 0
	case line[0] == '#' && len(line)-len(rest) > 6:
		return -1
	case line[0] == '#':
	case line[0] == '-' || line[0] == '+':
		rest = line[1:]
	default:
		rest = strings.TrimLeft(line, "0123456789")
		at = len(line) - len(rest)
		if at == 0 || rest == "" || rest[0] != '.' && rest[0] != ')' {
			return -1
		}
		rest = rest[1:]
	}
	if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
		return at
	}
	return -1
}

// meansMore says whether a character within a line means more than itself: emphasis, code, a link,
// a tag, a reference to a character, an escape, a closing row of a heading.
func meansMore(line string, i int) bool {
	switch line[i] {
	case '\\', '`', '*', '[', '<', '~':
		return true
	case '#': // at the end of a heading
		return strings.Trim(line[i:], "# \t") == "" && i > 0 && line[i-1] == ' '
	case '_': // between letters it is one of a name
		return i == 0 || i == len(line)-1 || !wordy(line[i-1]) || !wordy(line[i+1])
	case '&':
		return i+1 < len(line) && (line[i+1] == '#' || wordy(line[i+1]))
	}
	return false
}

// wordy says whether a byte is an ASCII letter or digit.
func wordy(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
