package broker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// sqlite is a database for tests of what databases have no part in.
func sqlite(t *testing.T) *store.DB { return storetest.OpenSQLite(t, Schema) }

// TestWhatIsNotWantedIsNotBought: of two Exchanges the cheaper offers what a constraint excludes,
// so that the other is bought from; without the constraint it is the cheaper.
func TestWhatIsNotWantedIsNotBought(t *testing.T) {
	t.Parallel()
	old := timestamppb.New(time.Now().Add(-time.Hour))
	for name, c := range map[string]struct {
		offer func(*rampv1.Offer)
		want  func(*rampv1.RAMPRequest)
	}{
		"prohibited function": {func(o *rampv1.Offer) {
			o.Restrictions =
				&rampv1.AccessRestrictions{ProhibitedFunctions: []compv1.Function{compv1.Function_FUNCTION_AI_TRAIN}}
		}, func(r *rampv1.RAMPRequest) { r.Requester.IntendedUse = []string{"ai-all"} }},
		"country": {func(o *rampv1.Offer) { o.Restrictions = &rampv1.AccessRestrictions{PermittedGeo: []string{"FR"}} },
			func(r *rampv1.RAMPRequest) {
				r.Requester.Ext =
					&structpb.Struct{Fields: map[string]*structpb.Value{extGeo: structpb.NewStringValue("de")}}
			}},
		"users": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{ProhibitedUsers: []string{"commercial"}}
		}, func(r *rampv1.RAMPRequest) {
			r.Requester.Ext =
				&structpb.Struct{Fields: map[string]*structpb.Value{extUserCategory: structpb.NewStringValue(
					"commercial")}}
		}},
		"unit cost": {func(o *rampv1.Offer) {
			o.Pricing.UnitCost = proto.Float64(0.001)
			o.Pricing.Unit = proto.String("pages")
		}, func(r *rampv1.RAMPRequest) {
			r.Constraints = &rampv1.RequestConstraints{MaxUnitCost: proto.Float64(0.0005)}
		}},
		"reporting": {func(o *rampv1.Offer) { o.Reporting.Required = true }, func(r *rampv1.RAMPRequest) {
			r.Constraints = &rampv1.RequestConstraints{ReportingCapable: proto.Bool(false)}
		}},
		"delivery": {func(o *rampv1.Offer) { o.DeliveryMethod = rampv1.DeliveryMethod_DELIVERY_METHOD_STREAMING },
			func(r *rampv1.RAMPRequest) {
				r.Constraints =
					&rampv1.RequestConstraints{
						DeliveryPreference: []rampv1.DeliveryMethod{rampv1.DeliveryMethod_DELIVERY_METHOD_DIRECT},
					}
			}},
		"old data": {func(o *rampv1.Offer) {
			o.Identity.ResourceMutability, o.DataAsOf = rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC, old
		}, func(r *rampv1.RAMPRequest) {
			r.Constraints = &rampv1.RequestConstraints{MaxDataAge: durationpb.New(time.Minute)}
		}},
		"currency": {func(o *rampv1.Offer) { o.Pricing.Currency = "EUR"; o.Pricing.Rate = 0.001 },
			func(r *rampv1.RAMPRequest) {
				r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 1, Currency: "USD"}}
			}},
		"named Exchanges": {func(*rampv1.Offer) {}, nil},
		"preferred":       {func(*rampv1.Offer) {}, nil},
		"expired":         {func(o *rampv1.Offer) { o.ExpiresAt = old }, func(*rampv1.RAMPRequest) {}},
		"revenue share": {func(o *rampv1.Offer) { o.Pricing.Model = rampv1.PricingModel_PRICING_MODEL_REVENUE_SHARE },
			func(*rampv1.RAMPRequest) {}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, constrained := range []bool{true, false} {
				d := openDesk(t, sqlite(t), 2, nil)
				cheap, dear := d.at[1], d.at[0]
				cheap.Price = 0.01
				always := name == "expired" || name == "revenue share"
				dear.Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer { o.Reporting.Required = false; return o }
				cheap.Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer {
					if o.Reporting.Required = false; constrained || !always {
						if name != "currency" || constrained {
							c.offer(o)
						}
						if name == "unit cost" && !constrained {
							o.Pricing.UnitCost, o.Pricing.Unit = proto.Float64(0.000001), proto.String("tokens")
						}
					}
					return o
				}
				r := d.request("r", "a")
				switch {
				case !constrained:
				case name == "named Exchanges":
					r.Constraints = &rampv1.RequestConstraints{Exchanges: []string{dear.Domain}}
				case name == "preferred":
					r.Constraints = &rampv1.RequestConstraints{PreferredExchanges: []string{dear.Domain}}
				default:
					c.want(r)
				}
				want := cheap.Domain
				if constrained {
					want = dear.Domain
				}
				if got := d.must(r); got.Exchange != want {
					t.Errorf("constrained %v: bought at %s, want %s: %v", constrained, got.Exchange, want,
						got.GetExt().GetFields()[extPassed])
				}
			}
		})
	}
}

