package rampapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// disputes buys something, reports it, and gives a dispute of it.
func (s *shop) disputes(id string) *rampv1.DisputeRequest {
	s.t.Helper()
	out := s.bought(buys("buy "+id, s.offer("a")))
	report := &rampv1.UsageReport{
		Ver: "1.0", Id: "report " + id, TransactionId: out.GetTransactionId(), BillingId: out.GetBillingId(),
		Timestamp: timestamppb.New(s.now), Usage: &rampv1.Usage{},
	}
	filed, err := s.client.ReportUsage(s.t.Context(), connect.NewRequest(report))
	if err != nil || !filed.Msg.Accepted {
		s.t.Fatal(filed, err)
	}
	return &rampv1.DisputeRequest{
		Ver: "1.0", Id: id, TransactionId: out.GetTransactionId(), BillingId: out.GetBillingId(),
		ReportId: filed.Msg.ReportId, Reason: rampv1.DisputeReason_DISPUTE_REASON_DELIVERY_FAILED,
	}
}

// logged has a log tell what was answered under a transaction.
func (s *shop) logged(transaction string, status, bytes int) {
	s.t.Helper()
	if err := s.DB.Update(s.t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(s.t.Context(), `INSERT INTO evidence_line (txn, digest, site, source, place, at, status, bytes, bound, cut, cache, stray) VALUES ($1, $2, 'site', 'cdn', '', $3, $4, $5, 0, 0, '', 0)`,
			transaction, []byte("1"), store.Micros(s.now), status, bytes)
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
}

// TestADisputeIsAnswered files disputes over the wire: what is decided at once, what is not taken
// up, and what is asked again.
func TestADisputeIsAnswered(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 100_000_000)
	request := s.disputes("d-1")
	if _, err := s.client.DisputeTransaction(t.Context(), connect.NewRequest(request)); connect.CodeOf(err) !=
		connect.CodeUnauthenticated {
		t.Errorf("unsigned: %v", err)
	}
	s.trusted.Store(true)
	s.logged(request.TransactionId, 503, 0)
	for range 2 {
		out, err := s.client.DisputeTransaction(t.Context(), connect.NewRequest(request))
		if err != nil {
			t.Fatal(err)
		}
		m := out.Msg
		credit := m.Ext.GetFields()[extCredit].GetStructValue().GetFields()
		if !m.Accepted || m.Status != rampv1.DisputeStatus_DISPUTE_STATUS_AUTO_RESOLVED ||
			m.GetResolution() != rampv1.ResolutionType_RESOLUTION_TYPE_CREDIT ||
			!strings.HasPrefix(m.DisputeId, "dsp-") || m.GetEstimatedResolution() != "0s" ||
			credit["currency"].GetStringValue() != "USD" || credit["amount"].GetNumberValue() <= 0 {
			t.Errorf("%v", m)
		}
	}
	again := proto.Clone(request).(*rampv1.DisputeRequest)
	again.Id = "d-2"
	if out, err := s.client.DisputeTransaction(t.Context(), connect.NewRequest(again)); err != nil ||
		out.Msg.Accepted || out.Msg.GetResolution() != rampv1.ResolutionType_RESOLUTION_TYPE_REJECTED ||
		!strings.Contains(out.Msg.GetRejectionReason(), "already disputed") {
		t.Errorf("%v, %v", out, err)
	}
	other := s.disputes("d-3")
	other.ReportId = "rep-other"
	if out, err := s.client.DisputeTransaction(t.Context(), connect.NewRequest(other)); err != nil ||
		out.Msg.Accepted || !strings.Contains(out.Msg.GetRejectionReason(), "report_id") {
		t.Errorf("%v, %v", out, err)
	}
	for name, c := range map[string]struct {
		change func(*rampv1.DisputeRequest)
		code   connect.Code
	}{
		"another under its id": {func(m *rampv1.DisputeRequest) { m.Description = proto.String("x") },
			connect.CodeAlreadyExists},
		"another's":        {func(m *rampv1.DisputeRequest) { m.TransactionId = "txn-1" }, connect.CodeNotFound},
		"another bill":     {func(m *rampv1.DisputeRequest) { m.BillingId = "bill-1" }, connect.CodeInvalidArgument},
		"no reason":        {func(m *rampv1.DisputeRequest) { m.Reason = 0 }, connect.CodeInvalidArgument},
		"a reason of none": {func(m *rampv1.DisputeRequest) { m.Reason = 9 }, connect.CodeInvalidArgument},
		"no hash": {func(m *rampv1.DisputeRequest) { m.ReceivedContentHash = proto.String("xyz") },
			connect.CodeInvalidArgument},
		"another method": {func(m *rampv1.DisputeRequest) { m.ReceivedContentHash = proto.String("sha512:00") },
			connect.CodeInvalidArgument},
		"two methods": {func(m *rampv1.DisputeRequest) {
			m.ReceivedContentHash, m.ReceivedHashMethod = proto.String("simhash-v1:00000000000000ff"),
				proto.String("sha256")
		}, connect.CodeInvalidArgument},
		"a short simhash": {func(m *rampv1.DisputeRequest) {
			m.ReceivedContentHash = proto.String("simhash-v1:ff")
		}, connect.CodeInvalidArgument},
		"a book": {func(m *rampv1.DisputeRequest) {
			m.Description = proto.String(strings.Repeat("x", 5000))
		}, connect.CodeInvalidArgument},
		"an appeal of nothing": {func(m *rampv1.DisputeRequest) { m.Ext = extOf(extAppeal, "") },
			connect.CodeInvalidArgument},
		"a wish of none": {func(m *rampv1.DisputeRequest) { m.Ext = extOf(extPrefer, "gold") },
			connect.CodeInvalidArgument},
		"what nobody knows": {func(m *rampv1.DisputeRequest) {
			m.Ext, m.ExtCritical = extOf("x.y", "z"), []string{"x.y"}
		}, connect.CodeFailedPrecondition},
		"a critical key of none": {func(m *rampv1.DisputeRequest) { m.ExtCritical = []string{"ramp.prefer"} },
			connect.CodeInvalidArgument},
	} {
		m := proto.Clone(request).(*rampv1.DisputeRequest)
		c.change(m)
		if out, err := s.client.DisputeTransaction(t.Context(), connect.NewRequest(m)); connect.CodeOf(err) != c.code {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}

func extOf(key, value string) *structpb.Struct {
	return &structpb.Struct{Fields: map[string]*structpb.Value{key: structpb.NewStringValue(value)}}
}

// TestADisputeTellsEachStatusItStandsAt asks again where a dispute stands, from one that waits for
// evidence to one that is final after an appeal and an investigation (RAMP v1, DisputeStatus and
// ResolutionType). UNDER_REVIEW is a step within one transaction here and never an answer.
func TestADisputeTellsEachStatusItStandsAt(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 100_000_000)
	s.trusted.Store(true)
	request := s.disputes("d-1")
	request.Reason = rampv1.DisputeReason_DISPUTE_REASON_WRONG_CONTENT
	dispute := ""
	stands := func(m *rampv1.DisputeRequest, want string) {
		t.Helper()
		out, err := s.client.DisputeTransaction(t.Context(), connect.NewRequest(m))
		if err != nil {
			t.Fatal(err)
		}
		text, err := wire.Marshal(out.Msg)
		if err != nil {
			t.Fatal(err)
		}
		var told struct{ Status, Resolution string }
		if err := json.Unmarshal(text, &told); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(told.Status + " " + told.Resolution); got != want || !out.Msg.Accepted {
			t.Errorf("%s, want %s", text, want)
		}
		dispute = out.Msg.DisputeId
	}
	review := func() {
		t.Helper()
		if err := s.MaintainOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stands(request, "DISPUTE_STATUS_EVIDENCE_NEEDED")
	s.logged(request.TransactionId, 200, 40_000)
	s.now = s.now.Add(13 * time.Hour) // a record may come for half a day
	review()
	stands(request, "DISPUTE_STATUS_RESOLVED RESOLUTION_TYPE_REJECTED")
	appeal := proto.CloneOf(request)
	appeal.Id, appeal.Description, appeal.Ext, appeal.ExtCritical = "d-2",
		proto.String("It was a page on something else."), extOf(extAppeal, dispute), []string{extAppeal}
	stands(appeal, "DISPUTE_STATUS_APPEALED RESOLUTION_TYPE_REJECTED")
	review()
	stands(request, "DISPUTE_STATUS_ESCALATED RESOLUTION_TYPE_INVESTIGATION")
	if _, err := s.Cases.DecideDispute(t.Context(),
		exchange.Decision{Dispute: dispute, Resolution: "credit", By: "ann"}); err != nil {
		t.Fatal(err)
	}
	stands(request, "DISPUTE_STATUS_SETTLED RESOLUTION_TYPE_CREDIT")
	review()
	stands(request, "DISPUTE_STATUS_FINAL RESOLUTION_TYPE_CREDIT")
	stands(appeal, "DISPUTE_STATUS_FINAL RESOLUTION_TYPE_CREDIT")
}
