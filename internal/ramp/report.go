package ramp

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/desk"
	"frontdesk/internal/event"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// extRevenue is the key of a report's ext that says what was earned with what was bought: {"amount": 12.5, "currency": "USD"}.
const extRevenue = "ramp.revenue"

// report takes a report on how content was used.
func (d *door) report(ctx context.Context, c *call, report *rampv1.UsageReport) (*rampv1.UsageReportResponse, error) {
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
	filed, err := d.desk.Report(ctx, used)
	if err != nil {
		return orElse(err, func() (*rampv1.UsageReportResponse, bool, error) { return d.relayed(ctx, c, report) })
	}
	e := event.From(ctx)
	e.Set("accepted", filed.Problem == "")
	e.Set("again", filed.Again)
	out := &rampv1.UsageReportResponse{Accepted: filed.Problem == "", ReportId: filed.ID}
	if !out.Accepted {
		out.RejectionReason = &filed.Problem
	}
	return out, nil
}

// usage is a report in the desk's words.
func usage(r *rampv1.UsageReport) (desk.Used, error) {
	u := r.GetUsage()
	out := desk.Used{
		ID: r.Id, Transaction: r.TransactionId, Billing: r.BillingId, Consumed: int64(u.GetConsumedQuantity()), Unit: u.GetConsumedUnit(),
		Fields: fields(r),
	}
	if u != nil {
		out.Shown, out.Cited = u.DisplayedToUser, u.CitationIncluded
	}
	for _, f := range u.GetFunction() {
		if name, ok := compv1.Function_name[int32(f)]; ok && !slices.Contains(out.Functions, name) {
			out.Functions = append(out.Functions, name)
		}
	}
	value, ok := r.GetExt().GetFields()[extRevenue]
	if !ok {
		return out, nil
	}
	told := value.GetStructValue().GetFields()
	_, isNumber := told["amount"].GetKind().(*structpb.Value_NumberValue)
	earned := told["amount"].GetNumberValue()
	out.Currency = told["currency"].GetStringValue()
	if !isNumber || earned < 0 || earned > 1e9 || len(out.Currency) != 3 || strings.Trim(out.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return desk.Used{}, &wire.Invalid{Path: "ext." + extRevenue, Problem: `has to be like {"amount": 12.5, "currency": "USD"}, with an amount of 0 to 1000000000`}
	}
	out.Revenue = units(earned)
	return out, nil
}

// units are an amount in units of 1e-8, rounded half to even in the decimals that it is written with; it is 0 to 1e9.
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
		"transaction_id": r.TransactionId != "", "billing_id": r.BillingId != "", "usage": u != nil, "timestamp": r.Timestamp != nil, "request_id": r.GetRequestId() != "",
		"exchange": r.GetExchange() != "", "assets": len(r.Assets) > 0, "function": len(u.GetFunction()) > 0, "subfn": len(u.GetSubfn()) > 0,
		"consumed_quantity": u != nil, "displayed_to_user": u != nil && u.DisplayedToUser != nil, "citation_included": u != nil && u.CitationIncluded != nil,
		"attribution": slices.ContainsFunc(u.GetAttribution(), func(a *rampv1.AttributionDetail) bool { return proto.Size(a) > 0 }), "consumed_unit": u.GetConsumedUnit() != "",
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
