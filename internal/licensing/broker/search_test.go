package broker

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// TestWhatASearchFindsIsBought in the name of whoever's signature allows it: the requester's where
// it has not signed, the Broker's where its operator wants that; else it is told, and nothing is
// bought. One is bought, the one that fits best and is offered.
func TestWhatASearchFindsIsBought(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signature string
		own       bool
		code      string
		buyer     string
	}{
		"unsigned":            {"", false, "", "bot"},
		"signed":              {"c2ln", false, "failed_precondition", ""},
		"signed, own account": {"c2ln", true, "", "b1"},
	} {
		t.Run(name, func(t *testing.T) {
			var d *desk
			d = openDesk(t, sqlite(t), 2, func(config *Config) {
				config.Own = c.own
				config.Find = func(_ context.Context, text string, filters map[string]any, most int) ([]SearchHit,
					error) {
					if text != "lamps" || most != MaxHits {
						t.Errorf("searched for %q, %v, %d", text, filters, most)
					}
					return []SearchHit{{URI: d.at[0].URI("none"), Score: 90},
						{URI: d.at[0].URI("lamp"), Title: "A lamp", Score: 80},
						{URI: d.at[0].URI("other"), Score: 70}}, nil
				}
			})
			for _, x := range d.at {
				x.Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer {
					if uri == d.at[0].URI("none") {
						return nil
					}
					return o
				}
			}
			r := d.request("r")
			r.Query, r.Requester.Signature = proto.String("lamps"), c.signature
			if c.code != "" {
				if told := d.refused(r, c.code); len(told.Details()["found"].([]any)) != 3 ||
					d.at[0].Asked("DiscoverResources") != 0 {
					t.Errorf("told %v", told.Details())
				}
				r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}
				told := d.must(r).GetExt().GetFields() // it buys nothing anyway, and is told what was found
				if list := told[extFound].GetListValue().GetValues(); len(list) != 3 ||
					list[0].GetStructValue().GetFields()["uri"].GetStringValue() != d.at[0].URI("none") ||
					told[extItems] != nil || d.at[0].Asked("DiscoverResources") != 0 {
					t.Errorf("told %v", told)
				}
				return
			}
			got := items(t, d.must(r))
			if len(got) != 1 || got[d.at[0].URI("lamp")] == nil || len(d.at[0].Bought())+len(d.at[1].Bought()) != 1 {
				t.Errorf("bought %v", got)
			}
			if q := d.at[0].Queries()[0]; q.GetRequester().GetId() != c.buyer || (len(q.Intermediaries) == 0) != c.own {
				t.Errorf("asked as %v through %v", q.Requester, q.Intermediaries)
			}
		})
	}
	d := openDesk(t, sqlite(t), 1, nil)
	r := d.request("r")
	r.Query = proto.String("lamps")
	d.refused(r, "failed_precondition")
}

// TestHowAnExchangeDiscoveredAnAddressIsPassedOn tells the agent of a search, a recommendation or
// syndication of the Exchange (RAMP v1, DiscoveryMethod), and nothing of a direct query or of what
// is no method.
func TestHowAnExchangeDiscoveredAnAddressIsPassedOn(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	methods := map[string]rampv1.DiscoveryMethod{
		"direct": rampv1.DiscoveryMethod_DISCOVERY_METHOD_MARKETPLACE, "unsaid": 0, "later": 9,
		"searched":    rampv1.DiscoveryMethod_DISCOVERY_METHOD_SEARCH,
		"recommended": rampv1.DiscoveryMethod_DISCOVERY_METHOD_RECOMMENDATION,
		"syndicated":  rampv1.DiscoveryMethod_DISCOVERY_METHOD_SYNDICATION,
	}
	d.at[0].Answer = func(out *rampv1.ResourceResponse) {
		for _, group := range out.OfferGroups {
			group.DiscoveryMethod = methods[strings.TrimPrefix(group.Uri, d.at[0].URI(""))].Enum()
		}
	}
	r := d.request("r", "direct", "unsaid", "later", "searched", "recommended", "syndicated")
	got := items(t, d.must(r))
	for path, want := range map[string]string{
		"direct": "", "unsaid": "", "later": "", "searched": "DISCOVERY_METHOD_SEARCH",
		"recommended": "DISCOVERY_METHOD_RECOMMENDATION", "syndicated": "DISCOVERY_METHOD_SYNDICATION",
	} {
		if one := got[d.at[0].URI(path)]; one == nil || one.GetExt().GetFields()[extMethod].GetStringValue() != want {
			t.Errorf("%s: %v, want %q", path, one, want)
		}
	}
}

// TestWhatIsNoPageIsBoughtWhereItsExchangeIsNamed: it has no host whose ramp.json could list the
// Exchange, so that the word of the operator or the agent counts.
func TestWhatIsNoPageIsBoughtWhereItsExchangeIsNamed(t *testing.T) {
	t.Parallel()
	const uri = "duns:804735132"
	want := func(d *desk, id string) *rampv1.RAMPRequest {
		r := d.request(id)
		r.Requester.Uris = []string{uri}
		return r
	}
	d := openDesk(t, sqlite(t), 1, nil)
	if got := d.must(want(d, "r")); got.GetTransactionId() == "" ||
		got.GetExt().GetFields()[extURI].GetStringValue() != uri || len(d.at[0].Bought()) != 1 {
		t.Errorf("%v", got)
	}
	x := d.at[0]
	unnamed := openDesk(t, sqlite(t), 0, nil)
	unnamed.at = d.at
	r := want(unnamed, "r2")
	unnamed.refused(r, "not_found")
	r = want(unnamed, "r3")
	r.Constraints = &rampv1.RequestConstraints{Exchanges: []string{x.Domain}}
	if got := unnamed.must(r); got.GetTransactionId() == "" || len(x.Bought()) != 2 {
		t.Errorf("%v", got)
	}
}

// TestAnExchangeOfALaterProtocolIsPassedOverByName tells why nothing is taken of it, and takes the
// next.
func TestAnExchangeOfALaterProtocolIsPassedOverByName(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 2, nil)
	d.at[0].Price, d.at[1].Price = 0.01, 0.03
	d.at[0].Answer = func(out *rampv1.ResourceResponse) { out.Ver = "2.0" }
	got := d.must(d.request("r", "lamp"))
	passed := got.GetExt().GetFields()[extPassed].String()
	if got.GetExchange() != d.at[1].Domain || len(d.at[0].Bought()) != 0 || !strings.Contains(passed, "RAMP 2.0") {
		t.Errorf("%v, %s", got, passed)
	}
}
