package main

import (
	"reflect"
	"strings"

	"frontdesk/internal/licensing/disputes/accesslog"
)

// operatorPaths are what the operator's own programs read and do, and what a provider reads of its
// sales (RAMP v1, the plain HTTP resources of an Exchange).
func (s *schemas) operatorPaths() object {
	s.made["operator.Failure"] = object{
		"type": "object", "required": []any{"error"}, "description": "Why an operator's request was not answered.",
		"properties": object{"error": object{
			"type": "object", "required": []any{"code", "message"},
			"properties": object{"code": object{"type": "string"},
				"message": object{"type": "string", "description": "What is wrong, and what to do."}},
		}},
	}
	s.operatorSchemas()
	rule, host, key := inPath("id", "The rule's id."), inPath("id",
		"A host of the site, such as www.example.com."), inPath("key_id", "The key's id.")
	return object{
		"/api/v1/reports/{name}": object{"get": s.reports()},
		"/provider/{domain}/ramp.json": object{"get": providerDocument("providerManifest",
			"Through whom a host's content is sold, for edges that keep it (RAMP v1)", "application/json", true)},
		"/provider/{domain}/rsl.txt": object{"get": providerDocument("providerLicenses",
			"The licences of a host's addresses (RSL 1.0)", "application/rsl+xml", true)},
		"/provider/{domain}/ramp-verifier.json": object{"get": providerDocument("providerVerifier",
			"The keys with which a host attests things of its content, for edges that keep them (RAMP v1)",
			"application/json", true)},
		"/rsl.txt": object{"get": providerDocument("rsl",
			"The licences of the addresses of the host that is asked (RSL 1.0)", "application/rsl+xml", false)},
		"/provider/{domain}/ramp-sitemap.xml": object{"get": providerDocument("providerSitemap",
			"A host's items with the terms of their use, as a sitemap with the RAMP extension; of many items an "+
				"index, whose pages are asked for as page", "application/xml", true)},
		"/ramp-sitemap.xml": object{"get": providerDocument("rampSitemap",
			"The items of the host that is asked with the terms of their use, as a sitemap with the RAMP extension; "+
				"of many items an index, whose pages are asked for as page", "application/xml", false)},
		"/provider/{domain}/transactions": object{"get": operating("providerTransactions",
			"Read what was sold of a host's addresses, with the provider's own key (RAMP v1)", object{
				"200": object{
					"description": "A page, the oldest first; next is the id after which there are more. As lines " +
						"of JSON, all of them.", "content": object{
						"application/json": object{"schema": object{"type": "object",
							"required": []any{"provider", "transactions"}, "properties": object{
								"provider":     object{"type": "string"},
								"transactions": object{"type": "array", "items": object{"type": "object"}},
								"next":         object{"type": "string"},
							}}},
						"application/jsonl": object{"schema": object{"type": "string"}},
					}},
				"406": failing("None of the forms is accepted."),
			}, object{"description": opens("provider:HOST"), "parameters": []any{
				inPath("domain", "The host, such as www.example.com."),
				parameter("from", "From when on: a time (RFC 3339), or a day by UTC."),
				parameter("to", "Until before when."),
				parameter("after", "The id of a transaction after which to go on."),
				parameter("limit", "How many a page has, up to 1000; without it, 100."),
				parameter("format", "json or jsonl; without it, as Accept says."),
			}})},
		"/admin/delivery-logs": object{"post": s.deliveryLogs()},
		"/admin/content-rules": object{
			"get": operating("contentRules", "List the content rules (RAMP v1, manual source)",
				told("200", "The rules in their order.", listOf("rules", "operator.ContentRule")), object{}),
			"post": operating("putContentRule", "Add a content rule, or put it in the place of that with its id",
				told("201", "It was added.", ref("operator.ContentRule"), "200", "It stands in the place of another."),
				body("operator.ContentRule")),
		},
		"/admin/content-rules/{id}": object{
			"get": operating("contentRule", "Read a content rule",
				told("200", "The rule.", ref("operator.ContentRule")), object{"parameters": []any{rule}}),
			"delete": operating("removeContentRule", "Remove a content rule",
				told("200", "It was removed.", object{"type": "object"}), object{"parameters": []any{rule}}),
		},
		"/admin/content-changed": object{
			"post": operating("contentChanged",
				"Say that content of a site or tenant has changed, so that it is read anew (RAMP v1, Ingestion)",
				told("202", "Whether a reading begins: not where one is going on, nor where nothing is to be read.",
					object{
						"type": "object", "required": []any{"tenant", "started"},
						"properties": object{"tenant": object{"type": "string"}, "started": object{"type": "boolean"}},
					}), jsonBody(object{"type": "object", "properties": object{
					"tenant": object{"type": "string", "description": "A tenant, by its id or one of its domains."},
					"site": object{"type": "string",
						"description": "A site, by its id or one of its hosts, instead of tenant."},
					"paths": object{"type": "array", "maxItems": 1000, "items": object{"type": "string"},
						"description": "What has changed. All lists and documents are asked for all the same, with " +
							"what says that they are what they were."},
				}})),
		},
		"/admin/answers": object{
			"get": operating("answers",
				"List with which tokens challenges of this front desk's own domains are answered now",
				told("200", "The tokens.",
					object{"type": "object",
						"properties": object{"answers": object{"type": "array", "items": answerSchema}}}), object{}),
			"post": operating("putAnswer",
				"Have a challenge of one of this front desk's own domains be answered with a token (RAMP v1, domain "+
					"verification)", told("201", "It is answered.", answerSchema), jsonBody(answerSchema)),
		},
		"/admin/answers/{domain}/{token}": object{
			"delete": operating("removeAnswer", "Have a challenge not be answered any more",
				told("200", "It is answered no more.", object{"type": "object"}), object{"parameters": []any{
					domainOf,
					object{"name": "token", "in": "path", "required": true, "description": "The token.",
						"schema": object{"type": "string"}},
				}}),
		},
		"/admin/tenants/{id}/pricing": object{
			"get": operating("tenantPricing", "Read what licensed items of a site cost where no rule says so",
				told("200", "The price.", ref("operator.Pricing")), object{"parameters": []any{host}}),
			"put": operating("setTenantPricing",
				"Say what licensed items of a site cost where no rule says so (RAMP v1)",
				told("200", "The price.", ref("operator.Pricing")), withParameters(body("operator.Price"), host)),
			"delete": operating("removeTenantPricing", "Have no such price any more",
				told("200", "There is none.", ref("operator.Pricing")), object{"parameters": []any{host}}),
		},
		"/admin/tenants/{id}/signing-keys": object{
			"get": operating("signingKeys", "List the keys that sign addresses for others",
				told("200", "The keys.", listOf("keys", "operator.SigningKey")), object{"parameters": []any{host}}),
			"post": operating("issueSigningKey", "Make a key, or take one, which waits (RAMP v1, CDN key rotation)",
				told("201", "It waits until it is activated.", ref("operator.SigningKey")),
				withParameters(body("operator.NewSigningKey"), host)),
		},
		"/admin/tenants/{id}/signing-keys/{key_id}": object{
			"delete": operating("revokeSigningKey", "End a key at once",
				told("200", "It has ended.", ref("operator.SigningKey")), object{"parameters": []any{host, key}}),
		},
		"/admin/tenants/{id}/signing-keys/{key_id}/activate": object{
			"post": operating("activateSigningKey", "Have a key sign that waits",
				told("200", "It signs.", ref("operator.SigningKey")),
				withParameters(body("operator.Activation"), host, key)),
		},
	}
}

