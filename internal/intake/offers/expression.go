package offers

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/types"

	"frontdesk/internal/infra/yamlconf"
)

// The bounds of expressions. A cost is counted as CEL counts: about one for each step.
const (
	maxExpression  = 2000 // bytes
	maxExpressions = 500
	maxCost        = 500_000 // of one expression
	maxAllCosts    = 2_000_000
	lookEvery      = 1000 // steps of a loop between two looks at whether the caller still waits
)

// expression is one that was checked.
type expression struct {
	where   string // as a key path within the rules
	program cel.Program
	typ     *types.Type
	verdict verdict
}

// compiler checks expressions, and remembers what is wrong.
type compiler struct {
	world     world
	env       *cel.Env
	variables map[string]*shape
	verdicts  map[string]verdict
	tables    map[string]any
	findings  []error
	count     int
	cost      uint64
	from      []int // of the expression that is looked at, see spelledOut
}

func (c *compiler) report(field, format string, args ...any) {
	c.findings = append(c.findings, &Error{Field: field, Detail: fmt.Sprintf(format, args...)})
}

// newEnv is the language: CEL's own functions without regular expressions, optional values, and
// ours.
func newEnv(w world, variables map[string]*shape) (*cel.Env, error) {
	p, err := newProvider(w)
	if err != nil {
		return nil, err
	}
	excluded := env.NewLibrarySubset().AddExcludedFunctions(env.NewFunction("matches"))
	options := []cel.EnvOption{
		cel.StdLib(cel.StdLibSubset(excluded)), cel.OptionalTypes(), cel.CustomTypeProvider(p),
		cel.CrossTypeNumericComparisons(true), cel.DefaultUTCTimeZone(true),
		cel.ParserExpressionSizeLimit(10 * maxExpression), cel.ParserRecursionLimit(50),
		cel.EnableIdentifierEscapeSyntax(), cel.EagerlyValidateDeclarations(true),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals()),
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		options = append(options, cel.Variable(name, variables[name].typ))
	}
	return cel.NewCustomEnv(append(options, functions()...)...)
}

// declare gives a name to what an expression makes.
func (c *compiler) declare(name string, e *expression) error {
	extended, err := c.env.Extend(cel.Variable(name, e.typ))
	if err != nil {
		return err
	}
	c.env, c.verdicts[name] = extended, e.verdict
	c.variables[name] = c.shapeOfType(e.typ)
	return nil
}

// shapeOfType is all that is known of what an expression makes. Names under let are bounded when
// they are computed.
func (c *compiler) shapeOfType(t *types.Type) *shape {
	switch {
	case c.world[t.TypeName()] != nil:
		return c.world[t.TypeName()]
	case t.Kind() == types.ListKind:
		return listOf(c.shapeOfType(t.Parameters()[0]), maxLetList)
	case t.Kind() == types.MapKind:
		return mapOf(c.shapeOfType(t.Parameters()[1]), maxLetList)
	case t.Kind() == types.StringKind:
		return text(maxLetText)
	}
	return &shape{typ: t, most: maxLetText}
}

// wanted is what an expression is for.
type wanted struct {
	words string
	takes func(*types.Type) bool
}

var (
	wantTruth = wanted{"true or false", func(t *types.Type) bool { return t.Kind() == types.BoolKind }}
	wantText  = wanted{"a text, number, truth value or time", func(t *types.Type) bool {
		switch t.Kind() {
		case types.StringKind, types.IntKind, types.UintKind, types.DoubleKind, types.BoolKind, types.TimestampKind,
			types.DurationKind, types.DynKind:
			return true
		}
		return false
	}}
	wantValue = wanted{"a value that JSON has", func(t *types.Type) bool {
		return t.Kind() != types.TypeKind && t.Kind() != types.BytesKind &&
			(t.Kind() != types.OpaqueKind || isOptional(t))
	}}
)

func isOptional(t *types.Type) bool {
	return t.Kind() == types.OpaqueKind && t.TypeName() == "optional_type"
}

// compile checks an expression of a field where some facts are known; nil when it is wrong. before
// is what stands before it in the field's text.
func (c *compiler) compile(field, source, before string, known facts, want wanted) *expression {
	if c.count++; c.count > maxExpressions {
		if c.count == maxExpressions+1 {
			c.report(field, "there are more than %d expressions", maxExpressions)
		}
		return nil
	}
	if len(source) > maxExpression {
		c.report(field, "the expression is longer than %d bytes; give parts of it names under let", maxExpression)
		return nil
	}
	var text string
	text, c.from = spelledOut(source)
	checked, issues := c.env.Compile(text)
	if issues.Err() != nil {
		c.issues(field, source, before, issues)
		return nil
	}
	found := len(c.findings)
	r := &reading{checked.NativeRep(), c.world, c.variables, c.verdicts, c.tables, func(id int64, detail string) {
		place := checked.NativeRep().SourceInfo().GetStartLocation(id)
		c.findings = append(c.findings, c.place(field, source, before, place.Line(), place.Column(), detail))
	}}
	r.look(checked.NativeRep().Expr(), known)
	if t := checked.OutputType(); !want.takes(t) {
		c.findings = append(c.findings,
			c.place(field, source, before, 1, 0,
				fmt.Sprintf("it gives %s and should give %s", typeWords(t), want.words)))
	}
	c.price(field, source, before, checked)
	if len(c.findings) > found {
		return nil
	}
	program, err := c.env.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost),
		cel.InterruptCheckFrequency(lookEvery))
	if err != nil { // which is for what was not checked
		c.report(field, "in %s: it cannot be run", clipExpression(source))
		return nil
	}
	return &expression{field, program, checked.OutputType(), r.verdict(checked.NativeRep().Expr())}
}

