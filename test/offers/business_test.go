package offers

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/business"
	"frontdesk/internal/testkit/process"
)

const (
	whsec    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	password = "p4ssword of the mail server"
	mark     = "mark-7f3a" // stands for what is personal
)

// house is a configuration with an intake for each way in which an offer is made and told of.
const house = `
site: {name: Jars, url: "https://jars.example"}
metrics: {listen: off}
intakes:
  mail: {server: "%[2]s", tls: none, user: desk, password_env: OFFERS_PASSWORD, from: desk@jars.example}
  list:
    - id: asked
      name: Jars by a server
      description: Jars for your week.
      offer_type: quote
      input_schema: {type: object, required: [jars], properties: {jars: {type: integer, minimum: 0, maximum: 100}, note: {type: string, maxLength: 100}}}
      webhook: {url: "%[1]s", secret_env: OFFERS_SECRET, timeout: 2s}
      binding: true
      bind: {requires: [email], effect: webhook, webhook: {url: "%[1]s", secret_env: OFFERS_SECRET}}
    - id: ruled
      name: Jars by rules
      description: Jars for your week.
      offer_type: quote
      input_schema: {type: object, required: [jars], properties: {jars: {type: integer, minimum: 0, maximum: 100}, note: {type: string, maxLength: 100}}}
      rules:
        let: {each: 100 / data.jars}
        offers: [{summary: "{data.jars} jars, each {each} ml.", details: {each: "{each}"}}]
      binding: true
      bind: {requires: [email], effect: mail, mail: {to: owner@jars.example}}
    - id: thought
      name: Jars by a person
      description: Jars for your week.
      offer_type: quote
      input_schema: {type: object, properties: {jars: {type: integer}}}
      person: {after: 7m}
`

func start(t *testing.T) (*process.Server, *business.Business) {
	t.Helper()
	t.Setenv("OFFERS_SECRET", whsec)
	t.Setenv("OFFERS_PASSWORD", password)
	b := business.Start(t)
	b.Set(business.Behaviour{Mail: letters})
	file := configured(t, fmt.Sprintf(house, b.URL, b.SMTP))
	return process.Start(t, "serve", "--config", file, "--listen", "127.0.0.1:0", "--data",
		filepath.Join(filepath.Dir(file), "data"), "--log-level", "debug"), b
}

// letters is how mail is taken: from who has the password.
var letters = business.Mail{User: "desk", Password: password}

// silent checks that nothing personal, and no secret, is in the log.
func silent(t *testing.T, server *process.Server) {
	t.Helper()
	for _, secret := range []string{mark, whsec, password} {
		if strings.Contains(server.Log(), secret) {
			t.Errorf("the log has %s:\n%s", secret, server.Log())
		}
	}
}

func TestABusinessIsAskedAndTold(t *testing.T) {
	server, b := start(t)
	offer := submit(t, server.URL, "asked", 1, `{"jars":2,"note":"`+mark+`"}`)
	if offer.code != 200 || offer.said.Offer.Summary != "Two jars a week." || string(offer.said.Offer.Details) != `{"jars":2}` {
		t.Fatal(offer.text)
	}
	if again := submit(t, server.URL, "asked", 1,
		`{"jars":2,"note":"`+mark+`"}`); again.said.Offer.ID != offer.said.Offer.ID || len(b.Requests()) != 1 {
		t.Errorf("asked %d times: %s", len(b.Requests()), again.text)
	}
	// which fails twice when it is told
	b.Set(business.Behaviour{Hook: business.Hook{Status: 500, Times: 2}, Mail: letters})
	if bound := bind(t, offer, 1, `{"email":"`+mark+`@person.example"}`); bound.code != 200 {
		t.Fatal(bound.text)
	}
	until(t, "the business is told", func() bool { return len(b.Requests()) >= 3 })
	told := b.Requests()
	var event struct {
		Type string
		Data struct {
			Intake, Summary string
			OfferID         string            `json:"offer_id"`
			BindData        map[string]string `json:"bind_data"`
		}
	}
	if err := json.Unmarshal([]byte(told[2].Body), &event); err != nil {
		t.Fatal(err)
	}
	if event.Type != "intake.bound" || event.Data.OfferID != offer.said.Offer.ID ||
		event.Data.BindData["email"] != mark+"@person.example" || event.Data.Summary != "Two jars a week." {
		t.Errorf("told %s", told[2].Body)
	}
	for _, one := range told {
		if one.Header.Get("webhook-id") != told[0].Header.Get("webhook-id") || one.Body != told[0].Body {
			t.Error("two tries look like two acceptances")
		}
	}
	bind(t, offer, 1, `{"email":"`+mark+`@person.example"}`)
	offer = submit(t, server.URL, "ruled", 2, `{"jars":4}`)
	bind(t, offer, 2, `{"email":"`+mark+`@person.example"}`)
	until(t, "a mail comes", func() bool { return len(b.Letters()) > 0 })
	l := b.Letters()[0]
	if l.User != "desk" || !strings.Contains(l.Text, "Subject: Jars by rules\r\n") ||
		!strings.Contains(l.Text, mark+"@person.example") || !strings.Contains(l.Text, "4 jars, each 25 ml.") {
		t.Errorf("%+v", l)
	}
	if len(b.Requests()) != 3 {
		t.Errorf("told %d times", len(b.Requests()))
	}
	silent(t, server)
}