// TestRankIsLexicographic: each step decides before those after it, however far these are apart.
func TestRankIsLexicographic(t *testing.T) {
	t.Parallel()
	change := func(f func(*rampv1.Offer)) func(string, *rampv1.Offer) *rampv1.Offer {
		return func(_ string, o *rampv1.Offer) *rampv1.Offer { f(o); return o }
	}
	for name, c := range map[string]struct{ first, second func(*rampv1.Offer) }{
		"a subscription before the cheapest": {func(o *rampv1.Offer) {
			o.SubscriptionId = proto.String("s")
			o.Pricing.Rate = 0
		}, func(o *rampv1.Offer) {
			o.Pricing.Rate, o.Pricing.UnitCost = 0.0000001, proto.Float64(0.00000000001)
		}},
		"free before cheap in any currency": {func(o *rampv1.Offer) { o.Pricing.Rate, o.Pricing.Currency = 0, "" },
			func(o *rampv1.Offer) { o.Pricing.Rate = 0.00001 }},
		"the unit before the whole": {func(o *rampv1.Offer) {
			o.Pricing.Rate, o.Pricing.EstimatedQuantity = 1, proto.Int32(1_000_000)
		}, func(o *rampv1.Offer) {
			o.Pricing.Rate, o.Pricing.EstimatedQuantity = 0.5, proto.Int32(10)
		}},
		"a known unit cost before an unknown": {func(o *rampv1.Offer) { o.Pricing.Rate = 0.9 }, func(o *rampv1.Offer) {
			o.Pricing.EstimatedQuantity = nil
			o.Pricing.Rate = 0.0001
		}},
		"the price where no unit cost is known": {func(o *rampv1.Offer) {
			o.Pricing.EstimatedQuantity = nil
			o.Pricing.Rate = 0.01
		}, func(o *rampv1.Offer) {
			o.Pricing.EstimatedQuantity = nil
			o.Pricing.Rate = 0.02
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, turned := range []bool{false, true} {
				d := openDesk(t, sqlite(t), 2, nil)
				first, second := d.at[0], d.at[1]
				if turned {
					first, second = second, first
				}
				first.Offer, second.Offer = change(c.first), change(c.second)
				if got := d.must(d.request("r", "a")); got.Exchange != first.Domain {
					t.Errorf("turned %v: bought %v", turned, got.Cost)
				}
			}
		})
	}
}

