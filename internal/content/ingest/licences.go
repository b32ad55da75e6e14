package ingest

import (
	"bytes"
	"context"
	"net/url"
	"slices"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/wire/licence"
)

// This file notes where pages, and feeds, name licences of RSL: whoever reads licences has the
// places from here (RAMP v1, Ingestion).

// What stands behind the address of a document that has licences beside other things.
const (
	// LicencesOfPage is behind the address of a page in which RSL documents stand.
	LicencesOfPage = "#page"
	// LicencesOfFeed is behind the address of a feed whose entries carry RSL.
	LicencesOfFeed = "#feed"
)

// The bounds of what is noted.
const (
	// MaxLicencePlaces bounds how many places of licences are returned for one source.
	MaxLicencePlaces = 200
	longestPlace     = 2048
)

// mediaSign stands in every page that names a licence, and rslSign in every feed that carries one.
var mediaSign, rslSign = []byte("rsl+xml"), []byte(licence.Namespace)

// licencesOf are the places of licences that an answer names, absolute.
func (v *visit) licencesOf() (all []string) {
	add := func(raw string) {
		if u := pageurl.Parse(raw, v.at); u != nil {
			u.Fragment, u.RawFragment = "", ""
			if text := u.String(); len(text) <= longestPlace && !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	for _, address := range licence.FromLink(v.response.Header.Values("Link")) {
		add(address)
	}
	body, _ := licence.Text(v.response.Body) // what is damaged names what can be read
	switch {
	case v.feed:
		if bytes.Contains(body, rslSign) {
			all = append(all, v.at.String()+LicencesOfFeed)
		}
	case bytes.Contains(bytes.ToLower(body), mediaSign):
		on := licence.FromPage(body)
		base := baseOfPage(body, v.at)
		for _, address := range on.Links {
			if u := pageurl.Parse(address, base); u != nil {
				add(u.String())
			}
		}
		if len(on.Documents) > 0 {
			all = append(all, v.at.String()+LicencesOfPage)
		}
	}
	return all
}

// baseOfPage is what a page's addresses are relative to.
func baseOfPage(body []byte, at *url.URL) *url.URL {
	if !bytes.Contains(bytes.ToLower(body), []byte("<base")) {
		return at
	}
	return markup.Read(string(body), at).Base
}

// LicencePlaces are the places of licences that the pages of a source name, as its last run saw
// them: addresses of RSL documents, and addresses of pages and feeds that have them, with
// LicencesOfPage or LicencesOfFeed behind. more says that there are others beyond MaxLicencePlaces.
func LicencePlaces(
	ctx context.Context, catalog *content.Catalog, site, source string,
) (places []string, more bool, err error) {
	seen := map[string]bool{}
	err = catalog.EachPageState(ctx, content.SourceKey{Site: site, Source: source}, func(_ string, state []byte) error {
		m := recalled(state)
		if m == nil {
			return nil
		}
		for _, place := range m.Licences {
			switch {
			case seen[place]:
			case len(places) == MaxLicencePlaces:
				more = true
			default:
				seen[place] = true
				places = append(places, place)
			}
		}
		return nil
	})
	return places, more, err
}
