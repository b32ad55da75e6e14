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
	}
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
	name["schema"] = object{"enum": []any{"provider-revenue", "pages", "buyer-invoice", "compliance-status",
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
			"The id of a site, to be told of it alone: of provider-revenue, pages, transaction-detail, citations, "+
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