// TestNextBestIsBought: what is wrong with the best offer, and what makes it right, changes who
// sells.
func TestNextBestIsBought(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(d *desk){
		"its price was changed": func(d *desk) { d.at[1].Signed = func(o *rampv1.Offer) { o.Pricing.Rate = 0.001 } },
		"it is signed by nobody": func(d *desk) {
			d.at[1].Signed = func(o *rampv1.Offer) { o.ExchangeSignature = "AAAA" }
		},
		"it is another's":         func(d *desk) { d.at[1].Key = d.at[0].Key },
		"the provider lists none": func(d *desk) { d.at[0].Lists = d.at[0].Lists[:1] },
		"it answers as another": func(d *desk) {
			d.at[1].Answer = func(r *rampv1.ResourceResponse) { r.Exchange = "good.example" }
		},
		"its manifest is another's": func(d *desk) {
			d.at[1].Manifest = func(m *rampv1.ExchangeManifest) { m.Domain = d.at[0].Domain }
		},
		"it speaks no profile that is understood": func(d *desk) {
			d.at[1].Manifest = func(m *rampv1.ExchangeManifest) { m.SupportedProfiles = []string{"other-v1"} }
		},
		"it denies": func(d *desk) {
			d.at[1].Deny = func(string) rampv1.DenialReason {
				return rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE
			}
		},
		"it floods": func(d *desk) {
			d.at[1].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
				if name != "DiscoverResources" {
					return false
				}
				_, _ = w.Write([]byte(`{"ver":"1.0","id":"` + strings.Repeat("x", 2<<20) + `"}`))
				return true
			}
		},
		"it answers nonsense": func(d *desk) {
			d.at[1].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
				if name == "DiscoverResources" {
					_, _ = w.Write([]byte(`{"ver":`))
				}
				return name == "DiscoverResources"
			}
		},
		"it is dead": func(d *desk) { d.at[1].Close() },
		"it refuses": func(d *desk) {
			d.at[1].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
				if name == "ExecuteTransaction" {
					w.WriteHeader(401)
					_, _ = w.Write([]byte(`{"code":"unauthenticated","message":"who are you"}`))
				}
				return name == "ExecuteTransaction"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, spoilt := range []bool{true, false} {
				d := openDesk(t, sqlite(t), 2, nil)
				d.at[1].Price = 0.01
				want := d.at[1].Domain
				if spoilt {
					spoil(d)
					want = d.at[0].Domain
				}
				r := d.request("r", "a")
				r.SupportedProfiles = []string{"mine-v1"}
				got := d.must(r)
				if got.Exchange != want {
					t.Errorf("spoilt %v: bought at %s, want %s", spoilt, got.Exchange, want)
				}
				if passed := got.GetExt().GetFields()[extPassed]; (passed != nil) != spoilt {
					t.Errorf("spoilt %v: passed over %v", spoilt, passed)
				}
			}
		})
	}
}

// TestSlowExchangesCostTheOthersNothing: an Exchange that never answers is not waited for beyond
// the deadline, and rests after it failed twice.
func TestSlowExchangesCostTheOthersNothing(t *testing.T) {
	t.Parallel()
	stall := make(chan struct{})
	d := openDesk(t, sqlite(t), 2, func(c *Config) { c.Deadline = 2 * time.Second })
	defer close(stall)
	d.at[1].Before = func(name string, _ http.ResponseWriter, r *http.Request) bool {
		if name == "DiscoverResources" {
			<-stall
		}
		return name == "DiscoverResources"
	}
	for _, id := range []string{"r1", "r2", "r3"} {
		if got := d.must(d.request(id, "a")); got.Exchange != d.at[0].Domain {
			t.Fatal("bought at", got.Exchange)
		}
	}
	if n := d.at[1].Asked("DiscoverResources"); n != 2 {
		t.Errorf("who stalls was asked %d times of 3", n)
	}
}

func TestTheSameContentIsBoughtOnce(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	d.at[0].Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer {
		o.Identity.Doi = proto.String("10.1000/1")
		return o
	}
	got := d.must(d.request("r", "a", "b"))
	if n := len(d.at[0].Bought()); n != 1 {
		t.Errorf("bought %d times", n)
	}
	unsold := got.GetExt().GetFields()[extUnsold].GetListValue().GetValues()
	if len(unsold) != 1 || unsold[0].GetStructValue().GetFields()["reason"].GetStringValue() != "SAME_CONTENT" ||
		unsold[0].GetStructValue().GetFields()["same"].GetStringValue() != d.at[0].URI("a") {
		t.Error("unsold", unsold)
	}
}

