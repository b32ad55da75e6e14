package answer

import (
	"testing"

	"frontdesk/internal/facet"
	"frontdesk/internal/phrase"
)

func TestWhetherSomethingIsFreeOrRemoteIsTold(t *testing.T) {
	t.Parallel()
	play := Told{Name: "Play", Facts: facet.Read([]byte(`{"@type":"Event","offers":[{"price":30,"priceCurrency":"EUR"},{"price":0,"priceCurrency":"EUR"}],"isAccessibleForFree":true}`))}
	walk := Told{Name: "Walk", Facts: facet.Read([]byte(`{"@type":"Event","isAccessibleForFree":true,"startDate":"2027-01-01"}`))}
	note := Told{Name: "Note", Facts: facet.Read([]byte(`{"@type":"Article","isAccessibleForFree":false}`))}
	job := Told{Name: "Job", Facts: facet.Read([]byte(`{"@type":"JobPosting","jobLocationType":"TELECOMMUTE","employmentType":["Teilzeit","TEMPORARY"]}`))}
	tart := Told{Name: "Tart", Facts: facet.Read([]byte(`{"@type":"Recipe","recipeIngredient":["200 g flour","2 lemons"]}`))}
	for _, row := range []struct {
		item     Told
		language string
		slot     facet.Slot
		supposed string
		want     string
	}{
		{play, "en", facet.Price, "free", "Play: no, not free of charge, price €0–€30."},
		{play, "en", facet.Price, "", "Play: price €0–€30."},
		{walk, "de", facet.Price, "free", "Walk: ja, kostenlos."},
		{note, "en", facet.Price, "free", "Note: no, not free of charge."},
		{job, "en", facet.Price, "free", "Job: price is not stated."},
		{job, "en", facet.Workplace, facet.Remote, "Job: yes, remote."},
		{job, "en", facet.Employment, "FULL_TIME", "Job: no, not full time, part time and temporary."},
		{job, "fr", facet.Employment, "PART_TIME", "Job : oui, temps partiel."},
		{walk, "en", facet.Workplace, facet.Remote, "Walk: place of work is not stated."},
		{tart, "en", facet.Ingredient, "", "Tart: ingredients flour and lemons."},
		{tart, "es", facet.Diet, "glutenfree", "Tart: no, contiene gluten."},
		{tart, "en", facet.End, "", "Tart: end is not stated."},
	} {
		if got := Tell(phrase.For(row.language), row.item, row.slot, row.supposed); got != row.want {
			t.Errorf("%s %s\n got %s\nwant %s", row.slot, row.supposed, got, row.want)
		}
	}
}
