package offers

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// writer writes JSON up to a size and depth.
type writer struct {
	dst  []byte
	most int
}

const (
	errNoValue = fault("an expression gives what JSON does not have")
	errTooMuch = fault("the details get too large; set maxLength and maxItems in the schema for what goes into them")
	errWhole   = fault("a whole number is larger than JSON numbers are exact; give it a maximum in the schema")
)

// maxDepth is how deep what an expression gives may nest.
const maxDepth = 32

// asFault is a fault as it is, and what else failed without its words.
func asFault(err error) fault {
	var known fault
	if errors.As(err, &known) {
		return known
	}
	return "it failed"
}

// fill writes details with what their expressions give. A member whose expression gives no value is
// left out.
func (f *following) fill(w *writer, t *tree) error {
	switch {
	case t.text != nil:
		text, err := f.write(t.text, MaxDetails)
		if err != nil {
			return err
		}
		w.string(text)
	case t.expression != nil:
		v, err := f.eval(t.expression)
		if err != nil {
			return err
		}
		if err := w.value(v, 0); err != nil {
			return &ruleError{t.expression.where, asFault(err)}
		}
	case t.object:
		return f.fillObject(w, t)
	case t.literal == nil:
		return f.fillList(w, t)
	default:
		w.dst = append(w.dst, t.literal...)
	}
	if len(w.dst) > w.most {
		return &ruleError{"details", errTooMuch}
	}
	return nil
}

func (f *following) fillObject(w *writer, t *tree) error {
	w.dst = append(w.dst, '{')
	first := true
	for i, name := range t.names {
		before := len(w.dst)
		if !first {
			w.dst = append(w.dst, ',')
		}
		w.string(name)
		w.dst = append(w.dst, ':')
		value := len(w.dst)
		if err := f.fill(w, t.elements[i]); err != nil {
			return err
		}
		if len(w.dst) == value { // an optional value that is none
			w.dst = w.dst[:before]
			continue
		}
		first = false
	}
	w.dst = append(w.dst, '}')
	return nil
}

func (f *following) fillList(w *writer, t *tree) error {
	w.dst = append(w.dst, '[')
	first := true
	for _, element := range t.elements {
		before := len(w.dst)
		if !first {
			w.dst = append(w.dst, ',')
		}
		value := len(w.dst)
		if err := f.fill(w, element); err != nil {
			return err
		}
		if len(w.dst) == value {
			w.dst = w.dst[:before]
			continue
		}
		first = false
	}
	w.dst = append(w.dst, ']')
	return nil
}

func (w *writer) string(text string) {
	quoted, _ := json.Marshal(text) // a text always encodes
	w.dst = append(w.dst, quoted...)
}

// number writes a finite number as people and JSON do.
func number(n float64) string {
	if n == 0 {
		return "0" // also for minus zero
	}
	if size := math.Abs(n); 1e-6 <= size && size < 1e21 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strconv.FormatFloat(n, 'e', -1, 64)
}

// value writes what an expression gave; nothing for an optional value that is none.
func (w *writer) value(v ref.Val, depth int) error {
	if depth > maxDepth || len(w.dst) > w.most {
		return errTooMuch
	}
	switch n := v.(type) {
	case types.String:
		w.string(string(n))
	case types.Bool:
		w.dst = strconv.AppendBool(w.dst, bool(n))
	case types.Null:
		w.dst = append(w.dst, "null"...)
	case types.Int:
		if n > 1<<53 || n < -1<<53 {
			return errWhole
		}
		w.dst = strconv.AppendInt(w.dst, int64(n), 10)
	case types.Uint:
		if n > 1<<53 {
			return errWhole
		}
		w.dst = strconv.AppendUint(w.dst, uint64(n), 10)
	case types.Double:
		if !isFinite(float64(n)) {
			return errInfinite
		}
		w.dst = append(w.dst, number(float64(n))...)
	case types.Timestamp:
		w.string(n.UTC().Format(time.RFC3339))
	case types.Duration:
		w.string(n.String())
	case *types.Optional:
		if n.HasValue() {
			return w.value(n.GetValue(), depth+1)
		}
	case traits.Mapper:
		return w.object(n, depth)
	case traits.Lister:
		return w.list(n, depth)
	default:
		return errNoValue
	}
	return nil
}

func (w *writer) list(l traits.Lister, depth int) error {
	w.dst = append(w.dst, '[')
	for it, first := l.Iterator(), true; it.HasNext() == types.True; first = false {
		if !first {
			w.dst = append(w.dst, ',')
		}
		if err := w.member(it.Next(), depth); err != nil {
			return err
		}
	}
	w.dst = append(w.dst, ']')
	return nil
}

func (w *writer) object(m traits.Mapper, depth int) error {
	var names []string
	for it := m.Iterator(); it.HasNext() == types.True; {
		name, is := it.Next().(types.String)
		if !is {
			return errNoValue
		}
		if names = append(names, string(name)); len(names) > maxLetList {
			return errTooMuch
		}
	}
	slices.Sort(names)
	w.dst = append(w.dst, '{')
	for i, name := range names {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.string(unspelled(name))
		w.dst = append(w.dst, ':')
		if err := w.member(m.Get(types.String(name)), depth); err != nil {
			return err
		}
	}
	w.dst = append(w.dst, '}')
	return nil
}

// member writes a value within another, where one that is none has no place.
func (w *writer) member(v ref.Val, depth int) error {
	before := len(w.dst)
	if err := w.value(v, depth+1); err != nil {
		return err
	}
	if len(w.dst) == before {
		return errNoValue
	}
	return nil
}
