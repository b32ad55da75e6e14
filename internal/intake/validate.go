package intake

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/intake/vault"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// validSubmission is a submission that is fit to be answered.
type validSubmission struct {
	Submission
	definition *Definition
	agent      string           // as it is kept
	data       strictjson.Value // the members that the schema declares
	canonical  []byte           // the same in canonical form
}

// validate holds a submission against the scopes, the schema and the privacy that its intake
// declares, in this order.
func (s *Service) validate(d *Definition, submission Submission) (*validSubmission, error) {
	if err := d.checkScopes(submission.Agent); err != nil {
		return nil, err
	}
	data, err := d.checkSchema(submission.Data)
	if err != nil {
		return nil, err
	}
	declared, undeclared := d.Schema.Declared(data)
	if err := d.checkPrivacy(undeclared); err != nil {
		return nil, err
	}
	canonical, err := sign.Canonical(declared)
	if err != nil {
		return nil, refuse(SchemaMismatch, "/intake_data: it is no JSON that everybody reads alike: %v", err)
	}
	return &validSubmission{
		Submission: submission, definition: d, agent: s.agentID(submission.Agent.ID),
		data: declared, canonical: canonical,
	}, nil
}

// checkScopes refuses an agent whose person has not agreed to all that a submission needs.
func (d *Definition) checkScopes(agent wire.Agent) error {
	missing := lacking(agent.ConsentScope, append([]wire.Scope{wire.ScopeIntake}, d.Scopes...))
	if len(missing) == 0 {
		return nil
	}
	return refuse(InputInvalid, "/agent/consent_scope: this intake needs the consent of the person to %s, too; "+
		"ask for it, and name it.", strings.Join(missing, " and "))
}

// checkSchema refuses intake_data that does not conform to the schema. It gives the data without
// the optional members that the agent has redacted.
func (d *Definition) checkSchema(data strictjson.Value) (strictjson.Value, error) {
	data, withheld := d.Schema.Withheld(data)
	if d.NoRedacted && len(withheld) > 0 {
		return nil, refuse(SchemaMismatch, "/intake_data: this intake takes no %s; give %s, "+
			"or leave out what is optional.", wire.Redacted, strings.Join(withheld, ", "))
	}
	if found := d.Schema.Validate(data); len(found) > 0 {
		return nil, refuse(SchemaMismatch, "%s", mismatch(found))
	}
	return data, nil
}

// checkPrivacy refuses members that look personal where the intake takes none.
func (d *Definition) checkPrivacy(undeclared []wire.Undeclared) error {
	if d.PIIRequired || d.DropPersonal {
		return nil
	}
	personal := personal(undeclared)
	if len(personal) == 0 {
		return nil
	}
	return refuse(SchemaMismatch, "/intake_data: this intake takes no personal data, "+
		"and members that it does not declare look like it: %s; leave them out.", strings.Join(personal, ", "))
}

// lacking are those scopes of the needed ones that are not among some.
func lacking(given, needed []wire.Scope) (missing []string) {
	for _, scope := range needed {
		if !slices.Contains(given, scope) {
			missing = append(missing, fmt.Sprintf("%q", scope))
		}
	}
	return missing
}

// maxFindings bounds how many findings one answer names.
const maxFindings = 5

// mismatch says in what intake_data does not conform.
func mismatch(found []wire.Violation) string {
	var told []string
	for _, v := range found[:min(len(found), maxFindings)] {
		told = append(told, "/intake_data"+v.Pointer+": "+v.Detail)
	}
	if more := len(found) - maxFindings; more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, "; ")
}

// personal are the places of undeclared members that look personal, the first few; a name that
// could be a datum itself is not named.
func personal(undeclared []wire.Undeclared) (places []string) {
	for _, u := range undeclared {
		if len(places) == maxFindings {
			return append(places, "and maybe more")
		}
		switch {
		case wire.PersonalText(u.Pointer) || len(u.Pointer) > 200:
			places = append(places, "one whose name is a datum itself")
		case u.Personal():
			places = append(places, u.Pointer)
		}
	}
	return places
}

// agentID is how the id of an agent is kept in clear: as it is, or as a hash under the vault's
// secret where it could be more than an id, such as an address of mail.
func (s *Service) agentID(agent string) string {
	if plain.MatchString(agent) && !wire.PersonalText(agent) && !strings.HasPrefix(agent, hashed) {
		return agent
	}
	return hashed + s.deps.Vault.DeriveID("agent", agent)
}

// hashed begins what is kept of an agent's id that could be more than an id.
const hashed = "hmac:"

// name is the same for the same submission of the same session alone.
func (v *validSubmission) name() string {
	sum := sha256.New()
	for _, part := range []string{v.Intake, strings.ToLower(v.Session), v.agent, string(v.canonical)} {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return string(sum.Sum(nil))
}

// digest proves under a key what was submitted, and by whom.
func (v *validSubmission) digest(key vault.Key) []byte {
	return key.Hash("submission", fmt.Appendf(nil, "%d %s%s", len(v.agent), v.agent, v.canonical))
}
