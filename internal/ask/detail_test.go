package ask

import (
	"testing"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

func TestWhetherSomethingIsFreeOrRemoteIsTold(t *testing.T) {
	t.Parallel()
	play := source{Name: "Play", Facts: facets.Read([]byte(`{"@type":"Event","offers":[{"price":30,"priceCurrency":"EUR"},{"price":0,"priceCurrency":"EUR"}],"isAccessibleForFree":true}`))}
	walk := source{Name: "Walk", Facts: facets.Read([]byte(`{"@type":"Event","isAccessibleForFree":true,"startDate":"2027-01-01"}`))}
	note := source{Name: "Note", Facts: facets.Read([]byte(`{"@type":"Article","isAccessibleForFree":false}`))}
	job := source{Name: "Job", Facts: facets.Read([]byte(`{"@type":"JobPosting","jobLocationType":"TELECOMMUTE","employmentType":["Teilzeit","TEMPORARY"]}`))}
	tart := source{Name: "Tart", Facts: facets.Read([]byte(`{"@type":"Recipe","recipeIngredient":["200 g flour","2 lemons"]}`))}
	for _, row := range []struct {
		item     source
		language string
		slot     facets.Slot
		supposed string
		want     string
	}{
		{play, "en", facets.Price, "free", "Play: no, not free of charge, price €0–€30."},
		{play, "en", facets.Price, "", "Play: price €0–€30."},
		{walk, "de", facets.Price, "free", "Walk: ja, kostenlos."},
		{note, "en", facets.Price, "free", "Note: no, not free of charge."},
		{job, "en", facets.Price, "free", "Job: price is not stated."},
		{job, "en", facets.Workplace, facets.Remote, "Job: yes, remote."},
		{job, "en", facets.Employment, "FULL_TIME", "Job: no, not full time, part time and temporary."},
		{job, "fr", facets.Employment, "PART_TIME", "Job : oui, temps partiel."},
		{walk, "en", facets.Workplace, facets.Remote, "Walk: place of work is not stated."},
		{tart, "en", facets.Ingredient, "", "Tart: ingredients flour and lemons."},
		{tart, "es", facets.Diet, "glutenfree", "Tart: no, contiene gluten."},
		{tart, "en", facets.End, "", "Tart: end is not stated."},
	} {
		if got := tellDetail(i18n.For(row.language), row.item, row.slot, row.supposed); got != row.want {
			t.Errorf("%s %s\n got %s\nwant %s", row.slot, row.supposed, got, row.want)
		}
	}
}
