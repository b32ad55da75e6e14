package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/sealed"
	"frontdesk/internal/testkit/storetest"
)

// sentences are what made-up items say, in several languages: with compounds, accents, figures and
// words without blanks.
var sentences = map[string][]string{
	"en": {"The %s lamp costs 20 euros and is made of glass.", "Opening hours of the %s museum are 9 to 17.",
		"A running shoe for %s runners, without leather."},
	"de": {"Der %s Gummihammer ist aus Holz.", "Die Bücherei %s öffnet montags um neun.",
		"Fahrradhelme für Kinder, %s, ohne Leder."},
	"fr": {"Un vélo %s pour l'hiver, à partir de 300 €.", "La bibliothèque %s est ouverte le lundi.",
		"Le pédiatre %s reçoit les enfants."},
	"es": {"Una lámpara %s de cristal para el salón.", "El museo %s abre los lunes a las nueve."},
	"it": {"Parcheggio %s vicino al centro.", "Una giacca %s senza pelle per bambini."},
	"pt": {"Um candeeiro %s de vidro.", "A biblioteca %s abre às segundas-feiras."},
	"ja": {"%sの図書館は月曜日に開きます。", "革を使わない%sの靴。"},
}

var things = []string{"red", "blue", "Anna", "Acme", "nordisch", "petit", "grande", "東京", "usb-c", "XT-200",
	"wooden", "Winter"}

// madeUp makes an item of an edition.
func madeUp(random *rand.Rand, n int) content.Item {
	tags := []string{"en", "de", "fr", "es", "it", "pt", "ja"}
	tag := tags[random.IntN(len(tags))]
	say := func() string {
		return fmt.Sprintf(sentences[tag][random.IntN(len(sentences[tag]))], things[random.IntN(len(things))])
	}
	item := content.Item{
		URL: fmt.Sprintf("https://site.example/%d", n), Types: []string{"Product"}, Name: say(), Description: say(),
		Keys: things[random.IntN(len(things))],
		Object: fmt.Appendf(nil, `{"@type":"Product","name":"x","color":"%s","offers":{"price":%d,"priceCurrency":"EUR"},"license":"https://creativecommons.org/licenses/by-nc/4.0/"}`,
			things[random.IntN(len(things))], 1+random.IntN(300)),
	}
	if random.IntN(3) > 0 {
		item.Language = tag
	}
	if random.IntN(4) == 0 {
		item.Types, item.Object = []string{"Article", "Thing"}, []byte(`{"@type":"Article","isAccessibleForFree":false}`)
	}
	for range random.IntN(4) {
		item.Passages = append(item.Passages,
			content.Passage{ID: fmt.Sprint(len(item.Passages)), Text: strings.Repeat(say()+" ", 1+random.IntN(400))})
	}
	return item
}

