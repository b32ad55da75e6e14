package nlweb

import (
	"context"
	"io"
	"net/http"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/wire/strictjson"
)

// maxClick bounds the body of a click, in bytes.
const maxClick = 1 << 10

// Followed counts that a place of an answer was followed, the first being 1, by the answer's id. It
// is fail.Invalid for an id that is not good any more.
type Followed func(ctx context.Context, answer string, place int) error

// Clicks serves /ask/click: a page tells that a result of an answer was followed, by the answer_id
// in its _meta and the result's position, the first being 1. It is an extension of ours. The body
// is JSON, also as text/plain, as navigator.sendBeacon sends it without asking for leave first.
func Clicks(followed Followed) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := click(followed, w, r); err != nil {
			WriteError(w, r, err)
			return
		}
		httpx.EventFrom(r.Context()).Set("response", "clicked")
		w.Header()["Cache-Control"] = noStore
		w.WriteHeader(http.StatusNoContent)
	})
}

func click(followed Followed, w http.ResponseWriter, r *http.Request) error {
	if typ := r.Header.Get("Content-Type"); !isJSON(typ) && !strings.HasPrefix(typ, "text/plain") {
		return fail.New(fail.MediaType, "send the click as JSON, with Content-Type: application/json or text/plain")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxClick))
	if err != nil {
		return fail.New(fail.TooLarge, "the body is larger than %d bytes, or ended too early", maxClick).Wrap(err)
	}
	var of struct {
		AnswerID string `json:"answer_id"`
		Position int    `json:"position"`
	}
	if err := strictjson.Decode(body, &of); err != nil {
		return malformed(err)
	}
	err = followed(r.Context(), of.AnswerID, of.Position)
	if told := fail.From(err); err != nil && told.Code == fail.Invalid {
		return fail.New(fail.Malformed, "%s", told.Detail) // which is no question that was understood
	}
	return err
}