// TestABoundWithoutAnAmountIsRefused: taken for none, it would let everything be spent.
func TestABoundWithoutAnAmountIsRefused(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	for id, c := range map[string]*rampv1.RequestConstraints{"r1": {BudgetScope: proto.String("user:1")},
		"r2": {BudgetPeriod: durationpb.New(time.Hour)}} {
		r := d.request(id, "a")
		r.Constraints = c
		var wrong *ramp.Invalid
		if got, err := d.ask(r); !errors.As(err, &wrong) || len(d.at[0].Bought()) != 0 {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
}

// TestTheCheapestOfTheSameIsTaken whichever address is named first.
func TestTheCheapestOfTheSameIsTaken(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	d.at[0].Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer {
		o.Identity.Doi = proto.String("10.1000/1")
		if uri == d.at[0].URI("b") {
			o.Pricing.Rate /= 2
		}
		return o
	}
	for id, paths := range map[string][]string{"r1": {"a", "b", "c"}, "r2": {"b", "a"}} {
		if all := items(t, d.must(d.request(id, paths...))); len(all) != 1 || all[d.at[0].URI("b")] == nil {
			t.Errorf("of %v: %v", paths, all)
		}
	}
}

// TestWhatAnExchangeSaysOfOthersContentTakesNoSaleFromThem: that what it sells is the same as what
// is at an address at which it may not sell is not heard.
func TestWhatAnExchangeSaysOfOthersContentTakesNoSaleFromThem(t *testing.T) {
	t.Parallel()
	for _, both := range []bool{false, true} { // whether each may sell at the other's addresses
		d := openDesk(t, sqlite(t), 2, nil)
		a, b := d.at[0].URI("a"), d.at[1].URI("b")
		for _, x := range d.at {
			x.Lists = []*rampv1.AuthorizedExchange{x.Listed()}
			if both {
				x.Lists = []*rampv1.AuthorizedExchange{d.at[0].Listed(), d.at[1].Listed()}
			}
			x.Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer {
				if strings.HasPrefix(uri, x.URL) {
					o.Pricing.Rate /= 2 // each is the best at its own
				}
				o.Identity = &rampv1.ResourceIdentity{CanonicalUrl: proto.String(b)}
				return o
			}
		}
		r := d.request("r", "a")
		r.Requester.Uris = []string{a, b}
		got := items(t, d.must(r))
		if want := map[bool]int{false: 2, true: 1}[both]; len(got) != want {
			t.Errorf("where each may sell at the other's addresses %v: %d bought, and not %d", both, len(got), want)
		}
	}
}

func TestExchangesAreFoundByThePagesOfProviders(t *testing.T) {
	t.Parallel()
	for _, only := range []bool{false, true} {
		d := openDesk(t, sqlite(t), 1, func(c *Config) { c.Exchanges, c.OnlyExchanges = nil, only })
		got, err := d.ask(d.request("r", "a"))
		if (err == nil) == only {
			t.Errorf("only %v: %v, %v", only, got, err)
		}
	}
}

func TestADryRunBuysNothing(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 2, func(c *Config) { c.Fee = Fee{Share: unit / 10} })
	r := d.request("r", "a", "b")
	r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}
	got := d.must(r)
	if len(d.at[0].Bought())+len(d.at[1].Bought()) != 0 || len(items(t, got)) != 2 || got.TransactionId != "" ||
		got.GetBrokerFee().GetAmount() != 0.002 {
		t.Errorf("%v", got)
	}
}

// TestADryRunSaysWhatWouldBeBought: what does not fit under max_price would not be, and is told so.
// Nothing is held of budgets, and these are not looked at: what it costs is told, also to whom has
// none left.
func TestADryRunSaysWhatWouldBeBought(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	for i, c := range []struct {
		most float64
		want []string
	}{{0.03, []string{"a"}}, {0.04, []string{"a", "b"}}} {
		r := budget(d.request(fmt.Sprint("r", i), "a", "b"), 0.01, time.Hour)
		r.Constraints.MaxPrice = &rampv1.Cost{Amount: c.most, Currency: "USD"}
		r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}
		got := d.must(r)
		all := items(t, got)
		for _, path := range c.want {
			if all[d.at[0].URI(path)] == nil {
				t.Errorf("at most %g: %v", c.most, got)
			}
		}
		if left := strings.Contains(got.GetExt().GetFields()[extUnsold].String(), "BUDGET"); len(all) != len(c.want) ||
			left != (len(c.want) == 1) {
			t.Errorf("at most %g: %v", c.most, got)
		}
	}
	if held, spent := stand(t, d.DB); held != 0 || spent != 0 || len(d.at[0].Bought()) != 0 {
		t.Errorf("held %d, spent %d, bought %v", held, spent, d.at[0].Bought())
	}
}

