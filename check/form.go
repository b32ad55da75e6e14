package check

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"frontdesk/wire/intent"
)

// formProbes send what is not a valid request, signed right.
var formProbes = []probe{
	malformed("form.no-json", "what is no JSON is refused", func(body string) string { return body[:len(body)-1] }),
	malformed("form.unknown-member", "a member that the protocol does not know, a bid, is refused",
		func(body string) string { return `{"bid":1,` + body[1:] }),
	malformed("form.missing-member", "a request without a member that must be there is refused",
		func(body string) string { return strings.Replace(body, `"turn_index":0`, `"turn_index_x":0`, 1) }),
	malformed("form.turn-index", "a turn_index below 0 is refused", func(body string) string {
		return strings.Replace(body, `"turn_index":0`, `"turn_index":-1`, 1)
	}),
	malformed("form.confidence", "a confidence above 1 is refused", func(body string) string {
		return strings.Replace(body, `"intent":{`, `"intent":{"confidence":1.01,`, 1)
	}),
	malformed("form.domain", "a domain with a wildcard is refused", func(body string) string {
		return strings.Replace(body, `"intent":{"domain":"`, `"intent":{"domain":"*.`, 1)
	}),
	malformed("form.timestamp", "a timestamp that is none is refused", func(body string) string {
		return strings.Replace(body, `"timestamp":"`, `"timestamp":"at `, 1)
	}),
	doubtful(malformed("form.language", "a language that is not like en-US is refused", func(body string) string {
		return strings.Replace(body, `"en-US"`, `"en"`, 1)
	})),
	doubtful(malformed("form.duplicate-member", "a member that stands twice is refused", func(body string) string {
		return `{"aip_version":"9.9",` + body[1:]
	})),
	{"form.whole-number", "a whole number written as 0.0 is one", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request()
			got, err := p.send(ctx,
				p.good(p.declaration.Endpoints.Retrieve.URL, bytes.Replace(body, []byte(`"turn_index":0`), []byte(`"turn_index":0.0`), 1)))
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status >= 400 && got.status != http.StatusTooManyRequests:
				return doubt("it answers "+got.said(), "take 0.0 for 0, as JSON Schema does")
			}
			return passed()
		}},
	{"form.content-type", "a body that is not called JSON is refused", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request()
			m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
			m.contentType = "text/plain"
			return orDoubt(p.failing(ctx, m, http.StatusUnsupportedMediaType, ""))
		}},
	{"form.too-large", "a body of a megabyte is refused", signedKey, func(ctx context.Context, p *prober) verdict {
		_, body := p.request(func(r *intent.RetrieveRequest) {
			r.Extensions = intent.Extensions{"frontdesk.check": []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}
		})
		return orDoubt(p.failing(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, body),
			http.StatusRequestEntityTooLarge, ""))
	}},
	{"form.method", "GET is refused, with the methods that are allowed", signedKey,
		func(ctx context.Context, p *prober) verdict {
			m := p.good(p.declaration.Endpoints.Retrieve.URL, nil)
			m.method = http.MethodGet
			got, err := p.send(ctx, m)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status < 400:
				return wrong("it answers "+got.said(), "answer 405: passages are given to a POST alone")
			case got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "":
				return doubt(fmt.Sprintf("it answers %d, Allow: %s", got.status, got.header.Get("Allow")),
					"answer 405 with Allow: POST")
			}
			return passed()
		}},
	{"form.commercial", "a request that carries a price in its extensions gets nothing", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			return p.givesNothing(ctx, func(r *intent.RetrieveRequest) {
				r.Extensions = intent.Extensions{"vendor.bid": []byte(`{"price":"0.10","currency":"USD"}`)}
			},
				"deny with policy_violation: requests carry no prices, not in extensions either")
		}},
	{"form.identity", "a request that names a person in its extensions gets nothing", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			return p.givesNothing(ctx, func(r *intent.RetrieveRequest) {
				r.Extensions = intent.Extensions{"vendor.user_id": []byte(`"u-1"`)}
			},
				"deny with policy_violation: requests name no person beyond the session")
		}},
	{"form.live-only", "a request that was made long ago gets nothing, however new its signature", signedOpen,
		func(ctx context.Context, p *prober) verdict {
			return p.givesNothing(ctx, func(r *intent.RetrieveRequest) { r.Timestamp = p.at(-24 * time.Hour) },
				"deny with policy_violation: access is live_only")
		}},
}

// malformed is a probe with a body that is no valid request.
func malformed(id, about string, change func(string) string) probe {
	return probe{id, about, signedKey, func(ctx context.Context, p *prober) verdict {
		_, body := p.request()
		changed := change(string(body))
		if changed == string(body) {
			return verdict{outcome: Skipped, detail: "the request has nothing to change here"}
		}
		return p.failing(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, []byte(changed)), http.StatusBadRequest,
			intent.CodeInvalidRequest)
	}}
}

// doubtful makes a doubt of what a probe finds wrong.
func doubtful(each probe) probe {
	run := each.run
	each.run = func(ctx context.Context, p *prober) verdict { return orDoubt(run(ctx, p)) }
	return each
}

// givesNothing asks for what must not be given.
func (p *prober) givesNothing(ctx context.Context, change func(*intent.RetrieveRequest), mend string) verdict {
	got, err := p.ask(ctx, change)
	switch told := (loose{}); {
	case err != nil:
		return noAnswer(err)
	default:
		if told = got.answer.loose(); told.Status == intent.StatusOK || told.Content != nil || told.Error != nil &&
			told.Error.Code == intent.CodeNoContent {
			return doubt("it answers "+got.answer.said(), mend)
		}
	}
	return passed()
}