// edition publishes a state of a source: each of its items with some chance another than before.
func edition(t *testing.T, catalog *content.Catalog, random *rand.Rand, seeds []uint64) {
	t.Helper()
	ctx := context.Background()
	run, err := catalog.Begin(ctx, "site", "source")
	if err != nil {
		t.Fatal(err)
	}
	for n, seed := range seeds {
		if seed == 0 {
			continue // removed
		}
		if err := run.Put(ctx, madeUp(rand.New(rand.NewPCG(seed, 1)), n)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		t.Fatal(err)
	}
}

// kept opens an index that is kept in a folder; what cannot be read fails the test where it must
// not.
func kept(t *testing.T, catalog *content.Catalog, folder string, told func(error)) *Index {
	t.Helper()
	l := New(catalog, words.Builtin())
	if told == nil {
		told = func(err error) { t.Helper(); t.Errorf("the index is not read from its files: %v", err) }
	}
	l.Keep(folder, told)
	return l
}

func refresh(t *testing.T, l *Index, admission Admission) {
	t.Helper()
	if _, err := l.Refresh(context.Background(), admission); err != nil {
		t.Fatal(err)
	}
}

func save(t *testing.T, l *Index) {
	t.Helper()
	if err := l.Save(context.Background()); err != nil {
		t.Fatal(err)
	}
	if l.keeper.taken != nil { // something was written
		if err := l.keeper.taken.LetGo(); err != nil {
			t.Fatal(err)
		}
		l.keeper.taken = nil
	}
}

// wantAlike holds two indexes of the same content against each other: what they know of each item,
// and what they answer.
func wantAlike(t *testing.T, got, want *View) {
	t.Helper()
	if got.Len() != want.Len() || !reflect.DeepEqual(got.types, want.types) {
		t.Fatalf("%d items of types %v, want %d of %v", got.Len(), got.types, want.Len(), want.types)
	}
	items := func(v *View) map[string]*Doc {
		all := map[string]*Doc{}
		for _, ref := range v.everything.All() {
			all[ref.(*Doc).ID] = ref.(*Doc)
		}
		return all
	}
	told := func(v *View, l *Doc) string {
		said := fmt.Sprintln(l.Ref, l.URL, l.Types, l.Language, l.Dated, l.direction, l.named, l.said,
			l.speaks, l.told, l.open, l.whole)
		for _, f := range l.facts.figures {
			said += fmt.Sprintln(v.dictionary.names[f.slot], f.low, f.high, v.dictionary.units[f.unit], f.kind)
		}
		for _, w := range l.facts.values {
			said += fmt.Sprintln(v.dictionary.names[w.slot], v.dictionary.text(v.dictionary.names[w.slot], w.number))
		}
		for _, n := range l.naming.words {
			said += v.dictionary.heads.all()[n] + " "
		}
		return said + l.Own.String()
	}
	theirs := items(want)
	for id, l := range items(got) {
		if a, b := told(got, l), told(want, theirs[id]); a != b {
			t.Fatalf("an item is\n%s\nwant\n%s", a, b)
		}
	}
	if !reflect.DeepEqual(got.lexicon, want.lexicon) {
		t.Error("the lexicons differ")
	}
	for _, question := range asked {
		if diff := cmp.Diff(answer(want, question), answer(got, question)); diff != "" {
			t.Fatalf("what %q finds is another (-want +got):\n%s", question, diff)
		}
	}
}

var asked = []string{
	"red lamp", "lampe", "Hammer aus Holz", "bibliothèque ouverte", "library", "running shoes without leather",
	"pédiatre enfants", "parking", "東京 図書館", "Fahradhelm", "usb c", "XT-200", "opening hours museum",
	"lamp under 50 euros", "lampara", "geöffnet", "nothing that is here",
}

// answer is all that a question gives, with scores.
func answer(v *View, text string) string {
	var b strings.Builder
	tell := func(found Found) {
		for _, hit := range found.Hits {
			fmt.Fprintf(&b, "%s %v %d %v\n", hit.URL, hit.Score, hit.Passage, hit.Further)
		}
		fmt.Fprintf(&b, "%+v %+v %v\n", found.Terms, found.Corrections, found.Closest)
	}
	q := Question{Text: text, Limit: 50, MinScore: search.DefaultMinScore, Within: v.everything}
	tell(v.Find(q))
	q.MinScore = 0
	tell(v.Find(q))
	fmt.Fprintln(&b, v.Named(text, v.everything), v.Has(text))
	return b.String()
}

func TestKeptIndexAnswersAsOneThatLivesOn(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			catalog, folder := newCatalog(t), filepath.Join(t.TempDir(), "index")
			seeds := make([]uint64, 60+random.IntN(300))
			for i := range seeds {
				seeds[i] = 1 + random.Uint64()
			}
			edition(t, catalog, random, seeds)
			l, lives := kept(t, catalog, folder, nil), New(catalog, words.Builtin()) // one starts again and again
			refresh(t, l, everything)
			refresh(t, lives, everything)
			wantAlike(t, l.View(), lives.View())
			for range 6 {
				save(t, l)
				for range random.IntN(3) { // what happens before the next start
					for range 1 + random.IntN(40) {
						seeds[random.IntN(len(seeds))] = random.Uint64() * uint64(random.IntN(4)&1)
					}
					edition(t, catalog, random, seeds)
				}
				l = kept(t, catalog, folder, nil)
				refresh(t, l, everything)
				refresh(t, lives, everything)
				wantAlike(t, l.View(), lives.View())
			}
		})
	}
}

func TestStartReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	catalog, folder := newCatalog(t), t.TempDir()
	publish(t, catalog, "a", "b", "c")
	l := kept(t, catalog, folder, nil)
	refresh(t, l, everything)
	save(t, l)
	publish(t, catalog, "b", "c", "d")
	looked := 0
	counting := Admission{Version: everything.Version, Admit: func(*Doc) bool { looked++; return true }}
	l = kept(t, catalog, folder, nil)
	refresh(t, l, counting)
	if got := names(l.View(), "lamp"); strings.Join(got, " ") != "b c d" || looked != 1 {
		t.Errorf("%v after %d items were read, want b c d after 1", got, looked)
	}
	before := names(l.View(), "lamp")
	save(t, l)
	l = kept(t, catalog, folder, nil)
	refresh(t, l, counting)
	if got := names(l.View(), "lamp"); strings.Join(got, " ") != strings.Join(before, " ") || looked != 1 {
		t.Errorf("%v after %d items were read, want %v after 1", got, looked, before)
	}
}

