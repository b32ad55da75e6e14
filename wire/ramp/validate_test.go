package ramp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

const when = `"2026-03-18T09:00:00Z"`

// wellFormed are messages to which nothing may be added wrongly and nothing taken away.
var wellFormed = []struct {
	message proto.Message
	text    string
	// "member=value" for each way to break it, and "-member" for one that is required; each is
	// blamed on that member
	breaks string
}{
	{&rampv1.ResourceQuery{}, `{"ver":"1.0","id":"q","requester":{"id":"r","domain":"b.example"},"deadline":"0.5s"}`,
		`-ver -id -requester deadline="0s" deadline="-1s"`},
	{&rampv1.ResourceResponse{}, `{"ver":"1.0","id":"q","exchange":"x.example"}`, `-ver -id -exchange`},
	{&rampv1.OfferGroup{}, `{"uri":"https://a.example/"}`, `-uri`},
	{&rampv1.RateLimitInfo{}, `{"limit":1,"remaining":0,"reset_at":` + when + `,"window":"60s"}`, `limit=-1 remaining=-1 -reset_at window="0s"`},
	{&rampv1.Requester{}, `{"id":"r","domain":"b.example:8443","uris":["duns:1"],"signature_algorithm":"Ed25519"}`,
		`-id -domain domain="https://b.example" domain="b.example/x" domain="b..example" domain=".b" domain="B.example" domain="b.example:" domain="b.example:x" uris[0]="" signature_algorithm="rsa"`},
	{&rampv1.Delegation{}, `{"principal_domain":"p.example","principal_id":"p","expires_at":` + when + `,"token":"t","max_accesses":0,"quota_period":"1s"}`,
		`-principal_domain principal_domain="x/y" -principal_id -expires_at -token max_accesses=-1 quota_period="0s"`},
	{&rampv1.Offer{}, `{"offer_id":"o","package":{"id":"p"},"pricing":{},"exchange_signature":"s","identity":{"resource_mutability":1}}`,
		`-offer_id -package -pricing -exchange_signature signature_algorithm="none"`},
	{&rampv1.Preview{}, `{"url":"u"}`, `-url width=-1 height=-1 duration=-1`},
	{&rampv1.ResourceAttestation{}, `{"verifier":"v.example","kid":"k","attested_at":` + when + `,"uri":"u","signature":"s"}`,
		`-verifier verifier="v example" -kid -attested_at -uri -signature`},
	{&rampv1.Pricing{}, `{"rate":1,"currency":"EUR","unit_cost":0.5,"revshare":1,"estimated_quantity":0,"license_duration_months":0}`,
		`rate=-1 -currency currency="eur" currency="EURO" unit_cost=-0.5 estimated_quantity=-1 revshare=1.01 revshare=-0.1 license_duration_months=-1`},
	{&rampv1.AccessRestrictions{}, `{"permitted_geo":["DE"],"prohibited_geo":["US"],"max_display_words":0}`, `permitted_geo[0]="de" prohibited_geo[0]="USA" max_display_words=-1`},
	{&rampv1.SubscriptionQuotaInfo{}, `{"subscription_id":"s"}`, `-subscription_id quota_limit=-1 quota_used=-1 quota_remaining=-1`},
	{&rampv1.Cost{}, `{"amount":1,"currency":"USD"}`, `amount=-1 -currency currency="$" unit_cost=-1`},
	{&rampv1.ReportingObligation{}, `{"window":"1s"}`, `window="0s"`},
	{&rampv1.TransactionRequest{}, `{"ver":"1.0","id":"t","requester":{"id":"r","domain":"b.example"},"offer_id":"o"}`, `-ver -id -requester -offer_id`},
	{&rampv1.TransactionItem{}, `{"offer_id":"o"}`, `-offer_id`},
	{&rampv1.TransactionResponse{}, `{"ver":"1.0","id":"t","agent_identity_hash":"h"}`, `-ver -id -agent_identity_hash`},
	{&rampv1.TransactionResultItem{}, `{"offer_id":"o"}`, `-offer_id`},
	{&rampv1.UsageReport{}, `{"ver":"1.0","id":"u","transaction_id":"t","billing_id":"b","usage":{},"timestamp":` + when + `}`,
		`-ver -id -transaction_id -billing_id -usage -timestamp`},
	{&rampv1.Usage{}, `{}`, `consumed_quantity=-1`},
	{&rampv1.UsageAsset{}, `{"uri":"u"}`, `-uri`},
	{&rampv1.UsageReportResponse{}, `{"accepted":true,"report_id":"r"}`, `-report_id`},
	{&rampv1.UsageReportResponse{}, `{"rejection_reason":"r"}`, `-rejection_reason`},
	{&rampv1.DisputeRequest{}, `{"ver":"1.0","id":"d","transaction_id":"t","billing_id":"b","reason":1,"report_id":"r"}`,
		`-ver -id -transaction_id -billing_id -reason -report_id`},
	{&rampv1.DisputeResponse{}, `{"accepted":true,"dispute_id":"r"}`, `-dispute_id`},
	{&rampv1.DisputeResponse{}, `{"rejection_reason":"r"}`, `-rejection_reason`},
	{&rampv1.DomainVerificationRequest{}, `{"ver":"1.0","domain":"p.example"}`, `-ver -domain domain="p.example/"`},
	{&rampv1.DomainVerificationChallenge{}, `{"token":"t","expires_at":` + when + `,"verification_url":"u"}`, `-token -expires_at -verification_url`},
	{&rampv1.DomainVerificationConfirmation{}, `{"ver":"1.0","domain":"p.example","token":"t","signing_key":"k","cdn_type":"hmac"}`,
		`-ver -domain -token -cdn_type cdn_type="other"`},
	{&rampv1.DomainVerificationResult{}, `{"failure_reason":"f"}`, `-failure_reason`},
	{&rampv1.RAMPRequest{}, `{"ver":"1.0","id":"q","requester":{"id":"r","domain":"b.example"}}`, `-ver -id -requester`},
	{&rampv1.RequestConstraints{}, `{}`, `max_unit_cost=-1 budget_period="0s" max_data_age="0s"`},
	{&rampv1.RAMPResponse{}, `{"ver":"1.0","id":"a","request_id":"q"}`, `-ver -id -request_id`},
	{&rampv1.PushResourcesRequest{}, `{"tenant_id":"t"}`, `-tenant_id`},
	{&rampv1.ResourceEntry{}, `{"domain":"p.example","path":"/a"}`, `-domain -path word_count=-1 estimated_quantity=-1`},
	{&rampv1.PushResourcesResponse{}, `{}`, `accepted=-1 rejected=-1`},
	{&rampv1.RemoveResourcesRequest{}, `{"tenant_id":"t","paths":["/a"]}`, `-tenant_id paths[0]=""`},
	{&rampv1.RemoveResourcesResponse{}, `{}`, `removed=-1`},
	{&rampv1.RefreshCatalogRequest{}, `{"tenant_id":"t"}`, `-tenant_id`},
	{&rampv1.ProviderManifest{}, `{"ver":"1.0","provider":"p.example"}`, `-ver -provider`},
	{&rampv1.CatalogContributor{}, `{"domain":"c.example"}`, `-domain`},
	{&rampv1.AuthorizedExchange{}, `{"domain":"x.example"}`, `-domain`},
	{&rampv1.ExchangeManifest{}, `{"ver":"1.0","domain":"x.example","name":"X","operator":"O","exchange_endpoint":"e","keys_uri":"k","protocol_versions_supported":["1.0"],` +
		`"pricing_models_supported":["free"],"delivery_methods_supported":["direct"]}`,
		`-ver -domain -name -operator -exchange_endpoint -keys_uri -protocol_versions_supported -pricing_models_supported -delivery_methods_supported base_currency="euro"`},
	{&rampv1.AccessPolicyRule{}, `{"pattern":"/**"}`, `-pattern`},
	{&compv1.Package{}, `{"id":"p"}`, `-id`},
	{&compv1.License{}, `{}`, `maxword=-1 price=-1 revshare=2 cur="x" dur=-1`},
	{&compv1.Retrieval{}, `{}`, `ratelmt=-1`},
	// Messages in which nothing is required and nothing has bounds.
	{&rampv1.ResourceIdentity{}, `{}`, ``}, {&rampv1.AttributionDetail{}, `{}`, ``}, {&rampv1.AccessPolicy{}, `{}`, ``},
	{&rampv1.RefreshCatalogResponse{}, `{}`, ``},
	{&rampv1.IntermediaryHop{}, `{}`, ``}, // see CheckHops
}

