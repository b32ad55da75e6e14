package demo

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func sample(t *testing.T) []*thing {
	t.Helper()
	all, err := things()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestContentHasTheItemsThatTheSitesPromise(t *testing.T) {
	t.Parallel()
	got := map[string]int{}
	for _, item := range sample(t) {
		kind := item.Site.ID
		switch {
		case item.Draft():
			kind = "draft"
		case item.Premium():
			kind = "premium"
		}
		got[kind]++
	}
	want := map[string]int{"kitchen": 40, "shop": 40, "review": 22, "premium": 5, "draft": 1, "events": 15}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("items by kind (-want +got):\n%s", diff)
	}
}

func TestItemsAreDistinct(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, item := range sample(t) {
		for what, value := range map[string]string{"address": item.URL, "slug": item.Slug, "title": item.Title(),
			"description": item.Description, "image": item.Image} {
			if value == "" {
				t.Errorf("%s: %s has no %s", item.File, item.URL, what)
			}
			if other, ok := seen[what+value]; ok {
				t.Errorf("%s and %s have the same %s: %q", item.URL, other, what, value)
			}
			seen[what+value] = item.URL
		}
		if want := "/sample/" + item.Site.ID + "/"; !strings.HasPrefix(item.URL, want) {
			t.Errorf("address %q is outside of %q", item.URL, want)
		}
		if want := "/sample/images/" + item.Slug + ".svg"; item.Image != want {
			t.Errorf("%s has the image %q, want %q", item.URL, item.Image, want)
		}
	}
}

func TestTimesAreISO8601AndAddUp(t *testing.T) {
	t.Parallel()
	minutes := func(item *thing, iso string) int {
		parts := isoDuration.FindStringSubmatch(iso)
		if iso == "" || parts == nil || parts[1]+parts[2] == "" {
			if iso != "" {
				t.Errorf("%s: %q is not a duration", item.URL, iso)
			}
			return 0
		}
		h, _ := strconv.Atoi(parts[1])
		m, _ := strconv.Atoi(parts[2])
		return 60*h + m
	}
	for _, item := range sample(t) {
		if item.Type == "Recipe" {
			if prep, cook, total := minutes(item, item.Prep), minutes(item, item.Cook), minutes(item,
				item.Total); prep == 0 || total < prep+cook {
				t.Errorf("%s: %d minutes of preparation and %d of cooking do not fit into %d", item.URL, prep, cook,
					total)
			}
		}
		if item.Published != "" {
			if _, err := time.Parse(time.DateOnly, item.Published); err != nil {
				t.Errorf("%s: published: %v", item.URL, err)
			}
		}
		if item.Site.ID == "events" {
			start, err1 := time.Parse(time.RFC3339, item.Start)
			end, err2 := time.Parse(time.RFC3339, item.End)
			if err1 != nil || err2 != nil || !end.After(start) {
				t.Errorf("%s: from %q to %q is not a span", item.URL, item.Start, item.End)
			}
			if item.Place.Name == "" || item.Place.Address.Street == "" {
				t.Errorf("%s: no place", item.URL)
			}
		}
	}
}

func TestOffersAndRatingsMakeSense(t *testing.T) {
	t.Parallel()
	stocks := map[string]bool{}
	for _, item := range sample(t) {
		priced := item.Site.ID == "shop" || item.Site.ID == "events"
		if !priced && item.Offer.Price == "" {
			continue
		}
		price, err := strconv.ParseFloat(item.Offer.Price, 64)
		if err != nil || price < 0 || price == 0 && item.Site.ID == "shop" || item.Offer.Currency != "USD" {
			t.Errorf("%s: offer %+v", item.URL, item.Offer)
		}
		stocks[stock(item.Offer.Availability)] = true
	}
	if len(stocks) != 5 {
		t.Errorf("the offers show %d kinds of availability, want all 5: %v", len(stocks), stocks)
	}
	for _, item := range sample(t) {
		if rated := item.Type == "Recipe" || item.Type == "Product"; rated &&
			(item.Rating.Value < 1 || item.Rating.Value > 5 || max(item.Rating.Count, item.Rating.Reviews) == 0) {
			t.Errorf("%s: rating %+v", item.URL, item.Rating)
		}
	}
}