func TestIndexOfOtherTermsIsNotRead(t *testing.T) {
	t.Parallel()
	catalog, folder := newCatalog(t), t.TempDir()
	publish(t, catalog, "a", "secret")
	l := kept(t, catalog, folder, nil)
	refresh(t, l, everything)
	save(t, l)
	public := Admission{Version: "public", Admit: func(l *Doc) bool { return l.URL != "https://site.example/secret" }}
	var told error
	l = kept(t, catalog, folder, func(err error) { told = err })
	refresh(t, l, public)
	if !errors.Is(told, sealed.ErrForeign) || strings.Join(names(l.View(), "lamp"), " ") != "a" ||
		l.View().Has("secret") {
		t.Errorf("the index of other terms: %v; %v", told, names(l.View(), "lamp"))
	}
	save(t, l) // and takes its place
	l = kept(t, catalog, folder, nil)
	refresh(t, l, public)
	if strings.Join(names(l.View(), "lamp"), " ") != "a" {
		t.Errorf("after the next start: %v", names(l.View(), "lamp"))
	}
}

func TestIndexOfAnotherHistoryIsNotRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	// as after an older copy was put back, and other things happened since
	first, second := newCatalog(t), newCatalog(t)
	publish(t, first, "a", "b")
	publish(t, first, "a")
	l := kept(t, first, folder, nil)
	refresh(t, l, everything)
	save(t, l)
	publish(t, second, "a", "b")
	publish(t, second, "b")
	var told error
	l = kept(t, second, folder, func(err error) { told = err })
	refresh(t, l, everything)
	if told == nil || strings.Join(names(l.View(), "lamp"), " ") != "b" {
		t.Errorf("the index of another database: %v; %v", told, names(l.View(), "lamp"))
	}
}

