package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"reflect"

	wire "frontdesk/wire/nlweb"
)

// generate makes the description. The address and the version of the server are filled in where it
// is served.
func generate(source string) ([]byte, error) {
	comments, err := readComments(source, "")
	if err != nil {
		return nil, err
	}
	s := &schemas{made: object{"Item": item}, comments: comments}
	document := object{
		"openapi":           "3.1.0",
		"jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
		"info": object{
			"title":   "Frontdesk",
			"version": "0",
			"description": "A front desk for AI agents: questions in plain language, answered with a site's own " +
				"items as schema.org data (NLWeb 0.55). " +
				"Every body that is not a stream or a document of another kind is a JSON object with `_meta`.",
		},
		"servers":  []any{object{"url": "/"}},
		"security": []any{object{}, object{"bearer": []any{}}, object{"key": []any{}}},
		"tags": []any{
			object{"name": "ask", "description": "Questions and answers."},
			object{"name": "content", "description": "The items without a question."},
			object{"name": "intent",
				"description": "Passages for platforms that hold a key, and what they report (Agentic Intent " +
					"Protocol 0.1)."},
			object{"name": "intake",
				"description": "What agents submit in a person's name, and the offers that they get (Agent Intake " +
					"Protocol 0.1.0)."},
			object{"name": "ramp",
				"description": "Licensed content: offers, purchases and reports (RAMP v1), here as Connect with JSON."},
			object{"name": "operator",
				"description": "What the operator's own programs do and read, and providers of what is sold of " +
					"theirs: each with its own API key."},
			object{"name": "discovery", "description": "What there is, for agents that arrive."},
			object{"name": "operation", "description": "How the server is."},
		},
		"paths": s.paths(),
	}
	if err := s.readSchemas(filepath.Join(source, "../intake/schema"), intakeSchemas); err != nil {
		return nil, err
	}
	maps.Copy(document["paths"].(object), intakePaths())
	if err := s.readSchemas(filepath.Join(source, "../intent/schema"), intentSchemas); err != nil {
		return nil, err
	}
	maps.Copy(document["paths"].(object), s.intentPaths())
	if err := s.readOtherComments(filepath.Join(source, "..")); err != nil {
		return nil, err
	}
	maps.Copy(document["paths"].(object), s.rampPaths())
	maps.Copy(document["paths"].(object), s.operatorPaths())
	s.adminPaths(document["paths"].(object))
	document["components"] = object{
		"schemas":   s.made,
		"responses": object{"Failure": s.failure(), "NotDone": failing("It was not done.")},
		"securitySchemes": object{
			"bearer": object{"type": "http", "scheme": "bearer",
				"description": "An API key or an OAuth 2.0 access token, where the server asks for one: GET " +
					"/ask tells."},
			"key": object{"type": "apiKey", "in": "header", "name": "X-API-Key",
				"description": "An API key, where the server asks for one."},
		},
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// item is the schema of an item among results: the members that every item has, and the site's own
// beside them.
var item = object{
	"type": "object",
	"description": "One item as the owner's terms release it: its own schema.org members, and those of the " +
		"protocol. A summary has the type SearchSummary, and a text.",
	"required": []any{"@type"},
	"properties": object{
		"@type":       object{"type": "string", "description": "The schema.org type."},
		"url":         object{"type": "string", "format": "uri"},
		"name":        object{},
		"description": object{},
		"text":        object{"description": "Of a summary."},
		"site":        object{"type": "string", "description": "The id of the item's site."},
		"score": object{"type": "number", "minimum": 0, "maximum": 100,
			"description": "How well the item fits the question."},
		"isAccessibleForFree": object{"description": "False for a licensed item, of which only a notice is shown."},
		"grounding": object{
			"type":     "object",
			"required": []any{"source_urls"},
			"properties": object{
				"source_urls": object{"type": "array", "items": object{"type": "string", "format": "uri"}},
				"source":      object{"type": "string"},
				"passage": object{"type": "object", "required": []any{"id", "text"}, "properties": object{
					"id": object{"type": "string"}, "text": object{"type": "string"},
				}},
				"omitted": object{"type": "array", "items": object{"type": "string"},
					"description": "Members that are left out because of their size."},
			},
		},
		"actions": object{"type": "array", "items": object{
			"type": "object", "required": []any{"name", "description", "protocol"},
			"properties": object{
				"name": object{"type": "string"}, "description": object{"type": "string"},
				"protocol": object{"enum": []any{"HTTP", "MCP", "A2A"}},
			},
		}},
	},
	"additionalProperties": true,
}

func (s *schemas) paths() object {
	ask := reflect.TypeFor[wire.AskRequest]()
	legacy := reflect.TypeFor[wire.LegacyRequest]()
	response := s.of(reflect.TypeFor[wire.Response]())
	flat := s.of(reflect.TypeFor[wire.LegacyResponse]())
	events := object{"schema": object{"type": "string",
		"description": "Server-sent events. For a question of 0.55 they are named start, result, error and complete " +
			"(NLWeb 0.55 §6); for one of the flat dialect they have no name, and their data are of the schema " +
			"LegacyMessage."}}
	s.of(reflect.TypeFor[wire.LegacyMessage]())
	promised := object{
		"description": "A promise: the answer is being worked on, and POST /await has it.",
		"content":     jsonOf(response),
	}
	return object{
		"/ask": object{
			"post": operation("ask", "ask", "Ask a question", object{
				"requestBody": object{"required": true, "content": object{"application/json": object{
					"schema": object{"oneOf": []any{s.of(ask), s.of(legacy)}},
					"example": object{"query": object{"text": "a quick supper", "itemType": "Recipe", "limit": 3},
						"prefer": object{"mode": "list, summarize"}},
				}}},
				"responses": answers(object{"200": object{
					"description": "An answer, or a failure that needed understanding. The query's shape decides " +
						"between 0.55 and the flat dialect.",
					"content": object{"application/json": object{"schema": object{"anyOf": []any{response, flat}}},
						"text/event-stream": events},
				}, "202": promised}, "400", "401", "403", "408", "413", "415", "429", "500", "503"),
			}),
			"get": operation("ask", "usage", "Learn how to ask, or ask in the flat dialect", object{
				"parameters": []any{
					parameter("query", "The question. Without it the answer says how to ask."),
					parameter("site", "Sites by id, name or host, with commas between."),
					parameter("item_type", "Types of schema.org, with commas between."),
					parameter("prev", "Earlier questions, as the JSON text of a list."),
					parameter("generate_mode", "list, summarize or generate."),
					parameter("streaming", "A stream unless this is false or 0."),
					parameter("query_id", "Comes back with the answer."),
				},
				"responses": answers(object{"200": object{
					"description": "How to ask, or an answer in the flat dialect.",
					"content": object{
						"application/json": object{"schema": object{"anyOf": []any{s.of(reflect.TypeFor[wire.Usage]()),
							flat, response}}},
						"text/event-stream": events,
					},
				}}, "400", "401", "403", "429", "500", "503"),
			}),
		},
		"/ask/click": object{
			"post": operation("ask", "click", "Say that a result of an answer was followed", object{
				"requestBody": object{"required": true, "content": object{"application/json": object{
					"schema": object{"type": "object", "required": []any{"answer_id", "position"}, "properties": object{
						"answer_id": object{"type": "string",
							"description": "As the answer's _meta has it. It is good for 30 minutes."},
						"position": object{"type": "integer", "minimum": 1,
							"description": "Of the result; it counts once."},
					}},
				}}},
				"responses": answers(object{"204": object{"description": "It is counted, unless it was before."}},
					"400", "413", "415", "429", "500", "503"),
			}),
		},
		"/await": object{
			"post": operation("ask", "await", "Check on a promised answer, or cancel it", object{
				"requestBody": object{"required": true, "content": object{"application/json": object{
					"schema":  s.of(reflect.TypeFor[wire.AwaitRequest]()),
					"example": object{"promise_token": "promise_...", "action": "checkin"},
				}}},
				"responses": answers(object{
					"200": object{
						"description": "The answer in the form that ask was told, or a failure: CANCELLED, " +
							"PROMISE_NOT_FOUND or that of the question.",
						"content": jsonOf(response),
					},
					"202": promised,
				}, "400", "401", "403", "408", "413", "415", "429", "500", "503"),
			}),
		},
		"/sites": object{
			"get": operation("ask", "sites", "See which sites can be asked (flat dialect)", object{
				"parameters": []any{parameter("streaming", "A data line instead of an object when true.")},
				"responses": answers(object{"200": object{
					"description": "The ids of the sites.",
					"content": object{
						"application/json":  object{"schema": s.of(reflect.TypeFor[wire.LegacySites]())},
						"text/event-stream": events},
				}}, "429", "500", "503"),
			}),
		},
		"/who": object{
			"get": operation("ask", "who", "See which sites have an answer (flat dialect)", object{
				"parameters": []any{
					object{"name": "query", "in": "query", "required": true, "description": "The question.",
						"schema": object{"type": "string"}},
					parameter("streaming", "A stream of data lines when true."),
				},
				"responses": answers(object{"200": object{
					"description": "The sites, the best first.",
					"content": object{"application/json": object{"schema": s.of(reflect.TypeFor[wire.LegacyWho]())},
						"text/event-stream": events},
				}}, "400", "401", "403", "429", "500", "503"),
			}),
		},
		"/sessions/{id}": object{
			"delete": operation("ask", "forget", "Have a conversation forgotten", object{
				"description": "Removes what is kept of the conversation on this server. It takes the credential " +
					"that asked, or the state_token of " +
					"the conversation's last answer; whether there was anything is not told.",
				"parameters": []any{
					inPath("id", "The conversation_id."),
					inHeader("Session-State", "The state_token of session_context."),
				},
				"responses": answers(object{"204": object{"description": "Nothing is kept of it."}},
					"401", "403", "404", "429", "500", "503"),
			}),
		},
		"/mcp": object{
			"post": operation("ask", "mcp", "Speak the Model Context Protocol (Streamable HTTP)", object{
				"requestBody": object{"required": true,
					"content": jsonOf(object{"description": "JSON-RPC 2.0."})},
				"responses": object{
					"200": object{"description": "A JSON-RPC response, or a stream of messages.",
						"content": object{"application/json": object{}, "text/event-stream": object{}}},
					"202":     object{"description": "A notification was taken."},
					"default": object{"description": "What went wrong, as a JSON-RPC error or a failure envelope."},
				},
			}),
		},
		"/mcp/server-card": document("serverCard", "The MCP server card (draft)", "application/mcp-server-card+json"),
		"/.well-known/mcp/server-card.json": document("serverCardWellKnown",
			"The MCP server card, where many clients look for it", "application/mcp-server-card+json"),
		"/.well-known/mcp/catalog.json": document("mcpCatalog", "The catalog of MCP servers (draft)",
			"application/json"),
		"/.well-known/api-catalog": document("apiCatalog", "The interfaces that there are (RFC 9727)",
			"application/linkset+json"),
		"/.well-known/oauth-protected-resource": object{
			"get": operation("discovery", "protectedResource", "Who issues tokens for this server (RFC 9728)",
				plainResponses("application/json"))},
		"/.well-known/oauth-protected-resource/mcp": object{
			"get": operation("discovery", "protectedResourceMCP", "Who issues tokens for /mcp (RFC 9728)",
				plainResponses("application/json"))},
		"/.well-known/jwks.json": document("jwks",
			"The keys that this front desk signs with, retired ones among them (RFC 7517)", "application/jwk-set+json"),
		"/.well-known/http-message-signatures-directory": object{
			"get": operation("discovery", "agentKeys",
				"The keys with which this front desk signs what it asks of others (Web Bot Auth)",
				plainResponses("application/http-message-signatures-directory+json"))},
		"/ledger/checkpoint": object{
			"get": operation("discovery", "checkpoint", "The signed checkpoint of the ledger (C2SP tlog-checkpoint)",
				plainResponses("text/plain"))},
		"/ledger/tile/{tile}": object{
			"get": operation("discovery", "tile", "Hashes of the ledger's tree (C2SP tlog-tiles)", object{
				"parameters": []any{inPath("tile", "LEVEL/NUMBER, such as 0/x001/067, or 0/x001/068.p/17.")},
				"responses": answers(object{"200": object{"description": "32 bytes for each hash.",
					"content": object{"application/octet-stream": object{}}}}, "404", "500"),
			})},
		"/ledger/receipt/{id}": object{
			"get": operation("operation",
				"receipt", "The receipt of an entry of the ledger, for those whom it concerns", object{
					"parameters": []any{inPath("id", "The id of the entry.")},
					"responses": answers(object{"200": object{
						"description": "The entry, its index, the hashes from it to the root, and the signed " +
							"checkpoint.",
						"content": jsonOf(object{"type": "object"}),
					}}, "401", "403", "404", "429", "500", "503"),
				})},
		"/robots.txt": document("robots", "What may be fetched, and where the schema map is (RFC 9309)",
			"text/plain"),
		"/llms.txt":     document("llms", "A page for models, in Markdown", "text/markdown"),
		"/openapi.json": document("openapi", "This description", "application/vnd.oai.openapi+json;version=3.1"),
		"/schemamap.xml": document("schemaMap", "The feeds of all items, as a site map with content types",
			"application/xml"),
		"/feeds/{site}/{part}": object{
			"get": operation("content", "feed", "Read a part of a site's items", object{
				"parameters": []any{
					inPath("site", "The id of a site."),
					inPath("part", "newest.rss, or a part that the schema map lists, such as 1-of-4.jsonl."),
					inHeader("If-None-Match", "The ETag of an earlier answer."),
				},
				"responses": answers(object{
					"200": object{
						"description": "Items, one schema.org object to a line; or the newest ones as RSS.",
						"headers":     object{"ETag": object{"schema": object{"type": "string"}}},
						"content": object{"application/jsonl": object{"schema": object{"type": "string"}},
							"application/rss+xml": object{"schema": object{"type": "string"}}},
					},
					"304": object{"description": "Nothing changed since."},
				}, "401", "404", "429", "500", "503"),
			}),
		},
		"/healthz": object{"get": operation("operation", "health", "Whether the process answers",
			plainResponses("application/json"))},
		"/readyz": object{"get": operation("operation", "ready", "Whether questions are answered", object{
			"responses": answers(object{"200": object{"description": "They are.",
				"content": jsonOf(object{"type": "object"})}}, "503"),
		})},
	}
}

func operation(tag, id, summary string, more object) object {
	more["tags"], more["operationId"], more["summary"] = []any{tag}, id, summary
	if tag == "operation" || tag == "discovery" {
		more["security"] = []any{object{}}
	}
	return more
}

// document is an address with a document that GET gets. Most of them take the parameter site.
func document(id, summary, kind string) object {
	more := plainResponses(kind)
	more["parameters"] = []any{parameter("site", "A site by id, name or host, to be told of it alone.")}
	more["responses"].(object)["404"] = object{"$ref": "#/components/responses/Failure"}
	return object{"get": operation("discovery", id, summary, more)}
}

func plainResponses(kind string) object {
	return object{"responses": object{"200": object{"description": "The document.", "content": object{kind: object{}}}}}
}

func parameter(name, description string) object {
	return object{"name": name, "in": "query", "description": description, "schema": object{"type": "string"}}
}

// answers adds failures to the responses of an operation.
func answers(responses object, statuses ...string) object {
	for _, status := range statuses {
		responses[status] = object{"$ref": "#/components/responses/Failure"}
	}
	return responses
}

// failure is the envelope that every failure has.
func (s *schemas) failure() object {
	return object{
		"description": "A failure, in the envelope of NLWeb 0.55 §4.1.4.",
		"headers": object{
			"Retry-After": object{"schema": object{"type": "integer"},
				"description": "Seconds to wait, with 429 and 503."},
			"WWW-Authenticate": object{"schema": object{"type": "string"},
				"description": "How to authenticate, with 401."},
		},
		"content": jsonOf(s.of(reflect.TypeFor[wire.Response]())),
	}
}

// jsonOf is content that is JSON of a schema.
func jsonOf(schema any) object { return object{"application/json": object{"schema": schema}} }

// inHeader is a parameter of the head, which may be left out.
func inHeader(name, description string) object {
	return object{"name": name, "in": "header", "description": description, "schema": object{"type": "string"}}
}

// refuse adds responses that say why there is no answer, and when to come back.
func refuse(responses object, description string, schema object, statuses ...string) object {
	for _, status := range statuses {
		again := object{"schema": object{"type": "integer"}, "description": "Seconds to wait, with 429 and 503."}
		responses[status] = object{
			"description": description, "content": jsonOf(schema), "headers": object{"Retry-After": again},
		}
	}
	return responses
}
