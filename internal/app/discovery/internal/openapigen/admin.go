package main

import (
	"cmp"
	"math"
	"reflect"
	"strconv"
	"strings"

	"frontdesk/internal/operator"
	"frontdesk/internal/operator/operations"
)

// adminPaths adds the operations of the owner that are called by requests, at their addresses.
func (s *schemas) adminPaths(paths object) {
	for _, op := range operations.All() {
		if op.Method == "" {
			continue
		}
		path := strings.ReplaceAll(op.Path, "...}", "}")
		at, _ := paths[path].(object)
		if at == nil {
			at = object{}
			paths[path] = at
		}
		at[strings.ToLower(op.Method)] = s.admin(op)
	}
}

// admin is one operation: its parameters and its body are what its input has, and its answer is its
// result.
func (s *schemas) admin(op operator.Operation) object {
	more := object{}
	if parameters := s.parameters(op.In); parameters != nil {
		more["parameters"] = parameters
	}
	if op.Method != "GET" && op.Method != "DELETE" {
		body := object{"type": "object", "properties": object{}, "additionalProperties": false}
		s.input = true
		s.members(body, op.In)
		s.input = false
		more["requestBody"] = object{
			"required": !op.In.Implements(reflect.TypeFor[operator.Bodiless]()),
			"content":  object{"application/json": object{"schema": body}},
		}
	}
	answer := object{
		"description": cmp.Or(s.comments[nameOf(op.Out)], "It is done."),
		"content":     object{"application/json": object{"schema": s.of(op.Out)}},
	}
	responses := object{"200": answer}
	if made, ok := reflect.Zero(op.Out).Interface().(operator.Fresh); ok {
		responses["201"] = answer
		if made.Fresh() { // always
			delete(responses, "200")
		}
	}
	if op.Out.Implements(reflect.TypeFor[operator.Accepted]()) {
		responses["202"] = answer
		delete(responses, "200")
	}
	return operating(op.ID, op.Summary, responses, more)
}

// parameters are those of the path and the query of a request for an operation.
func (s *schemas) parameters(in reflect.Type) (all []any) {
	for _, field := range reflect.VisibleFields(in) {
		said := cmp.Or(s.comments[nameOf(in)+"."+field.Name], field.Tag.Get("help"))
		if path := field.Tag.Get("path"); path != "" {
			for name := range strings.SplitSeq(path, ",") {
				all = append(all, inPath(name, said))
			}
		}
		if name := field.Tag.Get("query"); name != "" {
			one := parameter(name, said)
			one["schema"] = s.query(field)
			all = append(all, one)
		}
	}
	return all
}

// query is the schema of a parameter of a query.
func (s *schemas) query(field reflect.StructField) object {
	schema := s.of(field.Type)
	if values := field.Tag.Get("enum"); values != "" {
		schema["enum"] = choices(values)
	}
	if most, err := strconv.Atoi(field.Tag.Get("most")); err == nil {
		schema["minimum"] = 1
		if most < math.MaxInt64 {
			schema["maximum"] = most
		}
	}
	if usual, err := strconv.Atoi(field.Tag.Get("usual")); err == nil {
		schema["default"] = usual
	}
	return schema
}
