package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/disputes/accesslog"
)

// DeliveryLogs is where logs of what others delivered are imported.
const DeliveryLogs = "/admin/delivery-logs"

// Bounds of a log that is sent.
const (
	mostLog     = 1 << 30 // bytes, as they are sent
	mostLogText = 8 << 30 // bytes, unpacked
	readFor     = time.Minute
)

// Importer imports a log.
type Importer func(ctx context.Context, in io.Reader, log accesslog.Source) (accesslog.ImportResult, error)

// DeliveryLogsHandler answers at DeliveryLogs: POST imports the log in the body, which may be
// packed by gzip, as it arrives; of the form ?form= (auto), with the columns ?fields=, under the
// name ?by=, and of the one site ?site=. It answers with what it found. Where it fails, what was
// found before stands beside the error, as "log", and is kept.
func DeliveryLogsHandler(imports Importer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q, err := parameters(r, "form", "fields", "by", "site")
		if err != nil {
			WriteError(w, r, err)
			return
		}
		fields := strings.FieldsFunc(q["fields"], func(r rune) bool { return r == ',' || r == ' ' })
		in := &arriving{body: http.MaxBytesReader(w, r.Body, mostLog), control: http.NewResponseController(w)}
		told, err := imports(r.Context(), in, accesslog.Source{Form: accesslog.Form(q["form"]), Fields: fields,
			By: q["by"], Site: q["site"], MaxText: mostLogText})
		httpx.EventFrom(r.Context()).Set("lines", told.Lines)
		_ = in.control.SetWriteDeadline(time.Now().Add(readFor))
		if err != nil {
			writeFound(w, r, in.explain(err), told)
			return
		}
		if err := answer(w, http.StatusOK, told); err != nil {
			WriteError(w, r, err)
		}
	})
}

// writeFound tells of an error, and what was found before it.
func writeFound(w http.ResponseWriter, r *http.Request, err error, told accesslog.ImportResult) {
	house := fail.From(err)
	httpx.EventFrom(r.Context()).Set("failure", string(house.Code))
	if house.Code == fail.Internal || house.Code == fail.Unavailable {
		httpx.EventFrom(r.Context()).Set("error", err.Error())
	}
	comeBack(w, house)
	_ = answer(w, statuses[house.Code],
		map[string]any{"error": map[string]string{"code": string(house.Code), "message": house.Detail}, "log": told})
}

// arriving is a long body, which may take longer than others as long as something of it comes.
type arriving struct {
	body    io.Reader
	control *http.ResponseController
	failed  error
}

func (a *arriving) Read(p []byte) (int, error) {
	_ = a.control.SetReadDeadline(time.Now().Add(readFor)) // what has none, such as a test's, waits as it likes
	n, err := a.body.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.failed = err
	}
	return n, err
}

// explain says what came of a body that did not arrive whole.
func (a *arriving) explain(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(a.failed, &large):
		return fail.New(fail.TooLarge, "the log has more than %d bytes; send it packed by gzip, "+
			"or in parts. What came before is kept", large.Limit)
	case a.failed != nil:
		return fail.New(fail.Slow, "the log did not arrive whole; send it again. What came before is kept")
	}
	return err
}
