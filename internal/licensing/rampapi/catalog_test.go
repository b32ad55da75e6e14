package rampapi

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/licensing/exchange"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// FuzzPushedEntries reads a request of entries as JSON or binary: each is within its bounds or says
// why it is refused, and is the same in the other form.
func FuzzPushedEntries(f *testing.F) {
	for _, text := range []string{
		`{"domain":"www.acme.example","path":"/lamp","title":"A paper lamp","word_count":800,"content_hash":"9f86","hash_method":"sha256"}`,
		`{"domain":"WWW.acme.example","path":"/book/","estimated_quantity":3000,"source":"INGESTION_SOURCE_CATALOG_API","provenance_source":"cms","provenance_timestamp":"2026-03-18T12:00:00Z"}`,
		`{"domain":"a.example:8080","path":"/a?b=*","attestations":[{"verifier":"a.example","kid":"k1","uri":"https://a.example/a","claims":{"word_count":5},"attested_at":"2026-03-18T12:00:00Z","signature":"AA=="}]}`,
		`{"domain":"a.example","path":"/x","word_count":-1}`, `{"domain":"","path":""}`, `{"path":"duns:804735132"}`, `{"content_id":"duns:80*"}`, `{"domain":"a.example","path":"urn:x:1#y"}`, `{"domain":"a.example","path":"/x","ext":{"cat":1},"ext_critical":["cat"]}`, `{"domain":"a.example","path":"/\u0000"}`, `{}`,
	} {
		text = `{"tenant_id":"acme","caller_id":"acme-cms","entries":[` + text + `,` + text + `]}`
		f.Add([]byte(text), false)
		var m rampv1.PushResourcesRequest
		if err := wire.Unmarshal([]byte(text), &m); err != nil {
			continue
		}
		if packed, err := proto.Marshal(&m); err == nil {
			f.Add(packed, true)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, binary bool) {
		var m rampv1.PushResourcesRequest
		var err error
		if binary {
			err = wire.Binary{}.Unmarshal(body, &m)
		} else {
			err = wire.Unmarshal(body, &m)
		}
		if err != nil {
			return
		}
		for _, e := range m.Entries {
			p := pushed(e)
			if p.Reason != "" {
				if p.Detail == "" || p.Reason != exchange.RefusedEntry && p.Reason != exchange.RefusedExtension {
					t.Fatalf("%v is refused as %q: %q", e, p.Reason, p.Detail)
				}
				continue
			}
			within(t, &p)
			// In the other form it is the same.
			again := &rampv1.ResourceEntry{}
			if binary {
				text, err := wire.Marshal(e)
				if err == nil {
					err = wire.Unmarshal(text, again)
				}
				if err != nil {
					t.Fatalf("%v cannot be told as JSON: %v", e, err)
				}
			} else if packed, err := proto.Marshal(e); err != nil || (wire.Binary{}).Unmarshal(packed, again) != nil {
				t.Fatalf("%v cannot be told in binary: %v", e, err)
			}
			other := pushed(again)
			p.Attestations, other.Attestations = nil, nil
			if !reflect.DeepEqual(p, other) {
				t.Fatalf("%+v is %+v in the other form", p, other)
			}
		}
	})
}

// within holds that an entry that is not refused is one that can be kept.
func within(t *testing.T, p *exchange.PushedEntry) {
	t.Helper()
	e := &p.Entry
	if p.URI == "" && (p.Domain == "" || p.Path == "") || p.Domain != strings.ToLower(p.Domain) ||
		utf8.RuneCountInString(p.Path) > wire.MaxPath || len(p.Attestations) > wire.MaxAttestations ||
		e.Words < 0 || e.Words > math.MaxInt32 || e.Quantity < 0 || e.Quantity > math.MaxInt32 ||
		len(e.Title) > maxEntryTitle || len(e.ContentID) > maxEntryText || len(e.Hash) > maxEntryText ||
		len(e.Method) > 64 || len(e.Provenance) > maxEntryText {
		t.Fatalf("%+v is taken", p)
	}
	for _, text := range []string{p.Domain, p.Path, e.Title, e.ContentID, e.Hash, e.Method, e.Provenance} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Fatalf("%q is taken, which no database holds", text)
		}
	}
}
