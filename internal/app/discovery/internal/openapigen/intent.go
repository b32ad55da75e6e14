package main

// intentSchemas are the messages of the Agentic Intent Protocol, by the files of their schemas.
var intentSchemas = map[string]string{"IntentDeclaration": "declaration", "IntentRequest": "request",
	"IntentResponse": "response", "IntentEvent": "event"}

// signedHeaders are those by which a platform signs a request.
func signedHeaders() []any {
	header := func(name, description string) object {
		return object{"name": name, "in": "header", "required": true, "description": description,
			"schema": object{"type": "string"}}
	}
	return []any{
		header("X-AIP-Version", "The version of the protocol, as in the body."),
		header("X-AIP-Key-Id", "The id of the platform's key."),
		header("X-AIP-Timestamp", "When it was signed (RFC 3339), at most 300 seconds from now."),
		header("X-AIP-Nonce", "What the key has not used in that time."),
		header("X-AIP-Signature",
			"v1= and the Base64 of the HMAC-SHA256 of five lines: method, path, hash of the body, timestamp, nonce."),
	}
}

// intentPaths are the operations of the Agentic Intent Protocol, the publisher's side. A platform's
// signature is no credential that OpenAPI knows: it stands among the parameters.
func (s *schemas) intentPaths() object {
	s.made["IntentReceived"] = object{
		"type": "object", "required": []any{"aip_version", "status"},
		"description": "What came of an event, or of asking for a receipt. The protocol has no words for it.",
		"properties": object{
			"aip_version": object{"type": "string"}, "status": object{"enum": []any{"accepted", "duplicate", "error"}},
			"event_id": object{"type": "string"},
			"entry":    object{"type": "string", "description": "The ledger's entry."},
			"verdict":  object{"type": "string", "description": "What the publisher's own records say of it."},
			"error": object{"type": "object", "required": []any{"code"},
				"properties": object{"code": object{"type": "string"}, "message": object{"type": "string"}}},
		},
	}
	content := func(schema string) object { return jsonOf(ref(schema)) }
	signed := func(id, summary string, more object) object {
		more["parameters"], more["security"] = append(signedHeaders(), list(more["parameters"])...), []any{object{}}
		return operation("intent", id, summary, more)
	}
	responses := func(schema string, told object, statuses ...string) object {
		return refuse(told, "A refusal, with its reason or code.", ref(schema), statuses...)
	}
	declaration := plainResponses("application/json")
	declaration["responses"].(object)["200"].(object)["content"] = content("IntentDeclaration")
	return object{
		"/.well-known/aip.json": object{"get": operation("discovery",
			"intentDeclaration", "What platforms may ask for, and how (Agentic Intent Protocol 0.1)", declaration)},
		"/intent/capabilities": object{"get": operation("discovery",
			"intentCapabilities", "The publisher, its domains and limits, and the versions that are taken",
			plainResponses("application/json"))},
		"/intent/retrieve": object{"post": signed("retrieve", "Get passages for a platform's user", object{
			"requestBody": object{"required": true, "content": content("IntentRequest")},
			"responses": responses("IntentResponse",
				object{
					"200": object{
						"description": "Passages; or denied, with its reason; or an error, where nothing fits.",
						"content":     content("IntentResponse")}},
				"400", "401", "403", "405", "409", "413", "415", "429", "500", "503"),
		})},
		"/intent/events": object{"post": signed("reportEvent", "Report a citation, or what was taken", object{
			"requestBody": object{"required": true, "content": content("IntentEvent")},
			"responses": responses("IntentReceived", object{
				"202": object{"description": "It is taken.", "content": content("IntentReceived")},
				"200": object{"description": "It was reported before.", "content": content("IntentReceived")},
			},
				"400", "401", "403", "405", "409", "413", "415", "422", "429", "500", "503"),
		})},
		"/intent/receipts/{id}": object{"get": signed("intentReceipt",
			"Get the receipt of an answer, as the platform that got it", object{
				"parameters": []any{inPath("id", "The id, as frontdesk.receipt of the answer's extensions has it.")},
				"responses": responses("IntentReceived",
					object{"200": object{"description": "The receipt.",
						"content": object{"application/json": object{}}}},
					"401", "403", "404", "405", "429", "500", "503"),
			})},
	}
}

// list is a member that may not be there.
func list(member any) []any {
	all, _ := member.([]any)
	return all
}
