package app

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/content"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestAttestationsAreImportedForTheVeryItem imports what a third party attests: again and again, in
// the place of what it attested before, for addresses that items have and no beginnings or patterns
// of them, and one that is not good beside others that are.
func TestAttestationsAreImportedForTheVeryItem(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	s.config.RAMP.Verifiers = []string{s.provider()}
	run, err := s.Catalog.Begin(t.Context(), "own", "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Put(t.Context(), content.Item{URL: "https://own.example/a", Types: []string{"Article"}, Name: "A",
		Object: []byte(`{"@type":"Article","name":"A"}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Commit(t.Context(), content.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	attests := func(verifier, uri, name string, value *structpb.Value) *rampv1.ResourceAttestation {
		t.Helper()
		a := &rampv1.ResourceAttestation{
			Verifier: verifier, Kid: "k1", AttestedAt: timestamppb.New(s.clock.Now()), Uri: uri,
			Claims: &structpb.Struct{Fields: map[string]*structpb.Value{name: value}},
		}
		if err := ramp.SignAttestation(a, supplierKey("verifier")); err != nil {
			t.Fatal(err)
		}
		return a
	}
	counted := func(uri string, words float64) *rampv1.ResourceAttestation {
		return attests(s.provider(), uri, "word_count", structpb.NewNumberValue(words))
	}
	imports := func(all ...*rampv1.ResourceAttestation) (reasons string) {
		t.Helper()
		done, err := s.Importer().Import(t.Context(), all)
		if err != nil || len(done) != len(all) {
			t.Fatal(done, err)
		}
		for _, one := range done {
			reasons += " " + one.Reason
			if (one.Reason == "") != (one.Detail == "") {
				t.Errorf("%+v", one)
			}
		}
		return strings.TrimSpace(reasons)
	}
	holds := func(step, want string) {
		t.Helper()
		all, err := s.Shelves.Attestations(t.Context(), "own", "own.example/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, text := range all {
			var a rampv1.ResourceAttestation
			if err := ramp.Unmarshal(text, &a); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(a.Claims.Fields["word_count"].GetNumberValue()))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: there are %q, want %q", step, got, want)
		}
	}
	good := counted("https://own.example/a", 1)
	for _, step := range []string{"once", "the same again"} {
		if got := imports(good); got != "" {
			t.Errorf("%s: %s", step, got)
		}
		holds(step, "1")
	}
	if got := imports(counted("https://own.example/a", 2), counted("https://own.example/a", 3)); got != "" {
		t.Error(got)
	}
	holds("another two in its place", "2 3")
	for _, address := range []string{
		"https://own.example/", "https://own.example/a*", "https://own.example/aa", "https://own.example/a/",
		"https://own.example/A", "https://own.example/a?b=1", "https://other.example/a", "https://own.example.evil/a",
	} {
		if got := imports(counted(address, 9)); got != "UNKNOWN_URI" {
			t.Errorf("of %s: %q", address, got)
		}
	}
	if got := imports(attests("own.example", "https://own.example/a", "word_count",
		structpb.NewNumberValue(9))); got != "OWN_ATTESTATION" {
		t.Errorf("in the site's own name: %q", got)
	}
	forged := counted("https://own.example/a", 9)
	forged.Claims.Fields["word_count"] = structpb.NewNumberValue(10)
	if got := imports(forged, &rampv1.ResourceAttestation{}); !strings.HasSuffix(got, " INVALID_ATTESTATION") ||
		strings.HasPrefix(got, " ") || len(strings.Fields(got)) != 2 {
		t.Errorf("that are not good: %q", got)
	}
	holds("whatever is refused changes nothing", "2 3")
	if got := imports(forged, counted("https://own.example/a", 4)); len(strings.Fields(got)) != 1 {
		t.Errorf("one that is good beside another: %q", got)
	}
	holds("what is good is taken", "4")
	s.config.RAMP.Verifiers = nil
	if got := imports(counted("https://own.example/a", 5)); got == "" {
		t.Error("what nobody whom the operator trusts attests is taken")
	}
	holds("nobody is trusted", "4")
}
