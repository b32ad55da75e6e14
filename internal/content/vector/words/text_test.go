package words

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

// invented are the directions of the everyday words of a language, two for the same thing almost
// alike, and of "zorb", which means what the first does.
func invented(language string) (names []string, directions [][]float32) {
	rows := probes()[language]
	for i, p := range rows {
		for k, word := range p {
			v := make([]float32, len(rows)+2)
			v[i], v[len(rows)] = 1, 0.5*float32(k)
			names, directions = append(names, word), append(directions, v)
		}
	}
	return append(names, "zorb"), append(directions, directions[0])
}

// lines is a table as text.
func lines(names []string, directions [][]float32) string {
	var b strings.Builder
	for i, name := range names {
		b.WriteString(name)
		for _, x := range directions[i] {
			fmt.Fprintf(&b, " %v", x)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// tensors is a safetensors file: the directions, and what else.
func tensors(t *testing.T, directions [][]float32, kind string, more map[string][]byte) []byte {
	t.Helper()
	var body bytes.Buffer
	for _, v := range directions {
		for _, x := range v {
			switch kind {
			case "F32":
				_ = binary.Write(&body, binary.LittleEndian, x)
			case "F64":
				_ = binary.Write(&body, binary.LittleEndian, float64(x))
			case "BF16":
				_ = binary.Write(&body, binary.LittleEndian, uint16(math.Float32bits(x)>>16))
			case "F16": // of 0, 0.5 and 1
				_ = binary.Write(&body, binary.LittleEndian, map[float32]uint16{0: 0, 0.5: 0x3800, 1: 0x3c00}[x])
			case "I8":
				body.WriteByte(byte(2 * x))
			}
		}
	}
	head := map[string]any{"embeddings": map[string]any{
		"dtype": kind, "shape": []int{len(directions), len(directions[0])}, "data_offsets": []int{0, body.Len()},
	}, "__metadata__": map[string]string{"format": "pt"}}
	for name, data := range more {
		from := body.Len()
		body.Write(data)
		head[name] = map[string]any{"dtype": "I64", "shape": []int{len(data) / 8},
			"data_offsets": []int{from, body.Len()}}
	}
	text, err := json.Marshal(head)
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), append(text, body.Bytes()...)...)
}

// tokens is a tokenizer.json of WordPiece or Unigram.
func tokens(t *testing.T, kind string, names []string) []byte {
	t.Helper()
	model := map[string]any{"type": kind, "unk_token": "[UNK]", "continuing_subword_prefix": "##"}
	if kind == "Unigram" {
		var vocab [][]any
		for _, name := range names {
			vocab = append(vocab, []any{space + name, -3.5})
		}
		model["vocab"] = vocab
	} else {
		vocab := map[string]int{}
		for i, name := range names {
			vocab[name] = i
		}
		model["vocab"] = vocab
	}
	text, err := json.Marshal(map[string]any{
		"normalizer": map[string]any{"type": "Sequence", "normalizers": []any{map[string]any{"type": "Lowercase"}}},
		"model":      model,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTablesOfOtherFormsAreRead(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "it"} {
		names, directions := invented(language)
		dimensions := len(directions[0])
		for form, read := range map[string]func(t *testing.T) (*Table, error){
			"text of GloVe": func(t *testing.T) (*Table, error) {
				return ReadText([]byte(lines(names, directions)))
			},
			"text of fastText": func(t *testing.T) (*Table, error) {
				text := fmt.Sprintf("%d %d\n", len(names), dimensions) +
					strings.ReplaceAll(lines(names, directions), "\n", " \n")
				return ReadText([]byte(strings.TrimSuffix(text, "\n")))
			},
			"safetensors (F32), WordPiece": func(t *testing.T) (*Table, error) {
				return ReadTensors(tensors(t, directions, "F32", nil), tokens(t, "WordPiece", names))
			},
			"safetensors (F16), Unigram": func(t *testing.T) (*Table, error) {
				return ReadTensors(tensors(t, directions, "F16", nil), tokens(t, "Unigram", names))
			},
			"safetensors (I8), Unigram": func(t *testing.T) (*Table, error) {
				var mapping []byte // the second direction stands for the last, "zorb", which the rows no longer have
				for i := range names {
					mapping = binary.LittleEndian.AppendUint64(mapping, uint64(i%(len(names)-1)))
				}
				file := tensors(t, directions[:len(names)-1], "I8", map[string][]byte{"mapping": mapping})
				return ReadTensors(file, tokens(t, "Unigram", names))
			},
			"safetensors (BF16), WordPiece": func(t *testing.T) (*Table, error) {
				return ReadTensors(tensors(t, directions, "BF16", nil), tokens(t, "WordPiece", names))
			},
		} {
			t.Run(language+" "+form, func(t *testing.T) {
				t.Parallel()
				table, err := read(t)
				if err != nil {
					t.Fatal(err)
				}
				if table.Form != form || table.Pieces() != len(names) || table.Dimensions() != dimensions {
					t.Errorf("%s, %d pieces of %d numbers", table.Form, table.Pieces(), table.Dimensions())
				}
				if r := table.Reads(language); !r.Read() || r.Known != r.Asked {
					t.Errorf("of its own language it reads %+v", r)
				}
				if r := table.Reads("ja"); r.Read() {
					t.Errorf("of a language that it does not have it reads %+v", r)
				}
				zorb, _ := table.Embed("ZORB!")
				first, _ := table.Embed("... " + names[0])
				third, _ := table.Embed(names[2])
				if zorb == nil || Cosine(zorb, first) < 0.99 || Cosine(zorb, third) > 0.1 {
					t.Errorf("zorb is %v like %q, %v like %q", Cosine(zorb, first), names[0],
						Cosine(zorb, third), names[2])
				}
				if _, ok := table.Embed("unheard"); ok {
					t.Error("a word that the table does not have has a direction")
				}
				// Its words for the same are as much alike as those of the program's own table, and
				// so are others.
				r, own := table.Reads(language), Builtin().Reads(language)
				if got := table.Likeness(r.Same); math.Abs(got-own.Same) > 0.01 {
					t.Errorf("words for the same are %.2f alike; want %.2f", got, own.Same)
				}
				if got := table.Likeness(r.Other); math.Abs(got-own.Other) > 0.01 {
					t.Errorf("other words are %.2f alike; want %.2f", got, own.Other)
				}
			})
		}
	}
}

func TestWordsAreCutIntoTheLongestPieces(t *testing.T) {
	t.Parallel()
	names := []string{"un", "##aff", "##able", "##a", "été", "ete", "a", "!", "[UNK]", "日", "本"}
	p, form, err := readTokenizer(tokens(t, "WordPiece", names), len(names))
	if err != nil || form != "WordPiece" {
		t.Fatal(form, err)
	}
	for text, want := range map[string]string{
		"Unaffable!":    "un ##aff ##able !",
		"una été":       "un ##a été",
		"unb a":         "a",
		"[UNK]":         "",
		"日本":            "日 本",
		"broken\xffa a": "a a",
	} {
		var got []string
		p.cut(text, func(piece int) { got = append(got, p.(*greedy).name(piece)) })
		if strings.Join(got, " ") != want {
			t.Errorf("%q is cut into %q; want %q", text, got, want)
		}
	}
}

func TestFilesThatDoNotServeAreRefused(t *testing.T) {
	t.Parallel()
	names, directions := invented("en")
	text, whole := lines(names, directions), tensors(t, directions, "F32", nil)
	same := make([][]float32, len(directions))
	for i := range same {
		same[i] = directions[0]
	}
	for want, file := range map[string]struct {
		data, tokenizer []byte
	}{
		"line 3 is not a word with 18 numbers":   {[]byte(strings.Replace(text, "doctor 0 1", "doctor 1", 1)), nil},
		"line 2 has something that is no number": {[]byte(strings.Replace(text, "cost 1", "cost x", 1)), nil},
		"line 2 has something":                   {[]byte(strings.Replace(text, "cost 1", "cost NaN", 1)), nil},
		"have 0 numbers":                         {[]byte("only\nwords\n"), nil},
		"its first line is neither a word":       {[]byte("one\t1\n"), nil},
		"everyday words":                         {[]byte(lines(names, same)), nil},
		"of none of the languages":               {[]byte("a 1 2\nb 2 3\n"), nil},
		"tokenizer.json: ":                       {whole, []byte("{")},
		`it cuts texts by "BPE"`:                 {whole, tokens(t, "BPE", names)},
		"it is no safetensors file":              {[]byte(strings.Repeat("x", 100)), tokens(t, "Unigram", names)},
		"shorter than the head":                  {[]byte("x"), tokens(t, "Unigram", names)},
		"ends beyond the file":                   {whole[:len(whole)-1], tokens(t, "Unigram", names)},
		"not those of [33 18] values of type F16": {
			bytes.Replace(whole, []byte(`"F32"`), []byte(`"F16"`), 1), tokens(t, "Unigram", names),
		},
		`it has no tensor "embeddings"`: {bytes.Replace(whole, []byte(`embeddings`), []byte(`embodiment`), 1), tokens(t, "Unigram", names)},
		"values of type F32": {
			bytes.Replace(whole, []byte(`[33,18]`), []byte(`[33,-1]`), 1), tokens(t, "Unigram", names),
		},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			read := func() (*Table, error) { return ReadText(file.data) }
			if file.tokenizer != nil {
				read = func() (*Table, error) { return ReadTensors(file.data, file.tokenizer) }
			}
			if _, err := read(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func FuzzTables(f *testing.F) {
	names, directions := invented("en")
	f.Add([]byte(lines(names, directions)), []byte(`{"model": {"type": "Unigram", "vocab": [["a", -1]]}}`))
	f.Add([]byte("2 3\na 1 2 3\nb 1 2 3"), []byte(`{"model": {"type": "WordPiece", "continuing_subword_prefix": "##", "vocab": {"a": 0}}}`))
	head := `{"embeddings": {"dtype": "F16", "shape": [1, 2], "data_offsets": [0, 4]}}`
	f.Add(append(binary.LittleEndian.AppendUint64(nil, uint64(len(head))), head+"\x00\x38\x00\x3c"...), []byte(`{"model": {"type": "Unigram", "vocab": [["a", -1]]}}`))
	f.Fuzz(func(t *testing.T, data, tokens []byte) {
		if len(data) == 0 {
			return
		}
		for _, read := range []func() (*Table, error){
			func() (*Table, error) { return readLines(data) },
			func() (*Table, error) { return readStatic(data, tokens) },
		} {
			if table, err := read(); err == nil {
				table.Embed("a b été 日本")
				_, _ = aligned(table, nil)
			}
		}
	})
}
