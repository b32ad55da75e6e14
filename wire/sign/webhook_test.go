package sign

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestASignatureIsTheStandardsOwn checks the example of the specification of Standard Webhooks.
func TestASignatureIsTheStandardsOwn(t *testing.T) {
	t.Parallel()
	secret, err := ParseWebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := secret.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	if again, err := ParseWebhookSecret(secret.Text()); err != nil || string(again) != string(secret) {
		t.Errorf("its text is read as another: %v", err)
	}
}

func TestSecretsThatAreNoneAreRefusedUnrepeated(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_short", "whsec_MfKQ9r8=",
		"whsec_" + strings.Repeat("MfKQ", 40)} {
		_, err := ParseWebhookSecret(text)
		if err == nil {
			t.Errorf("%q was taken", text)
		} else if rest := strings.TrimPrefix(text, "whsec_"); rest != "" && strings.Contains(err.Error(), rest) {
			t.Errorf("the error repeats what stands there: %v", err)
		}
	}
}

func TestAWebhookIsVerifiedByAllThatIsSigned(t *testing.T) {
	t.Parallel()
	secret, other := WebhookSecret(strings.Repeat("s", 32)), WebhookSecret(strings.Repeat("o", 32))
	at := time.Unix(1614265330, 0)
	right := secret.Sign("m1", at, []byte("body"))
	for name, c := range map[string]struct {
		id, stamp, signature, body string
		now                        time.Time
		want                       error
	}{
		"right":                   {"m1", "1614265330", right, "body", at, nil},
		"one of several":          {"m1", "1614265330", "v1,AAAA v2,x " + right, "body", at.Add(5 * time.Minute), nil},
		"another id":              {"m2", "1614265330", right, "body", at, ErrWebhookSignature},
		"another time":            {"m1", "1614265331", right, "body", at, ErrWebhookSignature},
		"the time written longer": {"m1", "01614265330", right, "body", at, ErrWebhookSignature},
		"no time":                 {"m1", "", right, "body", at, ErrWebhookSignature},
		"another body":            {"m1", "1614265330", right, "body ", at, ErrWebhookSignature},
		"another secret": {"m1", "1614265330", other.Sign("m1", at, []byte("body")), "body", at,
			ErrWebhookSignature},
		"no version": {"m1", "1614265330", strings.TrimPrefix(right, "v1,"), "body", at, ErrWebhookSignature},
		"none":       {"m1", "1614265330", "", "body", at, ErrWebhookSignature},
		"cut":        {"m1", "1614265330", right[:len(right)-4], "body", at, ErrWebhookSignature},
		"too late":   {"m1", "1614265330", right, "body", at.Add(5*time.Minute + time.Second), ErrWebhookTime},
		"too early":  {"m1", "1614265330", right, "body", at.Add(-5*time.Minute - time.Second), ErrWebhookTime},
	} {
		if err := secret.Verify(c.id, c.stamp, c.signature, []byte(c.body), c.now, 5*time.Minute); !errors.Is(err,
			c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if WebhookSecret(nil).Verify("m1", "1614265330", WebhookSecret(nil).Sign("m1", at, nil), nil, at,
		time.Hour) == nil {
		t.Error("no secret verifies")
	}
}
