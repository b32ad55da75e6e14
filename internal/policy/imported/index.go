package imported

import (
	"strconv"
	"time"

	"frontdesk/internal/policy"
	"frontdesk/wire/licence"
)

// Terms are the licences of what is stated, for the terms; hosts are those of which the site may
// speak. Documents that cannot be read, which nobody kept, are passed over.
func (s *Snapshot) Terms(hosts []string, version int64) policy.ImportedTerms {
	out := policy.ImportedTerms{Site: s.Site, Hosts: hosts, Version: strconv.FormatInt(version, 10)}
	for _, d := range s.Documents {
		if document, err := licence.Parse(d.Text); err == nil {
			out.Documents = append(out.Documents,
				policy.ImportedDocument{Name: d.Place, Base: d.Place, Document: document})
		}
	}
	for _, a := range s.Addresses {
		if a.Stated != nil {
			out.Addresses = append(out.Addresses, policy.ImportedAddress{URL: a.URL, Name: a.Place, Stated: *a.Stated})
		}
	}
	return out
}

// ModifiedAt is when what is at the address changed last, as the list has it; zero where that
// cannot be read.
func (a *Address) ModifiedAt() time.Time {
	for _, form := range []string{time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05",
		"2006-01", "2006"} {
		if at, err := time.Parse(form, a.Modified); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// Index finds what is told of addresses.
type Index struct {
	all []Address
	at  map[string][]int32 // by the address as canonical wrote it
}

// Index makes what is told ready to be found by what canonical makes of an address; empty says that
// it is none.
func (s *Snapshot) Index(canonical func(address string) string) *Index {
	x := &Index{all: s.Addresses, at: make(map[string][]int32, len(s.Addresses))}
	for i := range s.Addresses {
		if key := canonical(s.Addresses[i].URL); key != "" {
			x.at[key] = append(x.at[key], int32(i))
		}
	}
	return x
}

// At gives what is told of an address, as canonical writes it, the source first that counts first.
func (x *Index) At(canonical string) (all []Address) {
	for _, source := range Sources {
		for _, i := range x.at[canonical] {
			if x.all[i].Source == source {
				all = append(all, x.all[i])
			}
		}
	}
	return all
}
