package console

import (
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"text/template/parse"

	"frontdesk/internal/operator/console/frame"
)

// checker follows templates with the types of what they are drawn with. A nil type is one that is
// not known, of which everything is there.
type checker struct {
	all       *template.Template
	functions map[string]reflect.Type
	body      reflect.Type // of the sheet
	drawn     map[string]bool
	seen      map[string]bool // a template with a type
	problems  map[string]bool
	at        string                // the template that is followed
	says      func(key string) bool // whether pages have a text
}

func newChecker(all *template.Template, functions template.FuncMap) *checker {
	c := &checker{
		all: all, functions: map[string]reflect.Type{}, drawn: map[string]bool{}, seen: map[string]bool{},
		problems: map[string]bool{},
	}
	for name, function := range functions {
		c.functions[name] = reflect.TypeOf(function)
	}
	return c
}

// scope is what a place in a template knows: the dot, and its variables.
type scope struct {
	dot       reflect.Type
	variables map[string]reflect.Type
}

// inner is the scope of a part, with another dot.
func (s scope) inner(dot reflect.Type) scope { return scope{dot, maps.Clone(s.variables)} }

// draw follows a template that is drawn with a type.
func (c *checker) draw(name string, with reflect.Type) {
	c.drawn[name] = true
	key := fmt.Sprint(name, with, c.body)
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	one := c.all.Lookup(name)
	if one == nil || one.Tree == nil {
		c.problem("there is no template %s", name)
		return
	}
	before := c.at
	c.at = name
	c.list(one.Tree.Root, scope{with, map[string]reflect.Type{"$": with}})
	c.at = before
}

func (c *checker) problem(format string, args ...any) {
	c.problems[c.at+": "+fmt.Sprintf(format, args...)] = true
}

// list follows the nodes of a list. A variable that one declares is there for those after it.
func (c *checker) list(list *parse.ListNode, s scope) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			c.pipe(node.Pipe, s)
		case *parse.TemplateNode:
			with := reflect.Type(nil)
			if node.Pipe != nil {
				with = c.pipe(node.Pipe, s)
			}
			c.draw(node.Name, with)
		case *parse.IfNode:
			c.branch(&node.BranchNode, s, func(scope, reflect.Type) scope { return s.inner(s.dot) })
		case *parse.WithNode:
			c.branch(&node.BranchNode, s, func(in scope, is reflect.Type) scope { return in.inner(is) })
		case *parse.RangeNode:
			c.branch(&node.BranchNode, s, func(in scope, is reflect.Type) scope {
				key, element := elements(is)
				in = in.inner(element)
				switch declared := node.Pipe.Decl; len(declared) {
				case 1:
					in.variables[declared[0].Ident[0]] = element
				case 2:
					in.variables[declared[0].Ident[0]], in.variables[declared[1].Ident[0]] = key, element
				}
				return in
			})
		}
	}
}

// branch follows a condition, what is drawn where it holds, in the scope that enter gives, and what
// is drawn otherwise.
func (c *checker) branch(node *parse.BranchNode, s scope, enter func(scope, reflect.Type) scope) {
	in := s.inner(s.dot)
	is := c.pipe(node.Pipe, in)
	c.list(node.List, enter(in, is))
	c.list(node.ElseList, s.inner(s.dot))
}

// elements are the types of the keys and values of what is ranged over.
func elements(t reflect.Type) (key, element reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return nil, nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return reflect.TypeFor[int](), t.Elem()
	case reflect.Map:
		return t.Key(), t.Elem()
	}
	return nil, nil
}

// pipe gives the type of a pipeline.
func (c *checker) pipe(pipe *parse.PipeNode, s scope) (is reflect.Type) {
	for i, command := range pipe.Cmds {
		is = c.command(command, s, i > 0)
	}
	for _, v := range pipe.Decl {
		s.variables[v.Ident[0]] = is
	}
	return is
}

