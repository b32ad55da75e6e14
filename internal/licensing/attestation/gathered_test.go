package attestation_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/licensing/attestation"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// asked are verifiers' keys, and which domains were asked for.
type asked struct {
	published
	domains []string
}

func (a *asked) Keys(ctx context.Context, domain string, again bool) ([]ramp.Key, error) {
	a.domains = append(a.domains, domain)
	return a.published.Keys(ctx, domain, again)
}

func TestWhatIsGatheredAsksNobody(t *testing.T) {
	t.Parallel()
	keys := &asked{published: published{provider: {{ID: "k1", Public: public(1)}},
		"third.example": {{ID: "k1", Public: public(1)}}}}
	whole := &attestation.Checker{Verifiers: keys, Accepted: func(string) bool { return true }, Now: func() time.Time {
		return moment
	}}
	known := whole.Prefetched(context.Background(), map[string]bool{provider: true})
	keys.domains = nil
	of := attestation.Subject{Provider: provider, URI: uri}
	good := signed(t, provider, nil)
	if checked, err := known.Check(context.Background(), of, []*rampv1.ResourceAttestation{good}); err != nil ||
		len(checked) != 1 {
		t.Fatal(checked, err)
	}
	for name, a := range map[string]*rampv1.ResourceAttestation{
		"by somebody who was not gathered": signed(t, "third.example", nil), "by a key that may have " +
			"come since": signed(t, provider, func(a *rampv1.ResourceAttestation) { a.Kid = "k2" }),
		"with a signature that another key may have made": altered(t),
	} {
		var wrong *attestation.Rejection
		if _, err := known.Check(context.Background(), of, []*rampv1.ResourceAttestation{a}); !errors.Is(err,
			attestation.ErrNotPrefetched) || errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(keys.domains) > 0 {
		t.Errorf("%v were asked", keys.domains)
	}
	var wrong *attestation.Rejection
	if _, err := whole.Check(context.Background(), of, []*rampv1.ResourceAttestation{altered(t)}); !errors.As(err,
		&wrong) || wrong.Reason != attestation.AttestationSignatureInvalid {
		t.Errorf("the whole checker says %v", err)
	}
	other := attestation.Subject{Provider: provider, URI: uri + "b"}
	if _, err := known.Check(context.Background(), other, []*rampv1.ResourceAttestation{good}); !errors.As(err,
		&wrong) || wrong.Reason != attestation.AttestationSignatureInvalid {
		t.Errorf("of another address: %v", err)
	}
}

// altered is an attestation that says something else than was signed.
func altered(t *testing.T) *rampv1.ResourceAttestation {
	t.Helper()
	a := signed(t, provider, nil)
	a.Claims.Fields["word_count"] = structpb.NewNumberValue(4)
	return a
}

// TestWhatIsKeptHoldsAsLongAsAllElseDoes has an attestation whose signature was verified before
// looked at again: whatever else has changed counts, and the signature alone is not verified anew.
func TestWhatIsKeptHoldsAsLongAsAllElseDoes(t *testing.T) {
	t.Parallel()
	now := moment
	keys := &asked{published: published{"third.example": {{ID: "k1", Public: public(1), Until: moment.Add(time.Hour)}}}}
	believed := true
	c := &attestation.Checker{Verifiers: keys, Accepted: func(string) bool { return believed }, Now: func() time.Time {
		return now
	}}
	of := attestation.Subject{Provider: provider, URI: uri}
	kept, wrong := &attestation.Prepared{ResourceAttestation: signed(t, "third.example", nil)},
		&attestation.Prepared{ResourceAttestation: altered(t)}
	wrong.Verifier = "third.example"
	for range 2 {
		if !c.Holds(t.Context(), of, kept) || c.Holds(t.Context(), of, wrong) ||
			c.Holds(t.Context(), attestation.Subject{Provider: provider, URI: uri + "b"}, kept) {
			t.Fatal("what holds does not, or what does not holds")
		}
	}
	if believed = false; c.Holds(t.Context(), of, kept) {
		t.Error("it holds although nobody believes its verifier")
	}
	believed = true
	if now = moment.Add(2 * time.Hour); c.Holds(t.Context(), of, kept) {
		t.Error("it holds although the time of its key is over")
	}
	now = moment
	for name, others := range map[string][]ramp.Key{"the key is gone": {},
		"the key has another name":        {{ID: "k2", Public: public(1)}},
		"the name is that of another key": {{ID: "k1", Public: public(2)}},
		"the key began later":             {{ID: "k1", Public: public(1), From: moment.Add(time.Hour)}}} {
		if keys.published["third.example"] = others; c.Holds(t.Context(), of, kept) {
			t.Errorf("%s: it holds", name)
		}
	}
	if keys.published["third.example"] = []ramp.Key{{ID: "k1", Public: public(1)}}; !c.Holds(t.Context(), of, kept) {
		t.Error("it does not hold again")
	}
}
