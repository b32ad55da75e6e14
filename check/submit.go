package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/wire/intake"
)

// steps are all looks at an intake, in the order in which they are made.
var steps = slices.Concat([]step{
	{"submit.options", "OPTIONS of the endpoint works", nothingMore, func(ctx context.Context, v *visit) verdict {
		return v.preflight(ctx, v.intake.Endpoint, http.MethodPost)
	}},
}, offerSteps, formSteps, dataSteps, bindSteps, lastSteps)

// offerSteps look at what a good request gets (Agent Intake Protocol 0.1.0, Stage 3).
var offerSteps = []step{
	{"submit.valid", "the sample gets a valid offer", data, submitValid},
	{"submit.repeat", "the same request again gets the same offer", data, func(ctx context.Context, v *visit) verdict {
		body := v.request()
		first, err := v.submitted(ctx, body)
		if err != nil {
			return noAnswer(err)
		}
		second, err := v.submitted(ctx, body)
		if err != nil {
			return noAnswer(err)
		}
		a, b := first.told().Offer, second.told().Offer
		if (a == nil) != (b == nil) || a != nil && a.ID != b.ID {
			return doubt("it makes another offer", "keep the offer by intake, session_id and data, and give it "+
				"again: an answer can be lost on its way")
		}
		return passed()
	}},
	{"submit.declined", "what is declined is told with a reason, and status 200", data | declinable,
		func(ctx context.Context, v *visit) verdict {
			got, err := v.submitted(ctx, v.request(func(o object) { o["intake_data"] = members(v.sample.Declined) }))
			if err != nil {
				return noAnswer(err)
			}
			mend := "answer 200 with the status declined and a decline_reason"
			switch t := got.told(); {
			case got.status != http.StatusOK || t.Status != string(intake.StatusDeclined):
				return wrong("it answers "+got.answered(), mend)
			case t.Reason == "":
				return doubt("there is no decline_reason", mend)
			}
			return passed()
		}},
	{"submit.keyless", "without a key it is refused", keyless, func(ctx context.Context, v *visit) verdict {
		got, err := v.send(ctx, letter{url: v.intake.Endpoint, body: v.request(), keyless: true})
		mend := "answer 401 with error.code UNAUTHORIZED and WWW-Authenticate: Bearer"
		switch {
		case err != nil:
			return noAnswer(err)
		case got.status < 400:
			return wrong("it answers "+got.answered()+", and the manifest declares requires_auth", mend)
		case got.status != http.StatusUnauthorized || got.header.Get("WWW-Authenticate") == "":
			return doubt("it answers "+got.answered(), mend)
		}
		return passed()
	}},
}

func submitValid(ctx context.Context, v *visit) verdict {
	body := v.request()
	got, err := v.submitted(ctx, body)
	if err != nil {
		return noAnswer(err)
	}
	if got.status != http.StatusOK {
		return wrong("it answers "+got.answered(), "answer 200 with an offer, or see that the sample is one that "+
			"gets an offer")
	}
	if typed := jsonTyped(got); typed.outcome != Passed {
		return typed
	}
	request, err := intake.ReadRequest(body, intake.Options{})
	if err != nil {
		return noAnswer(err)
	}
	found := intake.Check(intake.KindResponse, got.body, intake.Options{Now: v.options.Now()})
	response, unread := intake.ReadResponse(got.body, intake.Options{})
	if unread == nil {
		found = append(found, intake.CheckOffer(v.intake, request, response, v.options.Now())...)
		if response.Status == intake.StatusOffer && response.Offer.BindEndpoint != "" && v.intake.BindingAvailable {
			v.offer = &made{request.SessionID, *response.Offer}
		}
		if response.Status != intake.StatusOffer {
			found = append(found,
				intake.Finding{Rule: "status", Detail: "is " + string(response.Status) + ", and no offer",
					Mend: "name a sample that gets an offer", Severity: intake.Doubtful})
		}
	}
	return findings(found)
}

