package document

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"frontdesk/internal/content/ingest/jsonrepair"
)

// Bounds of front matter, beyond which it is refused before it is read.
const (
	longestMatter = 32 << 10
	deepestMatter = 32
)

// matterFault says what is wrong with front matter, and on which line of the file.
type matterFault struct {
	line   int
	reason string
}

func (f matterFault) Error() string { return f.reason }

// splitMatter divides a page of Markdown into its front matter, with the mark around it, and its
// body: --- is around YAML, +++ around TOML.
func splitMatter(text string) (mark, matter, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	mark = strings.TrimRight(first, " \t\r")
	if mark != "---" && mark != "+++" {
		return "", "", text
	}
	for at := 0; at < len(rest); {
		end := strings.IndexByte(rest[at:], '\n')
		if end < 0 {
			end = len(rest) - at
		}
		if s := strings.TrimRight(rest[at:at+end], " \t\r"); s == mark || mark == "---" && s == "..." {
			return mark, rest[:at], rest[min(len(rest), at+end+1):]
		}
		at += end + 1
	}
	return "", "", text // a rule, not front matter
}

// readMatter reads front matter in the form that its mark says.
func readMatter(mark, matter string) (*jsonrepair.Node, error) {
	if mark == "+++" {
		return parseTOML(matter)
	}
	return parseMatter(matter)
}

// parseMatter reads front matter as an object in the order of the source. Texts keep their form: a
// date is what was written.
func parseMatter(matter string) (*jsonrepair.Node, error) {
	if len(matter) > longestMatter {
		return nil, matterFault{1, "the front matter is longer than " + FormatBytes(longestMatter)}
	}
	if nested(matter) {
		return nil, matterFault{1, fmt.Sprintf("the front matter is nested deeper than %d levels", deepestMatter)}
	}
	parsed, err := parser.ParseBytes([]byte(matter), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var mendErr error
		if parsed, mendErr = parser.ParseBytes([]byte(quoteColons(matter)), 0,
			parser.AllowDuplicateMapKey()); mendErr != nil {
			return nil, matterError(err)
		}
	}
	if len(parsed.Docs) == 0 || parsed.Docs[0].Body == nil {
		return &jsonrepair.Node{Kind: jsonrepair.Object}, nil
	}
	n, err := fromYAML(parsed.Docs[0].Body, 0)
	if err != nil {
		return nil, err
	}
	if n.Kind == jsonrepair.Null {
		n = &jsonrepair.Node{Kind: jsonrepair.Object}
	}
	if n.Kind != jsonrepair.Object {
		return nil, matterFault{2, "the front matter is no list of names and values, such as \"title: Tea\""}
	}
	return n, nil
}

// plainPair is a line with a name and a text on it, neither in quotes nor in brackets, where the
// text has a colon.
var plainPair = regexp.MustCompile(`(?m)^([\w-]+):[ \t]+([^\s"'\[{|>&*!#%@` + "`" + `][^\r\n]*:(?:[ \t][^\r\n]*)?)[ \t]*(\r?)$`)

// quoteColons puts the texts in quotes that have a colon, as people write titles ("title: Tea: how
// we make it"). YAML takes such a line for two names.
func quoteColons(matter string) string {
	return plainPair.ReplaceAllStringFunc(matter, func(line string) string {
		part := plainPair.FindStringSubmatch(line)
		return part[1] + ": '" + strings.ReplaceAll(strings.TrimRight(part[2], " \t"), "'", "''") + "'" + part[3]
	})
}

// matterError finds the line in an error of the YAML parser.
func matterError(err error) error {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		line := 1
		if syntax.Token != nil && syntax.Token.Position != nil {
			line += syntax.Token.Position.Line
		}
		return matterFault{line, "the front matter is no YAML that can be read: " + syntax.Message}
	}
	return matterFault{1, "the front matter is no YAML that can be read"}
}

// nested says whether matter might be nested too deeply for a parser that recurses.
func nested(matter string) bool {
	brackets := 0
	for line := range strings.Lines(matter) {
		markers := 0
		for _, c := range line {
			switch c {
			case '[', '{':
				brackets++
			case ']', '}':
				brackets = max(0, brackets-1)
			case '-', '?', ':':
				markers++
			case ' ':
				continue
			default:
				markers = math.MinInt32
			}
			if brackets > deepestMatter || markers > deepestMatter && strings.Trim(line, "- \r\n") != "" {
				return true
			}
		}
	}
	return false
}

// fromYAML makes a tree of a YAML node. Anchors and aliases, by which little can stand for very
// much, are refused.
func fromYAML(n ast.Node, depth int) (*jsonrepair.Node, error) {
	if depth > deepestMatter {
		return nil, matterFault{1, fmt.Sprintf("the front matter is nested deeper than %d levels", deepestMatter)}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return fromMapping(n.Values, depth)
	case *ast.MappingValueNode:
		return fromMapping([]*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		list := jsonrepair.NewArray()
		for _, value := range n.Values {
			item, err := fromYAML(value, depth+1)
			if err != nil {
				return nil, err
			}
			list.Items = append(list.Items, item)
		}
		return list, nil
	case *ast.TagNode:
		return fromYAML(n.Value, depth+1)
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return nil, matterFault{1 + n.GetToken().Position.Line,
			"the front matter has an anchor or alias (& or *); write the value out, or in quotes"}
	}
	return fromScalar(n), nil
}

func fromMapping(values []*ast.MappingValueNode, depth int) (*jsonrepair.Node, error) {
	object := &jsonrepair.Node{Kind: jsonrepair.Object}
	for _, pair := range values {
		if _, merge := pair.Key.(*ast.MergeKeyNode); merge {
			return nil, matterFault{1 + pair.Key.GetToken().Position.Line,
				"the front matter has a merge key (<<); write the values out"}
		}
		value, err := fromYAML(pair.Value, depth+1)
		if err != nil {
			return nil, err
		}
		if name := fromScalar(pair.Key).Text; name != "" {
			object.Set(name, value)
		}
	}
	return object, nil
}

// fromScalar keeps a value's text. A number in a form that JSON does not know is a text.
func fromScalar(n ast.Node) *jsonrepair.Node {
	if n == nil {
		return &jsonrepair.Node{}
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &jsonrepair.Node{}
	case *ast.BoolNode:
		return &jsonrepair.Node{Kind: jsonrepair.Bool, Text: strconv.FormatBool(n.Value)}
	case *ast.StringNode:
		return jsonrepair.NewString(n.Value)
	case *ast.LiteralNode:
		return jsonrepair.NewString(n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		if written := n.GetToken().Value; jsonrepair.IsNumber(written) {
			return &jsonrepair.Node{Kind: jsonrepair.Number, Text: written}
		}
	}
	if token := n.GetToken(); token != nil {
		return jsonrepair.NewString(token.Value)
	}
	return &jsonrepair.Node{}
}
