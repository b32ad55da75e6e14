package check

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// contentProbes look at what is given.
var contentProbes = []probe{
	{"content.answer", "a request in scope is answered as the protocol has it", signedOpen, contentAnswer},
	{"content.tokens", "no more is given than the limits allow, counted by characters", signedOpen | passages,
		tokensBounded},
	{"content.signature", "an answer is signed, with the key of its request", signedKey, answerSigned},
	{"content.no-store", "answers are not to be kept", signedKey, func(ctx context.Context, p *prober) verdict {
		got, err := p.ask(ctx)
		switch {
		case err != nil:
			return noAnswer(err)
		case !strings.Contains(strings.ToLower(got.answer.header.Get("Cache-Control")), "no-store"):
			return doubt(fmt.Sprintf("Cache-Control is %q", got.answer.header.Get("Cache-Control")),
				"answer Cache-Control: no-store")
		}
		return passed()
	}},
	{"content.same-request", "the same request again, under a new signature, gets the same answer",
		signedOpen | passages, sameRequest},
	{"content.conflict", "a request_id that comes again with another body is refused", signedOpen | passages,
		func(ctx context.Context, p *prober) verdict {
			_, body := p.request(func(r *intent.RetrieveRequest) { *r = p.content.request; r.Runtime.TurnIndex++ })
			return orDoubt(p.failing(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, body), http.StatusConflict,
				intent.CodeRequestConflict))
		}},
	{"content.nothing-found", "what matches nothing is answered with an error or with passages, never with an empty ok",
		signedOpen, func(ctx context.Context, p *prober) verdict {
			got, err := p.ask(ctx, func(r *intent.RetrieveRequest) {
				r.Runtime.QueryText = "zqxjkv wvqzzk " + random()
			})
			if err != nil {
				return noAnswer(err)
			}
			return p.wellAnswered(got)
		}},
}

// contentAnswer asks until there are passages, by every domain that is declared.
func contentAnswer(ctx context.Context, p *prober) verdict {
	labels := p.declaration.EditorialDomains
	if p.options.Domain != "" {
		labels = []string{p.options.Domain}
	}
	var last verdict
	for _, label := range labels[:min(len(labels), 10)] {
		got, err := p.ask(ctx, about(label, ""))
		if err != nil {
			return noAnswer(err)
		}
		last = p.wellAnswered(got)
		if told := got.answer.loose(); told.Status == intent.StatusOK {
			if document, _ := got.answer.document(p.options.reading()); document != nil {
				p.content = got
			}
			return last
		}
		if last.outcome == Wrong {
			return last
		}
	}
	return last
}

// wellAnswered judges any answer to a request that was let in.
func (p *prober) wellAnswered(got *exchanged) verdict {
	document, found := got.answer.document(p.options.reading())
	if document != nil {
		found = append(found, intent.CheckAnswer(&got.request, document, p.declaration)...)
	}
	var all []verdict
	for _, f := range found {
		outcome := Wrong
		if f.Severity == intent.Doubtful {
			outcome = Doubtful
		}
		all = append(all, verdict{outcome: outcome, pointer: f.Pointer, detail: f.Detail, mend: f.Mend})
	}
	if document != nil {
		all = append(all, statusFits(got.answer, document)...)
	}
	if len(all) == 0 {
		return passed()
	}
	slices.SortStableFunc(all, func(a, b verdict) int { return strings.Compare(string(a.outcome), string(b.outcome)) })
	all[0].more = all[1:]
	return all[0]
}

// statusFits holds the status of HTTP against that of the answer.
func statusFits(got *reply, document *intent.RetrieveResponse) []verdict {
	switch {
	case document.Status == intent.StatusOK && got.status != http.StatusOK:
		return []verdict{wrong("passages come with "+strconv.Itoa(got.status), "answer 200")}
	case document.Denial != nil && document.Denial.Reason == intent.ReasonRateLimited:
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			return []verdict{doubt("rate_limited comes with "+strconv.Itoa(got.status), "answer 429 with Retry-After")}
		}
	case document.Denial != nil && got.status != http.StatusOK, document.Error != nil &&
		document.Error.Code == intent.CodeNoContent && got.status != http.StatusOK:
		return []verdict{doubt("it answers "+got.said(), "answer 200: the request was understood, and decided")}
	case document.Error != nil && document.Error.Code != intent.CodeNoContent && got.status < 400:
		return []verdict{doubt("it answers "+got.said(), "answer errors with a status of 400 or more")}
	}
	return nil
}