// findings are a verdict of their own.
func findings(found intake.Findings) verdict {
	v := passed()
	for i := len(found) - 1; i >= 0; i-- {
		f := found[i]
		next := wrong(f.Detail, f.Mend)
		if f.Severity == intake.Doubtful {
			next = doubt(f.Detail, f.Mend)
		}
		next.pointer = f.Pointer
		if v.outcome != Passed {
			next.more = append([]verdict{{outcome: v.outcome, pointer: v.pointer, detail: v.detail, mend: v.mend}},
				v.more...)
		}
		v = next
	}
	return v
}

// formSteps send what is no valid request (Agent Intake Protocol 0.1.0, Stage 2 and Transport
// Requirements).
var formSteps = slices.Concat([]step{
	raw("submit.malformed", "what is no JSON is refused", func(body []byte) []byte { return body[:len(body)-1] }),
	raw("submit.empty", "an empty body is refused", func([]byte) []byte { return nil }),
	raw("submit.array", "an array is refused",
		func(body []byte) []byte { return slices.Concat([]byte("["), body, []byte("]")) }),
}, missingMembers(), []step{
	malformedRequest("submit.session-format", "a session_id that is no UUID is refused", func(o object) {
		o["session_id"] = "test-001"
	}),
	malformedRequest("submit.session-version", "a session_id that is a UUID of version 1 is refused", func(o object) {
		o["session_id"] = "7f2c1f3e-90b1-1c55-8d0c-3e6f0a1d2b4c"
	}),
	malformedRequest("submit.consent", "a consent_scope without intake is refused", scopes("offer")),
	malformedRequest("submit.scope-empty", "an empty consent_scope is refused", scopes()),
	malformedRequest("submit.scope-twice", "a scope that stands twice is refused", scopes("intake", "intake")),
	malformedRequest("submit.scope-unknown", "an unknown scope is refused", scopes("intake", "everything")),
	malformedRequest("submit.agent-id", "an empty agent.id is refused", func(o object) {
		o["agent"].(object)["id"] = ""
	}),
	malformedRequest("submit.unknown-member", "an unknown member, intake_id, is refused", func(o object) {
		o["intake_id"] = "x"
	}),
	malformedRequest("submit.unknown-agent-member", "an unknown member of agent is refused", func(o object) {
		o["agent"].(object)["model"] = "x"
	}),
	malformedRequest("submit.locale", "a locale that is not like en-US is refused", func(o object) {
		o["metadata"] = object{"locale": "EN_us"}
	}),
	doubted(malformedRequest("submit.version", "a version that is not spoken, 0.2.0, is refused", func(o object) {
		o["aip_version"] = "0.2.0"
	})),
	doubted(taken("submit.version-patch", "a version that differs in its last number, 0.1.7, is taken",
		"take all of 0.1", func(o object) { o["aip_version"] = "0.1.7" })),
	taken("submit.metadata", "metadata may have members of the agent's own", "leave metadata open", func(o object) {
		o["metadata"] = object{"frontdesk_check": true}
	}),
	{"submit.charset", "application/json; charset=utf-8 is taken", data, func(ctx context.Context, v *visit) verdict {
		return v.takes(ctx, letter{url: v.intake.Endpoint, body: v.request(),
			contentType: "application/json; charset=utf-8"}, "compare the type without its parameters")
	}},
	{"submit.content-type", "what is not called JSON is refused", data, func(ctx context.Context, v *visit) verdict {
		return v.refuses(ctx, letter{url: v.intake.Endpoint, body: v.request(), contentType: "text/plain"},
			http.StatusUnsupportedMediaType, intake.CodeInvalidInput)
	}},
	{"submit.get", "GET is refused, with the methods that are allowed", data,
		func(ctx context.Context, v *visit) verdict {
			got, err := v.send(ctx, letter{url: v.intake.Endpoint, method: http.MethodGet})
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status < 400:
				return wrong("GET answers "+got.answered(), "answer 405 with Allow: POST")
			case got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "":
				return doubt(fmt.Sprintf("GET answers %d, Allow: %s", got.status, got.header.Get("Allow")),
					"answer 405 with Allow: POST")
			}
			return passed()
		}},
	{"submit.size", "a body of 64 KiB is taken", data, func(ctx context.Context, v *visit) verdict {
		body := v.request(padding(0))
		return orDoubt(v.takes(ctx, letter{url: v.intake.Endpoint, body: v.request(padding(65536 - len(body)))},
			"take bodies of up to 64 KiB"))
	}},
	{"submit.too-large", "a body of a megabyte is refused", data, func(ctx context.Context, v *visit) verdict {
		return orDoubt(v.refuses(ctx, letter{url: v.intake.Endpoint, body: v.request(padding(1 << 20))},
			http.StatusRequestEntityTooLarge, intake.CodeInvalidInput))
	}},
})