// domainOf is a domain in an address.
var domainOf = object{"name": "domain", "in": "path", "required": true,
	"description": "A domain, such as www.example.com.", "schema": object{"type": "string"}}

// answerSchema is a token with which a challenge is answered.
var (
	answerSchema = object{"type": "object", "required": []any{"domain", "token", "expires_at"}, "properties": members(
		"domain", "A domain of this front desk's own.",
		"token", "As an Exchange gave it: 8 to 256 letters, digits, and -_.~=+.",
		"expires_at", "Until when it is answered, an hour from now at the most.")}
)

func jsonBody(schema object) object {
	return object{"requestBody": object{"required": true,
		"content": object{"application/json": object{"schema": schema}}}}
}

func members(described ...string) object {
	all := object{}
	for i := 0; i < len(described); i += 2 {
		all[described[i]] = object{"type": "string", "description": described[i+1]}
	}
	return all
}

// providerDocument is a document that the Exchange makes of a provider's terms.
func providerDocument(id, summary, media string, named bool) object {
	more := object{"responses": object{
		"200": object{"description": "The document.", "content": object{media: object{}}},
		"404": object{"description": "Nothing is served of this host.",
			"content": object{"application/json": object{"schema": ref("ramp.Failure")}}},
		"503": object{"description": "The content is still being loaded.",
			"content": object{"application/json": object{"schema": ref("ramp.Failure")}}},
	}}
	if named {
		more["parameters"] = []any{inPath("domain", "The host, such as www.example.com.")}
	}
	return operation("discovery", id, summary, more)
}

// told are responses: a status, what it says, and the schema of the body, which those that follow
// share.
func told(status, description string, schema object, more ...string) object {
	content := object{"application/json": object{"schema": schema}}
	responses := object{status: object{"description": description, "content": content}}
	for i := 0; i+1 < len(more); i += 2 {
		responses[more[i]] = object{"description": more[i+1], "content": content}
	}
	return responses
}

