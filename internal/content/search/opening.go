package search

// opening says when a word at the beginning of a question is courtesy and no subject.
type opening uint8

const (
	notOpening    opening = iota
	openingAlways         // "find", "recommend"
	openingBeside         // "show" in "show me", "looking" in "I am looking for": beside a function word
)

var openings = map[string]opening{
	"find": openingAlways, "recommend": openingAlways, "suggest": openingAlways, "give": openingAlways,
	"tell": openingAlways, "please": openingAlways, "hello": openingAlways, "hi": openingAlways,
	"show": openingBeside, "search": openingBeside, "searching": openingBeside, "looking": openingBeside,
	"look": openingBeside, "need": openingBeside, "want": openingBeside, "like": openingBeside, "get": openingBeside,
	"help": openingBeside, "list": openingBeside,
}
