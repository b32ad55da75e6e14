package check

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// How far timestamps are from the publisher's clock that must just pass, or just not: the clocks
// are compared to the second at best.
const (
	almost = sign.Skew - 15*time.Second
	beyond = sign.Skew + 15*time.Second
)

const signedKey = key | retrieve | accepted

// authProbes look at who is let in.
var authProbes = append([]probe{
	{"auth.accepted", "a request that is signed right is let in", key | retrieve,
		func(ctx context.Context, p *prober) verdict {
			got, err := p.ask(ctx)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.answer.status == http.StatusUnauthorized || got.answer.status == http.StatusForbidden:
				return wrong("it answers "+got.answer.said(), "compare what is signed: POST, the path with its "+
					"query, the SHA-256 of the raw body in hex, X-AIP-Timestamp, X-AIP-Nonce, each on a line; "+
					"see that the key is active, may retrieve, and is that platform's")
			}
			return passed()
		}},
	refusing("auth.unsigned", "a request without the five headers is refused", func(m *message) { m.unsigned = true }),
	refusing("auth.unsigned-first", "a request that is unsigned and no JSON is refused as unsigned", func(m *message) {
		m.unsigned, m.sentBody = true, []byte(`{"aip_version":`)
	}),
	refusing("auth.unknown-key", "an unknown key is refused", func(m *message) {
		m.key = &Credentials{KeyID: "plat_" + random(), Secret: m.key.Secret}
	}),
	refusing("auth.wrong-secret", "a signature with another secret is refused", func(m *message) {
		m.key = &Credentials{KeyID: m.key.KeyID, Secret: []byte("another secret " + random())}
	}),
	refusing("auth.changed-body", "a body that was changed is refused", func(m *message) {
		m.sentBody = bytes.Replace(m.body, []byte("en-US"), []byte("en-GB"), 1)
	}),
	refusing("auth.changed-path", "a signature over another path is refused", func(m *message) {
		m.signPath = func(path string) string { return path + "/x" }
	}),
	refusing("auth.changed-method", "a signature over another method is refused", func(m *message) {
		m.signMethod = http.MethodPut
	}),
	refusing("auth.changed-timestamp", "a timestamp that was changed is refused", func(m *message) {
		m.edit = func(h http.Header) {
			at, _ := sign.ParseTime(m.timestamp)
			h.Set(sign.HeaderTimestamp, sign.FormatTime(at.Add(time.Second)))
		}
	}),
	refusing("auth.changed-nonce", "a nonce that was changed is refused", func(m *message) {
		m.edit = func(h http.Header) { h.Set(sign.HeaderNonce, random()) }
	}),
	refusingAt("auth.stale", "a timestamp of more than five minutes ago is refused", -beyond),
	refusingAt("auth.ahead", "a timestamp more than five minutes ahead is refused", beyond),
	{"auth.almost-stale", "a timestamp of almost five minutes ago is accepted", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request()
			m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
			m.timestamp = p.at(-almost)
			got, err := p.once(ctx, m)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden:
				return wrong("it answers "+got.said(), "accept timestamps up to 300 seconds away; look at the clock")
			}
			return passed()
		}},
	{"auth.nonce-replayed", "the same request a second time is refused", signedKey, nonceReplayed},
	{"auth.nonce-not-burned", "a nonce that came under a wrong signature can still be used", signedKey, nonceNotBurned},
	{"auth.nonce-per-key", "a nonce that another key used is accepted", signedKey | other, noncePerKey},
	{"auth.header-twice", "a header that stands twice is refused", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request()
			m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
			m.edit = func(h http.Header) { h.Add(sign.HeaderNonce, random()) }
			return orDoubt(p.refusal(ctx, m))
		}},
	{"auth.base64url", "a signature in the URL's alphabet of base64 is accepted", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request()
			m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
			m.edit = func(h http.Header) {
				h.Set(sign.HeaderSignature,
					strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(h.Get(sign.HeaderSignature)),
						"="))
			}
			for !strings.ContainsAny(sign.HMAC(m.key.Secret, m.method, pathOf(m.url), m.body, m.timestamp, m.nonce),
				"+/") {
				m.nonce = random()
			}
			got, err := p.once(ctx, m)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status == http.StatusUnauthorized || got.status == http.StatusForbidden:
				return doubt("it answers "+got.said(), "accept both alphabets, padded or not: the protocol does not "+
					"say which")
			}
			return passed()
		}},
	{"auth.version-unknown", "a version that is not spoken is refused", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request(func(r *intent.RetrieveRequest) { r.Version = "9.9" })
			m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
			m.version = "9.9"
			return p.failing(ctx, m, http.StatusBadRequest, intent.CodeUnsupportedVersion)
		}},
	{"auth.version-mismatch", "a header that names another version than the body is refused", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request()
			m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
			m.edit = func(h http.Header) { h.Set(sign.HeaderVersion, "9.9") }
			return p.failing(ctx, m, http.StatusBadRequest, "")
		}},
	{"auth.platform-mismatch", "a platform that is not the key's is refused", signedKey,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request(func(r *intent.RetrieveRequest) { r.Platform.ID = "other_" + random() })
			v := p.failing(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, body), http.StatusForbidden,
				intent.CodeAuthFailed)
			if v.outcome == Wrong {
				v.mend = "answer 403 auth_failed: with any key anybody could take in another platform's name"
			}
			return v
		}},
	{"auth.no-hint", "refusals do not say which check failed, and give nothing", key | retrieve, noHint},
	{"auth.failure-body", "a refusal is a valid answer of the protocol", key | retrieve,
		func(_ context.Context, p *prober) verdict {
			for _, got := range p.failures {
				if _, found := got.document(p.options.reading()); !found.Valid() {
					return doubt(found.First().String(), "answer aip_version, request_id (or an empty string), "+
						"timestamp, status and error in refusals, too")
				}
			}
			return passed()
		}},
}, missingHeaders()...)