func body(schema string) object {
	return object{"requestBody": object{"content": object{"application/json": object{"schema": ref(schema)}}}}
}

func withParameters(more object, parameters ...object) object {
	var all []any
	for _, p := range parameters {
		all = append(all, p)
	}
	more["parameters"] = all
	return more
}

func listOf(name, schema string) object {
	return object{"type": "object", "required": []any{name},
		"properties": object{name: object{"type": "array", "items": ref(schema)}}}
}

// operatorSchemas are what the operator's programs send and get. They refuse members that they do
// not have.
func (s *schemas) operatorSchemas() {
	text := func(description string) object { return object{"type": "string", "description": description} }
	texts := func(description string) object {
		return object{"type": "array", "items": object{"type": "string"}, "description": description}
	}
	number := func(description string) object {
		return object{"type": "integer", "minimum": 0, "description": description}
	}
	closed := func(description string, properties object, required ...any) object {
		made := object{"type": "object", "description": description, "properties": properties,
			"additionalProperties": false}
		if len(required) > 0 {
			made["required"] = required
		}
		return made
	}
	restriction := closed("Who or what something is allowed for.",
		object{"permit": texts("The only ones."), "prohibit": texts("Those that are not, whatever permit says.")})
	s.made["operator.Price"] = closed("What something costs, as in the terms.", object{
		"model": text("per_access, per_token, per_fetch, per_page, per_minute, per_record, flat, subscription, " +
			"training, revenue_share, free, attribution or contribution."),
		"rate": text("A decimal number, such as 0.02."), "currency": text("ISO 4217."),
		"months":   number("Of subscription and training."),
		"estimate": number("How much one use takes of what is metered."),
	}, "model")
	s.made["operator.ContentRule"] = closed("A rule of the terms that stands behind those of the owner's file. Its "+
		"members are those of a rule there.", object{
		"id":    text("Up to 64 lower-case letters, digits, dots, dashes and underscores; made where it is left out."),
		"order": number("Rules stand in the order of these; 100 where it is left out."),
		"match": closed("All of it must hold; an empty object is everything.", object{
			"path": texts("Globs over the path."), "host": texts("Hosts."), "site": texts("Ids of sites."),
			"source": texts("Names of sources."), "type": texts("Types of schema.org."),
		}),
		"access": object{"enum": []any{"open", "licensed", "blocked"}}, "labels": texts("Editorial domains."),
		"excerpt":   closed("What is shown of a licensed item.", object{"words": number("")}),
		"functions": restriction, "users": restriction, "countries": restriction,
		"display":   closed("The most words that may be shown.", object{"words": number("")}),
		"price":     ref("operator.Price"),
		"reporting": closed("What is owed after use.", object{"window": text("A span, such as 24h.")}),
		"delivery":  texts("The only ways of delivery."),
		"scopes":    texts("Of which one must have been granted."), "imported": object{"enum": []any{"obey", "ignore"}},
		"created": text("Told alone."), "changed": text("Told alone."),
		"warnings": texts("Told alone: what works, and is probably not meant."),
	}, "match", "access")
	s.made["operator.Pricing"] = object{"type": "object",
		"description": "The price of what is licensed of a site and has none by a rule.", "properties": object{
			"tenant": text("The host that was asked for."), "site": text("The site's id."),
			"price":   object{"anyOf": []any{ref("operator.Price"), object{"type": "null"}}},
			"changed": text("When it was set."),
		}}
	s.made["operator.NewSigningKey"] = closed("A key to be made, or taken.", object{
		"place": text("Who delivers, by its name in ramp.delivery; where one alone has the form, it may " +
			"be left out."),
		"cdn_type":    object{"enum": []any{"hmac", "cloudfront", "akamai", "fastly"}},
		"signing_key": text("A key that was made elsewhere: PEM for cloudfront, else the secret."),
		"encoding": object{"enum": []any{"text", "base64", "hex"},
			"description": "Of the secret; without it base64 for fastly and hex for others."},
		"key_pair_id": text("What CloudFront calls the public key."),
	})
	s.made["operator.Activation"] = closed("How a key begins to sign. Nothing need be said.",
		object{"key_pair_id": text("What CloudFront calls the public key."),
			"grace": text("How long the key before it is still good, such as 1h.")})
	s.made["operator.SigningKey"] = object{"type": "object",
		"description": "A key that signs addresses, without its secret.", "properties": object{
			"key_id": text(""), "place": text("Who delivers."), "cdn_type": text("The form of the addresses."),
			"key_pair_id": text(""),
			"state":       object{"enum": []any{"waiting", "signing", "overlapping", "retired", "revoked"}},
			"imported":    object{"type": "boolean"}, "created": text(""), "activated": text(""), "ends": text(""),
			"shown": object{"type": "object",
				"description": "Once, of a key that was made here: what the other side has to know.",
				"properties": object{"signing_key": text("The secret, in hex; for fastly in base64."),
					"public_key": text("In PEM.")}},
		}}
}

