package jsonrepair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read gives what Parse makes of src as compact JSON, one document a line.
func read(t *testing.T, src string) string {
	t.Helper()
	documents, fault := Parse(src, 64)
	var out []string
	for _, d := range documents {
		out = append(out, string(Append(nil, d)))
	}
	if fault != nil {
		out = append(out, "fault: "+fault.Reason)
	}
	return strings.Join(out, "\n")
}

func TestWildDocumentsAreMended(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"valid", `{"b": 1.50, "a": [true, null, "x\u00e9\n"]}`, `{"b":1.50,"a":[true,null,"xé\n"]}`},
		{"order and number text are kept", `{"z":1e2,"a":-0.0}`, `{"z":1e2,"a":-0.0}`},
		{"last of equal names wins", `{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{"byte order mark", "\ufeff{\"a\":1}", `{"a":1}`},
		{"trailing commas", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"doubled commas", `{"a":[1,,2],,"b":3}`, `{"a":[1,2],"b":3}`},
		{"missing commas", "{\"a\":\"x\"\n\"b\":[1 2]\"c\":{} \"d\":1}", `{"a":"x","b":[1,2],"c":{},"d":1}`},
		{"comments", "{ // first\n\"a\": 1, /* second */ \"b\": \"http://x/y\" <!-- third --> }", `{"a":1,"b":"http://x/y"}`},
		{"comment after a bare word", "{a: yes // why\n}", `{"a":"yes"}`},
		{"raw line ends and tabs", "{\"a\":\"one\ntwo\tthree\"}", `{"a":"one\ntwo\tthree"}`},
		{"escaped for HTML", `{&quot;name&quot;: &quot;Tea &amp; cake&quot;, &quot;n&quot;:2}`, `{"name":"Tea & cake","n":2}`},
		{"numeric entities", `{&#34;name&#34;:&#34;x&#34;}`, `{"name":"x"}`},
		{"quotes inside", `{"name":"The "best" cake", "b":1}`, `{"name":"The \"best\" cake","b":1}`},
		{"quotes before a comma inside", `{"name":"Say "hi", then go", "b":1}`, `{"name":"Say \"hi\", then go","b":1}`},
		{"inches", `{"name":"12" pan","size":"9""}`, `{"name":"12\" pan","size":"9\""}`},
		{"single quotes", `{'a':'it's fine','b':['x','y']}`, `{"a":"it's fine","b":["x","y"]}`},
		{"typographic quotes", `{“name”: “Brot”, "b":1}`, `{"name":"Brot","b":1}`},
		{"names without quotes", `{name: "x", @type: "Recipe"}`, `{"name":"x","@type":"Recipe"}`},
		{"words of other languages", `{"a":NaN,"b":-Infinity,"c":undefined,"d":None,"e":True,"f":FALSE}`, `{"a":null,"b":null,"c":null,"d":null,"e":true,"f":false}`},
		{"numbers in other forms", `{"a":+1,"b":.5,"c":5.,"d":-.5,"e":007,"f":1,"g":12.3.4}`, `{"a":1,"b":0.5,"c":5,"d":-0.5,"e":"007","f":1,"g":"12.3.4"}`},
		{"bare text", `{"a": in stock, "b": $12}`, `{"a":"in stock","b":"$12"}`},
		{"missing value", `{"a":,"b":}`, `{"a":null,"b":null}`},
		{"missing colon", `{"a" "x","b","c":1}`, `{"a":"x","b":null,"c":1}`},
		{"bad escapes", `{"a":"it\'s \q \u12 C:\dir"}`, `{"a":"it's \\q \\u12 C:\\dir"}`},
		{"lone surrogate", `{"a":"\ud800x\ud83d\ude00"}`, "{\"a\":\"\ufffdx😀\"}"},
		{"CDATA", "\n//<![CDATA[\n{\"a\":1}\n//]]>\n", `{"a":1}`},
		{"CDATA on one line", `//<![CDATA[{"a":[[1]]}//]]>`, `{"a":[[1]]}`},
		{"CDATA in a comment", `/*<![CDATA[*/{"a":1}/*]]>*/`, `{"a":1}`},
		{"bare CDATA", `<![CDATA[{"a":1}]]>`, `{"a":1}`},
		{"hidden in a comment", `<!-- {"a":1} -->`, `{"a":1}`},
		{"closing semicolon", `{"a":1};`, `{"a":1}`},
		{"documents in a row", "{\"a\":1}\n{\"b\":2} [3]", "{\"a\":1}\n{\"b\":2}\n[3]"},
		{"documents with commas between", `{"a":1},{"b":2},`, "{\"a\":1}\n{\"b\":2}"},
		{"only the broken document is mended", `{"a":1}{"b":2,}{"c":3}`, "{\"a\":1}\n{\"b\":2}\n{\"c\":3}"},
		{"array not closed", `{"a":[1,2}`, `{"a":[1,2]}`},
		{"object not closed", `[{"a":1,{"b":2}]`, `[{"a":1},{"b":2}]`},
		{"object not closed before the bracket", `[{"a":1]`, `[{"a":1}]`},
		{"one bracket too many", `{"a":1}}`, "{\"a\":1}\nfault: found “}” where a value was expected"},
		{"member without a name", `{"a":1,{"b":2}}`, `{"a":1,"":{"b":2}}`},
		{"odd blanks", "{\u00a0\"a\":\u200b1\u00a0}", `{"a":1}`},
		{"control characters", "{\x00\"a\":\"x\x01y\"}", `{"a":"x\u0001y"}`},
		{"scalar", `"x"`, `"x"`},
		{"line separators", "{\"a\":\"x\u2028y\"}", `{"a":"x\u2028y"}`},
		{"empty", " \n", ""},
		{"no JSON", "Not found", "fault: found “N” where a value was expected"},
		{"HTML", "<html></html>", "fault: found “<” where a value was expected"},
		{"cut in a string", `[{"a":1},{"b":"xy`, "[{\"a\":1},{\"b\":\"xy\"}]\nfault: the document ends inside a string"},
		{"cut after a name", `{"a"`, "{\"a\":null}\nfault: the document ends inside an object"},
		{"cut in a list", `[1,`, "[1]\nfault: the document ends inside an array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, read(t, c.in)); diff != "" {
				t.Errorf("%s\n(-want +got)\n%s", c.in, diff)
			}
		})
	}
}

