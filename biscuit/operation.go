package biscuit

// op is what a node of an expression does.
type op uint8

const (
	opValue op = iota
	opClosure

	opNegate
	opParens
	opLength
	opType

	opLess
	opGreater
	opLessOrEqual
	opGreaterOrEqual
	opStrictEqual
	opContains
	opPrefix
	opSuffix
	opMatches
	opAdd
	opSub
	opMul
	opDiv
	opAnd
	opOr
	opIntersection
	opUnion
	opBitAnd
	opBitOr
	opBitXor
	opStrictNotEqual
	opEqual
	opNotEqual
	opLazyAnd
	opLazyOr
	opAll
	opAny
	opGet
	opTryOr
)

// node is one operation of an expression and its arguments. Expressions are sequences of operations
// for a stack on the wire, and trees here.
type node struct {
	op          op
	value       term // of opValue
	parameters  []term
	left, right *node // the argument of unary operations and the body of closures is left
	pattern     *pattern
	depth       int
}

// form is how an operation is written.
type form uint8

const (
	formPrefix  form = iota // !x, (x)
	formInfix               // x + y
	formMethod              // x.name(y)
	formClosure             // none of its own
)

// operation describes an op: its number on the wire, how it is written, the block version that it
// needs at least, and for binary ones which argument is a closure and of how many parameters.
type operation struct {
	wire       uint64
	form       form
	text       string
	version    int
	precedence int
	closure    side
	parameters int
}

type side uint8

const (
	neither side = iota
	leftSide
	rightSide
)

// unaryOps and binaryOps have the operations by their numbers on the wire. The number after the
// last of each is the function of a host (extern::).
var (
	unaryOps  = []op{opNegate, opParens, opLength, opType}
	binaryOps = []op{
		opLess, opGreater, opLessOrEqual, opGreaterOrEqual, opStrictEqual, opContains, opPrefix, opSuffix, opMatches,
		opAdd, opSub,
		opMul, opDiv, opAnd, opOr, opIntersection, opUnion, opBitAnd, opBitOr, opBitXor, opStrictNotEqual, opEqual,
		opNotEqual,
		opLazyAnd, opLazyOr, opAll, opAny, opGet,
	}
)

const (
	wireUnaryExtern  = 4
	wireBinaryExtern = 28
	wireTryOr        = 29
)

// Precedences of infix operations: what binds tighter is larger.
const (
	lazyOrLevel = 1 + iota
	lazyAndLevel
	comparisonLevel
	bitXorLevel
	bitOrLevel
	bitAndLevel
	addLevel
	mulLevel
	unaryLevel
	methodLevel
)

var operations = func() (table [opTryOr + 1]operation) {
	table = [opTryOr + 1]operation{
		opValue:          {form: formClosure, precedence: methodLevel},
		opClosure:        {form: formClosure, version: 6},
		opNegate:         {form: formPrefix, text: "!", precedence: unaryLevel},
		opParens:         {form: formPrefix, text: "(", precedence: methodLevel},
		opLength:         {form: formMethod, text: "length", precedence: methodLevel},
		opType:           {form: formMethod, text: "type", precedence: methodLevel, version: 6},
		opLess:           {form: formInfix, text: "<", precedence: comparisonLevel},
		opGreater:        {form: formInfix, text: ">", precedence: comparisonLevel},
		opLessOrEqual:    {form: formInfix, text: "<=", precedence: comparisonLevel},
		opGreaterOrEqual: {form: formInfix, text: ">=", precedence: comparisonLevel},
		opStrictEqual:    {form: formInfix, text: "===", precedence: comparisonLevel},
		opContains:       {form: formMethod, text: "contains", precedence: methodLevel},
		opPrefix:         {form: formMethod, text: "starts_with", precedence: methodLevel},
		opSuffix:         {form: formMethod, text: "ends_with", precedence: methodLevel},
		opMatches:        {form: formMethod, text: "matches", precedence: methodLevel},
		opAdd:            {form: formInfix, text: "+", precedence: addLevel},
		opSub:            {form: formInfix, text: "-", precedence: addLevel},
		opMul:            {form: formInfix, text: "*", precedence: mulLevel},
		opDiv:            {form: formInfix, text: "/", precedence: mulLevel},
		opAnd:            {form: formInfix, text: "&&", precedence: lazyAndLevel},
		opOr:             {form: formInfix, text: "||", precedence: lazyOrLevel},
		opIntersection:   {form: formMethod, text: "intersection", precedence: methodLevel},
		opUnion:          {form: formMethod, text: "union", precedence: methodLevel},
		opBitAnd:         {form: formInfix, text: "&", precedence: bitAndLevel, version: 4},
		opBitOr:          {form: formInfix, text: "|", precedence: bitOrLevel, version: 4},
		opBitXor:         {form: formInfix, text: "^", precedence: bitXorLevel, version: 4},
		opStrictNotEqual: {form: formInfix, text: "!==", precedence: comparisonLevel, version: 4},
		opEqual:          {form: formInfix, text: "==", precedence: comparisonLevel, version: 6},
		opNotEqual:       {form: formInfix, text: "!=", precedence: comparisonLevel, version: 6},
		opLazyAnd:        {form: formInfix, text: "&&", precedence: lazyAndLevel, version: 6, closure: rightSide},
		opLazyOr:         {form: formInfix, text: "||", precedence: lazyOrLevel, version: 6, closure: rightSide},
		opAll: {form: formMethod, text: "all", precedence: methodLevel, version: 6, closure: rightSide,
			parameters: 1},
		opAny: {form: formMethod, text: "any", precedence: methodLevel, version: 6, closure: rightSide,
			parameters: 1},
		opGet:   {form: formMethod, text: "get", precedence: methodLevel},
		opTryOr: {form: formMethod, text: "try_or", precedence: methodLevel, version: 6, closure: leftSide},
	}
	for wire, op := range unaryOps {
		table[op].wire = uint64(wire)
	}
	for wire, op := range binaryOps {
		table[op].wire = uint64(wire)
	}
	table[opTryOr].wire = wireTryOr
	return table
}()

func (o op) unary() bool { return o >= opNegate && o <= opType }

// operate makes the node of an operation, and refuses closures where none belongs and other values
// where one does.
func operate(o op, left, right *node) (*node, error) {
	it := &node{op: o, left: left, right: right, depth: 1 + left.depth}
	if right != nil {
		it.depth = max(it.depth, 1+right.depth)
	}
	if it.depth > maxDepth {
		return nil, malformed("an expression is nested more than %d deep", maxDepth)
	}
	if err := fits(o, left, leftSide); err != nil {
		return nil, err
	}
	if err := fits(o, right, rightSide); err != nil {
		return nil, err
	}
	if o == opMatches && right.op == opValue && right.value.kind == kindString {
		it.pattern = &pattern{text: right.value.s}
	}
	return it, nil
}

// fits tells whether an argument is a closure exactly where the operation takes one.
func fits(o op, argument *node, at side) error {
	if argument == nil {
		return nil
	}
	described := &operations[o]
	if (argument.op == opClosure) != (described.closure == at) {
		return malformed("the operation %s has a closure where none belongs, or none where one does", described.text)
	}
	if argument.op == opClosure && len(argument.parameters) != described.parameters {
		return malformed("the closure of the operation %s has %d parameters", described.text, len(argument.parameters))
	}
	return nil
}
