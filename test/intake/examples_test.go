package intake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// exampleManifest is the full example of the protocol's text, as it is printed.
const exampleManifest = `{
  "aip_version": "0.1.0",
  "provider": {
    "name": "Man vs Health",
    "url": "https://manvshealth.com",
    "description": "Men's metabolic health optimization"
  },
  "intakes": [
    {
      "id": "metabolic-assessment",
      "name": "Metabolic Health Assessment",
      "description": "Submit metabolic markers for a personalized plan.",
      "endpoint": "https://manvshealth.com/api/aip/metabolic-assessment",
      "method": "POST",
      "category": "health/assessment",
      "input_schema": {
        "type": "object",
        "required": ["age_range", "sex", "primary_concern"],
        "properties": {
          "age_range": {
            "type": "string",
            "enum": ["30-39", "40-49", "50-59", "60+"]
          },
          "sex": {
            "type": "string",
            "enum": ["male", "female"]
          },
          "primary_concern": {
            "type": "string",
            "enum": ["weight", "energy", "insulin_resistance", "general"]
          },
          "fasting_glucose_range": {
            "type": "string",
            "enum": ["normal", "elevated", "high", "unknown"]
          },
          "activity_level": {
            "type": "string",
            "enum": ["sedentary", "light", "moderate", "active"]
          }
        }
      },
      "offer_type": "personalized_recommendation",
      "binding_available": true,
      "requires_auth": false,
      "privacy": {
        "data_retention": "none",
        "pii_required": false,
        "redacted_acceptable": true
      }
    }
  ],
  "certification": {
    "registry": "https://agentintake.io/registry",
    "certified": true,
    "cert_id": "aip-cert-2026-00142",
    "expires": "2027-02-27"
  }
}`

// The messages of Stage 2 and Stage 5, as they are printed. Comments and texts like uuid-v4 stand
// for what filled puts there.
const (
	exampleSubmit = `{
  "aip_version": "0.1.0",
  "agent": {
    "id": "agent-instance-id",
    "platform": "anthropic",
    "consent_scope": ["intake", "offer"]
  },
  "intake_data": {
    // Fields conforming to intake.input_schema
  },
  "session_id": "uuid-v4"
}`
	exampleBind = `{
  "offer_id": "offer-uuid",
  "session_id": "uuid-v4",
  "bind_data": {
    "email": "user@example.com",
    "full_name": "Jane Doe"
  },
  "agent": {
    "id": "agent-instance-id",
    "consent_scope": ["intake", "offer", "bind"]
  }
}`
)

// filled puts what it stands for in the place of each placeholder, each of which is there.
func filled(t *testing.T, example string, placeholders ...string) []byte {
	t.Helper()
	for i := 0; i < len(placeholders); i += 2 {
		if !strings.Contains(example, placeholders[i]) {
			t.Fatalf("the example has no %q", placeholders[i])
		}
	}
	return []byte(strings.NewReplacer(placeholders...).Replace(example))
}