// TestWhatOnlyResemblesADryRunIsRefused: taken for none, it would be bought.
func TestWhatOnlyResemblesADryRunIsRefused(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	for _, value := range []*structpb.Value{structpb.NewStringValue("true"), structpb.NewNumberValue(1),
		structpb.NewNullValue()} {
		r := d.request("r"+value.String(), "a")
		r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: value}}
		var wrong *ramp.Invalid
		if got, err := d.ask(r); !errors.As(err, &wrong) || len(d.at[0].Bought()) != 0 {
			t.Errorf("%v: %v, %v", value, got, err)
		}
	}
	r := d.request("no", "a")
	r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(false)}}
	if got := d.must(r); got.TransactionId == "" {
		t.Errorf("%v", got)
	}
}

// TestWhyNothingIsBought: what is offered and does not fit is not missing from a catalog; and of
// what is offered by nobody, a reason that says more counts before that.
func TestWhyNothingIsBought(t *testing.T) {
	t.Parallel()
	const missing, forbidden = rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG,
		rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_FUNCTION_PROHIBITED
	none := func(why rampv1.OfferAbsenceReason) func(*rampv1.ResourceResponse) {
		return func(r *rampv1.ResourceResponse) {
			r.Offers, r.OfferGroups = nil, []*rampv1.OfferGroup{{Uri: "", AbsenceReason: why.Enum()}}
		}
	}
	for name, c := range map[string]struct {
		first, second func(*rampv1.ResourceResponse)
		want          string
	}{
		"it is too dear here, and unknown there":  {nil, none(missing), "NO_OFFER_FITS"},
		"it is unknown here, and too dear there":  {none(missing), nil, "NO_OFFER_FITS"},
		"it is unknown here, and forbidden there": {none(missing), none(forbidden), "FUNCTION_PROHIBITED"},
		"it is forbidden here, and unknown there": {none(forbidden), none(missing), "FUNCTION_PROHIBITED"},
		"nobody knows it":                         {none(missing), none(missing), "NOT_IN_CATALOG"},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t, sqlite(t), 2, nil)
			r := d.request("r", "a")
			r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 0.0001, Currency: "USD"}}
			for i, change := range []func(*rampv1.ResourceResponse){c.first, c.second} {
				if change != nil {
					d.at[i].Answer = func(answer *rampv1.ResourceResponse) {
						change(answer)
						answer.OfferGroups[0].Uri = d.at[0].URI("a")
					}
				}
			}
			told := d.refused(r, "not_found")
			if !strings.Contains(told.Error(), "("+c.want+")") {
				t.Errorf("%v; want %s", told, c.want)
			}
		})
	}
}

