// The endpoint is a language model's server for tests: a process of its own on a socket, that
// speaks chat completions and embeddings of OpenAI's HTTP interface, and misbehaves as it is told.
// It understands nothing. What it replies is given to it, or derived from the request by rules that
// are simple enough to know the outcome of.
//
// GET /control tells what was asked of it; PUT /control sets how it behaves (see Behaviour).
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Behaviour is how one of the two paths answers.
type Behaviour struct {
	// Mode is what it does: empty is to reply. "stall" never replies; "half" sends half of the
	// reply and stalls; "cut" sends half and closes the connection; "close" closes it at once;
	// "garbage" replies with what is no JSON; "endless" never ends its reply; "drip" sends it byte
	// by byte, with Delay between; "redirect" points elsewhere; "status" replies with Status; "lie"
	// claims absurd usage; "nan", "short", "ragged" and "zero" are for wrong vectors; "forget" ends
	// a stream without saying so.
	Mode string `json:"mode"`
	// Reply is what a chat model says; empty lets it say what Say derives.
	Reply string `json:"reply"`
	// Delay is the time before the reply, in milliseconds; with "drip" before each byte.
	Delay int `json:"delay"`
	// Status and After are the HTTP status and the header Retry-After of the mode "status".
	Status int    `json:"status"`
	After  string `json:"after"`
	// Location is where the mode "redirect" points to.
	Location string `json:"location"`
	// Refuse are members of a request that are refused, as some servers refuse max_tokens.
	Refuse []string `json:"refuse"`
	// Deaf streams nothing: it replies to a request for a stream with one JSON object.
	Deaf bool `json:"deaf"`
	// Key, when set, must be the bearer token.
	Key string `json:"key"`
	// Dimensions of vectors; 0 is 256.
	Dimensions int `json:"dimensions"`
	// Times is how many requests it behaves so; 0 is all. After that it replies.
	Times int `json:"times"`
}

// Request is one request that came.
type Request struct {
	Path   string          `json:"path"`
	Header http.Header     `json:"header"`
	Body   json.RawMessage `json:"body"`
}

type endpoint struct {
	mu        sync.Mutex
	behaviour map[string]*Behaviour // by path
	requests  []Request
	open      int // requests that are being answered
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "the address to listen on")
	flag.Parse()
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	e := &endpoint{behaviour: map[string]*Behaviour{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /control", e.tell)
	mux.HandleFunc("PUT /control", e.set)
	mux.HandleFunc("POST /v1/chat/completions", e.serve("chat", chat))
	mux.HandleFunc("POST /v1/embeddings", e.serve("embed", embed))
	fmt.Println("http://" + listener.Addr().String())
	log.Fatal((&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(listener))
}

func (e *endpoint) tell(w http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	json.NewEncoder(w).Encode(map[string]any{"requests": e.requests, "open": e.open})
}

// set takes a map of paths ("chat", "embed") to behaviours, and forgets what came before.
func (e *endpoint) set(w http.ResponseWriter, r *http.Request) {
	behaviour := map[string]*Behaviour{}
	if err := json.NewDecoder(r.Body).Decode(&behaviour); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.behaviour, e.requests = behaviour, nil
}

// answer makes the whole reply to a request: JSON, or the events of a stream.
type answer func(body map[string]any, b Behaviour) (text []byte, streamed bool)

func (e *endpoint) serve(path string, reply answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		body := map[string]any{}
		if err != nil || json.Unmarshal(text, &body) != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		b := e.enter(path, Request{r.URL.Path, r.Header, text})
		defer e.leave()
		if b.Key != "" && r.Header.Get("Authorization") != "Bearer "+b.Key {
			refuse(w, http.StatusUnauthorized, "", "wrong key "+r.Header.Get("Authorization"))
			return
		}
		for _, member := range b.Refuse {
			if _, there := body[member]; there {
				refuse(w, http.StatusBadRequest, member, "unsupported parameter")
				return
			}
		}
		whole, streamed := reply(body, b)
		misbehave(w, r, b, whole, streamed)
	}
}

// enter notes a request, and gives the behaviour for it.
func (e *endpoint) enter(path string, request Request) Behaviour {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, request)
	e.open++
	b := e.behaviour[path]
	if b == nil {
		return Behaviour{}
	}
	now := *b
	if b.Times > 0 {
		if b.Times--; b.Times == 0 {
			delete(e.behaviour, path)
		}
	}
	return now
}

func (e *endpoint) leave() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open--
}

// refuse replies as such servers do; the message repeats what was sent, as theirs may.
func refuse(w http.ResponseWriter, status int, param, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message,
		"type": "invalid_request_error", "param": param}})
}

// misbehave sends a reply in the way that it was told.
func misbehave(w http.ResponseWriter, r *http.Request, b Behaviour, whole []byte, streamed bool) {
	if b.Mode != "drip" && !wait(r, b.Delay) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if streamed {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	half := whole[:len(whole)/2]
	switch b.Mode {
	case "stall":
		<-r.Context().Done()
	case "half":
		flush(w, half)
		<-r.Context().Done()
	case "cut":
		flush(w, half)
		panic(http.ErrAbortHandler)
	case "close":
		panic(http.ErrAbortHandler)
	case "garbage":
		flush(w, []byte("<html>\x00\xff{\"choices\": [}"))
	case "endless":
		endless(w, r, streamed)
	case "drip":
		for i := range whole {
			if !wait(r, b.Delay) {
				return
			}
			flush(w, whole[i:i+1])
		}
	case "redirect":
		http.Redirect(w, r, b.Location, http.StatusTemporaryRedirect)
	case "status":
		if b.After != "" {
			w.Header().Set("Retry-After", b.After)
		}
		refuse(w, b.Status, "", "told to fail")
	default:
		flush(w, whole)
	}
}

// wait lets time pass, and says whether the client is still there.
func wait(r *http.Request, milliseconds int) bool {
	if milliseconds == 0 {
		return true
	}
	select {
	case <-r.Context().Done():
		return false
	case <-time.After(time.Duration(milliseconds) * time.Millisecond):
		return true
	}
}

func flush(w http.ResponseWriter, text []byte) {
	w.Write(text)
	http.NewResponseController(w).Flush()
}

// endless sends a reply that never ends, as fast as the client takes it.
func endless(w http.ResponseWriter, r *http.Request, streamed bool) {
	piece := []byte(`{"choices":[{"message":{"content":"`)
	if streamed {
		piece = nil
	}
	for r.Context().Err() == nil {
		flush(w, piece)
		piece = []byte("and so on ")
		if streamed {
			piece = events("and so on ", "", nil)
		}
	}
}
