package offers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// TestTheIntakesOfTheDemo submits to all four of them: each rule of each is followed once, and what
// is not valid gets no offer.
func TestTheIntakesOfTheDemo(t *testing.T) {
	t.Parallel()
	server := process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	checkup := func(change string) string {
		return `{"age_range":"30-44","activity":"moderate","weight_kg":80,"height_cm":178,"goal":"strength"` + change + `}`
	}
	begins := time.Now().UTC().AddDate(0, 0, 7)
	day, ends := begins.Format(time.DateOnly), begins.AddDate(0, 0, 30).Format(time.DateOnly)
	with := func(old, new string) string { return strings.Replace(checkup(""), old, new, 1) }
	for i, c := range []struct{ intake, data, status, says, details string }{
		{"jam-sugar", `{"fruit":"plum","fruit_kg":2.5,"sugar":"2:1"}`, "offer", `^2\.5 kg of plum take 1\.25 kg of sugar and fill 8 jars of 340 ml\.$`, `{"sugar_kg":1.25,"litres":2.63,"jars":8,"jar_ml":340}`},
		{"jam-sugar", `{"fruit":"quince","fruit_kg":0.2,"sugar":"1:1","jar_ml":450}`, "offer", `fill one jar of 450 ml`, `{"sugar_kg":0.2,"litres":0.29,"jars":1,"jar_ml":450}`},
		{"jam-sugar", `{"fruit":"plum","fruit_kg":0,"sugar":"2:1"}`, "error", `SCHEMA_MISMATCH`, ""},
		{"jam-sugar", `{"fruit":"stone","fruit_kg":1,"sugar":"2:1"}`, "error", `SCHEMA_MISMATCH`, ""},
		{"kitchen-checkup", checkup(`,"diet":["vegetarian"]`), "offer", `^About 2900 kcal a day fit you \(a BMI of 25\.2\)\. Begin with .+\.$`, ""},
		{"kitchen-checkup", with("80", "60"), "offer", `^About 2250 kcal .* BMI of 18\.9`, ""},
		{"kitchen-checkup", strings.Replace(with("80", "60"), "strength", "weight", 1), "offer", `^Your weight suits your height`, `{"bmi":18.9,"energy_kcal":2000,"change":"none"}`},
		{"kitchen-checkup", with("30-44", "under 18"), "declined", `for adults`, ""},
		{"kitchen-checkup", with("80", "45"), "declined", `ask a doctor`, ""},
		{"kitchen-checkup", with("80", "1e3"), "error", `SCHEMA_MISMATCH`, ""},
		{"kitchen-checkup", checkup(`,"email":"jane@person.example"`), "error", `SCHEMA_MISMATCH`, ""},
		{"evening-out", `{"interest":"folk music","people":2}`, "offer", `^For 2 of you: .*Slipway Trio.*to ask for places at the first`, ""},
		{"evening-out", `{"interest":"a walk","people":1,"children":true}`, "offer", `^For one of you: .*Tide Pool Walk.*to ask for a place`, ""},
		{"evening-out", `{"interest":"folk music","people":13}`, "declined", `^For 13 people we need to talk`, ""},
		{"evening-out", `{"interest":"zyzzyva qwrtp","people":2}`, "declined", `^Nothing of that kind`, ""},
		{"review-trial", `{"readers":1,"plan":"print","country":"IE","begins":"` + day + `"}`, "offer", `^Thirty days free until ` + ends + `, then 11\.50 GBP a month\.`,
			`{"plan":"print","readers":1,"ends":"` + ends + `","monthly":{"amount":11.5,"currency":"GBP"}}`},
		{"review-trial", `{"readers":10,"plan":"digital","country":"FR","begins":"` + day + `"}`, "offer", `for 10 readers until ` + ends + `, then 48\.00 GBP a month, which is 20 % less`,
			`{"plan":"digital","readers":10,"ends":"` + ends + `","monthly":{"amount":48,"currency":"GBP"}}`},
		{"review-trial", `{"readers":100,"plan":"digital","country":"FR","begins":"` + day + `"}`, "offer", `then 360\.00 GBP a month, which is 40 % less`, ""},
		{"review-trial", `{"readers":1,"plan":"print","country":"FR"}`, "declined", `^On paper the Review goes to GB and IE alone`, ""},
		{"review-trial", `{"readers":1,"plan":"digital","country":"FR","begins":"2099-01-01"}`, "declined", `within ninety days`, ""},
		{"review-trial", `{"readers":1,"plan":"digital","country":"FR","begins":"2020-01-01"}`, "declined", `begins today`, ""},
		{"review-trial", `{"readers":1,"plan":"digital","country":"fr"}`, "error", `SCHEMA_MISMATCH`, ""},
	} {
		a := submit(t, server.URL, c.intake, i, c.data)
		says := a.said.Offer.Summary + a.said.DeclineReason + a.said.Error.Code
		if a.said.Status != c.status || !regexp.MustCompile(c.says).MatchString(says) ||
			c.details != "" && string(a.said.Offer.Details) != c.details {
			t.Errorf("%s %s:\n%s", c.intake, c.data, a.text)
		}
		if (a.code == 200) != (c.status != "error") {
			t.Errorf("%s %s: status %d", c.intake, c.data, a.code)
		}
		if c.status == "offer" && (a.said.Offer.BindEndpoint != "") != (c.intake != "jam-sugar") {
			t.Errorf("%s is accepted at %q", c.intake, a.said.Offer.BindEndpoint)
		}
	}
	offer := submit(t, server.URL, "review-trial", 100, `{"readers":2,"plan":"digital","country":"FR"}`)
	const jane = `{"email":"jane@person.example","full_name":"Jane Doe"}`
	if a := bind(t, offer, 100, jane); a.code != 400 || a.said.Error.Code != "INVALID_INPUT" ||
		!strings.Contains(a.said.Error.Message, "account_creation") {
		t.Errorf("without consent to an account: %d %s", a.code, a.text)
	}
	if a := bind(t, offer, 100, jane, "account_creation"); a.code != 200 || a.said.Status != "bound" {
		t.Errorf("%d %s", a.code, a.text)
	}
}

