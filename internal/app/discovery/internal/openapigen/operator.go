package main

import "strings"

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
	of := func(name string) object { return parameter(name, "Those of this one alone.") }
	after, limit := parameter("after", "The next of the page before."), parameter("limit",
		"How many a page has, up to 1000; without it, 100.")
	rule, host, key := inPath("id", "The rule's id."), inPath("id",
		"A host of the site, such as www.example.com."), inPath("key_id", "The key's id.")
	requester := []any{inPath("domain", "The requester's domain."), inPath("id", "Its id.")}
	account := []any{inPath("currency", "Such as USD."), inPath("domain", "The buyer's domain."),
		inPath("id", "The buyer's id, or * for all of its domain.")}
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
		"/admin/disputes": object{"get": operating("disputes", "List disputes, the newest first",
			told("200", "A page; next is the id of its last, after which there may be more.", object{
				"type": "object", "required": []any{"disputes"},
				"properties": object{"disputes": object{"type": "array", "items": s.dispute()},
					"next": object{"type": "string"}},
			}), object{"parameters": []any{
				parameter("buyer", "Only of this buyer, DOMAIN/ID."), parameter("site", "Only of this site."),
				parameter("reason", "Only with this reason, such as delivery_failed."),
				parameter("status", "Only in this status, such as escalated."),
				parameter("resolution", "Only decided so, such as credit."),
				parameter("open", "true for those alone that are not decided."),
				parameter("since", "Only filed at this time (RFC 3339) or day, or later."),
				parameter("until", "Only filed before."),
				parameter("before", "The id of a dispute before which to go on."),
				parameter("limit", "How many a page has, up to 1000; without it, 100."),
			}})},
		"/admin/disputes/{id}": object{"get": operating("dispute",
			"Read a dispute with its steps, by its id or that of its transaction",
			told("200", "The dispute.", s.dispute()), object{"parameters": []any{inPath("id", "The id.")}})},
		"/admin/disputes/{id}/decide": object{"post": operating("decideDispute", "Decide a dispute that is not decided",
			told("200", "It is decided.", s.dispute()), object{
				"parameters": []any{inPath("id", "The id of the dispute.")},
				"requestBody": object{"required": true,
					"content": object{"application/json": object{"schema": object{"type": "object",
						"required": []any{"resolution"}, "properties": object{
							"resolution": object{"enum": []any{"credit", "redelivery", "rejected", "investigation"}},
							"amount": object{"type": "string",
								"description": "Of a credit: how much is given back, such as 0.05; without it, all " +
									"that was charged."},
							"note": object{"type": "string", "maxLength": 1000,
								"description": "Why, for people here. It is told with the step, and is not in " +
									"the ledger."},
						}}}}},
			})},
		"/admin/disputes/{id}/description": object{"delete": operating("eraseDispute",
			"Forget what the buyer wrote of a dispute", told("200", "It is forgotten.", object{"type": "object"}),
			object{"parameters": []any{inPath("id", "The id of the dispute.")}})},
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
		"/admin/requesters": object{
			"get": operating("requesters", "List the requesters (RAMP v1)",
				told("200", "A page, by domain and id; next is after which there are more.", pageOf("requesters")),
				object{"parameters": []any{of("domain"), after, limit}}),
			"post": operating("addRequester", "Put a requester in (RAMP v1, enterprise sign-up)",
				told("201", "It is in.", object{"type": "object"}), body("operator.Requester")),
		},
		"/admin/requesters/{domain}/{id}": object{
			"get": operating("requester", "Read a requester",
				told("200", "The requester.", object{"type": "object"}), object{"parameters": requester}),
			"patch": operating("changeRequester", "Change what is named of a requester, its state among it",
				told("200", "As it is now.", object{"type": "object"}),
				withParameters(body("operator.Requester"), inPath("domain", "The requester's domain."),
					inPath("id", "Its id."))),
			"delete": operating("removeRequester", "Remove a requester",
				told("200", "It is removed.", object{"type": "object"}), object{"parameters": requester}),
		},
		"/admin/accounts": object{
			"get": operating("accounts", "List the accounts",
				told("200", "A page, by buyer and currency; next is after which there are more.", pageOf("accounts")),
				object{"parameters": []any{of("buyer"), after, limit}}),
			"post": operating("openAccount", "Open an account for a buyer",
				told("201", "It is open.", object{"type": "object"}), body("operator.NewAccount")),
		},
		"/admin/accounts/{currency}/{domain}/{id}": object{
			"get": operating("account", "Read an account with its newest movements",
				told("200", "The account.", object{"type": "object"}),
				object{"parameters": append([]any{parameter("lines", "How many movements, up to 1000; without it, 20."),
					parameter("before", "The number of a movement before which to go on.")}, account...)}),
			"post": operating("pay", "Book a payment",
				told("200", "What was moved; again where it was booked before.", object{"type": "object"}),
				object{"parameters": account, "requestBody": body("operator.Payment")["requestBody"]}),
			"patch": operating("changeAccount", "Set an account's limit and state",
				told("200", "As it is now.", object{"type": "object"}),
				object{"parameters": account, "requestBody": body("operator.AccountChange")["requestBody"]}),
		},
		"/admin/licenses":           s.grants("licenses", "Licenses", of("buyer"), after, limit),
		"/admin/licenses/{id}":      s.grant("License", "a licence"),
		"/admin/subscriptions":      s.grants("subscriptions", "Subscriptions", of("buyer"), after, limit),
		"/admin/subscriptions/{id}": s.grant("Subscription", "a subscription"),
		"/admin/tenants": object{
			"get": operating("tenants", "List the providers for whom is sold beside the sites",
				told("200", "The tenants.",
					object{"type": "object",
						"properties": object{"tenants": object{"type": "array", "items": tenantSchema}}}), object{}),
			"post": operating("putTenant", "Put a tenant in, or in the place of that with its id",
				told("201", "It was put in.", tenantSchema, "200", "It stands in the place of another."),
				jsonBody(tenantSchema)),
		},
		"/admin/tenants/{id}": object{
			"get": operating("tenant", "Read a tenant", told("200", "The tenant.", tenantSchema),
				object{"parameters": []any{tenant}}),
			"delete": operating("removeTenant", "Remove a tenant: nothing of it is sold any more",
				told("200", "It was removed.", object{"type": "object"}), object{"parameters": []any{tenant}}),
		},
		"/admin/tenants/{id}/rejections": object{
			"get": operating("rejections",
				"List the entries of a tenant that were refused last, and why (RAMP v1, PushResources)",
				told("200", "The last first.",
					object{"type": "object",
						"properties": object{"rejections": object{"type": "array", "items": rejectionSchema}}}),
				object{"parameters": []any{
					tenant, parameter("limit", "How many at most, up to 1000; without it, 100."),
				}}),
		},
		"/admin/callers": object{
			"get": operating("callers", "List who may push into the catalogs of tenants",
				told("200", "The callers.",
					object{"type": "object",
						"properties": object{"callers": object{"type": "array", "items": callerSchema}}}), object{}),
			"post": operating("putCaller", "Put a caller in, or in the place of that with its id",
				told("201", "It was put in.", callerSchema, "200", "It stands in the place of another."),
				jsonBody(callerSchema)),
		},
		"/admin/callers/{id}": object{
			"get": operating("caller", "Read a caller", told("200", "The caller.", callerSchema),
				object{"parameters": []any{tenant}}),
			"delete": operating("revokeCaller", "End the keys of a caller", told("200", "It is revoked.", callerSchema),
				object{"parameters": []any{tenant}}),
		},
		"/admin/domains": object{
			"get": operating("domains",
				"List the domains of tenants, and how they are verified (RAMP v1, domain verification)",
				told("200", "The domains.",
					object{"type": "object",
						"properties": object{"domains": object{"type": "array", "items": domainSchema}}}),
				object{"parameters": []any{
					parameter("state", "verified, lapsed or unverified; without it, all."),
				}}),
		},
		"/admin/domains/{domain}": object{
			"get": operating("domain", "Read how a domain is verified", told("200", "The domain.", domainSchema),
				object{"parameters": []any{domainOf}}),
			"delete": operating("forgetDomain", "Forget that a domain was verified",
				told("200", "It is forgotten.", object{"type": "object"}), object{"parameters": []any{domainOf}}),
		},
		"/admin/domains/{domain}/challenges": object{
			"get": operating("challenges", "List the last challenges of a domain, without their tokens",
				told("200", "The last first.",
					object{"type": "object",
						"properties": object{"challenges": object{"type": "array", "items": challengeSchema}}}),
				object{"parameters": []any{
					domainOf, parameter("limit", "How many at most, up to 1000; without it, 100."),
				}}),
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

// grants are the operations of a list of licences or of subscriptions.
func (s *schemas) grants(name, title string, parameters ...any) object {
	return object{
		"get": operating(name, "List the "+name,
			told("200", "A page, by id; next is after which there are more.", pageOf(name)),
			object{"parameters": parameters}),
		"post": operating("add"+title, "Give a buyer one of the "+name,
			told("201", "It is given.", object{"type": "object"}), body("operator.Grant")),
	}
}

// grant are the operations of one of them.
func (s *schemas) grant(title, says string) object {
	id := inPath("id", "Its id.")
	return object{
		"get": operating("read"+title, "Read "+says, told("200", "As it is.", object{"type": "object"}),
			object{"parameters": []any{id}}),
		"patch": operating("change"+title, "Change "+says, told("200", "As it is now.", object{"type": "object"}),
			withParameters(body("operator.Grant"), id)),
	}
}

// pageOf is a page of a list.
func pageOf(name string) object {
	return object{"type": "object", "required": []any{name},
		"properties": object{name: object{"type": "array", "items": object{"type": "object"}},
			"next": object{"type": "string"}}}
}

// domainOf is a domain in an address.
var domainOf = object{"name": "domain", "in": "path", "required": true,
	"description": "A domain, such as www.example.com.", "schema": object{"type": "string"}}

// The schemas of domains, of challenges, and of tokens with which challenges are answered.
var (
	domainSchema = object{"type": "object", "required": []any{"domain", "tenant_id", "state"}, "properties": members(
		"domain", "The domain.", "tenant_id", "Whose it is.", "state", "verified, lapsed or unverified.",
		"reason", "Why it lapsed: OVER, NOT_LISTED or UNREACHABLE.", "caller_id", "Who verified it.",
		"since", "From when it is verified without a gap.", "verified", "When it was last verified.",
		"valid_until", "By when it has to be verified again.", "listed", "When its ramp.json last named this Exchange.",
		"cdn_type", "How addresses are signed there, where a key was registered.",
		"key_id", "The key that was registered last.")}
	challengeSchema = object{"type": "object", "properties": members(
		"caller_id", "Who asked for it.", "tenant_id", "For whom.",
		"state", "open, over, used, verified, or one word for why the domain was not verified.",
		"created", "When it was given.", "expires_at", "When it ends.", "used", "When it was looked at.")}
	answerSchema = object{"type": "object", "required": []any{"domain", "token", "expires_at"}, "properties": members(
		"domain", "A domain of this front desk's own.",
		"token", "As an Exchange gave it: 8 to 256 letters, digits, and -_.~=+.",
		"expires_at", "Until when it is answered, an hour from now at the most.")}
)

// tenant is the id of a tenant or a caller in an address.
var tenant = object{"name": "id", "in": "path", "required": true, "description": "Its id.",
	"schema": object{"type": "string"}}

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

// with gives members beside others.
func with(all object, name string, schema object) object {
	all[name] = schema
	return all
}

func textList(description string) object {
	return object{"type": "array", "items": object{"type": "string"}, "description": description}
}

// The schemas of what the operator's programs keep of tenants and callers.
var (
	tenantSchema = object{"type": "object", "required": []any{"tenant_id", "domains"},
		"properties": with(with(with(with(with(with(with(with(members(
			"tenant_id", "Small letters, digits and dashes.", "name", "What people call it.",
			"mutability", "static, dynamic or live.", "created", "When it was put in; told alone.",
			"changed", "When it was changed; told alone."),
			"domains", textList("Each is one tenant's alone.")),
			"resources",
			textList("How the URIs begin of what it sells that is no web page, such as duns:. No two tenants have "+
				"URIs in common.")),
			"price", object{"type": "object", "description": "As in the terms: model, rate, currency and so on."}),
			"functions", object{"type": "object", "description": "As in the terms: permit and prohibit."}),
			"scopes", textList("Of which a requester must have one.")),
			"reporting", object{"type": "object", "description": "As in the terms: window."}),
			"blocked", object{"type": "boolean", "description": "Nothing of it is sold."}),
			"delivery", object{"type": "object",
				"description": "Who delivers: at, form, and what the form takes, as in ramp.delivery of the " +
					"configuration."})}
	callerSchema = object{"type": "object", "required": []any{"caller_id", "tenants", "keys"},
		"properties": with(with(members(
			"caller_id", "The keyid of its signatures.", "domain", "Whose it is, where it is not the tenant's own.",
			"state", "active or revoked; told alone.", "created", "Told alone.", "changed", "Told alone."),
			"tenants", textList("For which it may push.")),
			"keys", object{"type": "array",
				"items": object{"type": "object", "required": []any{"public_key"}, "properties": members(
					"id", "What it is called.", "public_key", "Ed25519, in base64.", "valid_from", "RFC 3339.",
					"valid_until", "RFC 3339.")}})}
	rejectionSchema = object{"type": "object", "properties": members(
		"time", "When it was pushed.", "caller_id", "By whom.", "address", "Its domain and path.",
		"reason", "One word, such as UNKNOWN_VERIFIER.", "detail", "A sentence.")}
)

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
	s.made["operator.Requester"] = closed("A requester, or what changes of one.", object{
		"requester_id": text("Its id."), "domain": text("Its domain."),
		"public_key": text("One Ed25519 key, in place of keys."),
		"keys": object{"type": "array",
			"items": closed("A key.",
				object{"id": text(""), "public_key": text("Ed25519."), "valid_from": text(""), "valid_until": text("")},
				"public_key")},
		"granted_scopes": texts("Scopes that it holds."), "user_category": text("The kind of its users."),
		"country": text("ISO 3166-1."), "rate": text("Its own limit, such as 20/1s."),
		"state": object{"enum": []any{"active", "suspended"}},
		"subscription": object{
			"description": "As at /admin/subscriptions, or the id of one that its whole domain has."},
	})
	s.made["operator.NewAccount"] = closed("An account.",
		object{"buyer": text("DOMAIN/ID, or DOMAIN/* for all of a domain."), "currency": text("ISO 4217."),
			"limit": object{"type": []any{"string", "null"},
				"description": "How far below nothing it may go; null for as far as is configured."}},
		"buyer", "currency")
	s.made["operator.AccountChange"] = closed("What changes of an account.",
		object{"limit": object{"type": []any{"string", "null"}}, "state": object{"enum": []any{"active", "suspended"}}})
	s.made["operator.Payment"] = closed("A payment.",
		object{"kind": object{"enum": []any{"credit", "debit", "expire"}}, "amount": text("A decimal number."),
			"reference": text("Under which it is booked once.")}, "kind", "amount")
	s.made["operator.Grant"] = closed("A licence or a subscription, or what changes of one.", object{
		"id": text(""), "buyer": text("DOMAIN/ID."), "site": text("The id of a site."),
		"labels": texts("Editorial domains."), "paths": texts("Globs over the path."),
		"item":     text("The address of one item."),
		"paid":     text("Of a licence: the pricing model for which nothing is charged."),
		"currency": text("Of a subscription."), "begins": text("RFC 3339."), "ends": text("RFC 3339."),
		"state": object{"enum": []any{"active", "suspended", "ended"}},
		"quotas": object{"type": "array",
			"items": closed("Of a subscription.",
				object{"unit": text(""), "limit": number(""), "period": text("Such as 1mo or 24h."),
					"anew": object{"type": "boolean"}}, "unit", "limit")},
	})
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
		responses[status] = failing("It was not done.")
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
	count := func(what string) object { return object{"type": "integer", "minimum": 0, "description": what} }
	s.made["operator.Log"] = object{
		"type": "object",
		"required": []any{"form", "lines", "kept", "known", "stray", "unlicensed", "other", "refused", "elsewhere",
			"bad"}, "description": "What was found in a log.",
		"properties": object{
			"form":       object{"type": "string", "description": "How its lines are written."},
			"lines":      count("Lines that tell of a request, or cannot be read."),
			"kept":       count("Lines that are kept, and are new."),
			"known":      count("Lines that were kept before."),
			"stray":      count("Of those kept, how many are of a transaction that is not known."),
			"unlicensed": count("Lines that name no transaction."),
			"other":      count("Lines of no GET."),
			"refused":    count("Lines of a transaction that is not known, which were given nothing."),
			"elsewhere":  count("Lines of another site than was named."), "bad": count("Lines that cannot be read."),
			"faults": object{"type": "array", "maxItems": 10,
				"items": object{"type": "object", "required": []any{"line", "reason"},
					"properties": object{"line": object{"type": "integer"}, "reason": object{"type": "string"}}}},
		},
	}
	form := parameter("form", "How its lines are written; without it, the first line shows it.")
	form["schema"] = object{"enum": []any{"auto", "frontdesk", "cloudfront", "akamai", "fastly", "cloudflare",
		"combined"}}
	return operating("importDeliveryLog",
		"Import what a CDN or a web server logged of deliveries, as it is or packed by gzip",
		told("200", "What was found in it.", ref("operator.Log")), object{
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

// dispute is the schema of a dispute.
func (s *schemas) dispute() object {
	text := func(what string) object { return object{"type": "string", "description": what} }
	s.made["operator.Dispute"] = object{
		"type": "object", "required": []any{"dispute_id", "transaction_id", "buyer", "reason", "status", "filed"},
		"description": "A dispute, and where it stands.",
		"properties": object{
			"dispute_id": text("Its id."), "transaction_id": text("What is disputed."),
			"billing_id": text("Its id on the bill."), "report_id": text("The report on it."),
			"buyer": text("Who disputes."),
			"site":  text("Whose the resource is."), "reason": text("Why, in the protocol's words."),
			"received_sha256":   text("The hash of what came."),
			"received_simhash":  text("Its simhash-v1, where the buyer told that."),
			"description":       text("What the buyer wrote."),
			"attestation_level": object{"enum": []any{0, 1, 2}}, "mutability": text("static, dynamic or live."),
			"status":     text("Where it stands, in the protocol's words."),
			"resolution": text("How it was decided."), "rule": text("By which rule, or why it is not decided."),
			"explanation": text("That in a sentence."), "tier": object{"enum": []any{1, 2, 3}},
			"credit": text("How much was given back."), "currency": text("In which currency."),
			"appeals": object{"type": "integer"}, "filed": text("When."), "changed": text("When it got its status."),
			"due": text("When time moves it on."),
			"steps": object{"type": "array", "items": object{"type": "object"},
				"description": "How it came there, with who moved it, what was consulted, and the entry in " +
					"the ledger."},
		},
	}
	return ref("operator.Dispute")
}
