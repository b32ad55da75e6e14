package offers

import (
	"math"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// functions are those that rules have beside the ones of CEL. docs/offers.md lists them.
func functions() []cel.EnvOption {
	number, whole, str := cel.DoubleType, cel.IntType, cel.StringType
	one := func(name, id string, from, to *cel.Type, f func(ref.Val) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.Overload(id, []*cel.Type{from}, to, cel.UnaryBinding(f)))
	}
	two := func(name, id string, a, b, to *cel.Type, f func(a, b ref.Val) ref.Val) cel.EnvOption {
		return cel.Function(name, cel.Overload(id, []*cel.Type{a, b}, to, cel.BinaryBinding(f)))
	}
	return []cel.EnvOption{
		one("round", "round_number", number, whole, towards(math.Round)),
		two("round", "round_number_digits", number, whole, number, roundDigits),
		one("floor", "floor_number", number, whole, towards(math.Floor)),
		one("ceil", "ceil_number", number, whole, towards(math.Ceil)),
		two("min", "min_numbers", number, number, number, extreme(types.IntNegOne)),
		two("min", "min_wholes", whole, whole, whole, extreme(types.IntNegOne)),
		two("max", "max_numbers", number, number, number, extreme(types.IntOne)),
		two("max", "max_wholes", whole, whole, whole, extreme(types.IntOne)),
		two("money", "money_number", number, str, str, money),
		two("money", "money_whole", whole, str, str, money),
		one("days", "days_whole", whole, cel.DurationType, days),
		one("date", "date_time", cel.TimestampType, str, date),
		one("lower", "lower_text", str, str, letters(strings.ToLower)),
		one("upper", "upper_text", str, str, letters(strings.ToUpper)),
		two("join", "join_texts", cel.ListType(str), str, str, join),
	}
}

// The faults of our functions.
const (
	errInfinite = fault("a number is infinite or none, after a division by zero perhaps")
	errLarge    = fault("a number is too large")
	errDigits   = fault("round takes 0 to 10 digits")
	errCurrency = fault("money takes a currency of three letters, like EUR")
	errLong     = fault("a text gets too long")
)

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// towards makes a number whole.
func towards(f func(float64) float64) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		n := f(float64(v.(types.Double)))
		switch {
		case !isFinite(n):
			return types.WrapErr(errInfinite)
		case math.Abs(n) >= 1<<63:
			return types.WrapErr(errLarge)
		}
		return types.Int(n)
	}
}

// roundDigits rounds half away from zero, as people do.
func roundDigits(v, digits ref.Val) ref.Val {
	n, d := float64(v.(types.Double)), int64(digits.(types.Int))
	switch {
	case d < 0 || d > 10:
		return types.WrapErr(errDigits)
	case !isFinite(n):
		return types.WrapErr(errInfinite)
	}
	power := math.Pow10(int(d))
	if rounded := math.Round(n*power) / power; isFinite(rounded) {
		return types.Double(rounded)
	}
	return v // so large that it has no decimals
}

// extreme gives the one of two numbers that compares so to the other.
func extreme(so types.Int) func(a, b ref.Val) ref.Val {
	return func(a, b ref.Val) ref.Val {
		switch order := a.(traits.Comparer).Compare(b); {
		case types.IsError(order):
			return types.WrapErr(errInfinite)
		case order == so:
			return a
		}
		return b
	}
}

// without are currencies that have no smaller unit.
var without = map[string]bool{"CLP": true, "ISK": true, "JPY": true, "KRW": true, "PYG": true, "UGX": true, "VND": true,
	"XAF": true, "XOF": true, "XPF": true}

// money writes an amount with its currency.
func money(amount, currency ref.Val) ref.Val {
	code := string(currency.(types.String))
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return types.WrapErr(errCurrency)
	}
	digits := types.Int(2)
	if without[code] {
		digits = 0
	}
	if whole, is := amount.(types.Int); is {
		amount = types.Double(whole)
	}
	rounded := roundDigits(amount, digits)
	if types.IsError(rounded) {
		return rounded
	}
	n := float64(rounded.(types.Double))
	if math.Abs(n) >= 1<<53 {
		return types.WrapErr(errLarge)
	}
	// + 0, since there is no minus zero in money
	return types.String(strconv.FormatFloat(n+0, 'f', int(digits), 64) + " " + code)
}

func days(n ref.Val) ref.Val {
	count := int64(n.(types.Int))
	if count < -36600 || count > 36600 {
		return types.WrapErr(errLarge)
	}
	return types.Duration{Duration: time.Duration(count) * 24 * time.Hour}
}

func date(t ref.Val) ref.Val { return types.String(t.(types.Timestamp).UTC().Format(time.DateOnly)) }

func letters(f func(string) string) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val { return types.String(f(string(v.(types.String)))) }
}

// maxJoined bounds what join makes, before it is made.
const maxJoined = anyText

func join(list, between ref.Val) ref.Val {
	var parts []string
	long := 0
	for it := list.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		one, is := it.Next().(types.String)
		if !is {
			return types.NewErr("no such overload")
		}
		parts = append(parts, string(one))
		if long += len(one) + len(between.(types.String)); long > maxJoined {
			return types.WrapErr(errLong)
		}
	}
	return types.String(strings.Join(parts, string(between.(types.String))))
}

// estimator says how large things are and what our functions cost, before anything runs.
type estimator struct {
	world     world
	variables map[string]*shape
}

// EstimateSize gives how large a value at a path of names can be.
func (e estimator) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	path := node.Path()
	if len(path) == 0 {
		return nil
	}
	s := e.variables[path[0]]
	for _, step := range path[1:] {
		switch {
		case s == nil:
		case step == "@keys":
			s = text(anyText)
		case step == "@items" || step == "@values":
			s = s.elem
		default:
			s = s.member(step)
		}
	}
	if s == nil {
		s = anything()
	}
	return &cost.SizeEstimate{Max: s.most}
}

// EstimateCallCost tells what is not like other functions: join reads all, and the results of
// others are not unbounded.
func (e estimator) EstimateCallCost(function, _ string, _ *cost.AstNode, args []cost.AstNode) *cost.CallEstimate {
	switch function {
	case "join":
		size := cost.SizeEstimate{Max: maxJoined}
		if known := e.sizeOf(args[0]); known != nil {
			return cost.NewCallEstimate(cost.Estimate{Min: 1, Max: 1 + min(known.Max, maxJoined)}, &size)
		}
		return cost.NewCallEstimate(cost.Estimate{Min: 1, Max: 1 + anyList}, &size)
	case "lower", "upper", "string":
		if args[0].Type().Kind() != types.StringKind && args[0].Type().Kind() != types.DynKind {
			break
		}
		size := cost.SizeEstimate{Max: anyText}
		if known := e.sizeOf(args[0]); known != nil {
			size.Max = known.Max
		}
		return cost.NewCallEstimate(size.MultiplyByCostFactor(0.1), &size)
	}
	switch function {
	case "money", "date", "string":
		return cost.NewCallEstimate(cost.FixedCostEstimate(2), &cost.SizeEstimate{Max: 64})
	}
	return nil
}

func (e estimator) sizeOf(node cost.AstNode) *cost.SizeEstimate {
	if size := node.ComputedSize(); size != nil {
		return size
	}
	if len(node.Path()) > 0 {
		return e.EstimateSize(node)
	}
	return nil
}
