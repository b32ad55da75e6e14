package check

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
)

// visit is one intake that is looked at.
type visit struct {
	*business
	intake *intake.Intake
	schema *intake.Schema
	sample Sample
	agent  string
	offer  *made // an offer that can be bound; nil for none

	refused []*reply // answers that were errors
	answers []*reply // to what was to be taken
	slowest time.Duration
}

// made is an offer, and the session in which it was made.
type made struct {
	session string
	offer   intake.Offer
}

// needs of a probe of an intake.
type wants uint8

const (
	nothingMore wants = 0
	data        wants = 1 << iota // a sample that the schema takes, and the key where one is needed
	declinable                    // a sample that is declined
	keyless                       // an intake that wants a key
	bindable                      // an offer that can be bound
	binding                       // and a sample to bind with
	bursting
)

// step is one look at an intake.
type step struct {
	id    string
	about string
	wants wants
	run   func(context.Context, *visit) verdict
}

// visit looks at one intake. Without a sample it is only asked what every browser asks.
func (b *business) visit(ctx context.Context, at *intake.Intake) {
	v := &visit{business: b, intake: at, sample: b.options.Samples[at.ID], agent: "check-" + random()}
	v.schema, _ = intake.CompileSchema(at.InputSchema)
	for _, each := range steps {
		if ctx.Err() != nil {
			return
		}
		id, about := "intake."+each.id, at.ID+": "+each.about
		if why := v.lacks(each.wants); why != "" {
			if v.sample.Data != nil {
				b.add(id, about, verdict{outcome: Skipped, detail: why})
			}
			continue
		}
		b.add(id, about, each.run(ctx, v))
	}
}

// lacks says why a step cannot be tried, "" where it can.
func (v *visit) lacks(w wants) string {
	has := func(one wants) bool { return w&one != 0 }
	switch {
	case w == nothingMore:
		return ""
	case v.sample.Data == nil:
		return "there is no sample"
	case v.schema == nil:
		return "the input_schema cannot be used"
	case has(keyless) && !v.intake.RequiresAuth:
		return "the intake wants no key"
	case has(data) && v.intake.RequiresAuth && v.options.Token == "":
		return "the intake wants a key"
	case has(declinable) && v.sample.Declined == nil:
		return "there is no sample that is declined"
	case has(bindable|binding) && v.offer == nil:
		return "there is no offer that can be bound"
	case has(binding) && v.sample.Bind == nil:
		return "there is no sample to bind with"
	case has(bursting) && v.options.Burst == 0:
		return "no burst was asked for"
	}
	return ""
}

// object is a message that can be changed.
type object = map[string]any

// request is a good request, changed as wanted.
func (v *visit) request(change ...func(object)) []byte {
	request := object{
		"aip_version": v.manifest.Version, "session_id": newSession(), "intake_data": members(v.sample.Data),
		"agent": object{"id": v.agent, "platform": "frontdesk check", "consent_scope": []any{"intake", "offer"}},
	}
	for _, each := range change {
		each(request)
	}
	return encoded(request)
}

// members are those of a JSON object, with numbers as they are written.
func members(value []byte) object {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var all object
	_ = decoder.Decode(&all) // a sample was read before
	return all
}

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // what was read can be written
	}
	return text
}

func newSession() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// letter is what is sent, and what of it is done differently from what is right.
type letter struct {
	url, method, contentType string
	body                     []byte
	keyless                  bool
}

// submitted sends a body to the intake.
func (v *visit) submitted(ctx context.Context, body []byte) (*reply, error) {
	return v.send(ctx, letter{url: v.intake.Endpoint, body: body})
}

// send sends a letter. Where the business throttles, it waits and sends it again.
func (v *visit) send(ctx context.Context, l letter) (*reply, error) {
	for attempt := 0; ; attempt++ {
		got, err := v.once(ctx, l)
		if err != nil || got.status != http.StatusTooManyRequests || attempt == patience {
			return got, err
		}
		seconds, _ := strconv.Atoi(got.header.Get("Retry-After"))
		wait := time.Duration(max(1, seconds)) * time.Second
		if wait > longestWait {
			return got, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

func (v *visit) once(ctx context.Context, l letter) (*reply, error) {
	method, contentType := l.method, l.contentType
	if method == "" {
		method = http.MethodPost
	}
	if contentType == "" {
		contentType = "application/json"
	}
	request, err := http.NewRequestWithContext(ctx, method, l.url, bytes.NewReader(l.body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", "application/json")
	if v.options.Token != "" && !l.keyless {
		request.Header.Set("Authorization", "Bearer "+v.options.Token)
	}
	began := v.options.Now()
	got, err := v.do(request)
	if err != nil {
		return nil, err
	}
	v.slowest = max(v.slowest, v.options.Now().Sub(began))
	if got.status >= 400 {
		v.refused = append(v.refused, got)
	} else {
		v.answers = append(v.answers, got)
	}
	return got, nil
}

// told is what an answer says, however badly it is put.
type told struct {
	Status string        `json:"status"`
	Offer  *intake.Offer `json:"offer"`
	Reason string        `json:"decline_reason"`
	Error  *intake.Error `json:"error"`
}

func (r *reply) told() (t told) {
	_ = json.Unmarshal(r.body, &t)
	return t
}

// answered is a reply in a few words.
func (r *reply) answered() string {
	words, t := strconv.Itoa(r.status), r.told()
	if t.Status != "" {
		words += " " + t.Status
	}
	if t.Error != nil {
		words += " " + t.Error.Code
	}
	return words
}

// refuses sends what must be refused with a status and a code.
func (v *visit) refuses(ctx context.Context, l letter, status int, code string) verdict {
	got, err := v.send(ctx, l)
	if err != nil {
		return noAnswer(err)
	}
	mend := fmt.Sprintf("answer %d with error.code %s", status, code)
	t := got.told()
	switch {
	case got.status < 400:
		return wrong("it answers "+got.answered(), mend)
	case got.status >= 500:
		return wrong("it answers "+got.answered()+": the business breaks down", mend)
	case got.status != status, t.Error == nil, t.Error.Code != code:
		return doubt("it answers "+got.answered(), mend)
	}
	return passed()
}

// takes sends what must be taken.
func (v *visit) takes(ctx context.Context, l letter, mend string) verdict {
	got, err := v.send(ctx, l)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusOK:
		return wrong("it answers "+got.answered(), mend)
	}
	return passed()
}

// get an offer, anew.
func (v *visit) make(ctx context.Context) (*made, error) {
	session := newSession()
	got, err := v.submitted(ctx, v.request(func(o object) { o["session_id"] = session }))
	if err != nil {
		return nil, err
	}
	offer := got.told().Offer
	if offer == nil || offer.BindEndpoint == "" {
		return nil, fmt.Errorf("there is no offer that can be bound: it answers %s", got.answered())
	}
	return &made{session, *offer}, nil
}

// bind is a good bind of an offer, changed as wanted.
func (v *visit) bind(of *made, change ...func(object)) letter {
	bind := object{
		"offer_id": of.offer.ID, "session_id": of.session, "bind_data": members(v.sample.Bind),
		"agent":    object{"id": v.agent, "consent_scope": []any{"intake", "offer", "bind"}},
		"metadata": object{"user_confirmed_at": sign.FormatTime(v.options.Now())},
	}
	for _, each := range change {
		each(bind)
	}
	return letter{url: of.offer.BindEndpoint, body: encoded(bind)}
}
