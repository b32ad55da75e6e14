package vector_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/content/vector"
)

// everyday is a table as text of some everyday words of German, each two of them alike.
func everyday() string {
	var b strings.Builder
	for i, pair := range strings.Fields(`Preis,Kosten Arzt,Mediziner Fahrrad,Rad Schuhe,Stiefel Brot,Kuchen Urlaub,Ferien Kind,Baby
		Hund,Katze Regen,Schnee Haus,Wohnung Auto,Fahrzeug Buch,Roman rot,blau`) {
		numbers := make([]string, 13)
		for k := range numbers {
			numbers[k] = fmt.Sprint(map[bool]int{true: 1}[k == i])
		}
		for word := range strings.SplitSeq(pair, ",") {
			fmt.Fprintf(&b, "%s %s\n", word, strings.Join(numbers, " "))
		}
	}
	return b.String()
}

func TestATableIsOpenedByItsPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path  string
		files map[string]string
		want  string // of the error; empty for none
	}{
		{"v.txt", map[string]string{"v.txt": everyday()}, ""},
		{"v.vec", map[string]string{"v.vec": "26 13\n" + everyday()}, ""},
		{"v.txt", nil, "no such file"},
		{"v.txt", map[string]string{"v.txt": ""}, "it is empty, or no file"},
		{"v.txt", map[string]string{"v.txt": everyday()[:200]},
			"v.txt: line 7 is not a word with 13 numbers: is the file whole?"},
		{"model.safetensors", map[string]string{"model.safetensors": "x"}, "tokenizer.json has to stand beside it"},
		{".", map[string]string{"model.safetensors": "x", "tokenizer.json": "{}"},
			"model.safetensors: it is shorter than the head"},
		{".", map[string]string{"tokenizer.json": "{}"}, "model.safetensors: no such file"},
	} {
		t.Run(c.path+" "+c.want, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			table, err := vector.OpenTable(filepath.Join(folder, c.path))
			switch {
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("the error is %v; want %q", err, c.want)
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want == "" && !table.Reads("de").Read():
				t.Errorf("of German it reads %+v", table.Reads("de"))
			}
		})
	}
}
