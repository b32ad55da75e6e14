package practical

import (
	"cmp"
	"math"
	"slices"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/vector/words"
	lang "frontdesk/internal/infra/language"
)

// The shape of the model.
const (
	Hashed     = 1 << 14             // buckets that features are hashed into
	Buckets    = Hashed + dimensions // with one for each dimension of a text's direction
	dimensions = 128                 // of a text's direction
	shortest   = 3                   // characters of a part of a word
	longest    = 5
	maxWords   = 60           // of a text that are read
	meaning    = float32(0.8) // the length of a text's direction, that of its other features being 1
)

// Feature is a bucket of the model and how much of it a text has.
type Feature struct {
	Bucket int
	Value  float32
}

// Features are the words of a text, each two words that follow each other, the parts of words, and
// the names of [words] that it has words of, hashed; and the direction of what it means. A script
// without blanks has every one, two and three characters instead of words and their parts.
func Features(text string) []Feature {
	counts := make(map[uint32]float32, 128)
	add := func(kind byte, weight float32, parts ...string) {
		h := uint32(2166136261)
		h = (h ^ uint32(kind)) * 16777619
		for _, part := range parts {
			for i := range len(part) {
				h = (h ^ uint32(part[i])) * 16777619
			}
			h = (h ^ ' ') * 16777619
		}
		h ^= h >> 15
		h *= 2246822519
		h ^= h >> 13
		counts[h%Hashed] += weight
	}
	folded := facets.Fold(text)
	class := ""
	for _, name := range NamesOf(folded) {
		if of := classOf(name); of == name || of != class {
			class = of
			add('n', 1.5, class)
		}
	}
	before, n := "<", 0
	for word := range fields(folded) {
		if n++; n > maxWords {
			break
		}
		if lang.IsJoined(word) {
			unspacedParts(word, add)
			before = ""
			continue
		}
		add('w', 1.5, word)
		add('b', 1, before, word)
		wordParts("<"+word+">", add)
		before = word
	}
	features := make([]Feature, 0, len(counts))
	for bucket, value := range counts {
		features = append(features, Feature{int(bucket), min(value, 2)})
	}
	slices.SortFunc(features, func(a, b Feature) int { return cmp.Compare(a.Bucket, b.Bucket) })
	length := 0.0 // summed in one order, as another rounds otherwise
	for _, f := range features {
		length += float64(f.Value * f.Value)
	}
	scale := float32(1 / math.Sqrt(max(length, 1)))
	for i := range features {
		features[i].Value *= scale
	}
	if direction, ok := words.Builtin().Embed(text); ok {
		unit := meaning / float32(math.Sqrt(float64(words.Dot(direction, direction))))
		for i, value := range direction[:min(len(direction), dimensions)] {
			features = append(features, Feature{Hashed + i, unit * float32(value)})
		}
	}
	return features
}

func fields(folded string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(folded) + 1 {
			if i == len(folded) || folded[i] == ' ' {
				if i > start && !yield(folded[start:i]) {
					return
				}
				start = i + 1
			}
		}
	}
}

func unspacedParts(word string, add func(byte, float32, ...string)) {
	runes := []rune(word)
	for i := range runes {
		for n := 1; n <= 3 && i+n <= len(runes); n++ {
			add('j', 0.5+0.25*float32(n), string(runes[i:i+n]))
		}
	}
}

// wordParts adds the parts of a marked word: those of three to five characters.
func wordParts(marked string, add func(byte, float32, ...string)) {
	var starts [64]int // of its characters, and its end
	n := 0
	for i := range marked {
		if n == len(starts)-1 {
			marked = marked[:i]
			break
		}
		starts[n] = i
		n++
	}
	starts[n] = len(marked)
	for i := range n {
		for size := shortest; size <= longest && i+size <= n; size++ {
			add('c', 0.5, marked[starts[i]:starts[i+size]])
		}
	}
}
