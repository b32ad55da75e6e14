package frame

import (
	"encoding/csv"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

// Link is the address of a list's page with the parameters of a request, some of them changed, from
// the list's beginning. A parameter that is changed to nothing is left out.
func Link(r *http.Request, page string, change map[string]string) string {
	q := url.Values{}
	maps.Copy(q, r.URL.Query())
	q.Del("after")
	for name, value := range change {
		q.Set(name, value)
	}
	maps.DeleteFunc(q, func(_ string, values []string) bool { return values[0] == "" })
	if len(q) == 0 && page != "" {
		return page
	}
	return page + "?" + q.Encode()
}

// Download begins a file of a list, with the names of its columns.
func Download(w http.ResponseWriter, name string, columns ...string) *csv.Writer {
	header := w.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	out := csv.NewWriter(w)
	_ = out.Write(columns) // when it fails, the browser has gone
	return out
}

// Plain keeps a text of strangers from being a formula where a table is opened.
func Plain(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