// TestWithAllExchangesDeadItIsUnavailable: nobody can say that nothing is offered. Where one of
// them has answered, or refused, it can be said.
func TestWithAllExchangesDeadItIsUnavailable(t *testing.T) {
	dead := func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }
	fails := func(w http.ResponseWriter) { http.Error(w, "", http.StatusInternalServerError) }
	refuses := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"code":"permission_denied","message":"not you"}`)
	}
	for name, c := range map[string]struct {
		first, second func(http.ResponseWriter)
		want          string
	}{
		"both are dead":                      {dead, dead, "unavailable"},
		"one is dead, and one has a failure": {dead, fails, "unavailable"},
		"one is dead, and one refuses":       {dead, refuses, "not_found"},
		"one is dead, and one has it not":    {dead, nil, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := openDesk(t, sqlite(t), 2, nil)
			for i, fail := range []func(http.ResponseWriter){c.first, c.second} {
				d.at[i].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
					if fail == nil || name != "DiscoverResources" {
						return false
					}
					fail(w)
					return true
				}
			}
			d.at[1].Answer = func(r *rampv1.ResourceResponse) {
				r.Offers, r.OfferGroups = nil,
					[]*rampv1.OfferGroup{{Uri: d.at[0].URI("a"),
						AbsenceReason: rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG.Enum()}}
			}
			for n := range 4 { // from the third on, they rest
				told := d.refused(d.request(fmt.Sprint("r", n), "a"), c.want)
				if _, is := told.Details()["unsold"]; !is ||
					(told.RetryAfter() >= comeBack) != (c.want == "unavailable") {
					t.Errorf("%d: %v, %v, %v", n, told, told.Details(), told.RetryAfter())
				}
			}
		})
	}
}

// TestWhereNamesLeadIsToldToNobody: requests name hosts, and what answers there, or does not, is
// not for them to learn.
func TestWhereNamesLeadIsToldToNobody(t *testing.T) {
	t.Parallel()
	broken := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	server := httptest.NewServer(broken)
	defer server.Close()
	for name, host := range map[string]string{"nobody listens": "127.0.0.1:1",
		"it breaks off": strings.TrimPrefix(server.URL, "http://")} {
		d := openDesk(t, sqlite(t), 1, nil)
		named := d.request("r1", "a")
		named.Constraints = &rampv1.RequestConstraints{Exchanges: []string{host}}
		page := d.request("r2", "a")
		page.Requester.Uris = []string{"http://" + host + "/a"}
		for where, r := range map[string]*rampv1.RAMPRequest{"the Exchange": named, "the address": page} {
			code := "not_found"
			if r == named { // it alone is asked
				code = "unavailable"
			}
			told := d.refused(r, code).Details()["passed"]
			text, err := json.Marshal(told)
			if err != nil || !strings.Contains(string(text), errAway.Error()) ||
				strings.Contains(string(text), "dial") || strings.Contains(string(text), "refused") ||
				strings.Contains(string(text), "EOF") {
				t.Errorf("%s, %s: %s", name, where, text)
			}
		}
	}
}

// TestADenialSaysWhoseAndWhatToDo: an agent that buys at many Exchanges has to know at which it
// needs an account.
func TestADenialSaysWhoseAndWhatToDo(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 1, nil)
	d.at[0].Deny = func(string) rampv1.DenialReason { return rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE }
	told := d.refused(d.request("r", "a"), "failed_precondition").Error()
	if !strings.Contains(told, d.at[0].Domain+" denied") || !strings.Contains(told, "INSUFFICIENT_BALANCE") ||
		!strings.Contains(told, "an account") {
		t.Error(told)
	}
}

// TestAHostSpeaksOnceForARequest has the ramp.json of a host be there again at some moment of a
// request, after it was away: for all of the request's addresses there counts the same.
func TestAHostSpeaksOnceForARequest(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	var now, step atomic.Int64 // each look at the clock takes a step
	d := openDesk(t, storetest.OpenSQLite(t, Schema), 1, func(c *Config) {
		began := time.Now()
		c.OnlyExchanges, c.Now = true, func() time.Time { return began.Add(time.Duration(now.Add(step.Load()))) }
	})
	d.at[0].Before = func(name string, w http.ResponseWriter, _ *http.Request) bool {
		gone := name == "ramp.json" && away.Load()
		if gone {
			w.WriteHeader(http.StatusBadGateway)
		}
		return gone
	}
	d.at[0].Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer { o.ExpiresAt = nil; return o }
	var paths []string
	for n := range 20 {
		paths = append(paths, fmt.Sprintf("article-%02d", n))
	}
	all, none := 0, 0
	for n := range 100 {
		step.Store(0)
		now.Add(int64(providerHolds))
		away.Store(true)
		d.refused(d.request(fmt.Sprint("away", n), "article"), "not_found")
		away.Store(false)
		step.Store(int64(failureHolds) / int64(n+1))
		again := d.request(fmt.Sprint("again", n), paths...)
		again.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}
		got, err := d.ask(again)
		switch told := new(Refusal); {
		case errors.As(err, &told) && told.Code() == "not_found":
			none++
		case err == nil && len(items(t, got)) == len(paths):
			all++
		default:
			t.Fatalf("%d of %d would be bought: %v", len(items(t, got)), len(paths), err)
		}
	}
	if all == 0 || none == 0 {
		t.Errorf("the host was there again for %d requests, and away for %d", all, none)
	}
}
