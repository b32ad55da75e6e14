package api

import (
	"cmp"
	"encoding"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/operations"
)

// Route is an address at which operations are called.
type Route struct {
	Pattern string
	Name    string // of the routes that belong together, for logs and metrics
	Handler http.Handler
}

// beside are addresses beside those of operations: answered as another, or with where things are.
var beside = []struct{ pattern, as, where string }{
	{pattern: "/admin/requesters/", as: "/admin/requesters"},
	{pattern: "/admin/requesters/{domain}", where: "a requester is at /admin/requesters/DOMAIN/ID"},
	{pattern: "/admin/accounts/", as: "/admin/accounts"},
	{pattern: "/admin/accounts/{currency}", where: "an account is at /admin/accounts/CURRENCY/DOMAIN/ID"},
	{pattern: "/admin/accounts/{currency}/{domain}", as: "/admin/accounts/{currency}/{domain}/{id...}"},
	{pattern: "/admin/disputes/", as: "/admin/disputes"},
	{pattern: "/admin/disputes/{id}/", as: "/admin/disputes/{id}"},
}

// Routes are the addresses of the operations whose paths are, or are below, some.
func Routes(o *operator.Operator, paths ...string) (all []Route) {
	byPath := map[string]methods{}
	for _, op := range operations.All() {
		if op.Method == "" || !below(op.Path, paths) {
			continue
		}
		if byPath[op.Path] == nil {
			byPath[op.Path] = methods{}
			list, wild, _ := strings.Cut(op.Path, "/{")
			route := Route{op.Path, op.Path, oneOrList(op.Path, byPath[op.Path], byPath[list])}
			if strings.HasSuffix(wild, "...}") {
				route.Name = list
			}
			all = append(all, route)
		}
		byPath[op.Path][op.Method] = func(w http.ResponseWriter, r *http.Request) (int, any, error) {
			return call(o, op, w, r)
		}
	}
	for _, b := range beside {
		if below(b.pattern, paths) {
			name, _, _ := strings.Cut(strings.TrimSuffix(b.pattern, "/"), "/{")
			all = append(all,
				Route{b.pattern, name, answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
					if b.where != "" || strings.HasSuffix(b.pattern, "/") && !at(b.pattern, r.URL.Path) {
						return 0, nil, fail.New(fail.NotFound, "there is nothing at this address; %s",
							cmp.Or(b.where, "/openapi.json lists what an operator's programs can call"))
					}
					return byMethod(w, r, byPath[b.as])
				})})
		}
	}
	return all
}

// at says whether an address that lies below a pattern, which ends with a slash, is the pattern's
// own.
func at(pattern, path string) bool {
	return strings.HasSuffix(path, "/") && strings.Count(path, "/") == strings.Count(pattern, "/")
}

// oneOrList answers at an address by the method of the request. Without the id at its end it is
// that of the list, or of nothing.
func oneOrList(path string, one, list methods) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		switch {
		case !strings.HasSuffix(path, "/{id...}") || r.PathValue("id") != "" || r.PathValue("currency") != "":
			return byMethod(w, r, one)
		case list != nil && strings.Count(path, "{") == 1:
			return byMethod(w, r, list)
		}
		return 0, nil, fail.New(fail.NotFound, "there is nothing at this address")
	})
}

func below(path string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return path == p || strings.HasPrefix(path, p+"/") })
}

// call reads what a request says to an operation, and carries it out.
func call(o *operator.Operator, op operator.Operation, w http.ResponseWriter, r *http.Request) (int, any, error) {
	in := reflect.New(op.In)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodDelete {
		if err := read(w, r, in.Interface()); err != nil {
			return 0, nil, err
		}
	}
	if err := fill(in.Elem(), r); err != nil {
		return 0, nil, err
	}
	out, err := op.Run(r.Context(), o, in.Interface())
	status := http.StatusOK
	if _, later := out.(operator.Accepted); later {
		status = http.StatusAccepted
	}
	if made, ok := out.(operator.Fresh); ok && err == nil && made.Fresh() {
		status = http.StatusCreated
	}
	return status, out, err
}

// fill sets the fields that stand in the path and the query of a request.
func fill(in reflect.Value, r *http.Request) error {
	fields := reflect.VisibleFields(in.Type())
	var names []string
	for _, f := range fields {
		if name := f.Tag.Get("query"); name != "" {
			names = append(names, name)
		}
	}
	said := map[string]string{}
	if len(names) > 0 {
		var err error
		if said, err = parameters(r, names...); err != nil {
			return err
		}
	}
	for _, f := range fields {
		value := in.FieldByIndex(f.Index)
		if path := f.Tag.Get("path"); path != "" {
			var parts []string
			for name := range strings.SplitSeq(path, ",") {
				if part := r.PathValue(name); part != "" || len(parts) == 0 {
					parts = append(parts, part)
				}
			}
			value.SetString(strings.Join(parts, "/"))
			continue
		}
		if err := parameter(value, f, said[f.Tag.Get("query")]); err != nil {
			return err
		}
	}
	return nil
}

// parameter sets a field of a query.
func parameter(value reflect.Value, f reflect.StructField, text string) error {
	name := f.Tag.Get("query")
	if name == "" || text == "" && f.Tag.Get("usual") == "" {
		return nil
	}
	read, reads := value.Addr().Interface().(encoding.TextUnmarshaler)
	switch {
	case reads:
		if err := read.UnmarshalText([]byte(text)); err != nil {
			return fail.New(fail.Invalid, "%s: %v", name, err)
		}
	case value.Kind() == reflect.String:
		value.SetString(text)
	case value.Kind() == reflect.Bool:
		if text != "true" && text != "false" {
			return fail.New(fail.Invalid, "%s is one of true, false", name)
		}
		value.SetBool(text == "true")
	default:
		if text == "" {
			text = f.Tag.Get("usual")
		}
		most, _ := strconv.ParseInt(f.Tag.Get("most"), 10, 64)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || n > most {
			return fail.New(fail.Invalid, "%s has to be a number from 1 to %d", name, most)
		}
		value.SetInt(n)
	}
	return nil
}
