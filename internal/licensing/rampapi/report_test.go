package rampapi

import (
	"errors"
	"slices"
	"testing"

	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestRevenueIsANumberOfACurrency holds that what is no amount is not read as nothing, which would
// be nothing to pay.
func TestRevenueIsANumberOfACurrency(t *testing.T) {
	t.Parallel()
	for ext, want := range map[string]int64{
		`{"amount":12.5,"currency":"USD"}`: 1_250_000_000, `{"amount":0,"currency":"USD"}`: 0, `{"amount":1e9,"currency":"EUR"}`: 100_000_000_000_000_000,
		`{"amount":"12.5","currency":"USD"}`: -1, `{"amount":null,"currency":"USD"}`: -1, `{"amount":[12.5],"currency":"USD"}`: -1, `{"currency":"USD"}`: -1,
		`{"amount":-0.01,"currency":"USD"}`: -1, `{"amount":1000000000.01,"currency":"USD"}`: -1, `{"amount":1,"currency":"usd"}`: -1,
		`{"amount":1,"currency":"US1"}`: -1, `{"amount":1,"currency":"  $"}`: -1, `{"amount":1,"currency":840}`: -1, `{"amount":1}`: -1, `12.5`: -1, `null`: -1, `[]`: -1,
	} {
		m := &rampv1.UsageReport{}
		if err := wire.Unmarshal([]byte(`{"ext":{"ramp.revenue":`+ext+`}}`), m); err != nil {
			t.Fatal(err)
		}
		got, err := usage(m)
		var invalid *wire.Invalid
		if want < 0 && (!errors.As(err, &invalid) || invalid.Path != "ext.ramp.revenue") || want >= 0 &&
			(err != nil || got.Revenue != want) {
			t.Errorf("%s: %d, %v", ext, got.Revenue, err)
		}
	}
}

// TestAttributionSaysSomething holds that an entry which is empty attributes nothing.
func TestAttributionSaysSomething(t *testing.T) {
	t.Parallel()
	for attribution, want := range map[string]bool{
		`[]`: false, `[{}]`: false, `[{"zzz":1}]`: false, `[{},{"format":"CITATION_FORMAT_LINK"}]`: true, `[{"displayed_url":"https://a.example/"}]`: true, `[{"visible_to_user":false}]`: false,
		`[{"displayed_url":"https://a.example/","visible_to_user":false}]`: false, `[{"visible_to_user":false},{"format":"CITATION_FORMAT_LINK","visible_to_user":true}]`: true,
	} {
		m := &rampv1.UsageReport{}
		if err := wire.Unmarshal([]byte(`{"usage":{"attribution":`+attribution+`}}`), m); err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(fields(m), "attribution"); got != want {
			t.Errorf("%s: %v", attribution, got)
		}
	}
}
