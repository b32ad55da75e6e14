package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"frontdesk/client"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/intake"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

func callIntent(t *testing.T, options client.Options, who who) func(context.Context, step) (any, error) {
	var publisher *client.Publisher
	var passages *client.Passages
	platform := client.Platform{ID: who.Platform, Key: client.NewKey(who.Key, []byte(who.Secret)),
		RequireSigned: who.RequireSigned}
	return func(ctx context.Context, s step) (any, error) {
		var with struct {
			client.Retrieval
			LatencyMS      int    `json:"latency_ms"`
			SourceURL      string `json:"source_url"`
			Surface, Event string
		}
		read(t, s.With, &with)
		switch s.Do {
		case "open":
			opened, err := client.OpenPublisher(ctx, address, platform, options)
			if err != nil {
				return nil, err
			}
			publisher = opened
			return map[string]any{"publisher": opened.Declaration().Publisher.ID}, nil
		case "retrieve":
			with.Retrieval.Latency = seconds(float64(with.LatencyMS) / 1000)
			got, err := publisher.Retrieve(ctx, with.Retrieval)
			if err != nil {
				return nil, err
			}
			passages = got
			return map[string]any{"chunks": got.Answer.Content.Chunks, "citations": got.Answer.Citations,
				"signed": got.Signed, "receipt": got.ReceiptURL()}, nil
		case "cite":
			shown, err := passages.Shown(with.SourceURL, with.Surface)
			if err != nil {
				return nil, err
			}
			shown.EventID = with.Event
			return nil, publisher.Cite(ctx, shown)
		case "confirm":
			return nil, publisher.Confirm(ctx, passages)
		}
		t.Fatalf("Agentic Intent has no %q", s.Do)
		return nil, nil
	}
}

func callIntake(t *testing.T, options client.Options, who who) func(context.Context, step) (any, error) {
	var provider *client.Provider
	var offered *client.Offered
	return func(ctx context.Context, s step) (any, error) {
		var with struct {
			Intake, Session, Locale, Timezone string
			Data                              json.RawMessage
			Personal                          bool
			Scopes                            []intake.Scope
		}
		read(t, s.With, &with)
		switch s.Do {
		case "open":
			opened, err := client.DiscoverIntakes(ctx, address,
				client.IntakeAgent{ID: who.Agent, Platform: who.Platform, Name: who.Name}, options)
			if err != nil {
				return nil, err
			}
			provider = opened
			ids := []string{}
			for _, each := range opened.Manifest().Intakes {
				ids = append(ids, each.ID)
			}
			return map[string]any{"intakes": ids}, nil
		case "submit":
			got, err := provider.SubmitIntake(ctx, with.Intake,
				client.Submission{Data: strictjson.Value(with.Data), Session: with.Session, Personal: with.Personal,
					Locale: with.Locale, Timezone: with.Timezone, Scopes: with.Scopes})
			if err != nil {
				return nil, err
			}
			offered = got
			return map[string]any{"session": got.Session, "offer": got.Response.Offer}, nil
		case "bind":
			confirmed, err := offered.Confirm(strictjson.Value(with.Data))
			if err != nil {
				return nil, err
			}
			got, err := provider.BindOffer(ctx, confirmed)
			if err != nil {
				return nil, err
			}
			return got.Bound, nil
		}
		t.Fatalf("Agent Intake has no %q", s.Do)
		return nil, nil
	}
}

func callRAMP(t *testing.T, options client.Options, who who) func(context.Context, step) (any, error) {
	var exchange *client.Exchange
	var quotes *client.Quotes
	var bought *client.Bought
	buyer := client.Buyer{ID: who.ID, Domain: who.Domain, Key: who.private(), KeyID: who.KeyID}
	return func(ctx context.Context, s step) (any, error) {
		var with struct {
			ID, Report, Reason, Description string
			URIs, Uses, Accept, Functions   []string
			Quantity                        int
		}
		read(t, s.With, &with)
		switch s.Do {
		case "open":
			opened, err := client.OpenExchange(ctx, address, buyer, options)
			if err != nil {
				return nil, err
			}
			exchange = opened
			return map[string]any{"exchange": opened.Manifest().GetDomain()}, nil
		case "discover":
			got, err := exchange.Discover(ctx, client.Wanted{URIs: with.URIs, Uses: with.Uses})
			if err != nil {
				return nil, err
			}
			quotes = got
			return map[string]any{"quotes": quotesOf(got)}, nil
		case "buy":
			got, err := exchange.Buy(ctx, with.ID, quotes.All[0].Offers[0])
			if err != nil {
				return nil, err
			}
			b := &got[0]
			if !b.Denied() {
				bought = b
			}
			return map[string]any{"transaction": b.Result.GetTransactionId(), "billing": b.Result.GetBillingId(),
				"denied": unlessZero(int32(b.Denial), b.Denial.String()), "url": b.URL()}, nil
		case "fetch":
			got, err := exchange.Fetch(ctx, bought, with.Accept...)
			if err != nil {
				return nil, err
			}
			return map[string]any{"body": string(got.Body), "media": got.Media, "offered": got.Offered,
				"digested": got.Digested}, nil
		case "report":
			use := client.Use{ID: with.ID, Quantity: with.Quantity}
			for _, name := range with.Functions {
				use.Functions = append(use.Functions, compv1.Function(compv1.Function_value[name]))
			}
			id, err := exchange.Report(ctx, bought, use)
			return map[string]any{"report": id}, err
		case "dispute":
			got, err := exchange.Dispute(ctx, bought, &client.Dispute{ID: with.ID, ReportID: with.Report,
				Reason: rampv1.DisputeReason(rampv1.DisputeReason_value[with.Reason]), Description: with.Description})
			if err != nil {
				return nil, err
			}
			return map[string]any{"dispute": got.ID, "status": got.Status}, nil
		}
		t.Fatalf("RAMP has no %q", s.Do)
		return nil, nil
	}
}

