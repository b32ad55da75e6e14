package exchange

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Why an attestation is not imported, beside what [attestation.Reason] has.
const (
	importNotOurs  = "UNKNOWN_URI"
	importOfWhom   = "OWN_ATTESTATION"
	importTooMany  = "TOO_MANY_ATTESTATIONS"
	importNotValid = "INVALID_ATTESTATION"
)

// ImportResult is the result of one imported attestation.
type ImportResult struct {
	Attestation    *rampv1.ResourceAttestation
	Reason, Detail string // why it was refused; empty where it was taken
}

// Importer imports attestations of third parties about a front desk's own items; offers then carry
// them. All fields are required.
type Importer struct {
	Store   *push.Store
	Content *content.Catalog
	Checker *attestation.Checker
	Site    func(host string) (id string, ok bool) // as in Supply
	Now     func() time.Time
}

// Import takes over each that holds as at a push, and in the place of what its verifier attested of
// the item before. After an error, which is of what may be another time, it may be done again.
func (i Importer) Import(ctx context.Context, all []*rampv1.ResourceAttestation) ([]ImportResult, error) {
	out, now := make([]ImportResult, len(all)), i.Now().UTC().Truncate(time.Microsecond)
	batches := map[string]*push.Batch{}
	type place struct{ site, address, verifier string }
	entries := map[place]*push.Entry{}
	for n, a := range all {
		out[n].Attestation = a
		site, address, refused, err := i.importable(ctx, a)
		if err != nil {
			return nil, err
		}
		at := place{site, address, a.GetVerifier()}
		if e := entries[at]; refused.Reason == "" && e != nil && len(e.Attestations) >= ramp.MaxAttestations {
			refused = ImportResult{Reason: importTooMany,
				Detail: fmt.Sprintf("an item has at most %d of one verifier", ramp.MaxAttestations)}
		}
		if out[n].Reason, out[n].Detail = refused.Reason, refused.Detail; refused.Reason != "" {
			continue
		}
		text, err := ramp.Marshal(a)
		if err != nil {
			return nil, err
		}
		if entries[at] == nil {
			entries[at] = &push.Entry{Address: address, Author: a.Verifier, Caller: "operator", Pushed: now,
				AttestsOnly: true}
			if batches[site] == nil {
				batches[site] = &push.Batch{Tenant: site}
			}
			batches[site].Entries = append(batches[site].Entries, entries[at])
		}
		entries[at].Attestations = append(entries[at].Attestations, text)
	}
	for _, site := range slices.Sorted(maps.Keys(batches)) {
		if _, err := i.Store.Put(ctx, *batches[site]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// importable says for which site and address an attestation is imported, or why it is refused. The
// error is of what may be another time.
func (i Importer) importable(ctx context.Context, a *rampv1.ResourceAttestation) (site, address string,
	refused ImportResult, err error) {
	refuse := func(reason, format string, args ...any) (string, string, ImportResult, error) {
		return "", "", ImportResult{Reason: reason, Detail: fmt.Sprintf(format, args...)}, nil
	}
	if err := ramp.Validate(a); err != nil {
		return refuse(importNotValid, "%v", err)
	}
	address, err = catalog.Canonical(a.Uri)
	if err != nil {
		return refuse(importNotOurs, "%.200q is no address of the web", a.Uri)
	}
	host, _, _ := strings.Cut(address, "/")
	site, ours := i.Site(host)
	if !ours {
		return refuse(importNotOurs, "%.200q is at none of the hosts that are served here", a.Uri)
	}
	if ramp.LevelOf(a, host) == ramp.LevelSelf {
		return refuse(importOfWhom, "%s is the provider itself, in whose name this front desk attests (ramp.attest)",
			host)
	}
	refs, err := i.Content.Find(ctx, site, a.Uri)
	if err != nil {
		return "", "", ImportResult{}, err
	}
	if len(refs) == 0 {
		return refuse(importNotOurs, "no item of %s is at %.200q; the address has to be written as the item has it",
			site, a.Uri)
	}
	_, err = i.Checker.Check(ctx, attestation.Subject{Provider: host, URI: a.Uri}, []*rampv1.ResourceAttestation{a})
	var wrong *attestation.Rejection
	if errors.As(err, &wrong) {
		return refuse(string(wrong.Reason), "%v", wrong.Err)
	}
	return site, address, ImportResult{}, err
}
