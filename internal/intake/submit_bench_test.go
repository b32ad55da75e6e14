package intake

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake/offers"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// benchRules make an offer of a few sums, as an owner would write them.
const benchRules = `{"bmi":"data.weight_kg / (data.height_m * data.height_m)"}`

const benchSchema = `{"type":"object","required":["age","weight_kg","height_m","concern"],"properties":{"age":{"type":"integer","minimum":0,"maximum":130},
	"weight_kg":{"type":"number","minimum":20,"maximum":300},"height_m":{"type":"number","minimum":1,"maximum":2.5},"concern":{"type":"string","enum":["sleep","weight","energy"]},
	"activity":{"type":"string","enum":["low","some","much"]},"note":{"type":"string","maxLength":2000}}}`

// BenchmarkSubmit says what a submission with rules costs beside its floor: strict decoding, schema
// validation, and one commit that is durable.
func BenchmarkSubmit(b *testing.B) {
	k := newTaker(b)
	schema, err := wire.CompileSchema([]byte(benchSchema))
	if err != nil {
		b.Fatal(err)
	}
	rules, err := offers.NewRules(offers.Rules{
		Let:     yamlconf.Object(benchRules),
		Decline: []offers.Decline{{When: "data.age < 18", Reason: "We take on adults only."}},
		Offers: []offers.Offer{
			{When: "bmi >= 25.0", Summary: "Your BMI is {round(bmi, 1)}; a plan of twelve weeks.",
				Details: yamlconf.Object(`{"bmi":"{round(bmi, 1)}","weeks":12}`), BindRequires: []string{"email", "full_name"}},
			{Summary: "Your BMI is {round(bmi, 1)}; a plan of four weeks.",
				Details: yamlconf.Object(`{"bmi":"{round(bmi, 1)}","weeks":4}`), BindRequires: []string{"email", "full_name"}},
		},
	}, strictjson.Value(benchSchema))
	if err != nil {
		b.Fatal(err)
	}
	k.intake.Schema, k.intake.Engine, k.intake.Retention = schema, rules, wire.RetainNone
	ctx := context.Background()
	body := func(n int64) []byte {
		return fmt.Appendf(nil, `{"aip_version":"0.1.0","agent":{"id":"agent-7","platform":"chat","consent_scope":["intake","offer"]},"session_id":"0f8fad5b-d9cb-469f-a165-%012x",`+
			`"intake_data":{"age":41,"weight_kg":%d.5,"height_m":1.82,"concern":"energy","activity":"some","note":"tired in the afternoon, since some months"},`+
			`"metadata":{"timestamp":"2027-05-04T12:00:00Z","locale":"en-US"}}`, n, 60+n%60)
	}
	read := func(n int64) *wire.Request {
		r, err := wire.ReadRequest(body(n), wire.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	if err := k.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `CREATE TABLE floor_row (id BIGINT PRIMARY KEY, body TEXT NOT NULL)`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	floor := func(n int64) error {
		r := read(n)
		if found := schema.Validate(r.IntakeData); len(found) > 0 {
			return fmt.Errorf("%v", found)
		}
		return k.db.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO floor_row (id, body) VALUES ($1, $2)`, n, string(r.IntakeData))
			return err
		})
	}
	submit := func(n int64) error {
		r := read(n)
		_, err := k.Submit(ctx,
			Submission{Intake: "assessment", Agent: r.Agent, Session: r.SessionID, Data: r.IntakeData, Locale: "en-US"})
		return err
	}
	var n atomic.Int64
	b.Run("in turns", func(b *testing.B) { // so that what else the machine does slows both
		var spent [2]time.Duration
		for b.Loop() {
			for i, do := range []func(int64) error{floor, submit} {
				began := time.Now()
				if err := do(n.Add(1)); err != nil {
					b.Fatal(err)
				}
				spent[i] += time.Since(began)
			}
		}
		b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N), "floor-ns/op")
		b.ReportMetric(float64(spent[1].Nanoseconds())/float64(b.N), "submit-ns/op")
		b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
	})
	for _, c := range []struct {
		name string
		do   func(int64) error
	}{{"floor", floor}, {"submit", submit}} {
		b.Run(c.name+"/clients=64", func(b *testing.B) {
			before := k.db.Commits()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := c.do(n.Add(1)); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(k.db.Commits()-before)/float64(b.N), "commits/op")
		})
	}
}
