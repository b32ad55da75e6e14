package docsite

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/content/search"
)

// Result is a section that a search found.
type Result struct {
	Page    *Page
	Section Section
	Excerpt string
}

// Address leads to the section.
func (r Result) Address() string {
	if r.Section.ID == "" {
		return r.Page.Address()
	}
	return r.Page.Address() + "#" + r.Section.ID
}

const (
	maxResults  = 12
	maxQuestion = 200 // bytes
	maxExcerpt  = 240 // bytes
)

// Search finds sections by words; the best is first. The index is made when somebody first
// searches.
func (s *Site) Search(question string) (results []Result) {
	s.indexed.Do(s.makeIndex)
	if len(question) > maxQuestion {
		question = strings.ToValidUTF8(question[:maxQuestion], "")
	}
	found := s.index.Snapshot().Search(search.Query{Text: question, Limit: maxResults, Languages: []string{"en"}})
	for _, hit := range found.Hits {
		result := hit.Ref.(Result)
		if passages := result.Section.passages(); hit.Passage < len(passages) {
			result.Excerpt = excerpt(passages[hit.Passage])
		}
		results = append(results, result)
	}
	return results
}

func (s *Site) makeIndex() {
	s.index = search.New(search.Options{Workers: 1, Language: "en"})
	var documents []search.Document
	for _, p := range s.order {
		if p.Path == Map {
			continue
		}
		for i, section := range p.Sections {
			documents = append(documents, search.Document{
				Ref: Result{Page: p, Section: section}, Key: p.Path + "#" + strconv.Itoa(i), Language: "en",
				Title: section.Title, Keys: p.Title + " " + p.Menu, Passages: section.passages(),
			})
		}
	}
	s.index.Apply(documents, nil)
}

// passages are a section's paragraphs, code and tables, which are shown one at a time.
func (s Section) passages() (passages []string) {
	passage := ""
	for line := range strings.Lines(s.text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(passage)+len(line) > maxExcerpt && passage != "" {
			passages, passage = append(passages, passage), ""
		}
		passage += line + " "
	}
	return append(passages, passage)
}

// excerpt is how a passage begins.
func excerpt(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxExcerpt {
		return text
	}
	end := maxExcerpt
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if space := strings.LastIndexByte(text[:end], ' '); space > 0 {
		end = space
	}
	return text[:end] + " …"
}