func scopes(names ...any) func(object) {
	return func(o object) { o["agent"].(object)["consent_scope"] = append([]any{}, names...) }
}

func padding(n int) func(object) {
	return func(o object) { o["metadata"] = object{"padding": strings.Repeat("x", n)} }
}

// raw is a step that changes the body as a text.
func raw(id, about string, change func([]byte) []byte) step {
	return step{id, about, data, func(ctx context.Context, v *visit) verdict {
		return v.refuses(ctx, letter{url: v.intake.Endpoint, body: change(v.request())}, http.StatusBadRequest,
			intake.CodeInvalidInput)
	}}
}

// malformedRequest is a step with a request that is not valid.
func malformedRequest(id, about string, change func(object)) step {
	return step{id, about, data, func(ctx context.Context, v *visit) verdict {
		return v.refuses(ctx, letter{url: v.intake.Endpoint, body: v.request(change)}, http.StatusBadRequest,
			intake.CodeInvalidInput)
	}}
}

// taken is a step with a request that is valid.
func taken(id, about, mend string, change func(object)) step {
	return step{id, about, data, func(ctx context.Context, v *visit) verdict {
		return v.takes(ctx, letter{url: v.intake.Endpoint, body: v.request(change)}, mend)
	}}
}

// doubted makes a doubt of what a step finds wrong.
func doubted(each step) step {
	run := each.run
	each.run = func(ctx context.Context, v *visit) verdict { return orDoubt(run(ctx, v)) }
	return each
}

func missingMembers() (all []step) {
	for _, name := range []string{"aip_version", "agent", "intake_data", "session_id"} {
		all = append(all, malformedRequest("submit.without-"+strings.ReplaceAll(name, "_", "-"),
			"a request without "+name+" is refused", func(o object) { delete(o, name) }))
	}
	return all
}

// dataSteps send data that does not conform to the intake's schema, each in one way (Agent Intake
// Protocol 0.1.0, Security Considerations).
var dataSteps = []step{
	mismatch("submit.required", "data without a required member is refused", "required"),
	mismatch("submit.enum", "a value that is none of an enum's is refused", "enum"),
	mismatch("submit.type", "a value of another type is refused", "type"),
	mismatch("submit.minimum", "a number below the minimum is refused", "minimum"),
	mismatch("submit.maximum", "a number above the maximum is refused", "maximum"),
	mismatch("submit.max-length", "a text that is too long is refused", "maxLength"),
	mismatch("submit.pattern", "a text that does not match the pattern is refused", "pattern"),
	mismatch("submit.item", "an element that is none of an enum's is refused", "items"),
	{"submit.zero", "0 and false are values, and not missing", data, func(ctx context.Context, v *visit) verdict {
		varied := v.falsy()
		if varied == nil {
			return verdict{outcome: Skipped, detail: "the schema has no member that may be 0 or false"}
		}
		return v.takes(ctx,
			letter{url: v.intake.Endpoint, body: v.request(func(o object) { o["intake_data"] = varied })},
			"look whether a member is there, and not whether it is truthy")
	}},
	{"submit.personal", "an undeclared member that looks personal is refused", data,
		func(ctx context.Context, v *visit) verdict {
			if v.intake.Privacy.NeedsPersonal() {
				return verdict{outcome: Skipped, detail: "the intake wants personal data"}
			}
			body := v.request(func(o object) { o["intake_data"].(object)["email"] = "check@frontdesk.example" })
			return orDoubt(v.refuses(ctx, letter{url: v.intake.Endpoint, body: body}, http.StatusBadRequest,
				intake.CodeSchemaMismatch))
		}},
}

