package words

import (
	"iter"
	"math"
	"math/bits"
)

// Signs are which values of many directions are above zero, a bit each. Directions that are alike
// differ in few of them, which is found out much faster than the cosine.
type Signs struct {
	bits []uint64
	per  int // words of bits a direction
}

// SignsOf gives the signs of directions, which all have as many values; nil ones among them are
// near to nothing in particular.
func SignsOf(directions []Vector) Signs {
	var s Signs
	for i, d := range directions {
		if s.per == 0 && d != nil {
			s.per = (len(d) + 63) / 64
			s.bits = make([]uint64, len(directions)*s.per)
		}
		if d != nil {
			d.signs(s.bits[i*s.per : (i+1)*s.per])
		}
	}
	return s
}

// Bits gives the signs as SignsIn takes them: some words for each direction, none where no
// direction was there.
func (s Signs) Bits() []uint64 { return s.bits }

// SignsIn gives the signs of so many directions of so many dimensions each, which Bits gave; false
// where it was not these.
func SignsIn(bits []uint64, directions, dimensions int) (s Signs, ok bool) {
	if len(bits) == 0 {
		return s, true
	}
	s = Signs{bits, (dimensions + 63) / 64}
	return s, len(bits) == directions*s.per
}

func (v Vector) signs(at []uint64) {
	for i, x := range v {
		if x > 0 {
			at[i/64] |= 1 << (i % 64)
		}
	}
}

// slack is how many standard deviations more of the signs may differ than do so on average at a
// cosine.
const slack = 1.5

// Near yields the numbers of the directions, of this table, that may be so much alike another: most
// of those that are, the more the more alike they are, and few others.
func (t *Table) Near(s Signs, v Vector, likeness float64) iter.Seq[int] {
	cosine := t.cosine(likeness)
	return func(yield func(int) bool) {
		per := (len(v) + 63) / 64
		if s.per != per {
			return
		}
		mine := make([]uint64, per)
		v.signs(mine)
		share := math.Acos(cosine) / math.Pi
		most := int(float64(len(v))*share + slack*math.Sqrt(float64(len(v))*share*(1-share)))
		for i := range len(s.bits) / per {
			n := 0
			for j, b := range s.bits[i*per : (i+1)*per] {
				n += bits.OnesCount64(b ^ mine[j])
			}
			if n <= most && !yield(i) {
				return
			}
		}
	}
}
