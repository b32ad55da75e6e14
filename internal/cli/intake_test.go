package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/provider"
	"frontdesk/wire/intake"
)

// typed runs a command line, with what is typed, and gives what it prints.
func typed(t *testing.T, typing string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = Main(t.Context(), args, strings.NewReader(typing), &out, &errs)
	return code, out.String(), errs.String()
}

func TestFromDiscoverToBind(t *testing.T) {
	t.Parallel()
	business := provider.Start(t)
	code, out, errs := typed(t, "", "intake", "discover", business.URL)
	for _, part := range []string{"Trades of the Town", "quote",
		"- trade, string, required: plumber, roofer, electrician", "data is kept: none", "wants a key"} {
		if code != exitOK || !strings.Contains(out, part) {
			t.Errorf("discover does not say %q: %d\n%s\n%s", part, code, out, errs)
		}
	}
	offer := filepath.Join(t.TempDir(), "offer.json")
	code, out, errs = typed(t, "", "intake", "submit", business.URL, "quote", "--set", "trade=plumber", "--set",
		"size=3", "--set", "note=true", "--save", offer)
	for _, part := range []string{"Trades of the Town says:\n    We can do that.", `"price": "120.00"`, "holds until",
		"frontdesk intake bind " + offer + " --set email=… --set full_name=…"} {
		if code != exitOK || !strings.Contains(out, part) {
			t.Errorf("submit does not say %q: %d\n%s\n%s", part, code, out, errs)
		}
	}
	if got := string(business.Seen().Asked[0].IntakeData); got != `{"note":"true","size":3,"trade":"plumber"}` {
		t.Errorf("%s was submitted", got)
	}
	if info, err := os.Stat(offer); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for typing, word := range map[string]string{
		"": "nobody said yes", "n\n": "nothing was sent", "maybe\n": "nothing was sent",
	} {
		code, _, errs = typed(t, typing, "intake", "bind", offer, "--set", "email=jane@example.com", "--set",
			"full_name=Jane Doe")
		if code != exitFailure || !strings.Contains(errs, word) || !strings.Contains(errs,
			"Accept it, and send email, full_name to "+business.URL+"/intake/quote/bind? [y/N]") {
			t.Errorf("%q: %d, %s", typing, code, errs)
		}
	}
	if code, _, errs = typed(t, "y\n", "intake", "bind", offer, "--set",
		"email=jane@example.com"); code != exitFailure || !strings.Contains(errs, "/full_name") ||
		strings.Contains(errs, "[y/N]") {
		t.Errorf("%d, %s", code, errs)
	}
	if len(business.Seen().Bound) != 0 {
		t.Fatal("it is bound already")
	}
	code, out, errs = typed(t, "y\n", "intake", "bind", offer, "--set", "email=jane@example.com", "--set",
		"full_name=42", "--scope", "account_creation")
	if code != exitOK || !strings.Contains(out, "We will call.") || len(business.Seen().Bound) != 1 ||
		string(business.Seen().Bound[0].BindData) != `{"email":"jane@example.com","full_name":"42"}` {
		t.Errorf("%d, %s, %s, %+v", code, out, errs, business.Seen().Bound)
	}
	if code, _, errs = typed(t, "", "intake", "bind", offer, "--yes", "--set", "email=other@example.com", "--set",
		"full_name=Other"); code != exitFailure || !strings.Contains(errs, "409 OFFER_ALREADY_BOUND") {
		t.Errorf("%d, %s", code, errs)
	}
}

func TestPersonalDataIsAskedFor(t *testing.T) {
	t.Parallel()
	business := provider.Start(t)
	business.Declare(func(m *intake.Manifest) {
		m.Intakes[0].InputSchema = []byte(`{"type":"object","properties":{"trade":{"type":"string"},"size":{"type":"integer"},"note":{"type":"string"}}}`)
	})
	args := []string{"intake", "submit", business.URL, "quote", "--set", "trade=plumber", "--set", "size=1", "--set",
		"note=a@b.example"}
	if code, _, errs := typed(t, "n\n", args...); code != exitFailure ||
		!strings.Contains(errs, "This looks personal: /note. Does the person want Trades "+
			"of the Town to have it? [y/N]") || len(business.Seen().Headers) != 0 {
		t.Errorf("%d, %s", code, errs)
	}
	for _, yes := range [][]string{args, append(args, "--yes")} { // the business itself takes no such note
		if code, _, errs := typed(t, "yes\n", yes...); code != exitFailure ||
			!strings.Contains(errs, "400 SCHEMA_MISMATCH") {
			t.Errorf("%d, %s", code, errs)
		}
	}
}

