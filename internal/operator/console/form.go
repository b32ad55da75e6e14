package console

import (
	"cmp"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/operations"
)

// Forms ask for what operations are told. Tags of an operation's fields say how:
//
//	form      the name of the input; fields without it are not asked for. Behind a comma stands
//	          optional for what the command line wants and the form does not
//	label     the end of the key of the text that people read
//	of        an input whose value stands beside that
//	input     how it is filled in: see input.Kind
//	choices   what can be chosen, with | between; the words have form.NAME_VALUE
//	example   what stands in an input that is empty
//	max       how many characters it takes
//	arg, required   it has to be filled in

// input is a field of a form.
type input struct {
	Name, Label, Of, Example, Max, Value string
	// Kind is text, check, select, radio or hidden, or one of
	//
	//	decimal, url, date, currency, key   a text of this kind
	//	site                                one of the sites, where there are several
	//	quota                               a number, what is counted, and a period
	Kind    string
	Must    bool
	Choices []option
}

// inputs are those that ask for what an operation is told, in the order of its fields. Its values
// stand in them. The options are those of sites and of what quotas count.
func inputs(in any, options []option) []input { return inputsOf(in, options, true) }

// own are those inputs that the operation does not share with others.
func own(in any, options []option) []input { return inputsOf(in, options, false) }

func inputsOf(in any, options []option, shared bool) (all []input) {
	value := reflect.ValueOf(in)
	for _, f := range reflect.VisibleFields(value.Type()) {
		name, optional, asked := formName(f)
		if !asked || !shared && len(f.Index) > 1 {
			continue
		}
		one := input{
			Name: name, Label: f.Tag.Get("label"), Example: f.Tag.Get("example"), Max: f.Tag.Get("max"),
			Kind: kindOf(f),
		}
		_, argument := f.Tag.Lookup("arg")
		_, one.Must = f.Tag.Lookup("required")
		one.Must = (one.Must || argument) && !optional
		switch text := value.FieldByIndex(f.Index); text.Kind() {
		case reflect.String:
			one.Value = text.String()
		case reflect.Int64:
			one.Value = strconv.FormatInt(text.Int(), 10)
		}
		for _, other := range all {
			if other.Name == f.Tag.Get("of") {
				one.Of = other.Value
			}
		}
		if choices, some := f.Tag.Lookup("choices"); some {
			for choice := range strings.SplitSeq(choices, "|") {
				one.Choices = append(one.Choices, option{Name: choice, Chosen: len(one.Choices) == 0})
			}
		}
		switch one.Kind {
		case "site":
			one.Choices = append([]option{{}}, options...)
			if len(options) < 2 {
				continue
			}
		case "quota":
			one.Choices = options
		}
		all = append(all, one)
	}
	return all
}

// formName is the name of the input of a field.
func formName(f reflect.StructField) (name string, optional, asked bool) {
	tag, asked := f.Tag.Lookup("form")
	name, option, _ := strings.Cut(tag, ",")
	return name, option == "optional", asked
}

// kindOf is how the input of a field is filled in.
func kindOf(f reflect.StructField) string {
	kind := f.Tag.Get("input")
	switch {
	case kind != "":
		return kind
	case f.Tag.Get("choices") != "":
		return "select"
	case f.Type.Kind() == reflect.Bool:
		return "check"
	}
	return "text"
}

// read sets what an operation is told, as a form says it.
func read(r *http.Request, in any) error {
	told := reflect.ValueOf(in).Elem()
	for _, f := range reflect.VisibleFields(told.Type()) {
		name, _, asked := formName(f)
		if !asked {
			continue
		}
		text, err := textOf(r, f, field1(r, name))
		if err != nil {
			return err
		}
		switch value := told.FieldByIndex(f.Index); {
		case text == "":
		case value.Kind() == reflect.String:
			value.SetString(text)
		case value.Kind() == reflect.Pointer:
			value.Set(reflect.ValueOf(&text))
		case value.Kind() == reflect.Bool:
			value.SetBool(true)
		case value.Kind() == reflect.Int64:
			n, _ := strconv.ParseInt(text, 10, 64) // the page wrote it
			value.SetInt(n)
		case f.Tag.Get("input") == "":
			value.Set(reflect.ValueOf(strings.Fields(text)))
		default:
			value.Set(reflect.ValueOf([]string{text}))
		}
	}
	return nil
}

// textOf is what a form says of a field, in the words of the command line.
func textOf(r *http.Request, f reflect.StructField, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	switch f.Tag.Get("input") {
	case "currency":
		return strings.ToUpper(text), nil
	case "date":
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return "", frame.Fail(fail.Invalid, "fault.day", text)
		}
		return day.Format(time.RFC3339), nil
	case "quota":
		return quotaIn(r, text)
	}
	return text, nil
}

// quotaIn is a quota of a form in the words of the command line: UNIT=LIMIT/PERIOD.
func quotaIn(r *http.Request, most string) (string, error) {
	if _, err := strconv.ParseInt(most, 10, 64); err != nil {
		return "", frame.Fail(fail.Invalid, "fault.quota")
	}
	quota, long := field1(r, "unit")+"="+most, field1(r, "long")
	if long == "" {
		return quota, nil
	}
	n, err := strconv.Atoi(long)
	if err != nil || n < 1 || n > 1_000_000 {
		return "", frame.Fail(fail.Invalid, "fault.period")
	}
	switch period := field1(r, "period"); period {
	case "months":
		return quota + "/" + long + "mo", nil
	case "days":
		return quota + "/" + strconv.Itoa(24*n) + "h", nil
	case "hours", "minutes":
		return quota + "/" + long + period[:1], nil
	}
	return "", frame.Fail(fail.Invalid, "fault.period")
}

// formOperations are what forms of a page ask for, by what they say to do: an operation each. Of
// others nothing is done.
type formOperations struct {
	of map[string]any
	by string // the name of what says it; without it, do
	// done says what was done, and to which page the browser goes then.
	done func(r *http.Request, do string) (did, to string)
}

// operate carries out operations of an operator.
func (o *owner) operate(all formOperations) frame.Handler {
	return o.Act(func(r *http.Request, v *frame.Visit) (did, to string, err error) {
		do := field1(r, cmp.Or(all.by, "do"))
		of, known := all.of[do]
		if !known {
			return "", "", frame.Fail(fail.Invalid, "fault.deed")
		}
		told := reflect.New(reflect.TypeOf(of))
		if err := read(r, told.Interface()); err != nil {
			return "", "", err
		}
		out, err := operations.Of(told.Type().Elem()).
			Run(operator.WithActor(r.Context(), v.Actor()), o.config.Sales.Operator, told.Interface())
		if paid, ok := out.(operator.Paid); ok && err == nil && paid.Again {
			err = frame.Fail(fail.Invalid, "fault.booked")
		}
		did, to = all.done(r, do)
		return did, to, err
	})
}
