package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"frontdesk/internal/content/ingest/jsonrepair"
)

// parseTOML reads front matter between lines of +++ as an object in the order of the source, as
// parseMatter does that in YAML.
func parseTOML(matter string) (*jsonrepair.Node, error) {
	if len(matter) > longestMatter {
		return nil, matterFault{1, "the front matter is longer than " + FormatBytes(longestMatter)}
	}
	if nested(matter) {
		return nil, matterFault{1, fmt.Sprintf("the front matter is nested deeper than %d levels", deepestMatter)}
	}
	var p unstable.Parser
	p.Reset([]byte(matter))
	root := &jsonrepair.Node{Kind: jsonrepair.Object}
	table := root
	for p.NextExpression() {
		expression := p.Expression()
		var err error
		switch expression.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, err = tableAt(root, keyParts(expression.Key()), expression.Kind == unstable.ArrayTable)
		case unstable.KeyValue:
			err = setTOML(table, expression, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.Error(); err != nil {
		fault := matterFault{1, "the front matter is no TOML that can be read"}
		var syntax *unstable.ParserError
		if errors.As(err, &syntax) {
			fault.reason += ": " + strings.ReplaceAll(syntax.Message, "\n", " ")
			if len(syntax.Highlight) > 0 {
				fault.line += p.Shape(p.Range(syntax.Highlight)).Start.Line
			}
		}
		return nil, fault
	}
	return root, nil
}

func keyParts(keys unstable.Iterator) []string {
	var parts []string
	for keys.Next() {
		parts = append(parts, strings.ToValidUTF8(string(keys.Node().Data), "\ufffd"))
	}
	return parts
}

// tableAt gives the object that a table's name leads to, and makes what is missing on the way. A
// name of several things leads to the last of them; more appends one.
func tableAt(n *jsonrepair.Node, parts []string, more bool) (*jsonrepair.Node, error) {
	if len(parts) > deepestMatter {
		return nil, matterFault{1, fmt.Sprintf("the front matter is nested deeper than %d levels", deepestMatter)}
	}
	for i, part := range parts {
		value := n.Get(part)
		if more && i == len(parts)-1 {
			if value == nil || value.Kind != jsonrepair.Array {
				value = jsonrepair.NewArray()
				n.Set(part, value)
			}
			value.Items = append(value.Items, &jsonrepair.Node{Kind: jsonrepair.Object})
		} else if value == nil {
			value = &jsonrepair.Node{Kind: jsonrepair.Object}
			n.Set(part, value)
		}
		if value.Kind == jsonrepair.Array && len(value.Items) > 0 {
			value = value.Items[len(value.Items)-1]
		}
		if !value.IsObject() {
			return nil, matterFault{1,
				fmt.Sprintf("the front matter gives %q both a value and a table", strings.Join(parts, "."))}
		}
		n = value
	}
	return n, nil
}

// setTOML sets a name in an object to a value; a name of several parts stands for objects in each
// other.
func setTOML(n *jsonrepair.Node, pair *unstable.Node, depth int) error {
	parts := keyParts(pair.Key())
	if len(parts) == 0 {
		return nil
	}
	n, err := tableAt(n, parts[:len(parts)-1], false)
	if err != nil {
		return err
	}
	value, err := fromTOML(pair.Value(), depth+1)
	if err != nil {
		return err
	}
	if name := parts[len(parts)-1]; name != "" && n.Get(name) == nil {
		n.Set(name, value)
	}
	return nil
}

// fromTOML makes a tree of a value. Dates keep their form; a number in a form that JSON does not
// know is a text.
func fromTOML(n *unstable.Node, depth int) (*jsonrepair.Node, error) {
	if depth > deepestMatter {
		return nil, matterFault{1, fmt.Sprintf("the front matter is nested deeper than %d levels", deepestMatter)}
	}
	written := strings.ToValidUTF8(string(n.Data), "\ufffd")
	switch n.Kind {
	case unstable.Array:
		list := jsonrepair.NewArray()
		for children := n.Children(); children.Next(); {
			if children.Node().Kind == unstable.Comment {
				continue
			}
			item, err := fromTOML(children.Node(), depth+1)
			if err != nil {
				return nil, err
			}
			list.Items = append(list.Items, item)
		}
		return list, nil
	case unstable.InlineTable:
		object := &jsonrepair.Node{Kind: jsonrepair.Object}
		for children := n.Children(); children.Next(); {
			if err := setTOML(object, children.Node(), depth); err != nil {
				return nil, err
			}
		}
		return object, nil
	case unstable.Bool:
		return &jsonrepair.Node{Kind: jsonrepair.Bool, Text: written}, nil
	case unstable.Integer, unstable.Float:
		if jsonrepair.IsNumber(written) {
			return &jsonrepair.Node{Kind: jsonrepair.Number, Text: written}, nil
		}
	}
	return jsonrepair.NewString(written), nil
}