// broken gives the JSON of a message after one break, and the member that it is to be blamed on.
func broken(t *testing.T, text, how string) (changed, blamed string) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}
	if name, ok := strings.CutPrefix(how, "-"); ok {
		if _, there := members[name]; !there {
			t.Fatalf("%s has no %s to take away", text, name)
		}
		delete(members, name)
		blamed = name
	} else {
		name, value, _ := strings.Cut(how, "=")
		blamed = name
		if list, isList := strings.CutSuffix(name, "[0]"); isList {
			name, value = list, "["+value+"]"
		}
		members[name] = json.RawMessage(value)
	}
	out, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), blamed
}

func TestEveryRuleOfEveryMessage(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range wellFormed {
		name := string(c.message.ProtoReflect().Descriptor().Name())
		seen[name] = true
		if err := ramp.Unmarshal([]byte(c.text), c.message); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := ramp.Validate(c.message); err != nil {
			t.Errorf("%s %s is refused: %v", name, c.text, err)
		}
		for _, how := range breaksOf(c.breaks) {
			changed, blamed := broken(t, c.text, how)
			if err := ramp.Unmarshal([]byte(changed), c.message); err != nil {
				t.Fatalf("%s: %v", changed, err)
			}
			if got := pathOf(ramp.Validate(c.message)); got != blamed {
				t.Errorf("%s %s: blamed is %q, want %q", name, changed, got, blamed)
			}
		}
	}
	messages := rampv1.File_ramp_v1_ramp_proto.Messages()
	for i := range messages.Len() {
		if name := string(messages.Get(i).Name()); !seen[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// breaksOf splits at blanks outside quotes.
func breaksOf(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(c rune) bool {
		if c == '"' {
			quoted = !quoted
		}
		return c == ' ' && !quoted
	})
}

func pathOf(err error) string {
	var invalid *ramp.Invalid
	if err == nil {
		return "nothing"
	}
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	return invalid.Path
}

// The whole path is named, and rules that are about several members.
func TestWhatIsWrongIsBlamedByPath(t *testing.T) {
	t.Parallel()
	requester := &rampv1.Requester{Id: "r", Domain: "b.example"}
	purchase := func(change func(*rampv1.TransactionRequest)) proto.Message {
		m := &rampv1.TransactionRequest{Ver: "1.0", Id: "t", Requester: requester}
		change(m)
		return m
	}
	offer := func(change func(*rampv1.Offer)) proto.Message {
		o := &rampv1.Offer{OfferId: "o", Package: &compv1.Package{Id: "p"}, Pricing: &rampv1.Pricing{},
			ExchangeSignature: "s"}
		change(o)
		return &rampv1.ResourceResponse{Ver: "1.0", Id: "q", Exchange: "x",
			OfferGroups: []*rampv1.OfferGroup{{Uri: "a"}, {Uri: "b", Offers: []*rampv1.Offer{o}}}}
	}
	text := func(size int) *string { s := strings.Repeat("a", size); return &s }
	attested := func(claim int) *rampv1.ResourceAttestation {
		return &rampv1.ResourceAttestation{
			Verifier: "v.example", Kid: "k", AttestedAt: &timestamppb.Timestamp{}, Uri: "u", Signature: "s",
			Claims: &structpb.Struct{Fields: map[string]*structpb.Value{"t": structpb.NewStringValue(*text(claim))}},
		}
	}
	items := func(n int) (all []*rampv1.TransactionItem) {
		for i := range n {
			all = append(all, &rampv1.TransactionItem{OfferId: fmt.Sprint(i)})
		}
		return all
	}
	ext := &structpb.Struct{Fields: map[string]*structpb.Value{"ramp.a": structpb.NewBoolValue(true)}}
	entries := make([]*rampv1.ResourceEntry, ramp.MaxEntries+1)
	for i := range entries {
		entries[i] = &rampv1.ResourceEntry{Domain: "p.example", Path: "/"}
	}
	many := slices.Repeat([]*rampv1.ResourceAttestation{attested(1)}, ramp.MaxAttestations+1)
	for _, c := range []struct {
		message proto.Message
		path    string
	}{
		{purchase(func(m *rampv1.TransactionRequest) { m.Items = items(ramp.MaxItems) }), "nothing"},
		{purchase(func(m *rampv1.TransactionRequest) { m.Items = items(ramp.MaxItems + 1) }), "items"},
		{purchase(func(m *rampv1.TransactionRequest) { m.Items, m.OfferId = items(1), text(1) }), "items"},
		{purchase(func(m *rampv1.TransactionRequest) { m.Items, m.OfferSignature = items(1), text(1) }), "items"},
		{purchase(func(m *rampv1.TransactionRequest) { m.Items = []*rampv1.TransactionItem{{OfferId: "a"}, {}} }),
			"items[1].offer_id"},
		{purchase(func(m *rampv1.TransactionRequest) { m.OfferId = text(0) }), "offer_id"},
		{offer(func(*rampv1.Offer) {}), "nothing"},
		{offer(func(o *rampv1.Offer) { o.Pricing.Rate = math.NaN() }), "offer_groups[1].offers[0].pricing.rate"},
		{offer(func(o *rampv1.Offer) { o.Pricing.UnitCost = proto.Float64(math.Inf(1)) }),
			"offer_groups[1].offers[0].pricing.unit_cost"},
		{offer(func(o *rampv1.Offer) { o.ExpiresAt = &timestamppb.Timestamp{Nanos: -1} }),
			"offer_groups[1].offers[0].expires_at"},
		{offer(func(o *rampv1.Offer) {
			o.Reporting = &rampv1.ReportingObligation{Window: &durationpb.Duration{Seconds: 1, Nanos: -1}}
		}), "offer_groups[1].offers[0].reporting.window"},
		{offer(func(o *rampv1.Offer) { o.Identity = &rampv1.ResourceIdentity{ResourceMutability: 2} }),
			"offer_groups[1].offers[0].data_as_of"},
		{offer(func(o *rampv1.Offer) {
			o.Identity, o.DataAsOf = &rampv1.ResourceIdentity{ResourceMutability: 2}, &timestamppb.Timestamp{}
		}), "nothing"},
		{offer(func(o *rampv1.Offer) {
			o.Identity = &rampv1.ResourceIdentity{ResourceMutability: 3, ContentHash: text(1)}
		}), "offer_groups[1].offers[0].identity.content_hash"},
		{offer(func(o *rampv1.Offer) { o.Attestations = many[1:] }), "nothing"},
		{offer(func(o *rampv1.Offer) { o.Attestations = many }), "offer_groups[1].offers[0].attestations"},
		{attested(ramp.MaxClaims - len(`{"t":""}`)), "nothing"},
		// which spoils one attestation, not the message: see VerifyAttestation
		{attested(ramp.MaxClaims - len(`{"t":""}`) + 1), "nothing"},
		{&rampv1.PushResourcesRequest{TenantId: "t", Entries: entries[1:]}, "nothing"},
		{&rampv1.PushResourcesRequest{TenantId: "t", Entries: entries}, "entries"},
		{&rampv1.ResourceEntry{Domain: "p.example", Path: *text(ramp.MaxPath)}, "nothing"},
		{&rampv1.ResourceEntry{Domain: "p.example", Path: *text(ramp.MaxPath + 1)}, "path"},
		{&rampv1.ResourceEntry{Domain: "p.example", Path: "/", Attestations: many}, "attestations"},
		{&rampv1.Cost{UnitCost: proto.Float64(1)}, "currency"},
		{&rampv1.Requester{Id: "r", Domain: "b.example", Uris: []string{"a", *text(ramp.MaxPath + 1)}}, "uris[1]"},
		{&rampv1.Requester{Id: "r", Domain: "b.example", Ext: ext, ExtCritical: []string{"ramp.a"}}, "nothing"},
		{&rampv1.Requester{Id: "r", Domain: "b.example", Ext: ext, ExtCritical: []string{"ramp.a", "ramp.b"}},
			"ext_critical[1]"},
		{&rampv1.ExchangeManifest{ExtCritical: []string{"a"}}, "ext_critical[0]"},
		{&rampv1.Requester{Id: "r", Domain: "b.example",
			Ext: &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewNumberValue(math.NaN())}}},
			"ext"},
	} {
		if got := pathOf(ramp.Validate(c.message)); got != c.path {
			t.Errorf("%.200s: blamed is %q, want %q", fmt.Sprint(c.message), got, c.path)
		}
	}
}

