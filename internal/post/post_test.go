package post

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestASignatureIsTheStandardsOwn checks the example of the specification of Standard Webhooks.
func TestASignatureIsTheStandardsOwn(t *testing.T) {
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := secret.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func TestSecretsThatAreNoneAreRefusedUnrepeated(t *testing.T) {
	for _, text := range []string{"", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_short", "whsec_MfKQ9r8=", "whsec_" + strings.Repeat("MfKQ", 40)} {
		_, err := ParseSecret(text)
		if err == nil {
			t.Errorf("%q was taken", text)
		} else if rest := strings.TrimPrefix(text, "whsec_"); rest != "" && strings.Contains(err.Error(), rest) {
			t.Errorf("the error repeats what stands there: %v", err)
		}
	}
}

func TestCredentialsComeFromTheEnvironmentOrAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("  from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("POST_TEST", "from the environment")
	t.Setenv("POST_TWO_LINES", "one\ntwo")
	for _, c := range []struct{ variable, file, want, problem string }{
		{"", "", "", ""},
		{"POST_TEST", "", "from the environment", ""},
		{"", file, "from the file", ""},
		{"POST_TEST", file, "", "both"},
		{"POST_NOT_THERE", "", "", "no POST_NOT_THERE"},
		{"", file + "-not-there", "", "cannot be read"},
		{"POST_TWO_LINES", "", "", "one line"},
	} {
		got, err := Credential(c.variable, c.file)
		if got != c.want || (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q, %q: %q, %v", c.variable, c.file, got, err)
		}
	}
}
