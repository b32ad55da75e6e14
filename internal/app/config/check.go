package config

import (
	"fmt"
	"net"
	"reflect"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Formats are checks of texts, by the name that tags call them. The error is what is wrong and what
// would be right.
type Formats map[string]func(text string) error

// common are the formats that no package of ours owns.
var common = Formats{"url": yamlconf.WebAddress, "listen": ListenAddress, "day": day}

// Check looks at each value by the tag `check` of its field, and has each section check what holds
// between its keys. A tag holds rules with commas between:
//
//	1..1000        a number, time span or size within bounds, written as the values are
//	oneof=a b c    one of some words
//	count=0..20    how many entries a list has
//	NAME           a text of a format: url, listen, or one of those that are given
//	optional       the zero value is right, too; it stands first
//
// Of a list of texts, each text is held to the rules.
func Check(config any, formats Formats, report *yamlconf.Report) {
	checker{formats}.section(reflect.ValueOf(config).Elem(), report)
}

type checker struct{ formats Formats }

func (c checker) section(section reflect.Value, r *yamlconf.Report) {
	if own, ok := section.Addr().Interface().(yamlconf.FirstChecker); ok && !own.CheckFirst(r) {
		return
	}
	for field := range yamlconf.Keys(section) {
		rules, _ := field.Tag.Lookup("check")
		switch {
		case field.IsSection():
			c.section(field.Value, r.Section(field.Key))
		case field.Type.Kind() == reflect.Slice:
			c.list(field, rules, r)
		default:
			c.value(field.Key, field.Value, rules, r)
		}
	}
	if own, ok := section.Addr().Interface().(yamlconf.Checker); ok {
		own.Check(r)
	}
}

func (c checker) list(field yamlconf.Field, rules string, r *yamlconf.Report) {
	if rest, ok := strings.CutPrefix(rules, "count="); ok {
		count, others, _ := strings.Cut(rest, ",")
		between(r, field.Key, field.Value.Len(), count)
		rules = others
	}
	for i := range field.Value.Len() {
		if entry := field.Value.Index(i); field.IsList() {
			c.section(entry, r.Entry(field.Key, i))
		} else {
			c.value(yamlconf.Index(field.Key, i), entry, rules, r)
		}
	}
}

func (c checker) value(key string, value reflect.Value, rules string, r *yamlconf.Report) {
	if rules == "" {
		return
	}
	for rule := range strings.SplitSeq(rules, ",") {
		name, choices, _ := strings.Cut(rule, "=")
		switch {
		case name == "optional":
			if value.IsZero() {
				return
			}
		case name == "oneof":
			r.OneOf(key, value.String(), strings.Fields(choices)...)
		case strings.Contains(rule, ".."):
			bounds(r, key, value, rule)
		default:
			if err := c.format(rule)(value.String()); err != nil {
				r.Problem(key, "%v", err)
			}
		}
	}
}

func (c checker) format(name string) func(string) error {
	if format, ok := c.formats[name]; ok {
		return format
	}
	if format, ok := common[name]; ok {
		return format
	}
	panic("config: a tag names the unknown rule " + name)
}

func bounds(r *yamlconf.Report, key string, value reflect.Value, bounds string) {
	switch v := value.Interface().(type) {
	case int:
		between(r, key, v, bounds)
	case float64:
		between(r, key, v, bounds)
	case time.Duration:
		between(r, key, v, bounds)
	case yamlconf.Size:
		between(r, key, v, bounds)
	default:
		panic(fmt.Sprintf("config: %s is a %T, which has no bounds", key, v))
	}
}

func between[T int | float64 | time.Duration | yamlconf.Size](r *yamlconf.Report, key string, value T, bounds string) {
	least, most, _ := strings.Cut(bounds, "..")
	yamlconf.Between(r, key, value, bound[T](least), bound[T](most))
}

func bound[T any](text string) (b T) {
	if err := yamlconf.Set(reflect.ValueOf(&b).Elem(), text); err != nil {
		panic("config: a tag has a wrong bound: " + err.Error())
	}
	return b
}

// ListenAddress checks an address to listen on.
func ListenAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || strings.ContainsAny(host, "/ ") || port == "" {
		return fmt.Errorf("%q is no address to listen on; write host:port, like 127.0.0.1:8080", address)
	}
	return nil
}

// day checks a day, or none.
func day(text string) error {
	if _, err := time.Parse(time.DateOnly, text); err != nil && text != "" {
		return fmt.Errorf("%q is no day; write it like 2027-12-31", text)
	}
	return nil
}