// TestEveryGoalOfTheCheckupGetsDinners submits every goal with every choice of diets: each offer
// names dinners, and each dinner suits all of the diets.
func TestEveryGoalOfTheCheckupGetsDinners(t *testing.T) {
	suits := dietsOfTheKitchen(t)
	schema := map[string]string{"vegetarian": "VegetarianDiet", "vegan": "VeganDiet", "gluten-free": "GlutenFreeDiet"}
	for _, goal := range []string{"more energy", "weight", "strength", "keep as it is"} {
		t.Run(goal, func(t *testing.T) {
			t.Parallel()
			// A server for each goal, since the intake declares 30 requests a minute.
			server := process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
			for n, diets := range choices("vegetarian", "vegan", "gluten-free") {
				list, err := json.Marshal(diets)
				if err != nil {
					t.Fatal(err)
				}
				a := submit(t, server.URL, "kitchen-checkup", n,
					`{"age_range":"30-44","activity":"moderate","weight_kg":80,"height_cm":178,"goal":"`+goal+`","diet":`+string(list)+`}`)
				var details struct{ Dinners []struct{ Name string } }
				if err := json.Unmarshal(a.said.Offer.Details, &details); err != nil || a.said.Status != "offer" ||
					len(details.Dinners) == 0 {
					t.Errorf("%s: no dinner is offered: %s", list, a.text)
				}
				for _, dinner := range details.Dinners {
					for _, diet := range diets {
						if !slices.Contains(suits[dinner.Name], "https://schema.org/"+schema[diet]) {
							t.Errorf("%s: %s suits %v", list, dinner.Name, suits[dinner.Name])
						}
					}
				}
			}
		})
	}
}

// choices are all selections of some texts, in their order.
func choices(texts ...string) [][]string {
	all := [][]string{{}}
	for _, text := range texts {
		for _, without := range all {
			all = append(all, append(slices.Clone(without), text))
		}
	}
	return all
}

// dietsOfTheKitchen are the diets that the sample's recipes suit, by the recipe's name.
func dietsOfTheKitchen(t *testing.T) map[string][]string {
	t.Helper()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "internal", "app", "demo", "content", "kitchen", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("the kitchen has no recipes: ", err)
	}
	suits := map[string][]string{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var recipe struct {
			Name            string
			SuitableForDiet []string
		}
		if err := json.Unmarshal(content, &recipe); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		suits[recipe.Name] = recipe.SuitableForDiet
	}
	return suits
}

// TestTheDocumentedRulesAreRight has the program check the configuration of docs/offers.md, and
// makes an offer with it.
func TestTheDocumentedRulesAreRight(t *testing.T) {
	t.Parallel()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "offers.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```yaml\n# frontdesk.yaml\n(url: .*?)```").FindSubmatch(page)
	if shown == nil {
		t.Fatal("docs/offers.md shows no whole configuration")
	}
	file := configured(t, strings.Replace(string(shown[1]), "url: https://www.example.com\n", "", 1))
	process.MustRun(t, "config", "check", file)
	server := process.Start(t, "serve", "--config", file, "--listen", "127.0.0.1:0", "--data",
		filepath.Join(filepath.Dir(file), "data"))
	for i, c := range []struct{ data, says string }{
		{`{"knives":3,"kind":"kitchen"}`, "3 knives for 19.50 EUR."},
		{`{"knives":1,"kind":"hunting","express":true}`, "One knife for 13.50 EUR."},
		{`{"knives":1,"kind":"tools","express":true}`, "Tools take a week; ask without express."},
	} {
		a := submit(t, server.URL, "knife-sharpening", i, c.data)
		if a.code != 200 || a.said.Offer.Summary+a.said.DeclineReason != c.says {
			t.Errorf("%s: %s", c.data, a.text)
		}
	}
	a := submit(t, server.URL, "knife-sharpening", 9, `{"knives":10,"kind":"tools"}`)
	if !strings.HasPrefix(a.said.Offer.Summary, "10 knives for 108.00 EUR, a tenth less than usual.") ||
		string(a.said.Offer.Details) != `{"total":108,"currency":"EUR","ready_in_days":7}` {
		t.Error(a.text)
	}
}
