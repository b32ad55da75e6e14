package intake

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/document"
)

// lint looks for what is wrong with a manifest that can be read all the same, and for what is
// unwise.
func (m *Manifest) lint(o Options) (found Findings) {
	found = append(found, address("/provider/url", "manifest provider.url", m.Provider.URL)...)
	ids, endpoints := map[string]int{}, map[string]int{}
	for i := range m.Intakes {
		at, intake := fmt.Sprintf("/intakes/%d", i), &m.Intakes[i]
		if first, twice := ids[intake.ID]; twice {
			found = append(found,
				wrong(at+"/id", "manifest intakes.id", fmt.Sprintf("is that of /intakes/%d, too", first),
					"give each intake an id of its own"))
		} else {
			ids[intake.ID] = i
		}
		if first, twice := endpoints[sameAddress(intake.Endpoint)]; twice {
			found = append(found, wrong(at+"/endpoint", "manifest intakes.endpoint",
				fmt.Sprintf("is that of /intakes/%d, too, and a request does not name its intake", first),
				"give each intake an endpoint of its own"))
		} else {
			endpoints[sameAddress(intake.Endpoint)] = i
		}
		found = append(found, intake.lint(at, o)...)
	}
	return append(found, m.Certification.lint(o)...)
}

func (n *Intake) lint(at string, o Options) (found Findings) {
	found = append(found, secured(at+"/endpoint", "manifest intakes.endpoint", n.Endpoint)...)
	if n.Category != "" && !upstreamCategory.MatchString(n.Category) && !o.StrictUpstream {
		found = append(found,
			doubt(at+"/category", "manifest intakes.category", "is a category that the protocol means and its "+
				"published schema refuses", "expect that strict readers refuse the manifest"))
	}
	if n.RateLimit == nil || *n.RateLimit == (RateLimit{}) {
		found = append(found, doubt(at, "manifest intakes.rate_limit", "declares no limits",
			"limit requests, and declare it in rate_limit"))
	}
	if n.Privacy == nil || n.Privacy.DataRetention == "" {
		found = append(found, doubt(at, "manifest intakes.privacy.data_retention", "does not say how long data is kept",
			"declare privacy.data_retention"))
	}
	if n.Privacy.NeedsPersonal() {
		found = append(found, doubt(at+"/privacy/pii_required", "manifest intakes.privacy.pii_required",
			"asks for personal data before there is an offer, and agents may keep away",
			"ask for ranges and categories, and for personal data when an offer is bound"))
	}
	return append(found, n.lintSchema(at+"/input_schema")...)
}

// lintSchema looks into the schema of an intake.
func (n *Intake) lintSchema(at string) (found Findings) {
	schema, err := CompileSchema(n.InputSchema)
	if err != nil {
		return Findings{wrong(at, "manifest intakes.input_schema", err.Error(),
			"write a JSON Schema (2020-12) of an object that any validator takes")}
	}
	for _, format := range schema.ignored {
		found = append(found,
			doubt(at, "manifest intakes.input_schema", fmt.Sprintf("has the format %q, which validators do not know",
				format), "say it by a pattern"))
	}
	if n.Privacy.NeedsPersonal() {
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(schema.declared)) {
		if Personal(name) {
			found = append(found,
				doubt(at, "manifest intakes.input_schema",
					fmt.Sprintf("declares %q, which looks like personal data, although pii_required is false", name),
					"ask for it when an offer is bound, by bind_requires"))
		}
	}
	return found
}

func (c *Certification) lint(o Options) (found Findings) {
	if c == nil {
		return nil
	}
	if c.Certified != nil && *c.Certified {
		found = append(found, doubt("/certification/certified", "manifest certification.certified",
			"is what the provider says of itself", "take it for unverified until the registry says it"))
	}
	if last, err := time.Parse(time.DateOnly, c.Expires); err == nil && !o.Now.IsZero() &&
		!o.Now.UTC().Before(last.AddDate(0, 0, 1)) {
		found = append(found, doubt("/certification/expires", "manifest certification.expires",
			"has passed: "+c.Expires, "renew the certificate, or take it away"))
	}
	return found
}

// address doubts addresses for people that are not https.
func address(at, rule, text string) Findings {
	found := secured(at, rule, text)
	for i := range found {
		found[i].Severity = Doubtful
	}
	return found
}

// sameAddress writes an address so that two of the same are the same text.
func sameAddress(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	u.Host, u.Fragment = strings.ToLower(u.Host), ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String()
}

// RuleJSON and RuleVersion are the rules that programs tell apart.
const (
	RuleJSON    = document.RuleJSON
	RuleVersion = document.RuleVersion
)

func wrong(at, rule, detail, mend string) Finding {
	return Finding{Pointer: at, Rule: rule, Detail: detail, Mend: mend, Severity: Wrong}
}

func doubt(at, rule, detail, mend string) Finding {
	return Finding{Pointer: at, Rule: rule, Detail: detail, Mend: mend, Severity: Doubtful}
}
