package document

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// describe turns one of the library's errors into findings of ours.
func (s *Schemas) describe(document string, e *jsonschema.ValidationError) Findings {
	schema := s.at(e.SchemaURL)
	switch problem := e.ErrorKind.(type) {
	case *kind.Required:
		return s.missing(document, e, schema, problem.Missing)
	case *kind.AdditionalProperties:
		return s.unknown(document, e, schema, problem.Properties)
	}
	finding := Finding{Pointer(e.InstanceLocation...), ruleAt(document, e.InstanceLocation),
		Describe(e.ErrorKind, !s.Discreet), "write " + said(schema), Wrong}
	if _, ok := e.ErrorKind.(*kind.Enum); ok && finding.Pointer == "/aip_version" {
		finding.Rule = RuleVersion
	}
	return Findings{finding}
}

// Describe says what is wrong with a value, and shows the value where it may.
func Describe(problem jsonschema.ErrorKind, showing bool) string {
	shown := func(value any) string {
		if showing {
			return quoted(value)
		}
		return "the value"
	}
	switch problem := problem.(type) {
	case *kind.Type:
		return fmt.Sprintf("is %s, and must be %s", article(problem.Got), oneOf(problem.Want))
	case *kind.Enum:
		if showing {
			return fmt.Sprintf("is %s, which is none of the values it may have", quoted(problem.Got))
		}
		return "is none of the values it may have"
	case *kind.Pattern:
		return shown(problem.Got) + " has not the form it must have"
	case *kind.Format:
		return fmt.Sprintf("%s is no %s", shown(problem.Got), formatName(problem.Want))
	case *kind.MinLength:
		return fmt.Sprintf("has %d characters, and needs at least %d", problem.Got, problem.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters, and may have at most %d", problem.Got, problem.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %d elements, and needs at least %d", problem.Got, problem.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d elements, and may have at most %d", problem.Got, problem.Want)
	case *kind.ExclusiveMinimum:
		return "must be more than " + decimal(problem.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + decimal(problem.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + decimal(problem.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("has %d members, and needs at least %d", problem.Got, problem.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %d members, and may have at most %d", problem.Got, problem.Want)
	case *kind.AnyOf:
		return "fits none of the forms it may have"
	case *kind.OneOf:
		if len(problem.Subschemas) > 0 {
			return "fits more than one of the forms it may have"
		}
		return "fits none of the forms it may have"
	case *kind.Contains, *kind.MinContains:
		return "lacks an element that it must have"
	case *kind.Not:
		return "has a form that it may not have"
	case *kind.PropertyNames:
		return "has a member whose name it may not have"
	case *kind.UniqueItems:
		return "has the same element twice"
	case *kind.Minimum:
		if showing {
			return fmt.Sprintf("is %s, and must be at least %s", decimal(problem.Got), decimal(problem.Want))
		}
		return "must be at least " + decimal(problem.Want)
	case *kind.Maximum:
		if showing {
			return fmt.Sprintf("is %s, and must be at most %s", decimal(problem.Got), decimal(problem.Want))
		}
		return "must be at most " + decimal(problem.Want)
	}
	return "does not fit the schema"
}

func formatName(format string) string {
	if name := formatNames[format]; name != "" {
		return name
	}
	return format
}

var formatNames = map[string]string{
	"date-time": "time of RFC 3339", "date": "day like 2006-01-02", "uri": "absolute web address",
	"hostname": "domain name", "email": "e-mail address",
	"uuid": "UUID",
}

// missing are findings of members that must be there.
func (s *Schemas) missing(document string, e *jsonschema.ValidationError, schema map[string]any,
	names []string) (found Findings) {
	for _, name := range names {
		rule := ruleAt(document, append(slices.Clone(e.InstanceLocation), name))
		mend := fmt.Sprintf("add %q: %s", name, said(member(schema, name)))
		found = append(found, Finding{Pointer(e.InstanceLocation...), rule, fmt.Sprintf("%q is missing", name), mend,
			Wrong})
	}
	return found
}

// unknown are findings of members that may not be there.
func (s *Schemas) unknown(document string, e *jsonschema.ValidationError, schema map[string]any,
	names []string) (found Findings) {
	slices.Sort(names)
	for _, name := range names {
		at := append(slices.Clone(e.InstanceLocation), name)
		mend := "remove it"
		if right := otherCase(schema, name); right != "" {
			mend = fmt.Sprintf("write it %q", right)
		} else if s.Unknown != nil {
			if advice := s.Unknown(document, name); advice != "" {
				mend = advice
			}
		}
		finding := Finding{Pointer(at...), ruleAt(document, at), "is unknown, and this object is closed", mend, Wrong}
		if s.Discreet && !Plain(name) {
			finding.Pointer, finding.Rule = Pointer(e.InstanceLocation...), ruleAt(document, e.InstanceLocation)
			finding.Detail, finding.Mend = "has a member that is unknown, and this object is closed", "remove it"
		}
		found = append(found, finding)
	}
	return found
}

// Plain says whether a name is one that programs give, of letters, digits and the signs between
// them, and so can hold no datum of anybody's.
func Plain(name string) bool { return plainName.MatchString(name) }

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z_.-]{0,39}[0-9]{0,2}$`)

// PlainPart is a pointer up to a name that is not plain.
func PlainPart(pointer string) string {
	var plain strings.Builder
	for _, name := range strings.Split(pointer, "/")[1:] {
		if _, err := strconv.Atoi(name); err != nil && !Plain(name) {
			break
		}
		plain.WriteString("/" + name)
	}
	return plain.String()
}

// otherCase is the known member that a name is in another case or spelling.
func otherCase(schema map[string]any, name string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	properties, _ := schema["properties"].(map[string]any)
	for right := range properties {
		if plain(right) == plain(name) {
			return right
		}
	}
	return ""
}

// ruleAt names the rule of a member: the document and the member without its indexes.
func ruleAt(document string, location []string) string {
	var names []string
	for _, token := range location {
		if _, err := strconv.Atoi(token); err != nil {
			names = append(names, token)
		}
	}
	if len(names) == 0 {
		return document
	}
	return document + " " + strings.Join(names, ".")
}

func member(schema map[string]any, name string) map[string]any {
	properties, _ := schema["properties"].(map[string]any)
	found, _ := properties[name].(map[string]any)
	return found
}

// said is how a schema says what belongs there.
func said(schema map[string]any) string {
	text, _ := schema["description"].(string)
	if text == "" {
		return "what the protocol has here"
	}
	return text
}

func article(name string) string {
	switch name {
	case "null":
		return "null"
	case "boolean":
		return "true or false"
	case "object", "array", "integer":
		return "an " + name
	}
	return "a " + name
}

func oneOf(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = article(name)
	}
	return strings.Join(all, " or ")
}

// quoted shows a value of somebody else's, shortened.
func quoted(value any) string {
	text := fmt.Sprint(value)
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60]) + "…"
	}
	return strconv.Quote(text)
}

// decimal writes a number as people do.
func decimal(number interface{ Float64() (float64, bool) }) string {
	f, _ := number.Float64()
	if math.Abs(f) < 1e15 && (f == 0 || math.Abs(f) > 1e-6) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