var slip = regexp.MustCompile(`(?i)\b(the the|a a|of of|to to|and and|in in|is is|it it)\b|[a-z]  [a-z]| [,.;:!?](\s|$)|\.\.[^.]|\bteh\b|\brecieve|\bseperat|\boccured|\bdefinately|lorem`)

func TestTextsReadCleanly(t *testing.T) {
	t.Parallel()
	for _, item := range sample(t) {
		texts := []string{item.Title(), item.Description, excerpt(item.Body, 10_000)}
		for _, s := range item.Steps {
			texts = append(texts, s.Text)
		}
		texts = append(texts, item.Ingredients...)
		for _, text := range texts {
			text = strings.TrimSuffix(text, " …")
			if found := slip.FindString(text); found != "" {
				t.Errorf("%s: %q in %q", item.File, found, text)
			}
		}
		if !strings.ContainsAny(item.Description[len(item.Description)-1:], ".?!") {
			t.Errorf("%s: the description is not a sentence: %q", item.URL, item.Description)
		}
	}
}

func TestArticlesAreLongEnoughToCut(t *testing.T) {
	t.Parallel()
	for _, item := range sample(t) {
		if item.Site.ID != "review" || item.Draft() {
			continue
		}
		if words := len(strings.Fields(excerpt(item.Body, 10_000))); words < 150 || words > 500 {
			t.Errorf("%s has %d words, want 150 to 500", item.URL, words)
		}
	}
}

func TestPremiumArticlesSayThatTheyAreNotFree(t *testing.T) {
	t.Parallel()
	for _, item := range sample(t) {
		if item.Premium() && (item.AccessForFree == nil || *item.AccessForFree) {
			t.Errorf("%s does not say isAccessibleForFree: false", item.URL)
		}
	}
}

func TestEveryDrawingIsUsedAndExists(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, item := range sample(t) {
		name := pictogram(item.Slug)
		if pictograms[name] == "" {
			t.Errorf("%s is to be drawn as %q, which does not exist", item.Slug, name)
		}
		used[name] = true
	}
	for name := range pictograms {
		if !used[name] && name != "page" {
			t.Errorf("drawing %q is never used", name)
		}
	}
	first, again := picture("pea-mint-soup"), picture("pea-mint-soup")
	if first != again || first == picture("tomato-bread-soup") {
		t.Error("a picture must depend on the slug alone, and on all of it")
	}
}

func TestWriteCopiesEveryFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "place")
	if err := Write(dir, ""); err != nil {
		t.Fatal(err)
	}
	err := fs.WalkDir(Content, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		want, _ := fs.ReadFile(Content, name)
		got, err := os.ReadFile(filepath.Join(dir, name))
		if string(got) != string(want) {
			t.Errorf("%s was not copied whole", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range Sources(dir, "http://127.0.0.1:8080") {
		if _, err := os.Stat(source.Path); err != nil {
			t.Errorf("source %s: %v", source.Site, err)
		}
		if want := "http://127.0.0.1:8080/sample/" + source.Site + "/"; source.Base != want {
			t.Errorf("source %s has the base %q, want %q", source.Site, source.Base, want)
		}
	}
}

func TestTermsAreAListOfRules(t *testing.T) {
	t.Parallel()
	var rules []struct {
		Match  map[string]string
		Access string
	}
	if err := yaml.Unmarshal([]byte(Terms), &rules); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, rule := range rules {
		got += rule.Access + " " + rule.Match["path"] + "\n"
	}
	want := "blocked /sample/*/drafts/**\nlicensed /sample/review/premium/**\n" +
		"open /sample/review/**\nopen /sample/kitchen/**\nopen \n"
	if got != want {
		t.Errorf("rules:\n%s\nwant:\n%s", got, want)
	}
}
