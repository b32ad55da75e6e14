package operator

import (
	"cmp"
	"context"
	"strings"

	"frontdesk/internal/infra/fail"
)

var changedOperations = []Operation{
	Define[ContentChanged]("contentChanged", "POST", "/admin/content-changed",
		"Say that content of a site or tenant has changed, so that it is read anew (RAMP v1, Ingestion)"),
}

// ContentChanged says that something of a site has changed (RAMP v1, Ingestion, webhook).
type ContentChanged struct {
	Tenant string   `json:"tenant"` // by its id or one of its domains
	Site   string   `json:"site"`   // by its id or one of its hosts, instead of tenant
	Paths  []string `json:"paths"`  // what has changed, up to 1000 paths; lists and documents are asked for all the same
}

// Rereading says whether a site or tenant is read anew.
type Rereading struct {
	Tenant  string `json:"tenant"`
	Started bool   `json:"started"` // not where a reading goes on, nor where nothing is to be read
}

// Accepted says that it is done later.
func (Rereading) Accepted() {}

// maxChanged is how many paths may be named at once.
const maxChanged = 1000

func (in ContentChanged) Do(_ context.Context, o *Operator) (out Rereading, err error) {
	name := cmp.Or(in.Tenant, in.Site)
	id, ok := o.Known(name)
	if !ok {
		return out, fail.New(fail.NotFound,
			"there is no site and no tenant %.100q; name one as site or tenant, by its id or a host of it", name)
	}
	if len(in.Paths) > maxChanged {
		return out, invalid("paths: there are %d, and there may be %d; without any, everything is read anew",
			len(in.Paths), maxChanged)
	}
	for i, path := range in.Paths {
		if !strings.HasPrefix(path, "/") || len(path) > 2048 {
			return out, invalid("paths[%d]: %.100q is no path; begin it with a slash, like /article", i, path)
		}
	}
	return Rereading{id, o.Content.Reread(id, in.Paths)}, nil
}
