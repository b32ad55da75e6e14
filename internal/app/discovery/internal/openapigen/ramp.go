package main

import (
	"maps"
	"path/filepath"
	"reflect"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"frontdesk/wire/edge"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// rampMethods are the RPCs of RAMP that are served, and what they do.
var rampMethods = []struct{ name, summary string }{
	{"DiscoverResources", "Learn what is offered for resources (RAMP v1)"},
	{"ExecuteTransaction", "Buy by offers (RAMP v1)"},
	{"ReportUsage", "Report how content was used (RAMP v1)"},
	{"DisputeTransaction", "Dispute a purchase, and learn where the dispute stands (RAMP v1)"},
}

// catalogMethods are those of its CatalogService, which take requests that a registered caller has
// signed (RFC 9421).
var catalogMethods = []struct{ name, summary string }{
	{"PushResources", "Push what can be sold into a tenant's catalog (RAMP v1)"},
	{"RemoveResources", "Take entries out of a tenant's catalog (RAMP v1)"},
	{"RefreshCatalog", "Have a tenant's content be read anew (RAMP v1)"},
	{"RequestDomainVerification",
		"Ask for a challenge by which a tenant's caller shows that a domain is its own (RAMP v1)"},
	{"ConfirmDomainVerification",
		"Have a challenge be looked at, and register the key that signs addresses at the domain (RAMP v1)"},
}

// readOtherComments takes the comments of other packages: of messages out of their generated code,
// and of what operations take and give.
func (s *schemas) readOtherComments(wire string) error {
	folders := map[string]string{
		"ramp/v1": "ramp/v1 ", "comp/v1": "comp/v1 ", "delivery/v1": "frontdesk/delivery/v1 ", "edge": "",
	}
	for name, folder := range inner {
		folders["../internal/"+folder] = name + "."
	}
	for folder, prefix := range folders {
		comments, err := readComments(filepath.Join(wire, folder), prefix)
		if err != nil {
			return err
		}
		maps.Copy(s.comments, comments)
	}
	return nil
}

// said is what the sources say of a message, or of a field: without the name, which stands beside
// it.
func (s *schemas) said(of protoreflect.MessageDescriptor, field protoreflect.FieldDescriptor) string {
	name := strings.ReplaceAll(string(of.ParentFile().Package()), ".", "/") + " " + string(of.Name())
	if field == nil {
		return capital(strings.TrimPrefix(s.comments[name], string(of.Name())+": "))
	}
	camel := ""
	for word := range strings.SplitSeq(string(field.Name()), "_") {
		camel += capital(word)
	}
	text := s.comments[name+"."+camel]
	for _, verb := range []string{" is ", " are ", ": "} {
		text = strings.TrimPrefix(text, capital(string(field.Name()))+verb)
	}
	return capital(text)
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// rampPaths are what RAMP v1 serves: its documents, and its RPCs in the form that plain HTTP has
// them, which is Connect with JSON.
func (s *schemas) rampPaths() object {
	described := func(id, summary, text string) object {
		more := plainResponses("application/json")
		more["responses"].(object)["200"].(object)["description"] = text
		return object{"get": operation("discovery", id, summary, more)}
	}
	paths := object{
		"/.well-known/ramp.json": described("rampProvider",
			"Through whom the site's licensed content is sold (RAMP v1)", "ProviderManifest."),
		"/.well-known/ramp-exchange.json": described("rampExchange", "What this Exchange serves, and where (RAMP v1)",
			"ExchangeManifest."),
		"/.well-known/ramp-agent.json": described("rampAgent", "The keys of the owner's own agent (RAMP v1)",
			"Its agent_id and its keys, each in the form of RAMP and as a JSON Web Key."),
		"/.well-known/ramp-verifier.json": described("rampVerifier",
			"The keys with which the site attests things of its content (RAMP v1)",
			"Whose they are, what is claimed, and the keys, each in the form of RAMP and as a JSON Web Key."),
		"/exchange/v1/keys": described("rampKeys", "The keys that offers are signed with (RAMP v1)",
			"The keys, each in the form of RAMP and as a JSON Web Key."),
	}
	paths["/.well-known/ramp-verify/{token}"] = object{"get": operation("discovery",
		"rampChallenge", "The answer to a challenge of the domain, while it is open (RAMP v1, domain verification)",
		object{
			"parameters": []any{inPath("token", "The token, as the Exchange gave it.")},
			"responses": object{
				"200": object{"description": "The token.",
					"content": object{"text/plain": object{"schema": object{"type": "string"}}}},
				"404": object{"description": "No challenge with this token is answered now.",
					"content": jsonOf(ref("ramp.Failure"))},
			},
		})}
	paths["/deliver/{transaction}"] = object{"get": deliver()}
	policy := rampv1.File_ramp_v1_ramp_proto.Messages().ByName("AccessPolicy")
	paths["/provider/{domain}/access-policy.json"] = object{"get": operation("discovery",
		"rampAccessPolicy", "How far the paths of a host are open (RAMP v1)", object{
			"parameters": []any{inPath("domain", "The host, such as www.example.com.")},
			"responses": object{
				"200": object{
					"description": "The policy. The first pattern that fits a path counts, and a star stands for " +
						"any run of characters.",
					"content": jsonOf(s.message(policy))},
				"404": object{"description": "Nothing is served of this host.",
					"content": jsonOf(ref("ramp.Failure"))},
				"503": object{"description": "The content is still being loaded.",
					"content": jsonOf(ref("ramp.Failure"))},
			},
		})}
	s.made["ramp.Failure"] = object{
		"type": "object", "required": []any{"code"}, "description": "What is wrong with a request.",
		"properties": object{
			"code":    object{"type": "string", "description": "A code of Connect, such as invalid_argument."},
			"message": object{"type": "string", "description": "What is wrong, and where."},
		},
	}
	paths["/exchange/v1/requesters/register"] = object{"post": s.register()}
	paths[edge.Path] = object{"post": s.edges("tellDeliveries", "Tell what an edge delivered, and whom it saw",
		"All of the batch is recorded for good. The answer is signed with the key's secret.",
		reflect.TypeFor[edge.Batch](), reflect.TypeFor[edge.Taken]())}
	paths[edge.PolicyPath] = object{"post": s.edges("tellGateRules",
		"Tell an edge which paths of a host are open, and to whom",
		"The rules; of those that fit a path the first counts. The answer is signed with the key's secret.",
		reflect.TypeFor[edge.GateRequest](), reflect.TypeFor[edge.GatePolicy](), "404")}
	for _, method := range append(rampMethods, catalogMethods...) {
		service := rampv1.File_ramp_v1_ramp_proto.Services().ByName("ExchangeService")
		of := service.Methods().ByName(protoreflect.Name(method.name))
		if of == nil {
			service = rampv1.File_ramp_v1_ramp_proto.Services().ByName("CatalogService")
			of = service.Methods().ByName(protoreflect.Name(method.name))
		}
		responses := object{"200": object{"description": "The answer; what is denied is said in it.",
			"content": jsonOf(s.message(of.Output()))}}
		refuse(responses, "A failure of the request itself.", ref("ramp.Failure"),
			"400", "401", "403", "405", "409", "413", "415", "429", "500", "501", "503", "504")
		paths["/"+string(service.FullName())+"/"+
			method.name] = object{"post": operation("ramp", method.name, method.summary, object{
			"requestBody": object{"required": true,
				"content": jsonOf(s.message(of.Input()))}, "responses": responses,
		})}
	}
	s.streamPaths(paths)
	s.brokerPaths(paths)
	return paths
}

// brokerPaths are what a Broker answers: the RPC, and the same at its plain address.
func (s *schemas) brokerPaths(paths object) {
	service := rampv1.File_ramp_v1_ramp_proto.Services().ByName("BrokerService")
	method := service.Methods().ByName("Resolve")
	for path, id := range map[string]string{"/broker/v1/resolve": "resolvePlain",
		"/ramp.v1.BrokerService/Resolve": "Resolve"} {
		responses := object{"200": object{
			"description": "What was bought: the first address in the fields, all of them in ext[\"ramp.items\"], " +
				"each with the offer that the Exchange has signed in ext[\"ramp.offer\"].",
			"content": jsonOf(s.message(method.Output())),
		}}
		refuse(responses, "Nothing was bought; with 503 that is not known yet, and the same request again tells.",
			ref("ramp.Failure"), "400", "401", "403", "404", "405", "409", "413", "415", "429", "500", "503", "504")
		paths[path] = object{"post": operation("ramp", id,
			"Find the best offers at several Exchanges and buy by them (RAMP v1, the Broker)", object{
				"requestBody": object{"required": true,
					"content": jsonOf(s.message(method.Input()))},
				"responses": responses,
			})}
	}
}

// deliver is how what was bought is fetched.
func deliver() object {
	text := object{"schema": object{"type": "string"}}
	header := func(description string) object {
		return object{"schema": object{"type": "string"}, "description": description}
	}
	told := object{
		"ETag": header("Of the form that is given."),
		"Repr-Digest": header("SHA-256 of the whole form (RFC 9530); the offer's content_hash is that of the form " +
			"that is given unasked."),
		"Vary": header("Accept."), "Accept-Ranges": header("bytes."),
		"Link": header("The item's own address, as canonical."),
	}
	responses := object{
		"200": object{
			"description": "What was bought: an article as its text, in plain text where no form is asked for; " +
				"another thing as an object in schema.org terms.",
			"headers": told,
			"content": object{"text/plain": text, "text/markdown": text, "text/html": text,
				"application/ld+json": object{"schema": object{"type": "object"}}},
		},
		"206": object{"description": "A range of it; several of them as multipart/byteranges.", "headers": told},
		"304": object{"description": "It is what If-None-Match names. Nothing is recorded of that."},
	}
	for status, description := range map[string]string{
		"403": "The address opens nothing: it was changed, or it has expired.",
		"404": "It is not there any more, or not let out any more.",
		"406": "It cannot be had in any form that Accept takes; the message names those that there are.",
		"412": "It is not what If-Match names.", "416": "The range is not one of its bytes.",
		"429": "The address was opened as often as it opens, or these are too many requests.",
		"500": "Nothing was sent, since it could not be recorded.",
	} {
		responses[status] = object{"description": description,
			"content": jsonOf(ref("ramp.Failure"))}
	}
	return operation("ramp", "deliver", "Fetch what was bought (RAMP v1)", object{
		"description": "The address is the one that the purchase gave, with all its parameters. HEAD is answered " +
			"alike, without what was bought, and is not recorded.",
		"parameters": []any{
			inPath("transaction", "The id of a transaction."),
			inHeader("Range", "Bytes of the form that is given, such as bytes=0-999; at most 16 ranges."),
			inHeader("If-Range", "An ETag: the range of this, or else all that there is."),
			inHeader("If-None-Match", "ETags of what need not be sent."),
			inHeader("If-Match", "ETags of what alone is to be sent."),
		},
		"responses": responses,
	})
}

// register is the sign-up of a requester.
func (s *schemas) register() object {
	text := func(description string) object { return object{"type": "string", "description": description} }
	s.made["ramp.SignUp"] = object{
		"type": "object", "required": []any{"requester_id", "domain"}, "description": "Who signs up.",
		"properties": object{
			"requester_id": text("What its domain calls the requester."),
			"domain":       text("The domain, which publishes the requester's keys at /.well-known/ramp-agent.json."),
		},
	}
	s.made["ramp.SignedUp"] = object{
		"type": "object", "description": "A requester that signed up.",
		"properties": object{
			"requester_id": text("Its id."), "domain": text("Its domain."), "account": text("The name of its account."),
			"sign_up": text("self, or operator for one that the operator put in."), "state": text("active."),
		},
	}
	answer := func(description, schema string) object {
		return object{"description": description, "content": jsonOf(ref(schema))}
	}
	responses := object{"200": answer("It had signed up before.", "ramp.SignedUp"),
		"201": answer("It has signed up.", "ramp.SignedUp")}
	for _, status := range []string{"400", "401", "403", "405", "413", "429", "500", "503"} {
		responses[status] = answer("It has not signed up.", "ramp.Failure")
	}
	return operation("ramp", "RegisterRequester", "Sign up as a requester", object{
		"requestBody": object{"required": true,
			"content": jsonOf(ref("ramp.SignUp"))}, "responses": responses,
	})
}

// edges is a message of an edge's, which it signs, and its signed answer.
func (s *schemas) edges(name, summary, done string, asked, told reflect.Type, also ...string) object {
	answer := func(description string, schema object, headers object) object {
		return object{"description": description, "content": jsonOf(schema),
			"headers": headers}
	}
	signature := object{
		sign.WebhookID: object{"schema": object{"type": "string"}, "description": "The id of the message."},
		sign.WebhookTimestamp: object{"schema": object{"type": "integer"},
			"description": "When this was signed, in seconds since 1970."},
		sign.WebhookSignature: object{"schema": object{"type": "string"},
			"description": "v1, and a comma, and the HMAC-SHA256 of id, timestamp and body, in Base64 " +
				"(Standard Webhooks)."},
	}
	parameters := []any{object{"name": edge.KeyHeader, "in": "header", "required": true,
		"schema":      object{"type": "string"},
		"description": "The id of the key that has signed the message (frontdesk keys issue edge)."}}
	for _, name := range []string{sign.WebhookID, sign.WebhookTimestamp, sign.WebhookSignature} {
		header := signature[name].(object)
		parameters = append(parameters,
			object{"name": name, "in": "header", "required": true, "schema": header["schema"],
				"description": header["description"]})
	}
	responses := object{
		"200": answer(done, s.of(told), signature)}
	for _, status := range append(also, "400", "401", "405", "408", "413", "429", "500", "503") {
		responses[status] = answer("Nothing of the message is taken; send it again.", ref("ramp.Failure"), object{
			edge.ClockHeader: object{"schema": object{"type": "string"},
				"description": "apart, with 401, where the signature is right and its time is not: the header Date " +
					"tells the Exchange's."},
			"Retry-After": object{"schema": object{"type": "integer"},
				"description": "Seconds to wait, with 429 and 503."},
		})
	}
	return operation("ramp", name, summary, object{
		"parameters": parameters,
		"requestBody": object{"required": true,
			"content": jsonOf(s.of(asked))},
		"responses": responses,
	})
}

// message is the schema of a message's JSON, by reference.
func (s *schemas) message(of protoreflect.MessageDescriptor) object {
	name := string(of.FullName())
	if _, made := s.made[name]; made {
		return ref(name)
	}
	properties := object{}
	s.made[name] = object{"type": "object", "properties": properties, "description": s.said(of, nil)}
	for i := range of.Fields().Len() {
		field := of.Fields().Get(i)
		schema := s.field(field)
		if field.IsList() {
			schema = object{"type": "array", "items": schema}
		}
		if text := s.said(of, field); text != "" {
			schema["description"] = text
		}
		properties[string(field.Name())] = schema
	}
	return ref(name)
}

// field is the schema of one value of a field.
func (s *schemas) field(field protoreflect.FieldDescriptor) object {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return object{"type": "boolean"}
	case protoreflect.Int32Kind:
		return object{"type": "integer", "minimum": -1 << 31, "maximum": 1<<31 - 1}
	case protoreflect.DoubleKind:
		return object{"type": "number"}
	case protoreflect.EnumKind:
		var names []any
		for i := range field.Enum().Values().Len() {
			names = append(names, string(field.Enum().Values().Get(i).Name()))
		}
		return object{"enum": names}
	case protoreflect.MessageKind:
		switch field.Message().FullName() {
		case "google.protobuf.Timestamp":
			return object{"type": "string", "format": "date-time"}
		case "google.protobuf.Duration":
			return object{"type": "string", "pattern": `^-?[0-9]+(\.[0-9]{1,9})?s$`}
		case "google.protobuf.Struct":
			return object{"type": "object"}
		}
		return s.message(field.Message())
	}
	return object{"type": "string"}
}