func TestWhatABusinessAnswersIsTold(t *testing.T) {
	t.Parallel()
	business := provider.Start(t)
	file := filepath.Join(t.TempDir(), "declined.json")
	if err := os.WriteFile(file, []byte(provider.DeclinedData), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lie    string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"", []string{"quote", "--data", file}, exitFailure, "", "We have no roofers."},
		{"", []string{"quote", "--data", file, "--json"}, exitFailure, `"status":"declined"`, ""},
		{"", []string{"keyed", "--set", "a=1", "--set", "b=2"}, exitFailure, "", "401 UNAUTHORIZED"},
		{"", []string{"keyed", "--set", "a=1", "--set", "b=2", "--token", provider.Token}, exitOK,
			"We can do that.", ""},
		{"client.pending", []string{"sum", "--set", "a=1", "--set", "b=2"}, exitFailure, "", " --agent agent-"},
		{"", []string{"sum", "--set", "a=1"}, exitFailure, "", `lacks the required "b"`},
		{"", []string{"none", "--set", "a=1"}, exitFailure, "", "it has quote, sum, keyed"},
		{"", []string{"sum", "--set", "a"}, exitUsage, "", "NAME=VALUE"},
		{"", []string{"sum", "--data", "none.json"}, exitFailure, "", "none.json"},
		{"", []string{"sum", "--set", "a=1", "--set", "b=2", "--scope", "offer"}, exitFailure, "", `does not have "intake"`},
	} {
		args := append([]string{"intake", "submit", business.URL}, c.args...)
		business.Lie(c.lie)
		code, out, errs := typed(t, "", args...)
		if code != c.code || !strings.Contains(out, c.stdout) || !strings.Contains(errs, c.stderr) {
			t.Errorf("%s: %d\n%s\n%s", c.args, code, out, errs)
		}
	}
	business.Lie("client.no-json")
	if code, _, errs := typed(t, "", "intake", "discover", business.URL); code != exitFailure ||
		!strings.Contains(errs, "is not valid") {
		t.Errorf("%d, %s", code, errs)
	}
}

// TestWhatIsOfferedToBePastedRunsNothing has a business name fields like commands.
func TestWhatIsOfferedToBePastedRunsNothing(t *testing.T) {
	t.Parallel()
	business := provider.Start(t)
	business.Lie("client.commands")
	file := filepath.Join(t.TempDir(), "my offer.json")
	_, out, errs := typed(t, "", "intake", "submit", business.URL, "quote", "--set", "trade=plumber", "--set", "size=3",
		"--save", file)
	want := "frontdesk intake bind '" + file + `' --set email=… --set '$(rm -rf ~)'=… --set 'it'\''s; reboot'=… --set '[8m` + "`id`'=…\n"
	if !strings.HasSuffix(out, want) {
		t.Errorf("%s\n%s", out, errs)
	}
}

func TestABusinessIsChecked(t *testing.T) {
	t.Parallel()
	business := provider.Start(t)
	folder := t.TempDir()
	for name, text := range map[string]string{"quote.json": provider.QuoteData, "quote.bind.json": provider.BindData,
		"quote.declined.json": provider.DeclinedData, "sum.json": provider.SumData, "README.txt": "x"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := typed(t, "", "check", business.URL, "--sample", folder)
	if code != exitOK || !strings.Contains(out, "errors: 0") || len(business.Seen().Bound) != 3 {
		t.Errorf("%d\n%s\n%s", code, out, errs)
	}
	business.Lie("intake.submit.enum")
	code, out, errs = typed(t, "", "check", business.URL, "--sample", filepath.Join(folder, "quote.json"))
	if code != exitFailure ||
		!strings.Contains(out, "intake.submit.enum: quote: a value that is none of an enum's is refused") ||
		!strings.Contains(out, "errors: 1") {
		t.Errorf("%d\n%s\n%s", code, out, errs)
	}
	if code, out, _ = typed(t, `{"aip_version":"0.1.0","provider":{"name":"x","url":"https://example.com/"},"intakes":[]}`, "check", "-"); code != exitFailure || !strings.Contains(out, "manifest intakes") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out, _ = typed(t, provider.BindData, "check", "-", "--as", "intake-bind"); code != exitFailure ||
		!strings.Contains(out, "offer_id") {
		t.Errorf("%d\n%s", code, out)
	}
	for _, args := range [][]string{{"check", "-", "--sample", folder}, {"check", business.URL, "--as", "none"}} {
		if code, _, _ = typed(t, "{}", args...); code != exitUsage {
			t.Errorf("%s: %d", args, code)
		}
	}
	if code, _, errs = typed(t, "", "check", business.URL, "--sample", "nowhere"); code != exitFailure ||
		!strings.Contains(errs, "there is no nowhere; write") {
		t.Errorf("without the folder: code %d\n%s", code, errs)
	}
	if code, _, errs = typed(t, "", "check", business.URL, "--sample", t.TempDir()); code != exitFailure ||
		!strings.Contains(errs, "no sample") {
		t.Errorf("%d, %s", code, errs)
	}
}