func unlessZero(n int32, name string) string {
	if n == 0 {
		return ""
	}
	return name
}

func quotesOf(got *client.Quotes) []map[string]any {
	out := []map[string]any{}
	for _, q := range got.All {
		ids := []string{}
		for _, offer := range q.Offers {
			ids = append(ids, offer.OfferId)
		}
		out = append(out, map[string]any{"uri": q.URI, "offers": ids, "passed": len(q.Passed),
			"absence": unlessZero(int32(q.Absence), q.Absence.String())})
	}
	return out
}

// errorOfProtocol is an error of Agentic Intent, Agent Intake or RAMP as transcripts have it.
func errorOfProtocol(err error) map[string]any {
	var denied *client.Denied
	var failed *client.Failed
	var invalid *client.Invalid
	var unfit *client.Unfit
	var personal *client.PersonalData
	var declined *client.Declined
	var pending *client.Pending
	var refused *client.Refused
	var stranger *client.NotAnIntake
	var answered *client.ExchangeError
	var elsewhere *client.NotAnExchange
	var untaken *client.Rejected
	var undisputed *client.NotDisputed
	switch {
	case errors.As(err, &denied):
		return map[string]any{"kind": "denied", "reason": denied.Reason, "message": denied.Message,
			"status": denied.Status, "retry_after": denied.RetryAfter.Seconds()}
	case errors.As(err, &failed):
		return map[string]any{"kind": "failed", "code": failed.Code, "message": failed.Message, "status": failed.Status,
			"retry_after": failed.RetryAfter.Seconds()}
	case errors.As(err, &invalid):
		return map[string]any{"kind": "invalid", "status": invalid.Status}
	case errors.As(err, &unfit):
		members := []string{}
		for _, each := range unfit.Violations {
			members = append(members, each.Pointer)
		}
		return map[string]any{"kind": "unfit", "members": members}
	case errors.As(err, &personal):
		return map[string]any{"kind": "personal_data", "members": personal.Members}
	case errors.As(err, &declined):
		return map[string]any{"kind": "declined", "reason": declined.Reason}
	case errors.As(err, &pending):
		return map[string]any{"kind": "pending", "retry_after": pending.RetryAfter.Seconds()}
	case errors.As(err, &refused):
		return map[string]any{"kind": "refused", "code": refused.Code, "message": refused.Message,
			"status": refused.Status, "retry_after": refused.RetryAfter.Seconds()}
	case errors.As(err, &stranger):
		return map[string]any{"kind": "not_an_intake", "status": stranger.Status}
	case errors.As(err, &answered):
		return map[string]any{"kind": "exchange", "code": answered.Code, "message": answered.Message,
			"status": answered.Status, "retry_after": answered.RetryAfter.Seconds()}
	case errors.As(err, &elsewhere):
		return map[string]any{"kind": "not_an_exchange"}
	case errors.As(err, &untaken):
		return map[string]any{"kind": "rejected"}
	case errors.As(err, &undisputed):
		return map[string]any{"kind": "not_disputed", "dispute": undisputed.Dispute}
	}
	for of, name := range map[error]string{client.ErrForged: "forged", client.ErrUnsigned: "unsigned",
		client.ErrExpired:      "expired",
		client.ErrOtherContent: "other_content", client.ErrDamaged: "damaged"} {
		if errors.Is(err, of) {
			return map[string]any{"kind": name}
		}
	}
	return map[string]any{"kind": "other", "message": strings.TrimSpace(err.Error())}
}