// price adds up what an expression can cost at the most.
func (c *compiler) price(field, source, before string, checked *cel.Ast) {
	estimate, err := c.env.EstimateCost(checked, estimator{c.world, c.variables})
	if err != nil || estimate.Max > maxCost {
		c.findings = append(c.findings, c.place(field, source, before, 1, 0,
			"it can take too many steps; set maxLength and maxItems in the schema for what it goes through, or do "+
				"less in a loop"))
		return
	}
	if c.cost <= maxAllCosts && c.cost+estimate.Max > maxAllCosts {
		c.report(field,
			"together the expressions up to here can take too many steps; set maxLength and maxItems in the schema, "+
				"or write fewer loops")
	}
	c.cost += estimate.Max
}

// place makes a finding at a line, from 1, and a column, from 0, of an expression as CEL takes it.
func (c *compiler) place(field, source, before string, line, column int, detail string) *Error {
	column = c.asWritten(source, line, column)
	if lines := strings.Count(before, "\n"); line <= 1 {
		column += runes(before[strings.LastIndexByte(before, '\n')+1:])
		line = lines
	} else {
		line += lines - 1
	}
	return &Error{Field: field, Line: line, Column: column,
		Detail: fmt.Sprintf("in %s: %s", clipExpression(source), detail)}
}

// asWritten is the column of an expression as it was written.
func (c *compiler) asWritten(source string, line, column int) int {
	at, text := 0, []rune(source)
	for start := 0; ; start++ { // of the line
		if line <= 1 {
			at = start
			break
		}
		if start >= len(text) {
			return column
		}
		if text[start] == '\n' {
			line--
		}
	}
	first, found := slices.BinarySearch(c.from, at)
	if !found || column < 0 || first+column >= len(c.from) {
		return column
	}
	return c.from[first+column] - at
}

func clipExpression(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if r := []rune(source); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return source
}

func (c *compiler) issues(field, source, before string, issues *cel.Issues) {
	for _, e := range issues.Errors() {
		c.findings = append(c.findings,
			c.place(field, source, before, e.Location.Line(), e.Location.Column(), c.words(e)))
	}
}

var (
	noOverload = regexp.MustCompile(`^found no matching overload for '(.*?)' applied to '(.*)'$`)
	noField    = regexp.MustCompile(`^undefined field '(.*)'$`)
	noMembers  = regexp.MustCompile(`^type '(.*)' does not support field selection$`)
	noName     = regexp.MustCompile(`^undeclared reference to '([^']*)'`)
)

// words says what CEL says in words that name no inner types.
func (c *compiler) words(e *common.Error) string { return unspelled(c.inWords(e)) }

func (c *compiler) inWords(e *common.Error) string {
	if m := noOverload.FindStringSubmatch(e.Message); m != nil {
		detail := fmt.Sprintf("%s does not go with %s", strings.Trim(m[1], "_@"), plainTypes(m[2]))
		if strings.Contains(m[2], "double") && strings.Contains(m[2], "int") {
			detail += "; where numbers have decimals, write 2.0 for 2, or double(...)"
		}
		return detail
	}
	if m := noField.FindStringSubmatch(e.Message); m != nil {
		var members []string
		for _, s := range c.world {
			members = slices.AppendSeq(members, maps.Keys(s.fields))
		}
		slices.Sort(members)
		if near, ok := yamlconf.Nearest(m[1], members); ok {
			return fmt.Sprintf("there is no member %s; did you mean %s?", m[1], near)
		}
		return fmt.Sprintf("there is no member %s; the intake's schema declares none", m[1])
	}
	if m := noMembers.FindStringSubmatch(e.Message); m != nil {
		return fmt.Sprintf("a %s has no members", plainTypes(m[1]))
	}
	if m := noName.FindStringSubmatch(e.Message); m != nil {
		names := slices.Sorted(maps.Keys(c.variables))
		if near, ok := yamlconf.Nearest(m[1], names); ok {
			return fmt.Sprintf("there is no %s; did you mean %s?", m[1], near)
		}
		return fmt.Sprintf("there is no %s; names are %s", m[1], strings.Join(names, ", "))
	}
	return plainTypes(e.Message)
}

// typeNames are CEL's types in words.
var typeNames = map[string]string{
	"int": "whole number", "uint": "whole number", "double": "number", "string": "text", "bool": "truth value",
	"dyn": "anything", "null_type": "null",
	"google.protobuf.Timestamp": "time", "timestamp": "time", "google.protobuf.Duration": "time span",
	"duration": "time span", "optional_type": "optional",
}

var typeName = regexp.MustCompile(`@?[a-z][A-Za-z_.]*`)

// plainTypes replaces the names of types in what CEL says.
func plainTypes(message string) string {
	return typeName.ReplaceAllStringFunc(message, func(name string) string {
		if plain, known := typeNames[name]; known {
			return plain
		}
		return strings.TrimPrefix(name, "@")
	})
}

func typeWords(t *types.Type) string {
	if t.Kind() == types.DynKind {
		return "anything"
	}
	return "a " + plainTypes(t.String())
}
