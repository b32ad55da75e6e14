package discovery

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

// robots is /robots.txt (RFC 9309): everything here may be fetched, what the terms state of its
// use, and where the schema map and the licences are. A file of the owner's own comes as it is,
// with those addresses behind it unless it names them.
func (d *documents) robots(ctx context.Context, v view) (document, error) {
	const kind = "text/plain; charset=utf-8"
	own, err := d.own(ctx, "robots.txt")
	if err != nil {
		return document{}, err
	}
	var b bytes.Buffer
	if own == nil {
		b.WriteString("# Agents: ask this site questions at " + v.base + askPath + " (NLWeb 0.55); " + v.base +
			"/llms.txt says how.\n")
		b.WriteString("User-agent: *\n")
		if signal := d.signal(v); signal != "" {
			b.WriteString("Content-Signal: " + signal + "\n")
		}
		b.WriteString("Allow: /\n")
	} else {
		b.Write(bytes.TrimPrefix(own, []byte("\xef\xbb\xbf")))
		if !bytes.HasSuffix(own, []byte("\n")) && len(own) > 0 {
			b.WriteByte('\n')
		}
	}
	if d.config.Feeds && !names(own, "schemamap") {
		b.WriteString("\nschemamap: " + v.base + "/schemamap.xml" + v.query + "\n")
	}
	if slices.Contains(d.config.Patterns, licencePath) && !names(own, "license") {
		b.WriteString("\nLicense: " + v.base + licencePath + "\n")
	}
	return document{kind, b.Bytes()}, nil
}

// signal is what the terms state of the uses that Content-Signal has names for; empty when they
// state nothing that holds for all of the view.
func (d *documents) signal(v view) string {
	if d.config.StatedTerms == nil {
		return ""
	}
	var signals []string
	for _, function := range []string{"search", "ai-input", "ai-train"} {
		said := ""
		for i, site := range v.sites {
			allowed, known := d.config.StatedTerms(site.ID, function)
			word := map[bool]string{true: "yes", false: "no"}[allowed]
			if !known || i > 0 && word != said {
				said = ""
				break
			}
			said = word
		}
		if said != "" {
			signals = append(signals, function+"="+said)
		}
	}
	return strings.Join(signals, ", ")
}

// names says whether a robots.txt has a line of its own of a name.
func names(robots []byte, wanted string) bool {
	for text := range strings.Lines(string(robots)) {
		name, value, ok := strings.Cut(text, ":")
		if ok && strings.EqualFold(strings.TrimSpace(name), wanted) && strings.TrimSpace(value) != "" {
			return true
		}
	}
	return false
}
