// Package admin is the operator's door: what an operator's own programs do over HTTP instead of at the command line. It
// decodes strictly, has the room do it, and answers with what holds now. Who may come in is decided before it.
//
// It stands beside the doors of protocols, on the rooms whose registers it changes.
package admin

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/event"
	"frontdesk/internal/fail"
	"frontdesk/wire/strictjson"
)

// maxBody is how many bytes a request may have.
const maxBody = 64 << 10

// read decodes a request's body.
func read(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := bodyOf(w, r)
	if err != nil {
		return err
	}
	return decode(body, into)
}

// bodyOf reads a request's body whole.
func bodyOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, fail.New(fail.TooLarge, "the request has more than %d bytes", large.Limit)
	case err != nil:
		return nil, fail.New(fail.Slow, "the body of the request did not arrive whole; send it again")
	}
	return body, nil
}

func decode(body []byte, into any) error {
	if err := strictjson.Decode(body, into); err != nil {
		return fail.New(fail.Malformed, "%v", err)
	}
	return nil
}

// answerer does what a request asks, and gives a status and what there is to tell.
type answerer func(http.ResponseWriter, *http.Request) (status int, value any, err error)

// answering is an answerer as a handler.
func answering(do answerer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, value, err := do(w, r)
		if err == nil {
			err = answer(w, status, value)
		}
		if err != nil {
			WriteError(w, r, err)
		}
	})
}

// methods are the answerers of one address, by the method of the request.
type methods map[string]answerer

// byMethod has a request answered by that for its method.
func byMethod(w http.ResponseWriter, r *http.Request, of methods) (int, any, error) {
	if do := of[r.Method]; do != nil {
		return do(w, r)
	}
	list := strings.Join(slices.Sorted(maps.Keys(of)), ", ")
	w.Header().Set("Allow", list)
	return 0, nil, fail.New(fail.Method, "this address takes %s", list)
}

// statuses are HTTP's for what goes wrong.
var statuses = map[fail.Code]int{
	fail.Malformed: http.StatusBadRequest, fail.Invalid: http.StatusUnprocessableEntity, fail.TooLong: http.StatusUnprocessableEntity,
	fail.TooLarge: http.StatusRequestEntityTooLarge, fail.NotFound: http.StatusNotFound, fail.NoResults: http.StatusNotFound,
	fail.UnknownPromise: http.StatusNotFound, fail.Method: http.StatusMethodNotAllowed, fail.MediaType: http.StatusUnsupportedMediaType,
	fail.UnsupportedFormat: http.StatusNotAcceptable, fail.UnsupportedMode: http.StatusNotImplemented, fail.Unauthorized: http.StatusUnauthorized,
	fail.Forbidden: http.StatusForbidden, fail.Limited: http.StatusTooManyRequests, fail.Unavailable: http.StatusServiceUnavailable,
	fail.Timeout: http.StatusGatewayTimeout, fail.Slow: http.StatusRequestTimeout, fail.Cancelled: 499, fail.Internal: http.StatusInternalServerError,
}

// WriteError tells why a request is not answered: a status, and the code and a sentence as JSON.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	house := fail.From(err)
	event.From(r.Context()).Set("failure", string(house.Code))
	if house.Code == fail.Internal || house.Code == fail.Unavailable {
		event.From(r.Context()).Set("error", err.Error())
	}
	if house.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int((house.RetryAfter+time.Second-1)/time.Second)))
	}
	_ = answer(w, statuses[house.Code], map[string]map[string]string{"error": {"code": string(house.Code), "message": house.Detail}})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
	return nil
}