func tokensBounded(_ context.Context, p *prober) verdict {
	document, _ := p.content.answer.document(p.options.reading())
	counted, told := 0, true
	for _, chunk := range document.Content.Chunks {
		counted += intent.Tokens(chunk.Text)
		told = told && chunk.TokenCount != nil
	}
	most := p.declaration.Retrieval.MaxTokens
	if limits := document.LimitsApplied; limits != nil && limits.MaxTokens > 0 {
		most = limits.MaxTokens
	}
	switch {
	case most > 0 && counted > most:
		return doubt(fmt.Sprintf("the passages have about %d tokens (characters divided by four), and %d is the limit",
			counted, most), "give less")
	case !told:
		return doubt("passages come without token_count", "tell it, so that both sides count alike")
	}
	return passed()
}

// answerSigned verifies the signature of an answer.
func answerSigned(ctx context.Context, p *prober) verdict {
	got, err := p.ask(ctx)
	if err != nil {
		return noAnswer(err)
	}
	answer := got.answer
	if !sign.Any(answer.header) {
		return doubt("there is no signature", "sign answers as requests are signed: the first line is the status, "+
			"such as 200, the path that of the request")
	}
	head, err := sign.Read(answer.header)
	switch {
	case err != nil:
		return wrong(err.Error(), "send each of the five headers once, and right")
	case head.KeyID != p.options.Key.KeyID:
		return doubt("it names the key "+strconv.Quote(head.KeyID),
			"sign with the key of the request, the one that both sides have")
	case !head.Fresh(p.options.Now().Add(p.offset)):
		return wrong("its timestamp is more than five minutes away", "write the time of the answer")
	case !head.Verify(p.options.Key.Secret, strconv.Itoa(answer.status), answer.path, answer.body):
		return wrong("the signature is not that of the answer",
			"sign the status in digits, the request's path with its query, the SHA-256 of the body as it is sent, "+
				"the timestamp and the nonce, each on a line")
	case head.Nonce == "":
		return wrong("there is no nonce", "send one that is never used again")
	}
	return passed()
}

// sameRequest sends the same body again.
func sameRequest(ctx context.Context, p *prober) verdict {
	again, err := p.send(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, p.content.body))
	if err != nil {
		return noAnswer(err)
	}
	first, _ := p.content.answer.document(p.options.reading())
	second, _ := again.document(p.options.reading())
	if second == nil || second.Status != intent.StatusOK ||
		!slices.EqualFunc(first.Content.Chunks, second.Content.Chunks,
			func(a, b intent.Chunk) bool { return a.ID == b.ID && a.Text == b.Text }) {
		return doubt("it answers "+again.said()+", with other passages or none",
			"give the answer of a request_id again for some minutes, and count it once: the first may have been lost "+
				"on its way")
	}
	return passed()
}

// lastProbes are those after which little else can be asked.
var lastProbes = []probe{
	{"rate.throttles", "a burst is throttled, and told when to come again", signedOpen | burst,
		func(ctx context.Context, p *prober) verdict {
			session := "check_" + random()
			for range p.options.Burst {
				_, body := p.request(func(r *intent.RetrieveRequest) { r.Runtime.SessionID = session })
				got, err := p.once(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, body))
				if err != nil {
					return noAnswer(err)
				}
				if got.status != http.StatusTooManyRequests &&
					!bytes.Contains(got.body, []byte(intent.ReasonRateLimited)) {
					continue
				}
				if told := got.loose(); got.status != http.StatusTooManyRequests ||
					got.header.Get("Retry-After") == "" || told.Denial == nil ||
					told.Denial.Reason != intent.ReasonRateLimited {
					return doubt("it answers "+got.said()+", Retry-After: "+got.header.Get("Retry-After"),
						"answer 429, denied with rate_limited, and Retry-After")
				}
				return passed()
			}
			return doubt(fmt.Sprintf("%d requests at a stroke were let through", p.options.Burst),
				"bound how often a platform and a session may ask")
		}},
}
