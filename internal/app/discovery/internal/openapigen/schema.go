package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"frontdesk/internal/operator"
	"frontdesk/wire/edge"
	wire "frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// object is a JSON object.
type object = map[string]any

// schemas are the schemas of Go types, by their names, and what is to be said of them.
type schemas struct {
	made     object
	comments map[string]string // by the name of a type, and by that and of its field: "Type.Field"
	input    bool              // the types that are read now are those of what requests say
}

// inner are the packages below internal whose types and comments are read, by their names, which
// stand before those of the schemas of their types.
var inner = map[string]string{
	"operator": "operator", "policy": "policy", "push": "licensing/catalog/push", "disputes": "licensing/disputes",
	"accesslog": "licensing/disputes/accesslog", "tryout": "ask/tryout", "overview": "content/overview",
	"content": "content", "ingest": "content/ingest", "document": "content/ingest/document",
	"ownerterms": "content/ownerterms", "visitors": "identity/visitors",
	"access": "operator/access", "inbox": "operator/inbox", "keyring": "identity/keyring",
	"settings": "operator/settings", "questions": "ask/questions", "receipts": "operator/receipts", "ledger": "ledger",
}

// nameOf is the name of the schema of a type.
func nameOf(t reflect.Type) string {
	if name, _, _ := strings.Cut(t.String(), "."); inner[name] != "" {
		return t.String()
	}
	return t.Name()
}

// texts is the schema of one string or several.
func texts(description string) object {
	return object{"description": description,
		"oneOf": []any{object{"type": "string"}, object{"type": "array", "items": object{"type": "string"}}}}
}

// fixed is the schema of a type that writes itself; nil for others.
func (s *schemas) fixed(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[strictjson.Value]():
		return object{}
	case reflect.TypeFor[time.Time](), reflect.TypeFor[operator.Instant](), reflect.TypeFor[operator.Exact](),
		reflect.TypeFor[operator.Second]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[operator.Amount](), reflect.TypeFor[operator.Time]():
		return object{"type": "string"}
	case reflect.TypeFor[operator.Limit]():
		return object{"type": []any{"string", "null"}}
	case reflect.TypeFor[edge.State]():
		return object{"type": "string", "enum": []any{edge.Begun, edge.Ended, edge.Cut}}
	case reflect.TypeFor[wire.List]():
		return texts("One token, several with commas between, or an array.")
	case reflect.TypeFor[wire.Texts]():
		return texts("One text or several.")
	case reflect.TypeFor[wire.Contexts]():
		one := s.of(reflect.TypeFor[wire.Context]())
		return object{"oneOf": []any{one, object{"type": "array", "items": one}}}
	}
	return nil
}