// configuredLike writes the configuration of a provider with the intake that a manifest declares.
func configuredLike(t *testing.T, manifest, category string) (file string) {
	t.Helper()
	var m struct {
		Provider      json.RawMessage
		Certification json.RawMessage
		Intakes       []struct {
			ID, Name, Description string
			InputSchema           json.RawMessage `json:"input_schema"`
			OfferType             string          `json:"offer_type"`
			Binding               bool            `json:"binding_available"`
			RequiresAuth          bool            `json:"requires_auth"`
			Privacy               struct {
				Retention string `json:"data_retention"`
				PII       bool   `json:"pii_required"`
			}
		}
	}
	if err := json.Unmarshal([]byte(manifest), &m); err != nil {
		t.Fatal(err)
	}
	one := m.Intakes[0]
	file = filepath.Join(t.TempDir(), "frontdesk.yaml")
	err := os.WriteFile(file, fmt.Appendf(nil, `
listen: 127.0.0.1:0
data: data
metrics: {listen: "off"}
intakes:
  provider: %s
  certification: %s
  list:
    - id: %s
      name: %q
      description: %q
      category: %s
      input_schema: %s
      offer_type: %s
      binding: %t
      requires_auth: %t
      privacy: {data_retention: %s, pii_required: %t}
      rules:
        offers:
          - summary: Human-readable summary for the user.
            details: {concern: "{data.primary_concern}"}
      bind: {requires: [email, full_name]}
`, m.Provider, m.Certification, one.ID, one.Name, one.Description, category, one.InputSchema, one.OfferType,
		one.Binding, one.RequiresAuth, one.Privacy.Retention, one.Privacy.PII), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTheExamplesOfTheProtocol holds the conversation that the Agent Intake Protocol prints: its
// manifest is valid and can be served, and its requests are answered as its responses show.
func TestTheExamplesOfTheProtocol(t *testing.T) {
	t.Parallel()
	t.Run("check", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "agent-intake.json")
		if err := os.WriteFile(file, []byte(exampleManifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if stdout, stderr, err := process.Run(t, "check", file, "--as", "manifest"); err != nil {
			t.Errorf("the printed manifest is refused: %v\n%s%s", err, stdout, stderr)
		}
	})

	config := configuredLike(t, exampleManifest, "health/assessment")
	p := &probe{at: servers{base: process.Start(t, "serve", "--config", config).URL}}
	t.Run("manifest", func(t *testing.T) {
		var printed object
		if err := json.Unmarshal([]byte(exampleManifest), &printed); err != nil {
			t.Fatal(err)
		}
		served, intake := p.manifest().body, objects(printed["intakes"])[0]
		intake["endpoint"] = p.at.base + "/intake/metabolic-assessment"
		printed["intakes"] = []any{any(intake)}
		if !reflect.DeepEqual(served, printed) {
			t.Errorf("served is\n%s\nwant\n%s", text(served), text(printed))
		}
	})

	const data = `"age_range": "40-49", "sex": "male", "primary_concern": "energy"`
	const comment = "// Fields conforming to intake.input_schema"
	session := uuid()
	t.Run("submit and bind", func(t *testing.T) {
		r := p.post("metabolic-assessment", filled(t, exampleSubmit, comment, data, "uuid-v4", session))
		offer, _ := r.body["offer"].(object)
		if r.status != http.StatusOK || r.body["aip_version"] != "0.1.0" || r.body["session_id"] != session ||
			r.body["status"] != "offer" {
			t.Fatalf("status %d: %s", r.status, r.raw)
		}
		for name, want := range map[string]any{
			"summary": "Human-readable summary for the user.", "details": object{"concern": "energy"},
			"bind_endpoint": p.at.base + "/intake/metabolic-assessment/bind",
			"bind_requires": []any{"email", "full_name"},
		} {
			if !reflect.DeepEqual(offer[name], want) {
				t.Errorf("%s is %v, want %v", name, offer[name], want)
			}
		}
		id, _ := offer["id"].(string)
		if id == "" || offer["expires"] == nil {
			t.Fatalf("the offer is %v", offer)
		}
		bound := p.post("metabolic-assessment/bind", filled(t, exampleBind, "offer-uuid", id, "uuid-v4", session))
		if bound.status != http.StatusOK || bound.body["status"] != "bound" || bound.body["offer_id"] != id {
			t.Errorf("status %d: %s", bound.status, bound.raw)
		}
	})
	t.Run("error", func(t *testing.T) {
		incomplete := strings.TrimPrefix(data, `"age_range": "40-49", `)
		r := p.post("metabolic-assessment", filled(t, exampleSubmit, comment, incomplete, "uuid-v4", session))
		fault, _ := r.body["error"].(object)
		message, _ := fault["message"].(string)
		if r.status != http.StatusBadRequest || r.body["aip_version"] != "0.1.0" || r.body["session_id"] != session ||
			r.body["status"] != "error" || fault["code"] != "SCHEMA_MISMATCH" ||
			!strings.Contains(message, "age_range") {
			t.Errorf("status %d: %s", r.status, r.raw)
		}
	})
}

// TestTheStandardCategoriesAreTaken holds that a provider can declare each category of the
// protocol's table, b2b/vendor with its digit among them, and a manifest with it is valid.
func TestTheStandardCategoriesAreTaken(t *testing.T) {
	for _, category := range []string{
		"health/assessment", "service/matching", "saas/onboarding", "finance/quote", "tool/calculator", "b2b/vendor",
		"education/course",
	} {
		t.Run(strings.ReplaceAll(category, "/", " "), func(t *testing.T) {
			t.Parallel()
			config := configuredLike(t, exampleManifest, category)
			if stdout, stderr, err := process.Run(t, "config", "check", config); err != nil {
				t.Errorf("the configuration is refused: %v\n%s%s", err, stdout, stderr)
			}
			file := filepath.Join(t.TempDir(), "agent-intake.json")
			manifest := bytes.Replace([]byte(exampleManifest), []byte("health/assessment"), []byte(category), 1)
			if err := os.WriteFile(file, manifest, 0o600); err != nil {
				t.Fatal(err)
			}
			if stdout, stderr, err := process.Run(t, "check", file, "--as", "manifest"); err != nil {
				t.Errorf("the manifest is refused: %v\n%s%s", err, stdout, stderr)
			}
		})
	}
}
