package yamlconf

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// decoder carries what is found on the way through a document.
type decoder struct {
	file     string
	places   Places
	findings Findings
}

func (d *decoder) report(at Place, key, format string, args ...any) {
	d.findings = append(d.findings, Finding{d.file, at, key, fmt.Sprintf(format, args...)})
}

func (d *decoder) document(body ast.Node, into any) {
	if entries, ok := mapping(body); ok {
		d.object(entries, placeOf(body), "", reflect.ValueOf(into).Elem())
		return
	}
	d.report(placeOf(body), "", "the document is %s and should be keys with values, like listen: 127.0.0.1:8080",
		kind(body))
}

// value reads a node into a field. path is its key path and at the place of its key.
func (d *decoder) value(node ast.Node, at Place, path string, into reflect.Value) {
	d.places[path] = at
	d.places.text(path, node)
	switch n := node.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		d.report(placeOf(node), path, "%s is not read here; write the value out%s", kind(n), quotes(n))
		return
	}
	if into.Type() == reflect.TypeFor[Object]() {
		into.SetString(string(d.free(node, path)))
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		d.section(node, at, path, into)
	case reflect.Slice:
		d.list(node, at, path, into)
	default:
		d.scalar(node, at, path, into)
	}
}

// Switch is a section in whose place the word off may stand.
type Switch interface{ Off() }

// section reads a struct. One without any key (all of them commented out) keeps its defaults.
func (d *decoder) section(node ast.Node, at Place, path string, into reflect.Value) {
	if node.Type() == ast.NullType {
		return
	}
	if off, can := into.Addr().Interface().(Switch); can {
		if text, ok := scalarText(node); ok && text == "off" {
			off.Off()
			for field := range Keys(into) { // all of which the word says
				d.places[join(path, field.Key)] = at
			}
			return
		}
	}
	entries, ok := mapping(node)
	if !ok {
		d.report(placeOf(node), path, "it is %s and should be a section with keys: %s", kind(node),
			strings.Join(names(into.Type()), ", "))
		return
	}
	d.object(entries, at, path, into)
}

// object reads the entries of a mapping into a struct.
func (d *decoder) object(entries []*ast.MappingValueNode, at Place, path string, into reflect.Value) {
	seen := map[string]Place{}
	for _, entry := range entries {
		key, place := entry.Key.GetToken().Value, placeOf(entry.Key)
		full := join(path, key)
		field, known := fieldFor(into, key)
		first, twice := seen[key]
		switch {
		case entry.Key.Type() != ast.StringType:
			d.report(place, path, "%q is %s and should be the name of a key: %s", key, kind(entry.Key),
				strings.Join(names(into.Type()), ", "))
		case !known:
			d.report(place, full, "unknown key; %s", Suggest(key, names(into.Type())))
		case twice:
			d.report(place, full, "the key is given twice, first on line %d; keep one", first.Line)
		default:
			seen[key] = place
			d.value(entry.Value, place, full, field.Value)
			if field.Required() && entry.Value.Type() == ast.NullType {
				d.report(place, full, "the key has no value%s", hint(field))
			}
		}
	}
	d.finish(seen, at, path, into)
}

// finish looks for what should have been there, and notes the line.
func (d *decoder) finish(seen map[string]Place, at Place, path string, into reflect.Value) {
	for field := range Fields(into) {
		switch {
		case slices.Contains(field.options, "line"):
			field.Value.SetInt(int64(at.Line))
		case field.Required() && seen[field.Key] == Place{}:
			d.report(at, join(path, field.Key), "the key is missing%s", hint(field))
		}
	}
}

// hint says what to write for a required section.
func hint(field Field) string {
	if field.IsSection() {
		return "; write {} when it is meant to be empty"
	}
	return ""
}

// list reads a sequence. A list of texts may be given as one text.
func (d *decoder) list(node ast.Node, at Place, path string, into reflect.Value) {
	sequence, ok := node.(*ast.SequenceNode)
	switch {
	case ok:
		list := reflect.MakeSlice(into.Type(), len(sequence.Values), len(sequence.Values))
		for i, element := range sequence.Values {
			place := placeOf(element)
			if entries, ok := mapping(element); ok && len(entries) > 0 {
				place = placeOf(entries[0].Key)
			}
			d.element(element, place, fmt.Sprintf("%s[%d]", path, i), list.Index(i))
		}
		into.Set(list)
	case into.Type().Elem().Kind() == reflect.String && node.Type() != ast.NullType:
		list := reflect.MakeSlice(into.Type(), 1, 1)
		d.value(node, at, path+"[0]", list.Index(0))
		into.Set(list)
	case node.Type() == ast.NullType && into.Type().Elem().Kind() == reflect.Struct:
		// A list of sections all of which are commented out.
	case node.Type() == ast.NullType:
		d.report(at, path, "the key has no value; write a list, or remove the key")
	default:
		d.report(placeOf(node), path, "it is %s and should be a list, each entry after a dash", kind(node))
	}
}

// element reads one entry of a list, which unlike a section must say something.
func (d *decoder) element(node ast.Node, at Place, path string, into reflect.Value) {
	if node.Type() == ast.NullType {
		d.report(at, path, "the entry is empty")
		return
	}
	d.value(node, at, path, into)
}

func (d *decoder) scalar(node ast.Node, at Place, path string, into reflect.Value) {
	text, ok := scalarText(node)
	switch {
	case node.Type() == ast.NullType:
		d.report(at, path, "the key has no value; write one, or remove the key")
	case !ok:
		d.report(placeOf(node), path, "it is %s and should be %s", kind(node), Wanted(into.Type()))
	default:
		if err := Set(into, text); err != nil {
			d.report(placeOf(node), path, "%v", err)
		}
	}
}

// scalarText gives a scalar as it is written, so that a text may look like a number (`name: 2026`)
// and a language like a truth value.
func scalarText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func mapping(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// kind says in words what a node is.
func kind(node ast.Node) string {
	switch node.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "a section with keys"
	case ast.SequenceType:
		return "a list"
	case ast.NullType:
		return "empty"
	case ast.AnchorType:
		return "an anchor (&)"
	case ast.AliasType:
		return "an alias (*)"
	case ast.MergeKeyType:
		return "a merge key (<<)"
	case ast.TagType:
		return "a tag (!)"
	case ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType:
		return "a number"
	case ast.BoolType:
		return "a truth value"
	default:
		return "a text"
	}
}

// quotes helps who wrote *.example.com and did not mean an alias.
func quotes(node ast.Node) string {
	if node.Type() == ast.AliasType {
		return ", and a text that begins with a star in quotes"
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func names(t reflect.Type) []string {
	var all []string
	for field := range Keys(reflect.Zero(t)) {
		all = append(all, field.Key)
	}
	return all
}

func fieldFor(section reflect.Value, key string) (Field, bool) {
	for field := range Keys(section) {
		if field.Key == key {
			return field, true
		}
	}
	return Field{}, false
}
