package main

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// intakeSchemas are the messages of the Agent Intake Protocol, by the files of their schemas.
var intakeSchemas = map[string]string{
	"IntakeManifest": "manifest", "IntakeRequest": "request", "IntakeResponse": "response", "IntakeBind": "bind",
	"IntakeBound": "bound",
}

// readSchemas takes schemas over as they are, by their files. Their names of their own would make
// them documents apart.
func (s *schemas) readSchemas(folder string, files map[string]string) error {
	for name, file := range files {
		text, err := os.ReadFile(filepath.Join(folder, file+".json"))
		if err != nil {
			return err
		}
		var schema object
		if err := json.Unmarshal(text, &schema); err != nil {
			return err
		}
		delete(schema, "$schema")
		delete(schema, "$id")
		s.made[name] = schema
	}
	return nil
}

// intakePaths are the operations of the Agent Intake Protocol.
func intakePaths() object {
	body := func(schema string, example object) object {
		return object{"required": true,
			"content": object{"application/json": object{"schema": ref(schema), "example": example}}}
	}
	content := func(schema string) object { return jsonOf(ref(schema)) }
	refused := func(statuses ...string) object {
		return refuse(object{}, "A refusal: status error, with code and message.", ref("IntakeResponse"), statuses...)
	}
	id := []any{inPath("id", "The id of an intake, as the manifest has it.")}
	const session = "9f0c54c2-5b0e-4d3a-9a55-0a1b2c3d4e5f"
	submitted := refused("400", "401", "403", "404", "405", "409", "413", "415", "429", "500", "503")
	submitted["200"] = object{
		"description": "An offer, a decline with its reason, or pending: ask again later with the same request.",
		"content":     content("IntakeResponse")}
	bound := refused("400", "401", "403", "404", "405", "409", "410", "413", "415", "429", "500", "503")
	bound["200"] = object{"description": "The offer is accepted, once, however often it is asked.",
		"content": content("IntakeBound")}
	manifest := plainResponses("application/json")
	manifest["responses"].(object)["200"].(object)["content"] = content("IntakeManifest")
	return object{
		"/.well-known/agent-intake.json": object{"get": operation("discovery",
			"intakeManifest", "What is taken in from agents (Agent Intake Protocol 0.1.0)", manifest)},
		"/intake/{id}": object{"post": operation("intake", "submit", "Submit an intake and get an offer", object{
			"parameters": id, "responses": submitted,
			"requestBody": body("IntakeRequest", object{
				"aip_version": "0.1.0",
				"agent": object{"id": "agent-1", "platform": "anthropic",
					"consent_scope": []any{"intake", "offer"}}, "intake_data": object{}, "session_id": session,
			}),
		})},
		"/intake/{id}/bind": object{"post": operation("intake", "bind", "Accept an offer in a person's name", object{
			"parameters": id, "responses": bound,
			"requestBody": body("IntakeBind", object{
				"offer_id": "the offer's id", "session_id": session, "bind_data": object{"email": "kim@example.com"},
				"agent": object{"id": "agent-1", "consent_scope": []any{"bind"}},
			}),
		})},
	}
}
