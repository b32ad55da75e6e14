package keytable

import (
	"filippo.io/edwards25519"
	"filippo.io/edwards25519/field"
)

// A table has, for each byte of a scalar, the point times 1 to 128 times the byte's worth.
type table [scalarBytes][half]multiple

const (
	scalarBytes = 32
	half        = 128
)

// newTable makes the table of a point.
func newTable(p *edwards25519.Point) *table {
	t := new(table)
	x, y, z, _ := p.ExtendedCoordinates()
	worth := affine(x, y, new(field.Element).Invert(z))
	var row [half]sum
	for i := range t {
		r := identity()
		for j := range row {
			r.add(&worth, false)
			row[j] = r
		}
		settle(&row, &t[i])
		r.add(&t[i][half-1], false) // twice 128 times
		worth = affine(&r.x, &r.y, new(field.Element).Invert(&r.z))
	}
	return t
}

// add adds the table's point times a scalar to a sum. A byte above 128 counts as what is missing to 256, which is carried.
func (t *table) add(to *sum, by *edwards25519.Scalar) {
	carried := 0
	for i, digit := range by.Bytes() { // less than 2^253, the lowest first: nothing is carried in the end
		n := int(digit) + carried
		carried = 0
		if n > half {
			n, carried = n-2*half, 1
		}
		switch {
		case n > 0:
			to.add(&t[i][n-1], false)
		case n < 0:
			to.add(&t[i][-n-1], true)
		}
	}
}

// A sum is a point in extended coordinates (RFC 8032 §5.1.4).
type sum struct{ x, y, z, t field.Element }

func identity() (s sum) {
	s.y.One()
	s.z.One()
	return s
}

// A multiple is a point in the form in which it is added with the fewest multiplications: y+x, y-x and 2dxy.
type multiple struct{ plus, minus, product field.Element }

// affine is the point x/z, y/z.
func affine(x, y, oneByZ *field.Element) (m multiple) {
	var ax, ay field.Element
	ax.Multiply(x, oneByZ)
	ay.Multiply(y, oneByZ)
	m.plus.Add(&ay, &ax)
	m.minus.Subtract(&ay, &ax)
	m.product.Multiply(&ax, &ay)
	m.product.Multiply(&m.product, twoD)
	return m
}

// twoD is twice the d of the curve: -121665/121666 (RFC 8032 §5.1).
var twoD = func() *field.Element {
	d := new(field.Element).Mult32(new(field.Element).One(), 121666)
	d.Multiply(d.Invert(d), new(field.Element).Mult32(new(field.Element).One(), 121665))
	d.Negate(d)
	return d.Add(d, d)
}()

// add adds a multiple, or takes it away. The law of RFC 8032 §5.1.4 holds for all points, those that are the same or of a small order among them.
func (s *sum) add(m *multiple, away bool) {
	var a, b, c, d, e, f, g, h field.Element
	plus, minus := &m.plus, &m.minus
	if away { // -x in the place of x
		plus, minus = minus, plus
	}
	a.Multiply(a.Subtract(&s.y, &s.x), minus)
	b.Multiply(b.Add(&s.y, &s.x), plus)
	c.Multiply(&s.t, &m.product)
	d.Add(&s.z, &s.z)
	if away {
		f.Add(&d, &c)
		g.Subtract(&d, &c)
	} else {
		f.Subtract(&d, &c)
		g.Add(&d, &c)
	}
	e.Subtract(&b, &a)
	h.Add(&b, &a)
	s.x.Multiply(&e, &f)
	s.y.Multiply(&g, &h)
	s.z.Multiply(&f, &g)
	s.t.Multiply(&e, &h)
}

// bytes are the point as a signature has it (RFC 8032 §5.1.2).
func (s *sum) bytes() [32]byte {
	var oneByZ, x, y field.Element
	oneByZ.Invert(&s.z)
	x.Multiply(&s.x, &oneByZ)
	y.Multiply(&s.y, &oneByZ)
	out := [32]byte(y.Bytes())
	out[31] |= byte(x.IsNegative() << 7)
	return out
}

// settle brings sums into the form in which they are added, with one division for all: it takes those up to each, and goes back.
func settle(row *[half]sum, into *[half]multiple) {
	var upTo [half]field.Element // the product of the z before each
	all := new(field.Element).One()
	for i := range row {
		upTo[i] = *all
		all.Multiply(all, &row[i].z)
	}
	rest := new(field.Element).Invert(all)
	for i := half - 1; i >= 0; i-- {
		var oneByZ field.Element
		oneByZ.Multiply(rest, &upTo[i])
		into[i] = affine(&row[i].x, &row[i].y, &oneByZ)
		rest.Multiply(rest, &row[i].z)
	}
}
