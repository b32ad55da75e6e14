package attest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/attest"
	"frontdesk/internal/keytable"
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
	keys := &asked{published: published{provider: {{ID: "k1", Public: public(1)}}, "third.example": {{ID: "k1", Public: public(1)}}}}
	whole := &attest.Checker{Verifiers: keys, Accepted: func(string) bool { return true }, Now: func() time.Time { return moment }, Tables: keytable.New(2)}
	known := whole.Gathered(context.Background(), map[string]bool{provider: true})
	keys.domains = nil
	of := attest.Subject{Provider: provider, URI: uri}
	good := signed(t, provider, nil)
	for range 100 { // often enough that there is a table
		if checked, err := known.Check(context.Background(), of, []*rampv1.ResourceAttestation{good}); err != nil || len(checked) != 1 {
			t.Fatal(checked, err)
		}
	}
	for name, a := range map[string]*rampv1.ResourceAttestation{
		"by somebody who was not gathered": signed(t, "third.example", nil), "by a key that may have come since": signed(t, provider, func(a *rampv1.ResourceAttestation) { a.Kid = "k2" }),
		"with a signature that another key may have made": altered(t),
	} {
		var wrong *attest.Rejection
		if _, err := known.Check(context.Background(), of, []*rampv1.ResourceAttestation{a}); !errors.Is(err, attest.ErrNotGathered) || errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(keys.domains) > 0 {
		t.Errorf("%v were asked", keys.domains)
	}
	var wrong *attest.Rejection
	if _, err := whole.Check(context.Background(), of, []*rampv1.ResourceAttestation{altered(t)}); !errors.As(err, &wrong) || wrong.Reason != attest.AttestationSignatureInvalid {
		t.Errorf("the whole checker says %v", err)
	}
	other := attest.Subject{Provider: provider, URI: uri + "b"}
	if _, err := known.Check(context.Background(), other, []*rampv1.ResourceAttestation{good}); !errors.As(err, &wrong) || wrong.Reason != attest.AttestationSignatureInvalid {
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
