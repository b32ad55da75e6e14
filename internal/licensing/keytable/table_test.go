package keytable

import (
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"
)

// TestATableMultipliesItsPoint holds sums against filippo.io/edwards25519, at the edges of digits and of scalars and between them, of points of
// every order, added to nothing, to others, and to what they cancel.
func TestATableMultipliesItsPoint(t *testing.T) {
	t.Parallel()
	var scalars []*edwards25519.Scalar
	for _, number := range [][]byte{{}, {1}, {2}, {127}, {128}, {129}, {255}, {0, 1}, {128, 127}, {129, 128}, {255, 255, 255, 255, 255, 255, 255, 255}} {
		s, err := edwards25519.NewScalar().SetCanonicalBytes(append(number, make([]byte, 32-len(number))...))
		if err != nil {
			t.Fatal(err)
		}
		scalars = append(scalars, s, edwards25519.NewScalar().Negate(s)) // the largest is L-1
	}
	var seed [64]byte
	random := rand.NewChaCha8([32]byte{1})
	for range 50 {
		random.Read(seed[:])
		s, err := edwards25519.NewScalar().SetUniformBytes(seed[:])
		if err != nil {
			t.Fatal(err)
		}
		scalars = append(scalars, s)
	}
	points := []*edwards25519.Point{edwards25519.NewIdentityPoint(), edwards25519.NewGeneratorPoint()}
	for n := range uint64(3) {
		points = append(points, new(edwards25519.Point).ScalarBaseMult(scalar(n, "p")))
	}
	for _, text := range small[:8] {
		p, err := new(edwards25519.Point).SetBytes(point(t, text))
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, p, new(edwards25519.Point).Add(p, points[2]))
	}
	for n, p := range points {
		table := newTable(p)
		for m, s := range scalars {
			want := new(edwards25519.Point).ScalarMult(s, p)
			got := identity()
			table.add(&got, s)
			hold := func() {
				t.Helper()
				if got.bytes() != [32]byte(want.Bytes()) {
					t.Fatalf("point %d times scalar %d is wrong", n, m)
				}
			}
			hold()
			for _, more := range []*edwards25519.Scalar{edwards25519.NewScalar().Negate(s), scalars[(m+7)%len(scalars)]} { // the first leaves nothing of a point without a part of small order
				table.add(&got, more)
				want.Add(want, new(edwards25519.Point).ScalarMult(more, p))
				hold()
				base().add(&got, more)
				want.Add(want, new(edwards25519.Point).ScalarBaseMult(more))
				hold()
			}
		}
	}
}

// BenchmarkTable makes the table of a key.
func BenchmarkTable(b *testing.B) {
	p := new(edwards25519.Point).ScalarBaseMult(scalar(1, "p"))
	for b.Loop() {
		newTable(p)
	}
}
