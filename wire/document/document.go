// Package document judges the JSON documents of a protocol: whether a text is JSON that everybody
// reads alike, and whether it fits the JSON Schema (2020-12) of its kind. Each finding says where,
// what, and how to fix it, in words for people.
//
// The packages of wire whose protocols have schemas use it, and add the rules of their prose. It
// has no I/O, no clock and needs no network.
package document

import (
	"errors"
	"fmt"
	"strings"

	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	// Wrong is what makes a document invalid.
	Wrong Severity = "error"
	// Doubtful is what the protocol allows, or does not settle, and others may stumble over.
	Doubtful Severity = "warning"
)

// The rules that programs tell apart. All others are named by document and member ("request
// intent.domain"), or by what the prose asks for.
const (
	RuleJSON      = "json"                 // it is no JSON that everybody reads alike
	RuleVersion   = "aip_version"          // a version that is not spoken
	RuleForbidden = "extensions-forbidden" // an extension that carries what the protocol keeps out
)

// Finding is one thing that is wrong with a document, or doubtful.
type Finding struct {
	Pointer  string   `json:"pointer"` // RFC 6901; "" is the whole document
	Rule     string   `json:"rule"`
	Detail   string   `json:"detail"` // what is there
	Mend     string   `json:"mend"`   // what to do
	Severity Severity `json:"severity"`
}

// String is the finding in one line.
func (f Finding) String() string {
	where := f.Pointer
	if where == "" {
		where = "the document"
	}
	return fmt.Sprintf("%s: %s: %s; %s", f.Severity, where, f.Detail, f.Mend)
}

// Findings are those of one document, in its order.
type Findings []Finding

// Valid says whether nothing is wrong; doubts do not count.
func (f Findings) Valid() bool { return f.First() == nil }

// First gives the first finding that makes the document invalid, nil where there is none. One of
// the RuleJSON or RuleVersion comes before all others, and one of RuleForbidden after.
func (f Findings) First() *Finding {
	var first *Finding
	for i := range f {
		if f[i].Severity == Wrong && (first == nil || rank(f[i]) < rank(*first)) {
			first = &f[i]
		}
	}
	return first
}

func rank(f Finding) int {
	switch f.Rule {
	case RuleJSON:
		return 0
	case RuleVersion:
		return 1
	case RuleForbidden:
		return 3
	}
	return 2
}

// Canonical reads a text strictly, in the words of strictjson, and gives its canonical form. The
// finding is nil where it has one.
func Canonical(text []byte) ([]byte, *Finding) {
	var value strictjson.Value
	err := strictjson.Decode(text, &value)
	if err == nil {
		var canonical []byte
		if canonical, err = sign.Canonical(text); err == nil {
			return canonical, nil
		}
	}
	finding := Finding{Rule: RuleJSON, Detail: err.Error(),
		Mend: "write one JSON object in UTF-8 that any reader takes the same way", Severity: Wrong}
	var placed *strictjson.Error
	if errors.As(err, &placed) {
		finding.Pointer, finding.Detail = placed.Pointer, placed.Problem
	}
	return nil, &finding
}

// Decode reads a text into a type that has what the schema of its kind lets pass. What the schema
// did not let pass is read where it can be, so that more than one thing is found at a time; ok says
// whether it could. Where schema and type disagree, the document is refused.
func Decode(text []byte, into any, findings Findings) (ok bool, all Findings) {
	err := strictjson.Decode(text, into)
	if err == nil {
		return true, findings
	}
	var placed *strictjson.Error
	if findings.Valid() && errors.As(err, &placed) {
		findings = append(findings,
			Finding{placed.Pointer, RuleJSON, placed.Problem, "write what the protocol has here", Wrong})
	}
	return false, findings
}

// Pointer writes a place in a document as RFC 6901 does.
func Pointer(location ...string) string {
	var b strings.Builder
	for _, token := range location {
		b.WriteString("/" + Escape(token))
	}
	return b.String()
}

// Escape writes one name as a part of a pointer.
func Escape(name string) string { return escaper.Replace(name) }

var escaper = strings.NewReplacer("~", "~0", "/", "~1")
