package offers

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// facts are paths of optional members that are known to be there, such as "data.address.zip".
type facts map[string]bool

func (f facts) and(other facts) facts {
	all := maps.Clone(f)
	if all == nil {
		all = facts{}
	}
	maps.Copy(all, other)
	return all
}

func (f facts) or(other facts) facts {
	both := facts{}
	for path := range f {
		if other[path] {
			both[path] = true
		}
	}
	return both
}

// verdict is what an expression says when it is true, and when it is false.
type verdict struct{ yes, no facts }

// reading looks through a checked expression for what would fail when it runs, as far as that can
// be told before: optional members that are read unasked, and constants that are not there.
type reading struct {
	checked   *ast.AST
	world     world
	variables map[string]*shape
	verdicts  map[string]verdict // of names under let
	tables    map[string]any
	report    func(id int64, detail string)
}

// look goes through an expression where some facts are known.
func (r *reading) look(e ast.Expr, known facts) {
	switch e.Kind() {
	case ast.SelectKind:
		r.lookSelect(e, known)
	case ast.CallKind:
		r.lookCall(e, known)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			r.look(element, known)
		}
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.look(entry.AsMapEntry().Key(), known)
			r.look(entry.AsMapEntry().Value(), known)
		}
	case ast.StructKind:
		r.report(e.ID(), "values of a type are not made here")
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		for _, part := range []ast.Expr{c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
			r.look(part, known)
		}
	}
}

func (r *reading) lookSelect(e ast.Expr, known facts) {
	s := e.AsSelect()
	r.look(s.Operand(), known)
	if s.IsTestOnly() {
		return
	}
	if object := r.world[r.checked.GetType(s.Operand().ID()).TypeName()]; object != nil {
		f, is := object.fields[s.FieldName()]
		path, plain := pathOf(e)
		if is && f.optional && (!plain || !known[path]) {
			r.report(e.ID(), r.unasked(path, plain, s.FieldName()))
		}
		return
	}
	if name := unspelled(s.FieldName()); name != s.FieldName() { // of what has any names, they are as they are
		r.report(e.ID(), "write ['"+name+"'] for ."+name)
		return
	}
	if table, is := r.constant(s.Operand()).(map[string]any); is && table[s.FieldName()] == nil {
		r.report(e.ID(), "the table has no entry "+quote(s.FieldName()))
	}
}

func (r *reading) unasked(path string, plain bool, name string) string {
	name = written(name)
	if !plain {
		return quote(name) + " is optional; write .?" + name + ".orValue(...) with what holds without it"
	}
	steps := strings.Split(path, ".")
	for i, step := range steps {
		steps[i] = written(step)
	}
	path, of := strings.Join(steps, "."), strings.Join(steps[:len(steps)-1], ".")
	return path + " is optional; ask has(" + path + ") first, or write " + of + ".?" + name +
		".orValue(...) with what holds without it"
}

func (r *reading) lookCall(e ast.Expr, known facts) {
	c := e.AsCall()
	if c.IsMemberFunction() {
		r.look(c.Target(), known)
	}
	args := c.Args()
	switch c.FunctionName() {
	case operators.LogicalAnd: // what fails on one side does not count when the other is false
		r.look(args[0], known.and(r.verdict(args[1]).yes))
		r.look(args[1], known.and(r.verdict(args[0]).yes))
		return
	case operators.LogicalOr:
		r.look(args[0], known.and(r.verdict(args[1]).no))
		r.look(args[1], known.and(r.verdict(args[0]).no))
		return
	case operators.Conditional:
		v := r.verdict(args[0])
		r.look(args[0], known)
		r.look(args[1], known.and(v.yes))
		r.look(args[2], known.and(v.no))
		return
	case operators.Index:
		r.lookIndex(e.ID(), args[0], args[1])
	}
	for _, arg := range args {
		r.look(arg, known)
	}
}

// lookIndex checks keys of tables that are constant, or one of the few texts that the schema
// allows.
func (r *reading) lookIndex(id int64, table, key ast.Expr) {
	entries, is := r.constant(table).(map[string]any)
	if !is {
		return
	}
	var keys []string
	if key.Kind() == ast.LiteralKind {
		if name, is := key.AsLiteral().(types.String); is {
			keys = []string{string(name)}
		}
	} else if s := r.shapeOf(key); s != nil {
		keys = s.enum
	}
	var missing []string
	for _, name := range keys {
		if _, there := entries[name]; !there {
			missing = append(missing, quote(name))
		}
	}
	if len(missing) > 0 {
		r.report(id, "the table has no entry "+strings.Join(missing, ", ")+", which may be asked for")
	}
}

// constant gives what a path into the tables leads to; nil if it is none.
func (r *reading) constant(e ast.Expr) any {
	path, plain := pathOf(e)
	steps := strings.Split(path, ".")
	if !plain || steps[0] != "tables" || r.variables["tables"] == nil {
		return nil
	}
	var at any = r.tables
	for _, step := range steps[1:] {
		members, is := at.(map[string]any)
		if !is {
			return nil
		}
		at = members[step]
	}
	return at
}

// shapeOf is the shape of what a path leads to; nil if it is not known.
func (r *reading) shapeOf(e ast.Expr) *shape {
	path, plain := pathOf(e)
	if !plain {
		return nil
	}
	steps := strings.Split(path, ".")
	s := r.variables[steps[0]]
	for _, step := range steps[1:] {
		if s == nil {
			return nil
		}
		s = s.member(step)
	}
	return s
}

// verdict says what follows from an expression's being true or false.
func (r *reading) verdict(e ast.Expr) verdict {
	switch e.Kind() {
	case ast.IdentKind:
		return r.verdicts[e.AsIdent()]
	case ast.SelectKind:
		if path, plain := pathOf(e); plain && e.AsSelect().IsTestOnly() {
			return verdict{yes: facts{path: true}}
		}
	case ast.CallKind:
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.LogicalNot:
			v := r.verdict(args[0])
			return verdict{v.no, v.yes}
		case operators.LogicalAnd:
			a, b := r.verdict(args[0]), r.verdict(args[1])
			return verdict{a.yes.and(b.yes), a.no.or(b.no)}
		case operators.LogicalOr:
			a, b := r.verdict(args[0]), r.verdict(args[1])
			return verdict{a.yes.or(b.yes), a.no.and(b.no)}
		}
	}
	return verdict{}
}

// pathOf writes names with dots between as they stand in an expression, and says whether it is
// nothing else.
func pathOf(e ast.Expr) (path string, plain bool) {
	var steps []string
	for ; e.Kind() == ast.SelectKind; e = e.AsSelect().Operand() {
		steps = append(steps, e.AsSelect().FieldName())
	}
	if e.Kind() != ast.IdentKind || slices.ContainsFunc(steps, func(name string) bool {
		return strings.Contains(name, ".")
	}) {
		return "", false
	}
	steps = append(steps, e.AsIdent())
	slices.Reverse(steps)
	return strings.Join(steps, "."), true
}

func quote(name string) string { return "\"" + name + "\"" }
