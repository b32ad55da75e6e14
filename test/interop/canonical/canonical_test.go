// Package canonical holds our canonical JSON against another implementation of RFC 8785.
package canonical

import (
	"bytes"
	"testing"

	"github.com/gowebpki/jcs"

	"frontdesk/wire/sign"
)

// FuzzCanonical holds the canonical form against another implementation of RFC 8785.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":[1e21,-0,1e-7,0.1],"a":"\u20ac\n\/"}`, `{"😀":1,"ﬀ":2,"z":{}}`, `[[[1e400]]]`, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `9007199254740993`,
		`"\u007f\u2028"`, ` true `, `{"a":[],"aa":{},"ab":[-1,0,123456789012345,true,false,null],"b":{"x":"/<&"}}`, `{"b":1,"a":2}`, `[-0]`, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ours, err := sign.Canonical(text)
		if err != nil {
			return
		}
		again, err := sign.Canonical(ours)
		if err != nil || !bytes.Equal(again, ours) {
			t.Fatalf("the canonical form %s has another: %s, %v", ours, again, err)
		}
		theirs, err := jcs.Transform([]byte("[" + string(text) + "]")) // an array, since it reads no bare value
		if err != nil {
			t.Fatalf("the oracle refuses %q: %v; ours is %s", text, err, ours)
		}
		if string(theirs) != "["+string(ours)+"]" {
			t.Fatalf("%q: ours is %s, the oracle's %s", text, ours, theirs)
		}
	})
}