// refusing is a probe of something that authentication must not let in.
func refusing(id, about string, change func(*message)) probe {
	return probe{id, about, signedKey, func(ctx context.Context, p *prober) verdict {
		_, body := p.request()
		m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
		change(m)
		return p.refusal(ctx, m)
	}}
}

// refusingAt is a probe with a timestamp of another time.
func refusingAt(id, about string, away time.Duration) probe {
	return probe{id, about, signedKey, func(ctx context.Context, p *prober) verdict {
		_, body := p.request()
		m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
		m.timestamp = p.at(away)
		return p.refusal(ctx, m)
	}}
}

// missingHeaders are the probes that leave out one of the five headers each.
func missingHeaders() (all []probe) {
	for _, name := range sign.Names {
		all = append(all, refusing("auth.without-"+strings.TrimPrefix(strings.ToLower(name), "x-aip-"),
			"a request without "+name+" is refused", func(m *message) { m.edit = func(h http.Header) { h.Del(name) } }))
	}
	return all
}

// refusal sends what must fail authentication.
func (p *prober) refusal(ctx context.Context, m *message) verdict {
	m.fixed = true
	got, err := p.send(ctx, m)
	if err != nil {
		return noAnswer(err)
	}
	switch got.status {
	case http.StatusUnauthorized:
	case http.StatusForbidden:
		p.failures = append(p.failures, got)
		return doubt("it answers 403", "answer 401 where it is unknown who asks, and 403 where it is known and may not")
	default:
		return wrong("it answers "+got.said(), "answer 401 with status error and error.code auth_failed, and look at "+
			"nothing else")
	}
	p.failures = append(p.failures, got)
	if told := got.loose(); told.Status != intent.StatusError || told.Error == nil ||
		told.Error.Code != intent.CodeAuthFailed {
		return wrong("it answers "+got.said(), "answer status error and error.code auth_failed")
	}
	return passed()
}

// failing sends what must be an error with a status and, where it is told, a code.
func (p *prober) failing(ctx context.Context, m *message, status int, code string) verdict {
	got, err := p.send(ctx, m)
	if err != nil {
		return noAnswer(err)
	}
	mend := fmt.Sprintf("answer %d with an error", status)
	if code != "" {
		mend = fmt.Sprintf("answer %d with error.code %s", status, code)
	}
	told := got.loose()
	switch {
	case got.status < 400:
		return wrong("it answers "+got.said(), mend)
	case got.status >= 500:
		return wrong("it answers "+got.said()+": the publisher breaks down", mend)
	case got.status != status, told.Error == nil, code != "" && told.Error.Code != code:
		return doubt("it answers "+got.said(), mend)
	}
	return passed()
}

// orDoubt makes a doubt of what is wrong.
func orDoubt(v verdict) verdict {
	if v.outcome == Wrong {
		v.outcome = Doubtful
	}
	return v
}

func nonceReplayed(ctx context.Context, p *prober) verdict {
	_, body := p.request()
	m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
	if _, err := p.send(ctx, m); err != nil {
		return noAnswer(err)
	}
	v := p.refusal(ctx, m)
	if v.outcome == Wrong {
		v.mend = "keep nonces by key until their timestamp is too old, and refuse one that is known with 401 " +
			"auth_failed"
	}
	return v
}

func nonceNotBurned(ctx context.Context, p *prober) verdict {
	_, body := p.request()
	m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
	bad := *m
	bad.key = &Credentials{KeyID: m.key.KeyID, Secret: []byte("another secret " + random())}
	if _, err := p.once(ctx, &bad); err != nil {
		return noAnswer(err)
	}
	got, err := p.once(ctx, m)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status == http.StatusUnauthorized:
		return wrong("it answers "+got.said(), "record a nonce only when the signature was right: otherwise anybody "+
			"can use up other people's")
	}
	return passed()
}

func noncePerKey(ctx context.Context, p *prober) verdict {
	_, body := p.request()
	m := p.good(p.declaration.Endpoints.Retrieve.URL, body)
	if _, err := p.send(ctx, m); err != nil {
		return noAnswer(err)
	}
	_, body = p.request(func(r *intent.RetrieveRequest) { r.Platform.ID = p.options.Other.Platform })
	again := p.good(p.declaration.Endpoints.Retrieve.URL, body)
	again.key, again.nonce = p.options.Other, m.nonce
	got, err := p.once(ctx, again)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status == http.StatusUnauthorized:
		return wrong("it answers "+got.said(), "keep nonces by key")
	}
	return passed()
}

func noHint(_ context.Context, p *prober) verdict {
	messages := map[string]bool{}
	for _, got := range p.failures {
		told := got.loose()
		if told.Content != nil {
			return wrong("a refusal has content", "give nothing")
		}
		if told.Error != nil {
			messages[told.Error.Message] = true
		}
	}
	if len(messages) > 1 {
		return wrong("refusals say "+strconv.Itoa(len(messages))+" different things",
			"answer every refusal in the same words")
	}
	return passed()
}

// pathOf is the path of an address as it is sent.
func pathOf(address string) string {
	request, err := http.NewRequest(http.MethodPost, address, nil)
	if err != nil {
		return ""
	}
	return request.URL.RequestURI()
}