// command gives the type of a command. Behind a bar it has one argument more.
func (c *checker) command(command *parse.CommandNode, s scope, piped bool) reflect.Type {
	var arguments []reflect.Type
	for _, argument := range command.Args[1:] {
		arguments = append(arguments, c.value(argument, s))
	}
	name, ok := command.Args[0].(*parse.IdentifierNode)
	if !ok {
		return c.value(command.Args[0], s)
	}
	function := c.functions[name.Ident]
	if function == nil { // it is one of text/template, or it would not have been parsed
		switch name.Ident {
		case "index":
			_, element := elements(arguments[0])
			return element
		case "len":
			return reflect.TypeFor[int]()
		}
		return nil
	}
	c.text(name.Ident, command.Args[1:])
	if function.IsVariadic() {
		return function.Out(0)
	}
	if given := len(arguments); !piped && given != function.NumIn() {
		c.problem("%s takes %d arguments, and has %d", name.Ident, function.NumIn(), given)
		return function.Out(0)
	}
	for i, argument := range arguments {
		if !fits(argument, function.In(i)) {
			c.problem("%s takes no %v", name.Ident, argument)
		}
	}
	return function.Out(0)
}

// text holds that there is the text that a template says.
func (c *checker) text(function string, arguments []parse.Node) {
	if len(arguments) == 0 || c.says == nil {
		return
	}
	key, ok := arguments[0].(*parse.StringNode)
	switch {
	case !ok:
	case (function == "say" || function == "rich") && !c.says(key.Text),
		function == "count" && !c.says(key.Text+"_other"):
		c.problem("there is no text %s", key.Text)
	}
}

// fits says whether a value can be an argument, as it is or where it leads.
func fits(value, argument reflect.Type) bool {
	return value == nil || value.Kind() == reflect.Interface || value.AssignableTo(argument) ||
		value.Kind() == reflect.Pointer && value.Elem().AssignableTo(argument) ||
		reflect.PointerTo(value).AssignableTo(argument)
}

// value gives the type of an argument.
func (c *checker) value(node parse.Node, s scope) reflect.Type {
	switch node := node.(type) {
	case *parse.DotNode:
		return s.dot
	case *parse.FieldNode:
		return c.fields(s.dot, node.Ident)
	case *parse.VariableNode:
		return c.fields(s.variables[node.Ident[0]], node.Ident[1:])
	case *parse.ChainNode:
		return c.fields(c.value(node.Node, s), node.Field)
	case *parse.PipeNode:
		return c.pipe(node, s)
	case *parse.StringNode:
		return reflect.TypeFor[string]()
	case *parse.BoolNode:
		return reflect.TypeFor[bool]()
	}
	return nil
}

// fields gives the type to which a chain of names leads.
func (c *checker) fields(of reflect.Type, names []string) reflect.Type {
	for _, name := range names {
		if of == nil {
			return nil
		}
		if of == reflect.TypeFor[frame.Sheet]() && name == "Body" {
			of = c.body
			continue
		}
		next, ok := member(of, name)
		if !ok {
			c.problem("%v has no %s", of, name)
			return nil
		}
		of = next
	}
	return of
}

// member is the type of what a value has by a name: a method, a field, or what a map holds. Of an
// interface that has no methods nothing is known.
func member(of reflect.Type, name string) (is reflect.Type, ok bool) {
	for _, t := range []reflect.Type{of, reflect.PointerTo(of)} {
		if method, ok := t.MethodByName(name); ok {
			return method.Type.Out(0), true
		}
	}
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
		if method, ok := reflect.PointerTo(of).MethodByName(name); ok {
			return method.Type.Out(0), true
		}
	}
	switch of.Kind() {
	case reflect.Struct:
		field, ok := of.FieldByName(name)
		return field.Type, ok && field.IsExported()
	case reflect.Map:
		return of.Elem(), true
	case reflect.Interface:
		return nil, of.NumMethod() == 0
	}
	return nil, false
}