func TestCutDocumentMarksOnlyWhatIsCut(t *testing.T) {
	t.Parallel()
	documents, fault := Parse(`[{"a":{"x":1}},{"b":[1,{"c":2`, 64)
	if fault == nil || len(documents) != 1 {
		t.Fatalf("documents %d, fault %v", len(documents), fault)
	}
	all := documents[0]
	if !all.Truncated || all.Items[0].Truncated || !all.Items[1].Truncated ||
		!all.Items[1].Get("b").Items[1].Truncated {
		t.Error("the cut must mark the values around it and no others")
	}
}

func TestDeepNestingIsLeftOutAndMarked(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":[`, 5000) + strings.Repeat(`]}`, 5000)
	for _, src := range []string{
		`[{"ok":1},{"deep":` + deep + `},{"ok":2}]`,
		`[{"ok":1},{"deep":` + deep + `,},{"ok":2}]`, // by way of mending
	} {
		documents, fault := Parse(src, 64)
		if fault != nil {
			t.Fatal(fault)
		}
		items := documents[0].Items
		if len(items) != 3 || items[0].TooDeep || !items[1].TooDeep || items[2].TooDeep ||
			items[2].Get("ok").Text != "2" {
			t.Errorf("got %d items, marked %v", len(items), items)
		}
	}
	open := strings.Repeat("[", 1_000_000)
	if documents, fault := Parse(open, 64); fault == nil || len(documents) != 1 || !documents[0].TooDeep {
		t.Errorf("a million open brackets: %v", fault)
	}
}

func TestDocumentOfTooManyValuesIsRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads five million values")
	}
	many := "[" + strings.Repeat("1,", maxValues) + "1]"
	if _, fault := Parse(many, 64); fault == nil || !strings.Contains(fault.Reason, "5 million") {
		t.Errorf("fault %v", fault)
	}
	if documents, fault := Parse(many[:2000]+"1] [2]", 64); fault != nil || len(documents) != 2 {
		t.Errorf("fault %v", fault)
	}
}

func TestOffsetsPointIntoTheSource(t *testing.T) {
	t.Parallel()
	src := "\n[{\"name\":\"x\"},\n {\"name\":\"y\"}]"
	documents, _ := Parse(src, 64)
	second := documents[0].Items[1]
	if src[second.Offset] != '{' || NewLines(src).Of(second.Offset) != 3 {
		t.Errorf("offset %d, line %d", second.Offset, NewLines(src).Of(second.Offset))
	}
	if name := second.Get("name"); src[name.Offset:name.Offset+3] != `"y"` {
		t.Errorf("offset %d of the name", name.Offset)
	}
}

func TestFaultSaysWhere(t *testing.T) {
	t.Parallel()
	_, fault := Parse("{\"a\":1}\n\n oops", 64)
	if fault == nil || fault.Offset != 10 {
		t.Errorf("fault %v", fault)
	}
}

