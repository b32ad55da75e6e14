package analysis

// Opening says when a word at the beginning of a question is courtesy and no subject.
type Opening uint8

const (
	notOpening    Opening = iota
	openingAlways         // "find", "recommend"
	openingBeside         // "show" in "show me", "looking" in "I am looking for": beside a function word
)

var openings = map[string]Opening{
	"find": openingAlways, "recommend": openingAlways, "suggest": openingAlways, "give": openingAlways,
	"tell": openingAlways, "please": openingAlways, "hello": openingAlways, "hi": openingAlways,
	"show": openingBeside, "search": openingBeside, "searching": openingBeside, "looking": openingBeside,
	"look": openingBeside, "need": openingBeside, "want": openingBeside, "like": openingBeside, "get": openingBeside,
	"help": openingBeside, "list": openingBeside,
}

// Courtesy says whether a word is courtesy at the beginning of a question, as it stands beside a
// function word or not.
func (o Opening) Courtesy(beside bool) bool {
	return o == openingAlways || o == openingBeside && beside
}
