package yamlconf

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// Object is keys and values of the owner's choosing, nested as he likes, as the text of a JSON
// object. Empty is none.
type Object string

// The bounds of an Object.
const (
	maxObject      = 16 << 10
	maxObjectDepth = 8
)

// free reads a mapping whose keys nobody prescribes.
func (d *decoder) free(node ast.Node, path string) Object {
	entries, ok := mapping(node)
	if !ok {
		d.report(placeOf(node), path, "it is %s and should be keys with values, like {id: 7}", kind(node))
		return ""
	}
	before := len(d.findings)
	text := d.freeObject(nil, entries, path, 1)
	if len(text) > maxObject {
		d.report(placeOf(node), path, "it is larger than %d bytes", maxObject)
	}
	if len(d.findings) > before {
		return ""
	}
	return Object(text)
}

func (d *decoder) freeObject(dst []byte, entries []*ast.MappingValueNode, path string, depth int) []byte {
	seen := map[string]Place{}
	dst = append(dst, '{')
	for i, entry := range entries {
		key, place := entry.Key.GetToken().Value, placeOf(entry.Key)
		full := join(path, key)
		if first, twice := seen[key]; twice {
			d.report(place, full, "the key is given twice, first on line %d; keep one", first.Line)
		}
		seen[key] = place
		d.places[full] = place
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSON(dst, key), ':')
		dst = d.freeValue(dst, entry.Value, full, depth)
	}
	return append(dst, '}')
}

// number is how JSON writes one.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (d *decoder) freeValue(dst []byte, node ast.Node, path string, depth int) []byte {
	if depth > maxObjectDepth {
		d.report(placeOf(node), path, "it is nested more than %d deep", maxObjectDepth)
		return append(dst, "null"...)
	}
	if entries, ok := mapping(node); ok {
		return d.freeObject(dst, entries, path, depth+1)
	}
	switch n := node.(type) {
	case *ast.SequenceNode:
		dst = append(dst, '[')
		for i, element := range n.Values {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.freeValue(dst, element, path+"["+strconv.Itoa(i)+"]", depth+1)
		}
		return append(dst, ']')
	case *ast.NullNode:
		return append(dst, "null"...)
	}
	d.places.text(path, node)
	text, ok := scalarText(node)
	switch {
	case !ok:
		d.report(placeOf(node), path, "%s is not read here; write the value out%s", kind(node), quotes(node))
		return append(dst, "null"...)
	case node.Type() == ast.BoolType:
		return append(dst, strings.ToLower(text)...)
	case node.Type() == ast.StringType, node.Type() == ast.LiteralType:
		return appendJSON(dst, text)
	case !number.MatchString(text):
		d.report(placeOf(node), path, "%s is no plain number; write it in decimals, or in quotes when it is a text",
			text)
	}
	return append(dst, text...)
}

func appendJSON(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a text always encodes
	return append(dst, quoted...)
}
