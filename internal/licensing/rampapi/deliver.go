package rampapi

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/delivery"

	"frontdesk/internal/infra/fail"
)

// DeliverID is the part of the path of [Deliver] that is the id of a transaction.
const DeliverID = "transaction"

// Deliver hands out what was bought at the address that the purchase gave (RAMP v1, delivery method
// DIRECT), in the form that the client accepts, whole or in ranges (RFC 9110). fetchAt is as in
// Config. Every answer with content is recorded first, and again when it has been sent.
func Deliver(d *delivery.Service, fetchAt func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue(DeliverID)
		if r.URL.RawPath != "" {
			id = r.URL.RawPath // an address has one spelling, and none of ours has anything escaped
		}
		w.Header().Add("Vary", "Accept")
		fetched, err := d.Fetch(r.Context(), fetchAt(r), id, r.URL.RawQuery)
		if err != nil {
			WriteError(w, r, failed(r.Context(), err))
			return
		}
		hand(w, r, fetched)
	})
}

// hand answers with what was bought, in the form that the client accepts.
func hand(w http.ResponseWriter, r *http.Request, fetched *delivery.Content) {
	if media, ok := accepted(w, r, fetched.Media); ok {
		describe(w.Header(), fetched, fetched.In(media)).send(w, r)
	}
}

// accepted is the form of some that the client accepts; where there is none, it is told so.
func accepted(w http.ResponseWriter, r *http.Request, forms []string) (string, bool) {
	media, ok := httpx.ChooseMedia(r.Header.Values("Accept"), forms)
	if !ok {
		WriteError(&fixed{w, http.StatusNotAcceptable}, r,
			fail.New(fail.UnsupportedFormat, "it can be had as %s; accept one of them", strings.Join(forms, ", ")))
	}
	return media, ok
}

// describe writes what an answer tells of a rendition.
func describe(header http.Header, fetched *delivery.Content, rendition *delivery.Rendition) *outgoing {
	header.Set("Content-Type", rendition.Media)
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Link", "<"+fetched.URI+`>; rel="canonical"`)
	header.Set("Cache-Control", "private, no-store") // whoever asks again is to be recorded again
	header.Set("ETag", `"`+hex.EncodeToString(rendition.Hash[:])+`"`)
	header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(rendition.Hash[:])+":") // RFC 9530
	return &outgoing{rendition: rendition}
}

// outgoing is an answer with a rendition, from its head to its end: http.ServeContent writes to it,
// and reads from it. Its first byte waits until it is recorded that it is sent.
type outgoing struct {
	http.ResponseWriter
	r         *http.Request
	rendition *delivery.Rendition
	at        int64 // that is read next

	sending *delivery.Transfer // nil before anything is sent
	sent    int64
	refused bool // an answer that is no delivery has been written in its place
}

// maxParts is how many ranges may be asked for at once; the whole is given to whoever wants more
// (RFC 9110, 14.2).
const maxParts = 16

// send answers.
func (d *outgoing) send(w http.ResponseWriter, r *http.Request) {
	d.ResponseWriter, d.r = w, r
	if unit, ranges, _ := strings.Cut(r.Header.Get("Range"), "="); r.Method != http.MethodGet ||
		!strings.EqualFold(unit, "bytes") || strings.Count(ranges, ",") >= maxParts {
		r.Header.Del("Range")
	} else {
		r.Header.Set("Range", "bytes="+ranges)
	}
	http.ServeContent(d, r, "", time.Time{}, d)
	if d.sending == nil {
		return
	}
	sent := d.sent
	// before the end is recorded, so that the client does not wait for that
	if http.NewResponseController(w).Flush() != nil {
		sent = min(sent, d.announced()-1) // the last of it was still here
	}
	e := httpx.EventFrom(r.Context())
	e.Set("delivered", sent)
	if err := d.sending.End(context.WithoutCancel(r.Context()), sent); err != nil {
		e.Set("error", err.Error()) // it is ended later
	}
}

// announced is how many bytes the answer says that it has.
func (d *outgoing) announced() int64 {
	n, _ := strconv.ParseInt(d.Header().Get("Content-Length"), 10, 64)
	return n
}

// WriteHeader records that content is sent before its head is.
func (d *outgoing) WriteHeader(status int) {
	content := status == http.StatusOK || status == http.StatusPartialContent
	switch {
	case status == http.StatusRequestedRangeNotSatisfiable:
		d.refuse(&fixed{d.ResponseWriter, status},
			fail.New(fail.Invalid, "the range is none of the %d bytes that there are", d.rendition.Size))
		return
	case status == http.StatusPreconditionFailed:
		d.refuse(&fixed{d.ResponseWriter, status},
			fail.New(fail.Invalid, "it is no more what If-Match names; fetch it without that"))
		return
	case content && d.r.Method != http.MethodHead:
		sending, err := d.rendition.Begin(d.r.Context(), status, d.announced())
		if err != nil {
			d.Header().Del("Content-Range")
			d.refuse(d.ResponseWriter, failed(d.r.Context(), err))
			return
		}
		d.sending = sending
	}
	d.ResponseWriter.WriteHeader(status)
}

// refuse writes an error in place of a delivery, whose head must not speak of it.
func (d *outgoing) refuse(w http.ResponseWriter, err error) {
	d.refused = true
	for _, name := range []string{"Content-Type", "Content-Length", "Accept-Ranges", "ETag", "Repr-Digest", "Link"} {
		d.Header().Del(name)
	}
	WriteError(w, d.r, err)
}

// errRefused ends what was to be sent.
var errRefused = errors.New("an error has been sent in its place")

// Write sends.
func (d *outgoing) Write(p []byte) (int, error) {
	if d.refused {
		return 0, errRefused
	}
	n, err := d.ResponseWriter.Write(p)
	d.sent += int64(n)
	return n, err
}

// Seek says from where to read on (io.Seeker).
func (d *outgoing) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += d.at
	case io.SeekEnd:
		offset += d.rendition.Size
	}
	d.at = offset
	return offset, nil
}

// Read gives the text, once its delivery has begun (io.Reader).
func (d *outgoing) Read(p []byte) (int, error) {
	if d.sending == nil {
		return 0, errRefused
	}
	if d.at >= int64(len(d.sending.Body)) {
		return 0, io.EOF
	}
	n := copy(p, d.sending.Body[d.at:])
	d.at += int64(n)
	return n, nil
}
