package market

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/wire/strictjson"
)

//go:embed assets
var assets embed.FS

var page = template.Must(template.ParseFS(assets, "assets/market.html"))

// policy lets the page load its own files, ask its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// maxAct is the most bytes of what a page sends.
const maxAct = 64 << 10

// Handler is the market's page: at "/" itself, below it what it asks for. It is for people at this
// machine: other hosts than those of this machine are refused, and so is what pages of others send.
func (m *Market) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", m.show)
	mux.HandleFunc("GET /assets/{file}", serveAsset)
	mux.HandleFunc("GET /events", m.events)
	mux.HandleFunc("GET /receipts", m.listReceipts)
	mux.HandleFunc("GET /receipts/{place}/{id}", m.showReceipt)
	mux.HandleFunc("POST /verify/{place}", m.verify)
	mux.HandleFunc("POST /act/{act}", m.act)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ready\n") })
	same := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Security-Policy", policy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Cache-Control", "no-store")
		if !here(r.Host) {
			refuse(w, http.StatusMisdirectedRequest,
				"this page is for people at this machine; open it by the address that the command has printed")
			return
		}
		same.Handler(mux).ServeHTTP(w, r)
	})
}

// here says whether a host is this machine, by a name that no DNS can give to another page.
func here(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// refuse answers with a failure.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message}) // who left is not told
}

// answer answers with an object.
func answer(w http.ResponseWriter, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "the answer cannot be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(text, '\n'))
}

// show shows the page, with the lanes in it.
func (m *Market) show(w http.ResponseWriter, _ *http.Request) {
	all := make([]Place, len(order))
	for i, id := range order {
		all[i] = places[id]
		all[i].Address = m.address(id)
	}
	var text bytes.Buffer
	err := page.Execute(&text,
		map[string]any{"Places": all, "Opened": m.opened,
			"Limit": strings.Replace(spending, Currency+"/", " "+Currency+" a ", 1), "Fee": brokerFee,
			"Budget": brokerBudget, "Currency": Currency})
	if err == nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(text.Bytes())
		return
	}
	m.log.Error("the page cannot be written", "error", err)
	refuse(w, http.StatusInternalServerError, "the page cannot be written")
}

// serveAsset serves a file of the page.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	text, err := assets.ReadFile("assets/" + name)
	if err != nil || strings.HasSuffix(name, ".html") {
		refuse(w, http.StatusNotFound, "there is no such file")
		return
	}
	types := map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}
	_, end, _ := strings.Cut(name, ".")
	w.Header().Set("Content-Type", types[end])
	w.Write(text)
}

// events streams what passes.
func (m *Market) events(w http.ResponseWriter, r *http.Request) {
	last, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64) // none is 0, and so is what is none
	m.hub.stream(w, r, last, m.leaving)
}

// act does what a person asks for.
func (m *Market) act(w http.ResponseWriter, r *http.Request) {
	body, ok := bodyOf(w, r)
	if !ok {
		return
	}
	result, failed, known := m.Act(r.Context(), r.PathValue("act"), body)
	if !known {
		refuse(w, http.StatusNotFound, "nobody here can do that")
		return
	}
	answer(w, map[string]any{"failed": failed, "result": json.RawMessage(result)})
}

// bodyOf reads what a page sends: one JSON object.
func bodyOf(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "send application/json")
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxAct))
	var object map[string]strictjson.Value
	if err == nil {
		err = strictjson.Decode(body, &object)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "send one JSON object of at most 64 KiB: "+err.Error())
		return nil, false
	}
	return body, true
}

// listReceipts lists what the ledgers tell.
func (m *Market) listReceipts(w http.ResponseWriter, r *http.Request) {
	all, err := m.Facts(r.Context())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	answer(w, map[string]any{"receipts": all})
}

// showReceipt gives a receipt.
func (m *Market) showReceipt(w http.ResponseWriter, r *http.Request) {
	got, err := m.Receipt(r.Context(), r.PathValue("place"), r.PathValue("id"))
	if err != nil {
		status := http.StatusServiceUnavailable
		if fail.From(err).Code == fail.NotFound {
			status = http.StatusNotFound
		}
		refuse(w, status, err.Error())
		return
	}
	answer(w, got)
}

// verify says whether a receipt is true.
func (m *Market) verify(w http.ResponseWriter, r *http.Request) {
	body, ok := bodyOf(w, r)
	if !ok {
		return
	}
	about, keys, err := m.Verify(r.Context(), r.PathValue("place"), body)
	out := map[string]any{"true": err == nil, "keys": keys}
	if err != nil {
		var trouble *fail.Error
		if errors.As(err, &trouble) && trouble.Code == fail.NotFound {
			refuse(w, http.StatusNotFound, trouble.Detail)
			return
		}
		out["message"] = err.Error()
	} else {
		out["ledger"], out["entries"] = about.Origin, about.Size
	}
	answer(w, out)
}