func TestDamagedIndexIsMadeAnew(t *testing.T) {
	t.Parallel()
	catalog, folder := newCatalog(t), t.TempDir()
	publish(t, catalog, "a", "b", "c")
	l := kept(t, catalog, folder, nil)
	refresh(t, l, everything)
	save(t, l)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, file := range files {
		if filepath.Ext(file.Name()) != sealed.Ending {
			continue
		}
		path := filepath.Join(folder, file.Name())
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for what, damaged := range map[string][]byte{
			"cut off": whole[:len(whole)/2], "empty": nil, "longer": append(whole[:len(whole):len(whole)], 0),
			"another": append(append([]byte{}, whole[:len(whole)-70]...), make([]byte, 70)...), "gone": nil,
		} {
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if what == "gone" {
				os.Remove(path)
			}
			told := 0
			l := kept(t, catalog, folder, func(error) { told++ })
			refresh(t, l, everything)
			if got := strings.Join(names(l.View(), "lamp"), " "); got != "a b c" ||
				told != 1 && (what != "gone" || file.Name() != keptName) {
				t.Errorf("%s, %s: %s, told %d times", file.Name(), what, got, told)
			}
			tried++
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if tried < 10 {
		t.Fatalf("%d files were damaged", tried)
	}
	refresh(t, kept(t, catalog, folder, nil), everything) // it was the damage
}

// TestKillAtAnyStepLeavesAWholeState lays out what is in the folder after each step of writing, as
// a kill then leaves it.
func TestKillAtAnyStepLeavesAWholeState(t *testing.T) {
	t.Parallel()
	catalog, folder := newCatalog(t), t.TempDir()
	read := func() map[string][]byte {
		all := map[string][]byte{}
		files, err := filepath.Glob(filepath.Join(folder, "*"+sealed.Ending))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if all[filepath.Base(path)], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	publish(t, catalog, "a", "b", "c")
	l := kept(t, catalog, folder, nil)
	refresh(t, l, everything)
	save(t, l)
	before := read()
	publish(t, catalog, "b", "d", "e")
	refresh(t, l, everything)
	save(t, l)
	after := read()
	state := maps.Clone(before)
	var steps []map[string][]byte
	step := func(name string, content []byte) {
		state = maps.Clone(state)
		if state[name] = content; content == nil {
			delete(state, name)
		}
		steps = append(steps, state)
	}
	step("nothing", nil)
	for name, whole := range after { // the segments first
		if name != keptName && before[name] == nil {
			step(".frontdesk-sealing-1", whole[:len(whole)/2])
			step(".frontdesk-sealing-1", whole)
			step(".frontdesk-sealing-1", nil)
			step(name, whole)
		}
	}
	step(".frontdesk-sealing-2", after[keptName][:100])
	step(".frontdesk-sealing-2", nil)
	step(keptName, after[keptName])
	for name := range before {
		if after[name] == nil {
			step(name, nil)
		}
	}
	if len(steps) < 8 {
		t.Fatalf("%d steps", len(steps))
	}
	for i, files := range steps {
		place := t.TempDir()
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(place, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l := kept(t, catalog, place, nil)
		refresh(t, l, everything)
		if got := strings.Join(names(l.View(), "lamp"), " "); got != "b d e" || !l.FromFiles() {
			t.Errorf("step %d: %s, from files %v", i, got, l.FromFiles())
		}
		publish(t, catalog, "b", "d", "e", fmt.Sprintf("n%d", i))
		refresh(t, l, everything)
		save(t, l)
		if left, _ := filepath.Glob(filepath.Join(place, ".frontdesk-sealing-*")); len(left) > 0 {
			t.Errorf("step %d: %v are left", i, left)
		}
		publish(t, catalog, "b", "d", "e")
	}
}

func TestOneProcessKeepsTheIndex(t *testing.T) {
	t.Parallel()
	catalog, folder := newCatalog(t), t.TempDir()
	publish(t, catalog, "a")
	one, two := kept(t, catalog, folder, nil), kept(t, catalog, folder, nil)
	refresh(t, one, everything)
	refresh(t, two, everything)
	if err := one.Save(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := two.Save(context.Background()); err == nil {
		t.Error("two processes write into one folder")
	}
	publish(t, catalog, "b")
	refresh(t, one, everything)
	if err := one.Save(context.Background()); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(folder, "*"+sealed.Ending)); err != nil ||
		len(left) != 1+len(one.View().parts) {
		t.Errorf("%v are left of %d segments, %v", left, len(one.View().parts), err)
	}
}

// FuzzKeptSections reads the parts of a segment's file where their checksums hold and they are what
// nobody wrote: they are refused, or taken, and never read beyond.
func FuzzKeptSections(f *testing.F) {
	catalog := content.New(storetest.Chosen(f, content.Schema), content.Options{})
	run, err := catalog.Begin(context.Background(), "site", "source")
	if err != nil {
		f.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 12 {
		item := madeUp(random, n)
		for i := range item.Passages {
			item.Passages[i].Text = item.Passages[i].Text[:min(200, len(item.Passages[i].Text))]
		}
		if err := run.Put(context.Background(), item); err != nil {
			f.Fatal(err)
		}
	}
	if _, err := run.Commit(context.Background(), content.CommitOptions{}); err != nil {
		f.Fatal(err)
	}
	l := New(catalog, words.Builtin())
	if _, err := l.Refresh(context.Background(), everything); err != nil {
		f.Fatal(err)
	}
	part := l.View().snapshot.Kept()[0]
	sections, err := itemSections(part.Part().Refs())
	if err != nil {
		f.Fatal(err)
	}
	sections = append(sections, part.Sections()...)
	named := manifest{Types: l.View().types}
	named.Cursor, _ = l.marked(context.Background(), l.cursor)
	first, err := named.sections(l.words)
	if err != nil {
		f.Fatal(err)
	}
	for i := range len(first) + len(sections) {
		f.Add(uint8(i), uint16(0), []byte{0xff}, uint16(0))
		f.Add(uint8(i), uint16(4), []byte{0, 0, 0, 0x80}, uint16(3))
	}
	f.Fuzz(func(t *testing.T, which uint8, at uint16, put []byte, cut uint16) {
		manifest, parts := slices.Clone(first), slices.Clone(sections)
		section := &manifest[int(which)%len(manifest)]
		if n := int(which) % (len(manifest) + len(parts)); n >= len(manifest) {
			section = &parts[n-len(manifest)]
		}
		changed := bytes.Clone(*section)
		if len(changed) > 0 {
			copy(changed[int(at)%len(changed):], put)
		}
		*section = changed[:len(changed)-min(len(changed), int(cut))]
		_, dictionary, err := readManifest(manifest)
		if err != nil {
			return
		}
		refs, _, ok := readItems(parts[:itemParts], l.table.Dimensions(), dictionary)
		if !ok {
			return
		}
		if _, err := search.New(search.Options{Table: l.table}).Open(parts[itemParts:], refs,
			[]uint32{1, 3}); err == nil {
			for _, ref := range refs {
				_ = strings.ToUpper(ref.(*Doc).URL + strings.Join(ref.(*Doc).Types, " "))
			}
		}
	})
}