// Each message that has ext_critical is looked at, wherever it is.
func TestUnknownCriticalKeysAreToldApart(t *testing.T) {
	t.Parallel()
	ext := &structpb.Struct{Fields: map[string]*structpb.Value{"known": {}, "b.key": {}, "a.key": {}}}
	query := &rampv1.ResourceQuery{
		Ext: ext, ExtCritical: []string{"known", "b.key"},
		Requester: &rampv1.Requester{Delegation: &rampv1.Delegation{Ext: ext, ExtCritical: []string{"a.key", "b.key"}}},
	}
	known := func(_, key string) bool { return key == "known" }
	if got := ramp.UnknownCritical(query, known); !slices.Equal(got, []string{"a.key", "b.key"}) {
		t.Errorf("unknown are %q", got)
	}
	query.ExtCritical, query.Requester = query.ExtCritical[:1], nil
	if got := ramp.UnknownCritical(query, known); len(got) != 0 {
		t.Errorf("unknown are %q", got)
	}
	messages := rampv1.File_ramp_v1_ramp_proto.Messages()
	for i := range messages.Len() {
		of := messages.Get(i)
		if of.Fields().ByName("ext_critical") == nil {
			continue
		}
		message := fresh(t, of)
		if err := ramp.Unmarshal([]byte(`{"ext":{"a":1},"ext_critical":["a"]}`), message); err != nil {
			t.Fatal(err)
		}
		if got := ramp.UnknownCritical(message, known); !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: unknown are %q", of.Name(), got)
		}
		if err := ramp.Unmarshal([]byte(`{"ext_critical":["a"]}`), message); err != nil {
			t.Fatal(err)
		}
		if got := pathOf(ramp.Validate(message)); got != "ext_critical[0]" {
			t.Errorf("%s: a key that ext has not is blamed on %q", of.Name(), got)
		}
	}
}

func fresh(t *testing.T, of protoreflect.MessageDescriptor) proto.Message {
	t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(of.FullName())
	if err != nil {
		t.Fatal(err)
	}
	return kind.New().Interface()
}
