package grants

import (
	"errors"
	"iter"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
)

// Span is a part of a passage's text, in bytes: From ≤ b < To.
type Span struct{ From, To int }

// Spans are parts of one passage, in order, that neither overlap nor touch.
type Spans []Span

// Add returns the spans with one more.
func (s Spans) Add(add Span) Spans {
	out := make(Spans, 0, len(s)+1)
	for _, one := range s {
		if one.To < add.From || add.To < one.From {
			out = append(out, one)
			continue
		}
		add = Span{min(one.From, add.From), max(one.To, add.To)}
	}
	at, _ := slices.BinarySearchFunc(out, add, func(a, b Span) int { return a.From - b.From })
	return slices.Insert(out, at, add)
}

// Bytes counts the bytes of all spans.
func (s Spans) Bytes() (n int) {
	for _, one := range s {
		n += one.To - one.From
	}
	return n
}

// Without returns what of a part is not covered by the spans, in order.
func (s Spans) Without(of Span) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		from := of.From
		for _, one := range s {
			if one.From > from && from < of.To && !yield(Span{from, min(one.From, of.To)}) {
				return
			}
			from = max(from, one.To)
		}
		if from < of.To {
			yield(Span{from, of.To})
		}
	}
}

// UnmarshalJSON reads what was kept before it was packed: the number of bytes where it is one part
// from the beginning, and else where each part begins and ends.
func (s *Spans) UnmarshalJSON(text []byte) error {
	*s = nil
	if n, err := strconv.Atoi(string(text)); err == nil {
		*s = Spans{}.Add(Span{0, n})
		return nil
	}
	var bounds []int
	if err := json.Unmarshal(text, &bounds); err != nil {
		return err
	}
	if len(bounds)%2 != 0 {
		return errors.New("a part of a passage has no end")
	}
	for i := 0; i < len(bounds); i += 2 {
		*s = s.Add(Span{bounds[i], bounds[i+1]})
	}
	return nil
}
