package document

import (
	"fmt"
	"testing"
	"testing/fstest"

	"frontdesk/internal/content"
)

// The questions of a page whose text is not free have no terms of their own: the page is the item,
// with its own.
func TestPagesOfQuestionsThatAreNotFreeStayWhole(t *testing.T) {
	t.Parallel()
	const page = `{"@type":"FAQPage","url":"https://spa.example/faq","name":"Questions",%s"mainEntity":[` +
		`{"@type":"Question","name":"How much is the sauna?","acceptedAnswer":{"@type":"Answer","text":"41 pounds."}},` +
		`{"@type":"Question","name":"Is there a pool?","acceptedAnswer":{"@type":"Answer","text":"Yes."}}]}`
	for flag, want := range map[string]int{
		``: 2, `"isAccessibleForFree":true,`: 2, `"isAccessibleForFree":false,`: 1, `"isAccessibleForFree":"False",`: 1,
		`"isAccessibleForFree":"https://schema.org/False",`: 1,
	} {
		var names []string
		from := fstest.MapFS{"faq.jsonl": {Data: fmt.Appendf(nil, page, flag)}}
		_, err := itemsOf(t.Context(), readerAt("https://spa.example/"), from, func(i content.Item) {
			names = append(names, i.Name)
		}, func(p Problem) {
			t.Error(p)
		})
		if err != nil || len(names) != want {
			t.Errorf("%s gives %q, %v; want %d items", flag, names, err, want)
		}
	}
}