// mismatch is a step with data that breaks one keyword of the schema.
func mismatch(id, about, keyword string) step {
	return step{id, about, data, func(ctx context.Context, v *visit) verdict {
		varied := v.vary(keyword)
		if varied == nil {
			return verdict{outcome: Skipped, detail: "the sample has no member for it"}
		}
		body := v.request(func(o object) { o["intake_data"] = varied })
		return v.refuses(ctx, letter{url: v.intake.Endpoint, body: body}, http.StatusBadRequest,
			intake.CodeSchemaMismatch)
	}}
}

// lastSteps look at all that was answered, and make a noise in the end.
var lastSteps = []step{
	{"submit.errors", "errors are valid answers of the protocol, to the session that they answer", data,
		func(_ context.Context, v *visit) verdict {
			for _, got := range v.refused {
				if found := intake.Check(intake.KindResponse, got.body, intake.Options{}); !found.Valid() {
					return wrong(fmt.Sprintf("an answer of status %d is not valid: %s", got.status, found.First()),
						"answer aip_version, session_id (or "+intake.Nil+"), status error and error with code and "+
							"message")
				}
				if t := got.told(); t.Status != string(intake.StatusError) || t.Error == nil {
					return wrong(fmt.Sprintf("an answer of status %d says no error", got.status),
						"answer status error and error with code and message")
				}
			}
			return passed()
		}},
	{"submit.error-status", "no error comes with a status of success", data, func(_ context.Context, v *visit) verdict {
		for _, got := range v.answers {
			if got.told().Status == string(intake.StatusError) {
				return wrong("it answers "+got.answered(), "answer errors with their own status: 400, 404, 410, 429, "+
					"500 or 503")
			}
		}
		return passed()
	}},
	{"submit.error-type", "errors are application/json", data, func(_ context.Context, v *visit) verdict {
		for _, got := range v.refused {
			if typed := jsonTyped(got); typed.outcome != Passed {
				return typed
			}
		}
		return passed()
	}},
	{"submit.cors", "scripts of any site may read answers", data, func(_ context.Context, v *visit) verdict {
		for _, got := range slices.Concat(v.answers, v.refused) {
			if v := readable(got); v.outcome != Passed {
				return v
			}
		}
		return passed()
	}},
	{"submit.time", "answers come within ten seconds", data, func(_ context.Context, v *visit) verdict {
		if v.slowest > slow {
			return doubt(fmt.Sprintf("one took %s", v.slowest), "answer 503 with Retry-After, or pending, in time")
		}
		return passed()
	}},
	{"submit.burst", "as many requests at a stroke as were asked for are throttled where the manifest says so",
		data | bursting, throttling},
}

