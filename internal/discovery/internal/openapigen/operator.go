package main

// operatorPaths are what the operator's own programs read and do, and what a provider reads of its sales (RAMP v1, the plain HTTP
// resources of an Exchange).
func (s *schemas) operatorPaths() object {
	s.made["operator.Failure"] = object{
		"type": "object", "required": []any{"error"}, "description": "Why an operator's request was not answered.",
		"properties": object{"error": object{
			"type": "object", "required": []any{"code", "message"},
			"properties": object{"code": object{"type": "string"}, "message": object{"type": "string", "description": "What is wrong, and what to do."}},
		}},
	}
	return object{"/api/v1/reports/{name}": object{"get": s.reports()}}
}

// operating is an operation of the operator's programs, or of others that have a key of their own.
func operating(id, summary string, responses object, more object) object {
	for _, status := range []string{"401", "403", "404", "405", "422", "429", "500", "503"} {
		responses[status] = failing("It was not done.")
	}
	more["responses"] = responses
	more["security"] = []any{object{"bearer": []any{}}, object{"key": []any{}}}
	return operation("operator", id, summary, more)
}

func failing(description string) object {
	return object{"description": description, "content": object{"application/json": object{"schema": ref("operator.Failure")}}}
}

// inPath is a parameter of a path.
func inPath(name, description string) object {
	return object{"name": name, "in": "path", "required": true, "description": description, "schema": object{"type": "string"}}
}

// reports is the reading of a report.
func (s *schemas) reports() object {
	name := inPath("name", "The report.")
	name["schema"] = object{"enum": []any{"provider-revenue", "buyer-invoice", "compliance-status", "transaction-detail", "leakage-check"}}
	format := parameter("format", "In which form; without it, as Accept says, or JSON.")
	format["schema"] = object{"enum": []any{"json", "csv", "jsonl"}}
	rows := object{
		"type": "object", "required": []any{"rows"},
		"properties": object{"rows": object{"type": "array", "items": object{"type": "object"}, "description": "Its rows. Amounts are decimal numbers, as texts; what there is not is left out."}},
	}
	return operating("report", "Read a report on what was sold (RAMP v1)", object{
		"200": object{"description": "The report, sent as it is read.", "content": object{
			"application/json": object{"schema": rows}, "text/csv": object{"schema": object{"type": "string"}}, "application/jsonl": object{"schema": object{"type": "string"}},
		}},
		"406": failing("None of the forms is accepted."),
	}, object{"parameters": []any{
		name, parameter("from", "From when on: a time (RFC 3339), or a day by UTC. buyer-invoice needs it."), parameter("to", "Until before when; a day is its beginning."),
		parameter("site", "The id of a site, to be told of it alone: of provider-revenue, transaction-detail and leakage-check."),
		parameter("buyer", "DOMAIN/ID of a requester: of transaction-detail, and of buyer-invoice, which needs it (DOMAIN/* is an account of a domain)."),
		parameter("currency", "Of buyer-invoice, which needs it, such as USD."),
		parameter("grace", "Of leakage-check: how old something is at the least that is told of, such as 30m; without it, 1h."), format,
	}})
}
