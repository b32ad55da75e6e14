package app

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/licensing/exchange"
)

// TestKeysOfDisputesAreChecked holds each key of ramp.disputes, measures and evidence to its
// bounds, and that the defaults and the bounds themselves are taken.
func TestKeysOfDisputesAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`disputes: {wait: 999ms}`:           "ramp.disputes.wait: 999ms is not between",
		`disputes: {wait: 24h}`:             "ramp.disputes.wait", // tier 2 decides within a day
		`disputes: {appeal: 59s}`:           "ramp.disputes.appeal",
		`disputes: {appeal: 8761h}`:         "ramp.disputes.appeal",
		`disputes: {refetch: 721h}`:         "ramp.disputes.refetch",
		`disputes: {keep: 59m}`:             "ramp.disputes.keep",
		`disputes: {trusted: [10.0.0.1]}`:   "write it like 10.0.0.0/8",
		`disputes: {trusted: [everywhere]}`: "ramp.disputes.trusted",
		`disputes: {forever: true}`:         "ramp.disputes.forever: unknown key",
		`disputes: {wait: 1s, appeal: 1m, refetch: 720h, keep: 1h, trusted: ["10.0.0.0/8", "2001:db8::/32"]}`: "",
		`measures: {cases: 0}`:        "ramp.measures.cases",
		`measures: {of: 0}`:           "ramp.measures.of",
		`measures: {providers: -1}`:   "ramp.measures.providers",
		`measures: {warn: 101}`:       "ramp.measures.warn: 101 is no part in percent",
		`measures: {limit: -1}`:       "ramp.measures.limit",
		`measures: {tokens: .nan}`:    "ramp.measures.tokens",
		`measures: {failures: 100.5}`: "ramp.measures.failures",
		`measures: {hashes: -0.5}`:    "ramp.measures.hashes",
		`measures: {rate: often}`:     "ramp.measures.rate: \"often\" is no rate",
		`measures: {enabled: false, warn: 0, limit: 100, providers: 0, rate: 1/1h}`: "",
		`evidence: {keep: 23h}`:    "ramp.evidence.keep",
		`evidence: {keep: 87601h}`: "ramp.evidence.keep",
		`evidence: {keep: 24h}`:    "",
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "ramp: {"+text+"}\n")})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: said %q, want %q", text, said, want)
		}
	}
	loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", "ramp: {disputes: {wait: 2h}}\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := loaded.Config.disputeRules(),
		(exchange.DisputeRules{Wait: 2 * time.Hour, Appeal: 7 * 24 * time.Hour, Refetch: 24 * time.Hour,
			Retention: 90 * 24 * time.Hour}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