// operating is an operation of the operator's programs, or of others that have a key of their own.
func operating(id, summary string, responses object, more object) object {
	statuses := []string{"401", "403", "404", "405", "422", "429", "500", "503"}
	if more["requestBody"] != nil {
		statuses = append(statuses, "400", "413", "415")
	}
	for _, status := range statuses {
		responses[status] = object{"$ref": "#/components/responses/NotDone"}
	}
	more["responses"] = responses
	if more["description"] == nil {
		more["description"] = opens("admin")
	}
	more["security"] = []any{object{"bearer": []any{}}, object{"key": []any{}}}
	return operation("operator", id, summary, more)
}

// opens says which key an operation takes.
func opens(door string) string {
	return "It takes an API key of the door " + door + " (`frontdesk keys issue api NAME --door " +
		strings.Split(door, " ")[0] +
		"`), as `Authorization: Bearer KEY` or `X-API-Key: KEY`. No key that was issued without doors opens it."
}

func failing(description string) object {
	return object{"description": description,
		"content": object{"application/json": object{"schema": ref("operator.Failure")}}}
}

// deliveryLogs is the import of a log.
func (s *schemas) deliveryLogs() object {
	form := parameter("form", "How its lines are written; without it, the first line shows it.")
	form["schema"] = object{"enum": []any{"auto", "frontdesk", "cloudfront", "akamai", "fastly", "cloudflare",
		"combined"}}
	return operating("importDeliveryLog",
		"Import what a CDN or a web server logged of deliveries, as it is or packed by gzip",
		told("200", "What was found in it.", s.of(reflect.TypeFor[accesslog.ImportResult]())), object{
			"parameters": []any{
				form, parameter("fields", "The columns of lines with values alone, with commas between."),
				parameter("by", "Under which name its lines are kept; without it, the form's."),
				parameter("site", "The id of a site, to keep only what is of its transactions."),
			},
			"requestBody": object{"required": true,
				"content": object{"text/plain": object{"schema": object{"type": "string"}},
					"application/jsonl": object{"schema": object{"type": "string"}},
					"application/gzip":  object{"schema": object{"type": "string"}}}},
		})
}

// inPath is a parameter of a path.
func inPath(name, description string) object {
	return object{"name": name, "in": "path", "required": true, "description": description,
		"schema": object{"type": "string"}}
}

// reports is the reading of a report.
func (s *schemas) reports() object {
	name := inPath("name", "The report.")
	name["schema"] = object{"enum": []any{"provider-revenue", "buyer-invoice", "compliance-status",
		"transaction-detail", "citations", "leakage-check", "reconciliation", "reconciliation-days"}}
	format := parameter("format", "In which form; without it, as Accept says, or JSON.")
	format["schema"] = object{"enum": []any{"json", "csv", "jsonl"}}
	rows := object{
		"type": "object", "required": []any{"rows"},
		"properties": object{"rows": object{"type": "array", "items": object{"type": "object"},
			"description": "Its rows. Amounts are decimal numbers, as texts; what there is not is left out."}},
	}
	return operating("report", "Read a report on what was sold (RAMP v1)", object{
		"200": object{"description": "The report, sent as it is read.", "content": object{
			"application/json": object{"schema": rows}, "text/csv": object{"schema": object{"type": "string"}},
			"application/jsonl": object{"schema": object{"type": "string"}},
		}},
		"406": failing("None of the forms is accepted."),
	}, object{"description": opens("reports or admin"), "parameters": []any{
		name, parameter("from", "From when on: a time (RFC 3339), or a day by UTC. buyer-invoice needs it."),
		parameter("to", "Until before when; a day is its beginning."),
		parameter("site",
			"The id of a site, to be told of it alone: of provider-revenue, transaction-detail, citations, "+
				"leakage-check, reconciliation and reconciliation-days."),
		parameter("buyer",
			"DOMAIN/ID of a requester: of transaction-detail and citations, and of buyer-invoice, which needs it "+
				"(DOMAIN/* is an account of a domain)."),
		parameter("currency", "Of buyer-invoice, which needs it, such as USD."),
		parameter("grace",
			"Of leakage-check: how old something is at the least that is told of, such as 30m; without it, 1h. Of "+
				"reconciliation and reconciliation-days: how long a day is over; without it, 48h."), format,
	}})
}
