package analysis

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed everyday.txt
var everydayTable string

// everydaySteps is how many steps of rarity the table of everyday words tells apart.
const everydaySteps = 10

// everyday are the words of everyday speech by how rare they are there, in steps.
var everyday = sync.OnceValue(func() map[string]uint8 {
	steps := make(map[string]uint8, 24000)
	for line := range strings.Lines(everydayTable) {
		for word := range strings.FieldsSeq(line[2:]) {
			steps[word] = line[0] - '0'
		}
	}
	return steps
})

// Rarity says how rare a word, in lower case, is in everyday speech: from near 0 for those that are in every second
// sentence of some language up to 1 for those that few people say. Speech is that of all languages of the table, since a
// question does not say in which it is.
func Rarity(word string) float64 {
	if step, common := everyday()[word]; common {
		return (float64(step) + 0.5) / everydaySteps
	}
	return 1
}