func TestManyMembersKeepTheLastOfEqualNames(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString(`{`)
	for range 3 {
		for i := range 40 {
			fmt.Fprintf(&src, `"k%d":1,`, i)
		}
	}
	src.WriteString(`"k0":"last"}`)
	documents, _ := Parse(src.String(), 64)
	if n := documents[0]; len(n.Members) != 40 || n.Members[0].Name != "k0" || n.Members[0].Value.Text != "last" {
		t.Errorf("%d members, first %v", len(n.Members), n.Members[0])
	}
}

func TestSetReplacesAddsAndRemoves(t *testing.T) {
	t.Parallel()
	documents, _ := Parse(`{"a":1,"b":2}`, 64)
	n := documents[0]
	n.Set("a", NewString("x"))
	n.Set("c", NewArray(NewString("y")))
	n.Set("b", nil)
	n.Set("none", nil)
	if got := string(Append(nil, n)); got != `{"a":"x","c":["y"]}` {
		t.Error(got)
	}
}

// valid are documents that the fuzzers start from.
var valid = []string{
	`{}`, `[]`, `{"a":{"b":[1,2.5e-3,"x"]}}`, `"\u00e9\ud83d\ude00\\"`, `-0`, `[true,false,null]`, ` { "a" : 1 , "a" : 2 } `, `"é日本"`,
}

func FuzzValidMeansWhatEncodingJSONMeans(f *testing.F) {
	for _, s := range valid {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		src = strings.ToValidUTF8(src, "?")
		var want any
		decoder := json.NewDecoder(strings.NewReader(src))
		decoder.UseNumber()
		if !json.Valid([]byte(src)) || decoder.Decode(&want) != nil {
			t.Skip()
		}
		documents, fault := Parse(src, 10_000)
		if fault != nil || len(documents) != 1 {
			t.Fatalf("%q: %d documents, %v", src, len(documents), fault)
		}
		if documents[0].TooDeep {
			t.Skip()
		}
		var got any
		decoder = json.NewDecoder(bytes.NewReader(Append(nil, documents[0])))
		decoder.UseNumber()
		if err := decoder.Decode(&got); err != nil {
			t.Fatalf("%q: what was written is not JSON: %v", src, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", src, diff)
		}
	})
}

func FuzzAnythingIsReadWithoutHarm(f *testing.F) {
	for _, s := range append(valid, `{&quot;a&quot;:1}`, `{'a':'b',c:"d "e" f",}`, "//<![CDATA[\n{}//]]>", `[{"a":1,{"b":[`, `{"a":"\`, `{a:`) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		src = strings.ToValidUTF8(src, "?")
		documents, fault := Parse(src, 8)
		if fault != nil && (fault.Offset < 0 || fault.Offset > len(src)) {
			t.Fatalf("fault outside of the document: %v", fault)
		}
		for _, d := range documents {
			written := Append(nil, d)
			if !json.Valid(written) {
				t.Fatalf("%q was written as %q", src, written)
			}
			again, fault := Parse(string(written), 8)
			if fault != nil || len(again) != 1 || string(Append(nil, again[0])) != string(written) {
				t.Fatalf("%q does not read back as itself: %v", written, fault)
			}
			check(t, d, len(src), 8)
		}
	})
}

// check holds what every tree promises.
func check(t *testing.T, n *Node, size, depth int) {
	t.Helper()
	if n.Offset < 0 || n.Offset > size {
		t.Fatalf("offset %d of %d", n.Offset, size)
	}
	if depth < 0 {
		t.Fatal("deeper than allowed")
	}
	for _, item := range n.Items {
		if item.TooDeep && !n.TooDeep || item.Truncated && !n.Truncated {
			t.Fatal("a mark is missing on what is around")
		}
		check(t, item, size, depth-1)
	}
	for _, m := range n.Members {
		if m.Value.TooDeep && !n.TooDeep || m.Value.Truncated && !n.Truncated {
			t.Fatal("a mark is missing on what is around")
		}
		check(t, m.Value, size, depth-1)
	}
}

func BenchmarkParse(b *testing.B) {
	src := `{"@context":"https://schema.org","@type":"Product","url":"https://shop.example/p/1","name":"A lamp","description":"` +
		strings.Repeat("Warm light for long evenings. ", 30) + `","brand":{"@type":"Brand","name":"Lumo"},"offers":{"@type":"Offer","price":29.9,"priceCurrency":"EUR"},"color":"red"}`
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, fault := Parse(src, 64); fault != nil {
			b.Fatal(fault)
		}
	}
}
