package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
)

// entryAt is the record of a version of an item at an address.
func entryAt(t *table, source, address string, since int64, title string) (content.PackedID, record) {
	e := content.Entry{Ref: content.Ref{Site: "site", Source: source, ID: content.ItemID("site", source, address),
		Since: since}}
	e.Item = content.Item{URL: address, Types: []string{"Article"}, Name: title}
	id, _ := content.PackID(e.ID)
	read, ok := readEntry(&e, false)
	if !ok {
		panic("no address: " + address)
	}
	return id, read.record(&t.words)
}

// A table does what a map does, whatever is put in, taken out and packed.
func TestTableIsAMap(t *testing.T) {
	t.Parallel()
	address := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("https://%s.example/%d", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "host"),
			rapid.IntRange(0, 40).Draw(t, "n"))
	})
	source := rapid.SampledFrom([]string{"one", "two"})
	type key struct{ source, address string }
	rapid.Check(t, func(rt *rapid.T) {
		table, want := newTable(), map[key]int64{}
		step := int64(0)
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				step++
				k := key{source.Draw(rt, "source"), address.Draw(rt, "address")}
				id, r := entryAt(table, k.source, k.address, step, strings.Repeat("x", int(step%300)))
				table.put(id, r)
				want[k] = step
			},
			"remove": func(rt *rapid.T) {
				k := key{source.Draw(rt, "source"), address.Draw(rt, "address")}
				id, _ := content.PackID(content.ItemID("site", k.source, k.address))
				if _, there := want[k]; table.remove(id) != there {
					rt.Fatalf("%v was there: %v", k, there)
				}
				delete(want, k)
			},
			"pack": func(*rapid.T) { table = table.packed() },
			"": func(rt *rapid.T) {
				hosts := map[string]int{}
				for k := range want {
					canonical, _ := Canonical(k.address)
					hosts[hostOf(canonical)]++
				}
				if table.alive != len(want) || !maps.Equal(hosts, table.hosts) {
					rt.Fatalf("%d entries under %v, want %d under %v", table.alive, table.hosts, len(want), hosts)
				}
				for n := range 41 {
					for _, host := range []string{"a", "b"} {
						address := fmt.Sprintf("https://%s.example/%d", host, n)
						var found []string
						table.at(address[len("https://"):], func(row row, r record) {
							e := table.entry(row.id, r)
							found = append(found, fmt.Sprint(e.Source, e.Since, e.URL == address))
						})
						var expected []string
						for _, source := range []string{"one", "two"} {
							if since, there := want[key{source, address}]; there {
								expected = append(expected, fmt.Sprint(source, since, true))
							}
						}
						if slices.Sort(found); !slices.Equal(found, expected) {
							rt.Fatalf("at %s: %v, want %v", address, found, expected)
						}
					}
				}
			},
		})
	})
}

func TestSnapshotWithAnyByteWrongIsRefused(t *testing.T) {
	t.Parallel()
	table := newTable()
	for n := range 3 {
		id, r := entryAt(table, "one", fmt.Sprintf("https://a.example/%d", n), int64(n), "Title")
		table.put(id, r)
	}
	cursor := map[content.SourceKey]int64{{Site: "site", Source: "one"}: 7}
	var b bytes.Buffer
	if err := writeSnapshot(&b, snapshotMark, table, cursor, nil); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	if read, at, _, err := readSnapshot(bytes.NewReader(whole), snapshotMark); err != nil || read.alive != 3 ||
		!maps.Equal(at, cursor) {
		t.Fatal(read.alive, at, err)
	}
	for at := range whole {
		for _, damaged := range [][]byte{whole[:at], slices.Concat(whole[:at], []byte{whole[at] ^ 1}, whole[at+1:]),
			slices.Concat(whole[:at], []byte{whole[at] ^ 0x80}, whole[at+1:])} {
			if _, _, _, err := readSnapshot(bytes.NewReader(damaged), snapshotMark); err == nil {
				t.Fatalf("a snapshot of %d bytes of %d, wrong at %d, is read", len(damaged), len(whole), at)
			}
		}
	}
}

// FuzzSnapshot reads whatever bytes there are, without harm.
func FuzzSnapshot(f *testing.F) {
	table := newTable()
	id, r := entryAt(table, "one", "https://a.example/1", 1, "Title")
	table.put(id, r)
	var b bytes.Buffer
	if err := writeSnapshot(&b, snapshotMark, table, map[content.SourceKey]int64{{Site: "site", Source: "one"}: 7},
		map[string]int64{"tenant": 3}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if table, _, _, err := readSnapshot(bytes.NewReader(data), snapshotMark); err == nil {
			for _, row := range table.rows {
				table.record(row.at)
			}
		}
	})
}

// The longest of many beginnings is found as by looking at each.
func TestLongestBeginningIsFound(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ab/]{0,8}`)
	rapid.Check(t, func(rt *rapid.T) {
		items := map[string]string{}
		for _, beginning := range rapid.SliceOfN(text, 0, 12).Draw(rt, "beginnings") {
			items[beginning] = "item of " + beginning
		}
		asked := text.Draw(rt, "asked")
		want, some := "", false
		for beginning := range items {
			if strings.HasPrefix(asked, beginning) && (!some || len(beginning) > len(want)) {
				want, some = beginning, true
			}
		}
		got, ok := newPrefixes(items).find(asked)
		if ok != some || ok && got != items[want] {
			rt.Fatalf("%q begins with %q: got %q, %v", asked, want, got, ok)
		}
	})
}

// BenchmarkFind looks addresses up among 200,000, which are there and which are not.
func BenchmarkFind(b *testing.B) {
	c, err := New(Config{Aliases: []Alias{{Pattern: "https://a.example/book/", Item: "https://a.example/1"}}})
	if err != nil {
		b.Fatal(err)
	}
	address := func(i int) string { return fmt.Sprintf("https://a.example/2026/a-story-about-something-%d", i) }
	const entries = 200_000
	for i := range entries {
		id, r := entryAt(c.t, "one", address(i), 1, "A story about something")
		c.t.put(id, r)
	}
	for _, name := range []string{"there", "not there"} {
		b.Run(name, func(b *testing.B) {
			asked := make([]string, 1<<16)
			for i := range asked {
				asked[i] = address(i * 7919 % entries)
				if name != "there" {
					asked[i] += "x"
				}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if found := c.Find(asked[i&(len(asked)-1)]); (len(found) == 1) != (name == "there") {
					b.Fatal(found)
				}
				i++
			}
		})
	}
}
