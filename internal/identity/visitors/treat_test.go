package visitors

import (
	"fmt"
	"testing"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/fail"
	"frontdesk/wire/sign/botauth"
)

func (x *kit) treatments() *Treatments {
	x.Helper()
	t := NewTreatments(x.db, x.store.Directory, x.c.options.Now)
	if err := t.Refresh(x.Context()); err != nil {
		x.Fatal(err)
	}
	return t
}

func (x *kit) set(t *Treatments, agent string, action Action, rate int) {
	x.Helper()
	if _, err := t.Set(x.Context(), Treatment{Agent: agent, Action: action, Rate: rate, By: "key:k1"}); err != nil {
		x.Fatal(err)
	}
}

// signedBy is an agent whose signature was verified.
func signedBy(origin, name string, said *agents.Known) agents.Agent {
	return agents.Agent{
		ID: origin + botauth.DirectoryPath, Operator: origin, Name: name, Said: said, Known: agents.BySignature,
	}
}

// TestTreatmentsHoldForTheAgentItsOperatorAndWhoClaimsToBeIt holds who is treated how.
func TestTreatmentsHoldForTheAgentItsOperatorAndWhoClaimsToBeIt(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		tr := x.treatments()
		word := func(n int) agents.Agent {
			return agents.Agent{Name: known[n].UserAgent, Operator: known[n].Origin, Known: agents.ByWord}
		}
		const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
		who := []struct {
			name      string
			agent     agents.Agent
			userAgent string
		}{
			{"AcmeBot", word(0), "AcmeBot/1"}, {"Acme-User", word(1), "Acme-User/1"}, {"globexbot", word(2), ""},
			{"acme", signedBy("https://bots.acme.example", "", nil), ""},
			{"liar", signedBy("https://bots.new.com", "", &known[0]), "AcmeBot/1"},
			{"new", signedBy("https://bots.new.com", "", nil), ""}, {"nobody", agents.Agent{}, "curl/8"},
			{"person", agents.Agent{}, browser}, {"signing", agents.Agent{Signature: agents.Invalid}, browser},
		}
		check := func(step, want string) {
			t.Helper()
			got := ""
			for _, w := range who {
				if w.name == "acme" {
					w.agent.Operator = known[0].Origin // as the list has it
				}
				if one, ok := tr.For(w.agent, w.userAgent); ok {
					got += fmt.Sprint(" ", w.name, ":", one.Action)
				}
			}
			if got != want {
				t.Errorf("%s:%s, want%s", step, got, want)
			}
		}
		check("nothing", "")
		if tr.Any() {
			t.Error("somebody is answered otherwise")
		}
		x.set(tr, "acmebot", Block, 0)
		if !tr.Any() {
			t.Error("nobody is answered otherwise")
		}
		check("an agent", " AcmeBot:block liar:block")
		x.set(tr, "acme.example", Limit, 5)
		check("its operator", " AcmeBot:block Acme-User:limit acme:limit liar:block")
		x.set(tr, "AcmeBot", Allow, 9)
		check("the agent again", " AcmeBot:allow Acme-User:limit acme:limit liar:allow")
		x.set(tr, "new.com", RequireKey, 0)
		check("a domain", " AcmeBot:allow Acme-User:limit acme:limit liar:require_key new:require_key")
		x.set(tr, "bots.new.com", Block, 0)
		check("a host", " AcmeBot:allow Acme-User:limit acme:limit liar:block new:block")
		x.set(tr, Others, RequireKey, 0)
		check("others",
			" AcmeBot:allow Acme-User:limit acme:limit liar:block new:block nobody:require_key signing:require_key")

		if one, ok := tr.Of("Acme-User"); !ok || one.Agent != "acme.example" || one.Rate != 5 || one.By != "key:k1" {
			t.Errorf("%+v", one)
		}
		if one, _ := tr.Of("acmeBOT"); one.Action != Allow || one.Rate != 0 || !one.Changed.Equal(x.at) {
			t.Errorf("%+v", one)
		}
		if all := tr.All(); len(all) != 5 || all[0].Agent != "AcmeBot" {
			t.Errorf("%+v", all)
		}
	})
}

// TestAnotherProcessTakesTreatmentsOver, and so does the same one after a restart.
func TestAnotherProcessTakesTreatmentsOver(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		one, other := x.treatments(), x.treatments()
		agent := agents.Agent{Name: "AcmeBot", Known: agents.ByWord}
		x.set(one, "AcmeBot", Block, 0)
		if _, ok := other.For(agent, ""); ok {
			t.Fatal("it is known already")
		}
		if err := other.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, tr := range []*Treatments{one, other, x.treatments()} {
			if told, _ := tr.For(agent, ""); told.Action != Block {
				t.Errorf("%+v", told)
			}
		}
	})
}

func TestWhatIsNoTreatmentIsRefused(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		tr := x.treatments()
		for _, said := range []Treatment{
			{Agent: "NewBot", Action: Block}, {Agent: "", Action: Block}, {Agent: People, Action: Block},
			{Agent: "key:k1", Action: Block}, {Agent: "token", Action: Block}, {Agent: "a b.example", Action: Block},
			{Agent: "AcmeBot", Action: "ban"}, {Agent: "AcmeBot", Action: Limit}, {Agent: "a..example", Action: Block},
			{Agent: "192.0.2.7", Action: Block},
			{Agent: "AcmeBot", Action: Limit, Rate: MaxRate + 1},
		} {
			if _, err := tr.Set(t.Context(), said); fail.From(err).Code != fail.Invalid {
				t.Errorf("%+v: %v", said, err)
			}
		}
		if all := tr.All(); len(all) != 0 {
			t.Errorf("%+v", all)
		}
	})
}
