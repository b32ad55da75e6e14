package load

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A corpus is made-up content of any size, the same for the same size. Words follow Zipf's law as
// in a language, and each item speaks of a topic of its own, so that some words of it are frequent
// in it and rare elsewhere.
type corpus struct {
	passages int
	words    []string
	weights  []float64 // cumulated
}

// The shape of an item: about passagesPerItem passages of wordsPerPassage words.
const (
	passagesPerItem = 5
	wordsPerPassage = 130
	topicWords      = 12
	itemsPerFile    = 2000
)

// newCorpus makes the vocabulary for a corpus of so many passages. A larger corpus has more words,
// as larger bodies of text do.
func newCorpus(passages int) *corpus {
	c := &corpus{passages: passages}
	size := int(400 * math.Sqrt(float64(passages)))
	random := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	total := 0.0
	for rank := 1; len(c.words) < size; {
		word := makeWord(random, rank)
		if seen[word] {
			continue
		}
		seen[word] = true
		total += 1 / math.Pow(float64(rank)+2.7, 1.05)
		c.words = append(c.words, word)
		c.weights = append(c.weights, total)
		rank++
	}
	return c
}

// makeWord makes a word that can be spoken; frequent ones are shorter.
func makeWord(random *rand.Rand, rank int) string {
	const heads, vowels, tails = "bcdfghklmnprstvwz", "aeiou", "lmnrstdk"
	syllables := 1 + random.IntN(2)
	if rank > 300 {
		syllables = 2 + random.IntN(3)
	}
	var b strings.Builder
	for range syllables {
		b.WriteByte(heads[random.IntN(len(heads))])
		b.WriteByte(vowels[random.IntN(len(vowels))])
		if random.IntN(2) == 0 {
			b.WriteByte(tails[random.IntN(len(tails))])
		}
	}
	return b.String()
}

// word draws a word as often as its rank says.
func (c *corpus) word(random *rand.Rand) string {
	x := random.Float64() * c.weights[len(c.weights)-1]
	low, high := 0, len(c.weights)
	for low < high {
		if middle := (low + high) / 2; c.weights[middle] < x {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return c.words[min(low, len(c.words)-1)]
}

// items is how many items the corpus has.
func (c *corpus) items() int { return max(1, c.passages/passagesPerItem) }

// item makes item i, the same whenever it is asked for.
func (c *corpus) item(i int) (item map[string]any, topic []string) {
	random := rand.New(rand.NewPCG(uint64(i), 3))
	topic = make([]string, topicWords)
	for t := range topic {
		topic[t] = c.words[random.IntN(len(c.words))]
	}
	var body strings.Builder
	for range passagesPerItem * wordsPerPassage / 13 {
		for w := range 13 {
			word := c.word(random)
			if random.IntN(5) == 0 {
				word = topic[random.IntN(len(topic))]
			}
			if w == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			body.WriteString(word)
			body.WriteByte(" ."[w/12])
		}
		body.WriteByte(' ')
	}
	return map[string]any{
		"@type":         "Article",
		"url":           fmt.Sprintf("https://load.example/%d", i),
		"headline":      strings.Join(topic[:3], " "),
		"description":   strings.Join(topic[2:9], " "),
		"keywords":      strings.Join(topic[:5], ", "),
		"datePublished": fmt.Sprintf("20%02d-%02d-%02d", 10+i%16, 1+i%12, 1+i%28),
		"articleBody":   body.String(),
	}, topic
}

// write lays the corpus out as gzipped lines of JSON.
func (c *corpus) write(t testing.TB, dir string) {
	t.Helper()
	for first := 0; first < c.items(); first += itemsPerFile {
		path := filepath.Join(dir, fmt.Sprintf("items-%07d.jsonl.gz", first))
		if err := c.writeFile(path, first, min(first+itemsPerFile, c.items())); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *corpus) writeFile(path string, first, end int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	z, err := gzip.NewWriterLevel(file, gzip.BestSpeed)
	if err != nil {
		return err
	}
	lines := bufio.NewWriterSize(z, 1<<16)
	encoder := json.NewEncoder(lines)
	for i := first; i < end; i++ {
		item, _ := c.item(i)
		if err := encoder.Encode(item); err != nil {
			return err
		}
	}
	if err := lines.Flush(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return file.Close()
}

// question asks for one item in words of its topic, among frequent ones.
func (c *corpus) question(i int) string {
	random := rand.New(rand.NewPCG(uint64(i), 4))
	_, topic := c.item(random.IntN(c.items()))
	return fmt.Sprintf("%s %s %s %s", topic[0], c.word(random), topic[4], topic[8])
}
