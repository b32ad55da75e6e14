package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"frontdesk/wire/edge"
	wire "frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

// object is a JSON object.
type object = map[string]any

// schemas are the schemas of Go types, by their names, and what is to be said of them.
type schemas struct {
	made     object
	comments map[string]string // "Type" and "Type.Field"
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
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
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
		if _, made := s.made[t.Name()]; !made {
			s.made[t.Name()] = nil // which ends a type that holds itself
			s.made[t.Name()] = s.structure(t)
		}
		return ref(t.Name())
	}
	panic(fmt.Sprintf("no schema for %s", t))
}

// structure is the schema of a struct, as encoding/json with our tags writes it.
func (s *schemas) structure(t reflect.Type) object {
	properties, required := object{}, []any{}
	schema := object{"type": "object", "properties": properties}
	if comment := s.comments[t.Name()]; comment != "" {
		schema["description"] = comment
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if rest == "embed" {
			schema["additionalProperties"] = true
			continue
		}
		property := s.of(field.Type)
		for key, value := range special[t.Name()+"."+name] {
			property[key] = value
		}
		if comment := s.comments[t.Name()+"."+field.Name]; comment != "" {
			property["description"] = comment
		}
		properties[name] = property
		if !strings.HasPrefix(rest, "omit") {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// readComments takes the comments of types and fields out of the Go files of a folder.
func readComments(folder string) (map[string]string, error) {
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
					commentsOf(spec.(*ast.TypeSpec), types.Doc, comments)
				}
			}
		}
	}
	return comments, nil
}

func commentsOf(spec *ast.TypeSpec, doc *ast.CommentGroup, comments map[string]string) {
	comments[spec.Name.Name] = text(spec.Name.Name, doc, spec.Doc)
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			comments[spec.Name.Name+"."+name.Name] = text(name.Name, field.Doc, field.Comment)
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
