package api

import (
	"fmt"
	"net/http"
	"strings"

	"frontdesk/internal/infra/fail"
)

// ContentChanged is where a site's own systems say that something of it has changed (RAMP v1, Ingestion, webhook).
const ContentChanged = "/admin/content-changed"

// Changed is what the door needs.
type Changed struct {
	// Known gives the site or tenant that is meant by an id or a host; ok is false where there is none.
	Known func(name string) (id string, ok bool)
	// Refresh begins to read it anew, and says whether it does: not where that is going on, nor where nothing is to be read. Of a site whose paths are
	// named, no more than these are asked for, as far as that can be done.
	Refresh func(site string, paths []string) (begun bool)
}

// mostChanged is how many paths one request may name.
const mostChanged = 1000

// ChangedHandler answers at ContentChanged: POST begins to read a site or tenant anew.
func ChangedHandler(c Changed) http.Handler {
	return answering(func(w http.ResponseWriter, r *http.Request) (int, any, error) {
		return byMethod(w, r, methods{http.MethodPost: c.changed})
	})
}

func (c Changed) changed(w http.ResponseWriter, r *http.Request) (int, any, error) {
	var said struct {
		Tenant string   `json:"tenant"`
		Site   string   `json:"site"`
		Paths  []string `json:"paths"`
	}
	if err := read(w, r, &said); err != nil {
		return 0, nil, err
	}
	name := said.Tenant
	if name == "" {
		name = said.Site
	}
	id, ok := c.Known(name)
	if !ok {
		return 0, nil, fail.New(fail.NotFound, "there is no site and no tenant %.100q; name one as site or tenant, by its id or a host of it", name)
	}
	if len(said.Paths) > mostChanged {
		return 0, nil, fail.New(fail.Invalid, "paths: there are %d, and there may be %d; without any, everything is read anew", len(said.Paths), mostChanged)
	}
	for i, path := range said.Paths {
		if !strings.HasPrefix(path, "/") || len(path) > 2048 {
			return 0, nil, fail.New(fail.Invalid, "%s: %.100q is no path; begin it with a slash, like /article", fmt.Sprintf("paths[%d]", i), path)
		}
	}
	return http.StatusAccepted, struct {
		Tenant  string `json:"tenant"`
		Started bool   `json:"started"`
	}{id, c.Refresh(id, said.Paths)}, nil
}
