// Package api is the operator's door: what an operator's own programs do over HTTP instead of at
// the command line. It decodes strictly, has the room do it, and answers with what holds now. Who
// may come in is decided before it.
//
// It stands beside the doors of protocols, on the rooms whose registers it changes.
package api

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/operator"
	"frontdesk/wire/strictjson"
)

// maxBody is how many bytes a request may have.
const maxBody = 64 << 10

// read decodes a request's body.
func read(w http.ResponseWriter, r *http.Request, into any) error {
	most := int64(maxBody)
	if sized, ok := into.(operator.Sized); ok {
		most = sized.MaxBody()
	}
	body, err := bodyOf(w, r, most)
	if err != nil {
		return err
	}
	if _, may := into.(operator.Bodiless); may && len(body) == 0 {
		return nil
	}
	if err := strictjson.Decode(body, into); err != nil {
		return fail.New(fail.Malformed, "%v", err)
	}
	if c, ok := into.(operator.BodyChecker); ok {
		return c.CheckBody(body)
	}
	return nil
}

// bodyOf reads a request's body whole, which is JSON as it stands.
func bodyOf(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	coding := strings.ToLower(r.Header.Get("Content-Encoding"))
	switch {
	case len(body) > 0 && (coding != "" && coding != "identity" || !isJSON(r.Header.Get("Content-Type"))):
		return nil, fail.New(fail.MediaType,
			"send it as JSON that is not compressed, with Content-Type: application/json")
	case errors.As(err, &large):
		return nil, fail.New(fail.TooLarge, "the request has more than %d bytes", large.Limit)
	case err != nil:
		return nil, fail.New(fail.Slow, "the body of the request did not arrive whole; send it again")
	}
	return body, nil
}

// isJSON says whether a Content-Type is that of JSON in UTF-8.
func isJSON(text string) bool {
	media, parameters, err := mime.ParseMediaType(text)
	charset, named := parameters["charset"]
	return err == nil && media == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
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

// byMethod has a request answered by that for its method. HEAD is as GET, whose body the server
// leaves away.
func byMethod(w http.ResponseWriter, r *http.Request, of methods) (int, any, error) {
	if get := of[http.MethodGet]; get != nil {
		of[http.MethodHead] = get
	}
	if do := of[r.Method]; do != nil {
		return do(w, r)
	}
	list := strings.Join(slices.Sorted(maps.Keys(of)), ", ")
	w.Header().Set("Allow", list)
	return 0, nil, fail.New(fail.Method, "this address takes %s", list)
}

// statuses are HTTP's for what goes wrong.
var statuses = map[fail.Code]int{
	fail.Malformed: http.StatusBadRequest, fail.Invalid: http.StatusUnprocessableEntity,
	fail.TooLong: http.StatusUnprocessableEntity, fail.TooLarge: http.StatusRequestEntityTooLarge,
	fail.NotFound: http.StatusNotFound, fail.NoResults: http.StatusNotFound, fail.UnknownPromise: http.StatusNotFound,
	fail.Method: http.StatusMethodNotAllowed, fail.MediaType: http.StatusUnsupportedMediaType,
	fail.UnsupportedFormat: http.StatusNotAcceptable, fail.UnsupportedMode: http.StatusNotImplemented,
	fail.Unauthorized: http.StatusUnauthorized, fail.Forbidden: http.StatusForbidden,
	fail.Limited: http.StatusTooManyRequests, fail.Unavailable: http.StatusServiceUnavailable,
	fail.Timeout: http.StatusGatewayTimeout, fail.Slow: http.StatusRequestTimeout, fail.Cancelled: 499,
	fail.Internal: http.StatusInternalServerError,
}

// WriteError tells why a request is not answered: a status, and the code and a sentence as JSON.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	house := fail.From(err)
	httpx.EventFrom(r.Context()).Set("failure", string(house.Code))
	if house.Code == fail.Internal || house.Code == fail.Unavailable {
		httpx.EventFrom(r.Context()).Set("error", err.Error())
	}
	comeBack(w, house)
	_ = answer(w, statuses[house.Code],
		map[string]map[string]string{"error": {"code": string(house.Code), "message": house.Detail}})
}

// comeBack says when to come back.
func comeBack(w http.ResponseWriter, house *fail.Error) {
	if house.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fail.Seconds(house.RetryAfter)))
	}
}

// NoneHandler answers where there is nothing, below addresses of operators.
func NoneHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		WriteError(w, r, fail.New(fail.NotFound,
			"there is nothing at this address; /openapi.json lists what an operator's programs can call"))
	})
}

// How many rows a page of a list has.
const (
	usualPage = 100
	mostPage  = 1000
)

// page is which part of a list is wanted: so many rows behind one. Where there are more, the
// answer's next is the row after which to go on.
type page struct {
	after string
	limit int
}

// listed reads which part of a list a request asks for, and what else of some parameters it says.
func listed(r *http.Request, others ...string) (p page, said map[string]string, err error) {
	if said, err = parameters(r, append(others, "after", "limit")...); err != nil {
		return p, nil, err
	}
	p.after = said["after"]
	p.limit, err = limited(said, usualPage, mostPage)
	return p, said, err
}

// limited is how many rows a request asks for, from 1 to most; usual where it does not say.
func limited(said map[string]string, usual, most int) (int, error) {
	text := said["limit"]
	if text == "" {
		return usual, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > most {
		return 0, fail.New(fail.Invalid, "limit has to be a number from 1 to %d", most)
	}
	return limit, nil
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
