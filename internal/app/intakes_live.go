package app

import (
	"slices"

	"frontdesk/internal/app/config"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake"
	"frontdesk/internal/operator/console"
)

// intakeSnapshot is what is taken in at present.
type intakeSnapshot struct {
	config  Config
	defined map[string]*intake.Definition // as the service knows them, by their ids
	intakes map[string]intake.IntakeSettings
	made    httpx.DocumentCache // the manifest, by the address that it is for
}

// takeIn makes ready what a configuration takes in. The function that it gives puts it in force:
// whole, for the requests that come from then on.
func (i *submissions) takeIn(config Config) (put func(), err error) {
	t := &intakeSnapshot{config: config, intakes: map[string]intake.IntakeSettings{}}
	if t.defined, err = config.declaredIntakes(i.base); err != nil {
		return nil, err
	}
	for _, one := range config.Intakes.List {
		t.intakes[one.ID] = one
	}
	return func() { i.taken.Store(t) }, nil
}

// takingIn is what a server that began with a configuration takes in once the file has another:
// what its intakes ask, how often one may come, what they offer and what of it is kept are as the
// file has them now. Which intakes there are, what they are called and when they are proposed, and
// who is told of binds, stays as it began: answers, pages, tools and the outbox were made of it.
func (c Config) takingIn(fresh Config) Config {
	list := slices.Clone(c.Intakes.List)
	for n, began := range list {
		i := slices.IndexFunc(fresh.Intakes.List, func(one intake.IntakeSettings) bool { return one.ID == began.ID })
		if i < 0 {
			continue
		}
		now := fresh.Intakes.List[i]
		now.Name, now.Description, now.Match, now.Binding = began.Name, began.Description, began.Match, began.Binding
		now.Bind.Effect, now.Bind.Webhook, now.Bind.Mail = began.Bind.Effect, began.Bind.Webhook, began.Bind.Mail
		list[n] = now
	}
	c.Intakes.List, c.Intakes.Provider, c.Intakes.Certification = list, fresh.Intakes.Provider,
		fresh.Intakes.Certification
	return c
}

// changedIntakes names the keys in which two lists of intakes differ; the list itself where not the
// same are in it.
func changedIntakes(a, b []intake.IntakeSettings) (changed []string) {
	if !slices.EqualFunc(a, b, func(x, y intake.IntakeSettings) bool { return x.ID == y.ID }) {
		return []string{"intakes.list"}
	}
	for n := range a {
		for _, path := range config.Changed(a[n], b[n]) {
			changed = append(changed, yamlconf.Index("intakes.list", n)+"."+path)
		}
	}
	return changed
}

// inboxIntakes are the intakes as the inbox shows them.
func (t *intakeSnapshot) inboxIntakes() (all []console.InboxIntake) {
	for _, one := range t.config.Intakes.List {
		all = append(all, console.InboxIntake{
			ID: one.ID, Name: one.Name, Binding: one.Binding, Requires: one.Bind.Requires, For: one.OfferLifetime(),
			TermsURL: one.TermsURL,
		})
	}
	return all
}
