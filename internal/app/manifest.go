package app

import (
	"cmp"
	"fmt"
	"net/http"

	"frontdesk/internal/intake"
	"frontdesk/internal/intake/api"
	wire "frontdesk/wire/intake"
)

// The addresses of the Agent Intake Protocol.
const (
	intakePath  = "/intake/{id}"
	intakeBind  = "/intake/{id}/bind"
	exampleDesk = "https://www.example.com"
	maxIntake   = 16 << 20
)

// manifestAt is agent-intake.json at a public address. The error is of a schema that cannot be
// read.
func (c Config) manifestAt(address string) (wire.Manifest, error) {
	i := c.Intakes
	m := wire.Manifest{Version: wire.Version, Provider: c.intakeProvider(), Intakes: make([]wire.Intake, len(i.List))}
	for n, one := range i.List {
		schema, err := one.Schema()
		if err != nil {
			return wire.Manifest{}, fmt.Errorf("the schema of intake %s: %w", one.ID, err)
		}
		m.Intakes[n] = wire.Intake{
			ID: one.ID, Name: one.Name, Description: one.Description, Endpoint: api.SubmitURL(address, one.ID),
			Method: http.MethodPost, Category: one.Category, InputSchema: schema, OfferType: one.OfferType,
			BindingAvailable: one.Binding, RequiresAuth: one.RequiresAuth, Privacy: one.DeclaredPrivacy(),
		}
		if rate := one.RateLimit; rate != (intake.RateSettings{}) {
			m.Intakes[n].RateLimit = &wire.RateLimit{RequestsPerMinute: rate.RequestsPerMinute,
				RequestsPerDay: rate.RequestsPerDay}
		}
	}
	if given := i.Certification; given != (intake.CertificationSettings{}) {
		m.Certification = &wire.Certification{Registry: given.Registry, Certified: &given.Certified,
			CertID: given.CertID, Expires: given.Expires}
	}
	return m, nil
}

// intakeProvider is whose intakes they are, with the defaults filled in.
func (c Config) intakeProvider() wire.Provider {
	p, site := c.Intakes.Provider, c.AllSites()[0]
	return wire.Provider{
		Name: cmp.Or(p.Name, c.Console.Title, site.Name), URL: cmp.Or(p.URL, site.URL, c.URL),
		Description: p.Description, Logo: p.Logo, ContactEmail: p.ContactEmail,
	}
}