// special say more of a member than its type does.
var special = map[string]object{
	"Meta.response_type": {"enum": []any{wire.TypeAnswer, wire.TypeElicitation, wire.TypePromise,
		wire.TypeFailure}},
	"Meta.response_format":    {"enum": []any{wire.FormatConversational, wire.FormatChatGPT}},
	"Meta.version":            {"const": wire.Version},
	"Meta.session_context":    {"type": "object"},
	"RequestMeta.user":        {"type": []any{"string", "object"}},
	"RequestMeta.version":     {"type": []any{"string", "number"}},
	"Question.type":           {"enum": []any{"single_select", "multi_select", "free_text", "number", "boolean"}},
	"AwaitRequest.action":     {"enum": []any{wire.ActionCheckin, wire.ActionCancel}},
	"Promise.progress":        {"minimum": 0, "maximum": 1},
	"Content.type":            {"const": "text"},
	"Model.rerank":            {"enum": []any{"used", "fallback"}},
	"Model.summarize":         {"enum": []any{"used", "fallback"}},
	"Model.rewrite":           {"enum": []any{"used", "fallback"}},
	"Model.embed":             {"enum": []any{"used", "fallback"}},
	"Query.limit":             {"minimum": 1, "maximum": 1000},
	"Query.min_score":         {"minimum": 0, "maximum": 100},
	"Response.results":        {"items": ref("Item")},
	"Response.structuredData": {"items": ref("Item")},
	"LegacyRequest.streaming": {"type": []any{"boolean", "string", "number"}},
	"LegacyRequest.query_id":  {"type": []any{"string", "number"}},
	"LegacyResult.score":      {"minimum": 0, "maximum": 100},
	"LegacyResult.schema_object": {
		"type": "object", "required": []any{"@type", "url"},
		"properties": object{"@type": object{"type": "string"}, "url": object{"type": "string", "format": "uri"}},
	},
	"RequestMeta.session_context": {"type": "object"},
	"Batch.version":               {"const": edge.Version},
	"Batch.deliveries":            {"maxItems": edge.MaxDeliveries},
	"Batch.sightings":             {"maxItems": edge.MaxSightings},
	"Delivery.uri":                {"format": "uri", "maxLength": edge.MaxURI},
	"Sighting.count":              {"minimum": 1},
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// of is the schema of a type: a reference, for a struct, which is then among those made.
func (s *schemas) of(t reflect.Type) object {
	if schema := s.fixed(t); schema != nil {
		return schema
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Struct:
		if alone := embedded(t); alone != nil {
			return s.of(alone)
		}
		name := nameOf(t)
		if s.input {
			name += "Input"
		}
		if _, made := s.made[name]; !made {
			s.made[name] = nil // which ends a type that holds itself
			s.made[name] = s.structure(t)
		}
		return ref(name)
	}
	panic(fmt.Sprintf("no schema for %s", t))
}

// embedded is the struct that is all that another shows; nil for none.
func embedded(t reflect.Type) (alone reflect.Type) {
	for field := range t.Fields() {
		switch {
		case field.Anonymous && alone == nil:
			alone = field.Type
		case field.IsExported():
			return nil
		}
	}
	return alone
}

// structure is the schema of a struct, as encoding/json with our tags writes it.
func (s *schemas) structure(t reflect.Type) object {
	schema := object{"type": "object", "properties": object{}}
	if comment := s.comments[nameOf(t)]; comment != "" {
		schema["description"] = comment
	}
	if s.input {
		schema["additionalProperties"] = false
	}
	s.members(schema, t)
	return schema
}

// members adds the members of a struct to a schema, those of structs that are embedded in it among
// them.
func (s *schemas) members(schema object, t reflect.Type) {
	for field := range t.Fields() {
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			s.members(schema, field.Type)
			continue
		case name == "-" || !field.IsExported() || field.Tag.Get("path")+field.Tag.Get("query") != "":
			continue
		case rest == "embed":
			schema["additionalProperties"] = true
			continue
		}
		name = cmp.Or(name, field.Name)
		schema["properties"].(object)[name] = s.member(t, field, name)
		must := !strings.HasPrefix(rest, "omit")
		if s.input {
			_, named := field.Tag.Lookup("required")
			named = named || strings.HasSuffix(field.Tag.Get("yaml"), ",required")
			_, argument := field.Tag.Lookup("arg")
			must = named || argument
		}
		if must {
			required, _ := schema["required"].([]any)
			schema["required"] = append(required, name)
		}
	}
}

// member is the schema of a member of a struct. What is said of it is the comment of its field or,
// where there is none, its help on the command line.
func (s *schemas) member(t reflect.Type, field reflect.StructField, name string) object {
	member := s.of(field.Type)
	maps.Copy(member, special[nameOf(t)+"."+name])
	if values := field.Tag.Get("enum"); values != "" {
		member["enum"] = choices(values)
	}
	if said := cmp.Or(s.comments[nameOf(t)+"."+field.Name], field.Tag.Get("help")); said != "" {
		member["description"] = said
	}
	return member
}

// choices are the values of a tag, as JSON Schema has them.
func choices(tag string) (all []any) {
	for value := range strings.SplitSeq(strings.Trim(tag, ","), ",") {
		all = append(all, value)
	}
	return all
}

// readComments takes the comments of types and fields out of the Go files of a folder. A prefix
// stands before the names of types.
func readComments(folder, prefix string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no Go files in %s: %w", folder, os.ErrNotExist)
	}
	comments := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			if types, ok := declaration.(*ast.GenDecl); ok && types.Tok == token.TYPE {
				for _, spec := range types.Specs {
					commentsOf(prefix, spec.(*ast.TypeSpec), types.Doc, comments)
				}
			}
		}
	}
	return comments, nil
}

func commentsOf(prefix string, spec *ast.TypeSpec, doc *ast.CommentGroup, comments map[string]string) {
	comments[prefix+spec.Name.Name] = text(spec.Name.Name, doc, spec.Doc)
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			comments[prefix+spec.Name.Name+"."+name.Name] = text(name.Name, field.Doc, field.Comment)
		}
	}
}

// text is the first comment that there is on a name, on one line, as a sentence. What Go's custom
// puts before it ("Name is") is of no use to readers of JSON.
func text(name string, groups ...*ast.CommentGroup) string {
	for _, group := range groups {
		if said := strings.Join(strings.Fields(group.Text()), " "); said != "" {
			for _, verb := range []string{" is ", " are "} {
				said = strings.TrimPrefix(said, name+verb)
			}
			if !strings.HasSuffix(said, ".") {
				said += "."
			}
			return strings.ToUpper(said[:1]) + said[1:]
		}
	}
	return ""
}
