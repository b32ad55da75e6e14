package ramp_test

import (
	"testing"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

const queryText = `{"ver":"1.0","id":"0190a1b2-0000-7000-8000-000000000001","requester":{"id":"research-bot","domain":"buyer.example.com","type":"REQUESTER_TYPE_AGENT",` +
	`"uris":["https://www.example.com/premium/a.html"],"intended_use":["FUNCTION_AI_INPUT"],"scopes":["*"],` +
	`"signature":"8EqVuRBuom0cIZOlcEPZsienG2rJyCPCdepAtO/aDtd/x8lol+H8ctWL2cxW0qFd1aaEaVR6orVDmwIbEi/sCA==","signature_algorithm":"ed25519"},"deadline":"0.5s"}`

const answerText = `{"ver":"1.0","id":"0190a1b2-0000-7000-8000-000000000001","exchange":"exchange.example.com","offers":[{"offer_id":"of-0190a1b2000070008000",` +
	`"package":{"id":"PKG-local-1","title":"An article","seller":"www.example.com","citation":1},"pricing":{"model":"PRICING_MODEL_PER_ACCESS","rate":0.02,"currency":"USD",` +
	`"unit_cost":0.0000061,"estimated_quantity":3200,"unit":"tokens"},"delivery_method":"DELIVERY_METHOD_DIRECT","reporting":{"required":true,"window":"86400s",` +
	`"required_fields":["transaction_id","function","consumed_quantity"]},"expires_at":"2026-03-18T09:05:00Z","identity":{"canonical_url":"https://www.example.com/premium/a.html",` +
	`"content_hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","hash_method":"sha-256","resource_mutability":"RESOURCE_MUTABILITY_STATIC"},` +
	`"exchange_signature":"8EqVuRBuom0cIZOlcEPZsienG2rJyCPCdepAtO/aDtd/x8lol+H8ctWL2cxW0qFd1aaEaVR6orVDmwIbEi/sCA==","signature_algorithm":"ed25519"}]}`

// A query of one address, read and held against the rules.
func BenchmarkReadQuery(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		m := &rampv1.ResourceQuery{}
		if err := ramp.Unmarshal([]byte(queryText), m); err != nil {
			b.Fatal(err)
		}
		if err := ramp.Validate(m); err != nil {
			b.Fatal(err)
		}
	}
}

// An answer with one offer, written.
func BenchmarkWriteAnswer(b *testing.B) {
	m := &rampv1.ResourceResponse{}
	if err := ramp.Unmarshal([]byte(answerText), m); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ramp.Marshal(m); err != nil {
			b.Fatal(err)
		}
	}
}

// The bytes that an offer is signed over.
func BenchmarkOfferPayload(b *testing.B) {
	m := &rampv1.ResourceResponse{}
	if err := ramp.Unmarshal([]byte(answerText), m); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ramp.OfferPayload(m.Offers[0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRequesterPayload(b *testing.B) {
	m := &rampv1.ResourceQuery{}
	if err := ramp.Unmarshal([]byte(queryText), m); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ramp.RequesterPayload(m.Requester); err != nil {
			b.Fatal(err)
		}
	}
}
