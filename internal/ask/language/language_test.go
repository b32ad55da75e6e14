package language

import (
	"slices"
	"strings"
	"testing"
)

func TestTablesAreRead(t *testing.T) {
	t.Parallel()
	table, err := parse("xx", "# a comment\n\nor = \" or \"\nof = %s: %s\nsort -price: most expensive, priciest\nsort -price: dearest,\nany: all\n")
	if err != nil {
		t.Fatal(err)
	}
	if table.Texts["or"] != " or " || table.Texts["of"] != "%s: %s" {
		t.Errorf("%q", table.Texts)
	}
	if len(table.Lists) != 2 || !slices.Equal(table.Lists[0].Phrases, []string{"most expensive", "priciest", "dearest"}) || table.Lists[0].Argument != "-price" {
		t.Errorf("%+v", table.Lists)
	}
	for _, wrong := range []string{"neither", "a = 1\na = 2", `a = "open`} {
		if _, err := parse("xx", wrong); err == nil || !strings.Contains(err.Error(), "xx.txt:") {
			t.Errorf("%q is read: %v", wrong, err)
		}
	}
}

func TestEveryTableHasTheTextsOfTheFirst(t *testing.T) {
	t.Parallel()
	for _, table := range tables {
		for key, said := range tables[0].Texts {
			if text, there := table.Texts[key]; !there && !strings.HasPrefix(key, "sign.") || there && text == "" && said != "" {
				t.Errorf("%s says nothing under %s", table.Tag, key)
			}
		}
		for key := range table.Texts {
			if _, known := tables[0].Texts[key]; !known {
				t.Errorf("%s has %s, which no other language needs", table.Tag, key)
			}
		}
	}
}
