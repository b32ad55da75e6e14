package rampapi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// extRevenue is the key of a report's ext that says what was earned with what was bought:
// {"amount": 12.5, "currency": "USD"}.
const extRevenue = "ramp.revenue"

// report takes a report on how content was used.
func (d *handlers) report(ctx context.Context, c *call, report *rampv1.UsageReport) (*rampv1.UsageReportResponse,
	error) {
	if err := c.exceeded(); err != nil {
		return nil, err
	}
	used, err := usage(report)
	if err != nil {
		return nil, err
	}
	if c.who.Signed != "" {
		used.Reporter = &c.who
	}
	filed, err := d.services.Exchange.ReportUsage(ctx, used)
	if err != nil {
		return orElse(err, func() (*rampv1.UsageReportResponse, bool, error) { return d.relayed(ctx, c, report) })
	}
	e := httpx.EventFrom(ctx)
	e.Set("accepted", filed.Problem == "")
	e.Set("again", filed.Replayed)
	out := &rampv1.UsageReportResponse{Accepted: filed.Problem == "", ReportId: filed.ID}
	if !out.Accepted {
		out.RejectionReason = &filed.Problem
	}
	return out, nil
}

// usage is a report in the service's words.
func usage(r *rampv1.UsageReport) (exchange.UsageReport, error) {
	u := r.GetUsage()
	out := exchange.UsageReport{
		ID: r.Id, Transaction: r.TransactionId, Billing: r.BillingId, Consumed: int64(u.GetConsumedQuantity()),
		Unit:   u.GetConsumedUnit(),
		Fields: fields(r),
	}
	if r.Timestamp != nil {
		out.At = r.Timestamp.AsTime()
	}
	var err error
	if out.UsageDetails, err = usageDetails(r); err != nil {
		return exchange.UsageReport{}, err
	}
	value, ok := r.GetExt().GetFields()[extRevenue]
	if !ok {
		return out, nil
	}
	told := value.GetStructValue().GetFields()
	_, isNumber := told["amount"].GetKind().(*structpb.Value_NumberValue)
	earned := told["amount"].GetNumberValue()
	out.Currency = told["currency"].GetStringValue()
	if !isNumber || earned < 0 || earned > 1e9 || len(out.Currency) != 3 ||
		strings.Trim(out.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return exchange.UsageReport{}, &wire.Invalid{Path: "ext." + extRevenue, Problem: `has to be like {"amount": 12.5, "currency": "USD"}, with an amount of 0 to 1000000000`}
	}
	out.Revenue = units(earned)
	return out, nil
}

// How much a report may name, beyond what any would; texts are of bytes, addresses of as many as
// RAMP v1's.
const (
	maxAttributions = 100
	maxAssets       = 100
	maxReportText   = 2048
)

// usageDetails is what a report says beside how much was used.
func usageDetails(r *rampv1.UsageReport) (d exchange.UsageDetails, err error) {
	u := r.GetUsage()
	if u == nil {
		u = &rampv1.Usage{}
	}
	d = exchange.UsageDetails{Shown: u.DisplayedToUser, Cited: u.CitationIncluded, Exchange: r.GetExchange(),
		Request: r.GetRequestId()}
	d.Functions = enumNames(u.GetFunction(), compv1.Function_name)
	d.SubFunctions = enumNames(u.GetSubfn(), compv1.SubFunction_name)
	texts := []struct{ path, text string }{{"exchange", d.Exchange}, {"request_id", d.Request}}
	for i, a := range u.GetAttribution() {
		one := exchange.Attribution{URL: a.GetDisplayedUrl(), Visible: a.VisibleToUser}
		if a.Format != nil {
			one.Format = a.Format.String()
		}
		d.Attribution = append(d.Attribution, one)
		texts = append(texts, struct{ path, text string }{fmt.Sprintf("usage.attribution.%d.displayed_url", i),
			one.URL})
	}
	for i, a := range r.GetAssets() {
		d.Assets = append(d.Assets, exchange.Asset{URI: a.Uri, Title: a.GetTitle(), Package: a.GetPackageId()})
		for _, text := range []string{a.Uri, a.GetTitle(), a.GetPackageId()} {
			texts = append(texts, struct{ path, text string }{fmt.Sprintf("assets.%d", i), text})
		}
	}
	switch {
	case len(d.Attribution) > maxAttributions:
		return d,
			&wire.Invalid{Path: "usage.attribution", Problem: fmt.Sprintf("has more than %d entries", maxAttributions)}
	case len(d.Assets) > maxAssets:
		return d, &wire.Invalid{Path: "assets", Problem: fmt.Sprintf("has more than %d entries", maxAssets)}
	}
	for _, t := range texts {
		if len(t.text) > maxReportText {
			return d,
				&wire.Invalid{Path: t.path, Problem: fmt.Sprintf("has a text of more than %d bytes", maxReportText)}
		}
	}
	return d, nil
}

// enumNames are the names of an enum's values that are known, each once.
func enumNames[E ~int32](values []E, names map[int32]string) (all []string) {
	for _, value := range values {
		if name, ok := names[int32(value)]; ok && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// attributes says whether an entry tells that people were shown something: one that says nothing,
// or that nobody saw it, does not.
func attributes(a *rampv1.AttributionDetail) bool {
	return proto.Size(a) > 0 && (a.VisibleToUser == nil || *a.VisibleToUser)
}

// units are an amount in units of 1e-8, rounded half to even in the decimals that it is written
// with; it is 0 to 1e9.
func units(amount float64) int64 {
	whole, decimals, _ := strings.Cut(strconv.FormatFloat(amount, 'f', -1, 64), ".")
	rest := ""
	if len(decimals) > 8 {
		decimals, rest = decimals[:8], decimals[8:]
	}
	n, err := strconv.ParseInt(whole+decimals+strings.Repeat("0", 8-len(decimals)), 10, 64)
	if err != nil {
		panic("ramp: an amount is beyond its bounds: " + err.Error())
	}
	if rest > "5" || rest == "5" && n%2 == 1 {
		n++
	}
	return n
}

// fields are the names of the members that a report has, as required_fields names them.
func fields(r *rampv1.UsageReport) (all []string) {
	u := r.GetUsage()
	for name, there := range map[string]bool{
		"transaction_id": r.TransactionId != "", "billing_id": r.BillingId != "", "usage": u != nil,
		"timestamp": r.Timestamp != nil, "request_id": r.GetRequestId() != "",
		"exchange": r.GetExchange() != "", "assets": len(r.Assets) > 0, "function": len(u.GetFunction()) > 0,
		"subfn":             len(u.GetSubfn()) > 0,
		"consumed_quantity": u != nil, "displayed_to_user": u != nil && u.DisplayedToUser != nil,
		"citation_included": u != nil && u.CitationIncluded != nil,
		"attribution":       slices.ContainsFunc(u.GetAttribution(), attributes),
		"consumed_unit":     u.GetConsumedUnit() != "",
	} {
		if there {
			all = append(all, name)
		}
	}
	for key := range r.GetExt().GetFields() {
		all = append(all, key)
	}
	return all
}
