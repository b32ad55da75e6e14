package strictjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type order struct {
	Name   string           `json:"name"`
	Count  int              `json:"count"`
	Weight float64          `json:"weight"`
	Ship   address          `json:"ship"`
	Tags   []string         `json:"tags"`
	Other  map[string]Value `json:",embed"`
}

type address struct {
	City  string           `json:"city"`
	Other map[string]Value `json:",embed"`
}

type closed struct {
	Name string `json:"name"`
}

func TestAFaultShowsNothingOfTheText(t *testing.T) {
	t.Parallel()
	for _, in := range []string{`{"x":"\ud800\"secret"}`, `{"x":"\ud800secret"}`, `{"x":"\usecret"}`, `{"x":"\secret"}`} {
		var v map[string]Value
		err := DecodeTolerant([]byte(in), &v)
		if err == nil || strings.Contains(err.Error(), "sec") || strings.Contains(err.Error(), "ud800") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestDecodeTolerantNamesThePlaceOfEveryFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, pointer, problem string }{
		{"empty", "  ", "", "empty"},
		{"cut", `{"name":"a"`, "", "not JSON"},
		{"duplicate", `{"name":"a","name":"b"}`, "/name", "twice"},
		{"duplicate in unknown member", `{"x":{"y":1,"y":2}}`, "/x/y", "twice"},
		{"trailing", `{} {}`, "", "after the JSON value"},
		{"invalid UTF-8", "{\"name\":\"\xff\"}", "", "UTF-8"},
		{"wrong kind", `{"name":3}`, "/name", "expected a string, found a number"},
		{"wrong kind in array", `{"tags":["a",{}]}`, "/tags/1", "expected a string, found an object"},
		{"fraction for an integer", `{"count":1.0}`, "/count", "expected a whole number, found a number"},
		{"string for an integer", `{"count":"1"}`, "/count", "expected a whole number, found a string"},
		{"too large an integer", `{"count":99999999999999999999}`, "/count", "expected a whole number that is not so large, found a number"},
		{"string for a fraction", `{"weight":"1"}`, "/weight", "expected a number, found a string"},
		{"object wanted", `{"ship":"here"}`, "/ship", "expected an object, found a string"},
		{"array at top", `[]`, "", "expected an object, found an array"},
		{"wrong case", `{"Name":"a"}`, "/Name", `write it "name"`},
		{"wrong case below", `{"ship":{"CITY":"a"}}`, "/ship/CITY", `write it "city"`},
		{"deep", strings.Repeat("[", 10000), "", "deeper than 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var v order
			err := DecodeTolerant([]byte(c.in), &v)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("err = %v, want *Error", err)
			}
			if c.pointer != "" && e.Pointer != c.pointer || !strings.Contains(e.Problem, c.problem) {
				t.Errorf("got %q: %q, want %q: %q", e.Pointer, e.Problem, c.pointer, c.problem)
			}
		})
	}
}

func TestUnknownMembersAreKeptByTolerantAndRefusedByStrict(t *testing.T) {
	t.Parallel()
	in := []byte(`{"name":"a","count":1,"price":1.50}`)
	var v order
	if err := DecodeTolerant(in, &v); err != nil {
		t.Fatal(err)
	}
	if got := string(v.Other["price"]); got != "1.50" {
		t.Errorf("price = %s, want its text unchanged", got)
	}
	var s closed
	if err := Decode([]byte(`{"name":"a","nam":"b"}`), &s); err == nil || !strings.Contains(err.Error(), "/nam") {
		t.Errorf("strict decoding: %v, want an error at /nam", err)
	}
	if err := Decode([]byte(`{"name":"a"}`), &s); err != nil || s.Name != "a" {
		t.Errorf("strict decoding of good input: %v, %q", err, s.Name)
	}
}

func TestDepthIsCountedOutsideStrings(t *testing.T) {
	t.Parallel()
	var v any
	in := `{"name":"` + strings.Repeat(`[{\"`, 200) + `"}`
	if err := Decode([]byte(in), &v); err != nil {
		t.Errorf("brackets in a string count as nesting: %v", err)
	}
	v = nil
	ok := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if err := Decode([]byte(ok), &v); err != nil {
		t.Errorf("%d levels refused: %v", MaxDepth, err)
	}
	if err := Decode([]byte("["+ok+"]"), &v); err == nil {
		t.Errorf("%d levels accepted", MaxDepth+1)
	}
}

func FuzzDecodeTolerant(f *testing.F) {
	f.Add([]byte(`{"name":"a","count":1,"ship":{"city":"x"},"tags":["a"],"z":null}`))
	f.Add([]byte(`{"name":"\ud800"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var v order
		if err := DecodeTolerant(in, &v); err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error of type %T", err)
			}
			return
		}
		if !json.Valid(in) {
			t.Fatalf("accepted what encoding/json calls invalid: %q", in)
		}
	})
}

func TestNullIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":{"c":[1,{"d~/e":null}]}}`: "/b/c/1/d~0~1e", `[null]`: "/0", `null`: "",
	} {
		if at, found := Null([]byte(text)); !found || at != want {
			t.Errorf("%s: %q, %v", text, at, found)
		}
	}
	for _, text := range []string{`{"a":"null","null":[]}`, ``, `{`, `0`} {
		if at, found := Null([]byte(text)); found {
			t.Errorf("%s: %q", text, at)
		}
	}
}