// throttling makes many requests, and looks whether the declared limit holds.
func throttling(ctx context.Context, v *visit) verdict {
	declared := 0
	if v.intake.RateLimit != nil {
		declared = v.intake.RateLimit.RequestsPerMinute
	}
	for sent := 1; sent <= v.options.Burst; sent++ {
		got, err := v.once(ctx, letter{url: v.intake.Endpoint, body: v.request()})
		if err != nil {
			return noAnswer(err)
		}
		if got.status != http.StatusTooManyRequests {
			continue
		}
		seconds, err := strconv.Atoi(got.header.Get("Retry-After"))
		t := got.told()
		switch {
		case err != nil || seconds < 1 || t.Error == nil || t.Error.Code != intake.CodeRateLimited:
			return wrong("it answers "+got.answered()+", Retry-After: "+got.header.Get("Retry-After"),
				"answer 429 with error.code RATE_LIMITED and a Retry-After in seconds")
		case declared == 0:
			return doubt("it throttles, and the manifest declares no limit", "declare rate_limit")
		}
		return passed()
	}
	if declared > 0 && v.options.Burst > declared {
		return wrong(fmt.Sprintf("%d requests at a stroke are not throttled, and the manifest declares %d a minute",
			v.options.Burst, declared), "enforce what is declared, or declare what is enforced")
	}
	if declared == 0 {
		return doubt(fmt.Sprintf("%d requests at a stroke are not throttled", v.options.Burst),
			"limit requests, and declare it in rate_limit")
	}
	return verdict{outcome: Skipped,
		detail: fmt.Sprintf("the manifest declares %d a minute, which is more than the burst", declared)}
}

// vary is the sample's data with one keyword of the schema broken, nil where there is no way.
func (v *visit) vary(keyword string) object {
	var schema struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(v.intake.InputSchema, &schema)
	if keyword == "required" {
		for _, name := range schema.Required {
			varied := members(v.sample.Data)
			delete(varied, name)
			return varied
		}
		return nil
	}
	for _, name := range sorted(schema.Properties) {
		property := members([]byte(schema.Properties[name]))
		for _, value := range breaking(property, keyword) {
			varied := members(v.sample.Data)
			varied[name] = value
			if v.breaks(varied, name, keyword) {
				return varied
			}
		}
	}
	return nil
}

// breaks says whether data breaks just the one keyword.
func (v *visit) breaks(varied object, name, keyword string) bool {
	if keyword == "items" {
		keyword, name = "enum", name+"/"
	}
	found := v.schema.Validate(encoded(varied))
	return len(found) == 1 && found[0].Keyword == keyword && strings.HasPrefix(found[0].Pointer, "/"+name)
}

// breaking are values that may break a keyword of a property.
func breaking(property object, keyword string) []any {
	switch keyword {
	case "enum":
		return []any{"zq-none", -987654321}
	case "type":
		return []any{"zq", 7, []any{}, true}
	case "minimum", "maximum":
		number, _ := property[keyword].(json.Number)
		bound, err := number.Float64()
		if err != nil {
			return nil
		}
		if keyword == "minimum" {
			return []any{bound - 1}
		}
		return []any{bound + 1}
	case "maxLength":
		number, _ := property[keyword].(json.Number)
		if length, err := number.Int64(); err == nil && length < 32<<10 {
			n := int(length) + 1
			return []any{strings.Repeat("a", n), strings.Repeat("0", n), strings.Repeat("x ", n)[:n]}
		}
	case "pattern":
		return []any{"~~", "", "a", "0", "a b"}
	case "items":
		return []any{[]any{"zq-none"}}
	}
	return nil
}

// falsy is the sample's data with 0 or false in it, nil where there is no way.
func (v *visit) falsy() object {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(v.intake.InputSchema, &schema)
	for _, value := range []any{false, 0} {
		for _, name := range sorted(schema.Properties) {
			varied := members(v.sample.Data)
			varied[name] = value
			if property := members([]byte(schema.Properties[name])); property["type"] != nil &&
				len(v.schema.Validate(encoded(varied))) == 0 {
				return varied
			}
		}
	}
	return nil
}

func sorted(members map[string]json.RawMessage) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// same says whether two replies have the same body.
func same(a, b *reply) bool { return bytes.Equal(bytes.TrimSpace(a.body), bytes.TrimSpace(b.body)) }