func TestABusinessThatFailsHalfMakesNoOffer(t *testing.T) {
	server, b := start(t)
	for i, hook := range []business.Hook{
		{Mode: "stall"}, {Mode: "cut"}, {Mode: "endless"}, {Mode: "redirect", Location: "/hook"}, {Status: 500},
		{Status: 503, After: "77"}, {Mode: "echo"},
		{Reply: `{"status":"offer","offer":{"details":{"bmi":1}}}`},
	} {
		b.Set(business.Behaviour{Hook: hook})
		a := submit(t, server.URL, "asked", i, `{"jars":2,"note":"`+mark+`"}`)
		if a.code != 503 || a.said.Error.Code != "SERVICE_UNAVAILABLE" || a.retry == "" || a.retry == "0" ||
			hook.After != "" && len(b.Requests()) > 0 && a.retry != hook.After {
			t.Errorf("%+v: %d, Retry-After %s, %s", hook, a.code, a.retry, a.text)
		}
	}
	if a := submit(t, server.URL, "ruled", 50, `{"jars":0}`); a.code != 500 || a.said.Error.Code != "INTERNAL_ERROR" ||
		strings.Contains(a.text, "divide") {
		t.Errorf("a rule that fails: %d %s", a.code, a.text)
	}
	until(t, "the log says which rule failed", func() bool {
		return strings.Contains(server.Log(), "the rules of intake ruled: let.each: it divides by zero")
	})
	if a := submit(t, server.URL, "thought", 51, `{}`); a.code != 503 || a.retry != "420" {
		t.Errorf("a person is to answer: %d, Retry-After %s, %s", a.code, a.retry, a.text)
	}
	silent(t, server)
}

func TestRulesThatAreWrongKeepTheServerFromStarting(t *testing.T) {
	file := configured(t, strings.ReplaceAll(fmt.Sprintf(house, "https://jars.example/offers", "127.0.0.1:25"),
		"100 / data.jars", "100 / data.jrs"))
	t.Setenv("OFFERS_SECRET", whsec)
	t.Setenv("OFFERS_PASSWORD", password)
	_, said, err := process.Run(t, "serve", "--config", file, "--listen", "127.0.0.1:0", "--data", t.TempDir())
	text, _ := os.ReadFile(file)
	line := 1 + strings.Count(string(text)[:strings.Index(string(text), "100 / data.jrs")], "\n")
	column := 1 + strings.Index(strings.Split(string(text), "\n")[line-1], ".jrs")
	want := fmt.Sprintf("frontdesk.yaml:%d:%d: intakes.list[1].rules.let.each: in 100 / data.jrs: "+
		"there is no member jrs; did you mean jars?", line, column)
	if err == nil || !strings.Contains(said, want) {
		t.Errorf("%v\n%s\nwant %s", err, said, want)
	}
}
