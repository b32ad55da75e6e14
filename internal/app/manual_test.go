package app

import (
	"reflect"
	"testing"

	"frontdesk/internal/app/config"
	"frontdesk/internal/app/formats"
	"frontdesk/internal/infra/yamlconf"
)

//go:generate go generate ../../docs

// TestTagsNameRulesThatThereAre checks a configuration with something in each list, since a tag
// that cannot be read fails only where its key has a value.
func TestTagsNameRulesThatThereAre(t *testing.T) {
	t.Parallel()
	var c Config
	fillSection(reflect.ValueOf(&c).Elem())
	config.Check(&c, formats.All, yamlconf.NewReport())
}

// fillSection gives everything in a section a value that is not zero.
func fillSection(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillSection(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillSection(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Bool:
		v.SetBool(true)
	}
}
