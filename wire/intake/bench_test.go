package intake_test

import (
	"testing"

	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

func BenchmarkReadRequest(b *testing.B) {
	for b.Loop() {
		if _, err := intake.ReadRequest([]byte(request), intake.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	s, err := intake.CompileSchema([]byte(schema))
	if err != nil {
		b.Fatal(err)
	}
	data := strictjson.Value(`{"age":"30-39","note":"a note"}`)
	for b.Loop() {
		if len(s.Validate(data)) > 0 {
			b.Fatal("it does not conform")
		}
		s.Declared(data)
	}
}

func BenchmarkCompileSchema(b *testing.B) {
	for b.Loop() {
		if _, err := intake.CompileSchema([]byte(schema)); err != nil {
			b.Fatal(err)
		}
	}
}
