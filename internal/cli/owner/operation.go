package owner

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/operations"
)

// of is the command of an operation: its flags are the fields of what the operation is told.
type of[In any] struct {
	command.ConfigFlags
	In In `embed:""`
}

// Help is the command's example.
func (c of[In]) Help() string {
	if in, ok := any(c.In).(interface{ Example() string }); ok {
		return in.Example()
	}
	return ""
}

// Run carries the operation out, and prints what came of it.
func (c *of[In]) Run(env *command.Environment) error {
	op := operations.Of(reflect.TypeFor[In]())
	in := any(&c.In)
	if check, ok := in.(operator.Checker); ok {
		if err := check.Check(); err != nil {
			return command.Misused(err)
		}
	}
	if files, ok := in.(operator.FileReader); ok {
		if err := files.ReadFiles(env); err != nil {
			return command.Misused(err)
		}
	}
	_, sealed := in.(operator.Sealed)
	makes := op.Out.Implements(reflect.TypeFor[operator.Fresh]())
	program, err := command.OpenOperator(env, c.ConfigFlags, makes, sealed)
	if err != nil {
		return err
	}
	defer program.Close()
	out, err := op.Run(env.Ctx, program.Operator, in)
	if err != nil {
		return err
	}
	if notes, ok := out.(interface{ Note() []string }); ok {
		for _, note := range notes.Note() {
			fmt.Fprintln(env.Stderr, command.Clean(note))
		}
	}
	if op.Say != nil {
		if said := op.Say(in, out); said != "" {
			env.Print("%s\n", command.Clean(said))
		}
		return nil
	}
	if file, ok := out.(interface{ Text() string }); ok {
		env.Print("%s", file.Text())
		return nil
	}
	if page, ok := out.(interface{ Page() string }); ok { // with texts that strangers wrote
		for line := range strings.Lines(page.Page()) {
			text := strings.TrimLeft(line, " ")
			env.Print("%s%s\n", line[:len(line)-len(text)], command.Clean(text))
		}
		return nil
	}
	return show(env, in, reflect.ValueOf(out))
}

// show prints a result: a list as a table or JSON, and anything else as JSON.
func show(env *command.Environment, in any, out reflect.Value) error {
	rows := out
	if out.Kind() == reflect.Struct {
		for i := range out.NumField() {
			if out.Type().Field(i).IsExported() && out.Field(i).Kind() == reflect.Slice && out.NumField() <= 2 {
				rows = out.Field(i)
			}
		}
	}
	printed, _ := in.(interface{ AsJSON() bool })
	switch {
	case rows.Kind() != reflect.Slice:
		return command.PrintJSON(env, shown(out))
	case printed != nil && printed.AsJSON():
		if lines, ok := in.(interface{ Lines() bool }); ok && lines.Lines() {
			for i := range rows.Len() {
				if err := json.NewEncoder(env.Stdout).Encode(shown(rows.Index(i))); err != nil {
					return err
				}
			}
			return nil
		}
		return command.PrintJSON(env, shown(rows))
	}
	if empty, ok := in.(interface{ Empty() string }); ok && rows.Len() == 0 {
		env.Print("%s\n", empty.Empty())
		return nil
	}
	table := env.Table(columns(reflect.Zero(rows.Type().Elem()), func(head string, _ reflect.Value) string {
		return head
	})...)
	for i := range rows.Len() {
		fmt.Fprintln(table,
			strings.Join(columns(rows.Index(i), func(_ string, v reflect.Value) string { return cell(v) }), "\t"))
	}
	return table.Flush()
}

// columns are the cells of a row: of the fields with a column, and behind them what the row tells
// itself.
func columns(row reflect.Value, of func(head string, value reflect.Value) string) (all []string) {
	fields := slices.DeleteFunc(reflect.VisibleFields(row.Type()), func(f reflect.StructField) bool {
		return f.Tag.Get("column") == ""
	})
	slices.SortStableFunc(fields, func(a, b reflect.StructField) int {
		return strings.Compare(a.Tag.Get("column")[:1], b.Tag.Get("column")[:1])
	})
	for _, f := range fields {
		_, head, _ := strings.Cut(f.Tag.Get("column"), ":")
		all = append(all, of(head, row.FieldByIndex(f.Index)))
	}
	if more, ok := row.Interface().(interface{ Cells() [][2]string }); ok {
		for _, c := range more.Cells() {
			all = append(all, of(c[0], reflect.ValueOf(c[1])))
		}
	}
	return all
}

// cell writes a value into a table.
func cell(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case interface{ Cell() string }:
		return value.Cell()
	case operator.Instant:
		return dayOf(value.Time)
	case operator.Exact:
		return dayOf(value.Time)
	case fmt.Stringer:
		return value.String()
	case []string:
		return command.OrElse(command.Clean(strings.Join(value, ",")), "-")
	}
	if v.Kind() == reflect.Slice {
		return fmt.Sprint(v.Len())
	}
	return command.OrElse(command.Clean(fmt.Sprint(v.Interface())), "-")
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return command.Day(&t)
}

// member is a member of an object in the order of the fields.
type member struct {
	name  string
	value any
}

// object is a JSON object whose members keep their order.
type object []member

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(fmt.Appendf(text, "%q:", m.name), value...)
	}
	return append(text, '}'), nil
}

// shown is a result as commands print it as JSON: times whole, and members by the names of their
// tag cli.
func shown(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case operator.Instant:
		return value.Time
	case operator.Exact:
		return value.Time
	case operator.Limit:
		return value.Cell()
	case json.Marshaler:
		return value
	}
	switch v.Kind() {
	case reflect.Slice:
		all := make([]any, v.Len())
		for i := range all {
			all[i] = shown(v.Index(i))
		}
		return all
	case reflect.Struct:
		return members(v)
	}
	return v.Interface()
}

func members(v reflect.Value) (all object) {
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if own := f.Tag.Get("cli"); own != "" {
			name = own
		}
		value := v.FieldByIndex(f.Index)
		empty := rest == "omitempty" && (value.IsZero() || value.Kind() == reflect.Slice && value.Len() == 0)
		if f.Anonymous || !f.IsExported() || name == "" || name == "-" || empty ||
			rest == "omitzero" && value.IsZero() {
			continue
		}
		if !slices.ContainsFunc(all, func(m member) bool { return m.name == name }) {
			all = append(all, member{name, shown(value)})
		}
	}
	return all
}
