package policy

import (
	"slices"
	"strings"
)

// rslIndex finds the patterns that may fit an address without a look at the others: by what they
// begin with up to their first star, and, where many begin alike, by three letters that they ask
// for behind it.
type rslIndex map[string]*rslHeads // by host

// rslHeads are the patterns of a host by their beginnings.
type rslHeads struct {
	lengths []int // of the beginnings, the shortest first
	heads   map[string]*rslBucket
}

// rslBucket is the patterns of one beginning, by their places, the most telling first.
type rslBucket struct {
	all   []int32
	grams map[string][]int32 // where there are many
	plain []int32            // those that ask for no three letters in a row
}

// fewParts is up to how many patterns of one beginning are looked at one by one.
const fewParts = 12

// gram is how many letters patterns are found by.
const gram = 3

func newRSLIndex(parts []rslPart) rslIndex {
	index := rslIndex{}
	for i := range parts {
		p := &parts[i]
		of := index[p.host]
		if of == nil {
			of = &rslHeads{heads: map[string]*rslBucket{}}
			index[p.host] = of
		}
		head, _, _ := strings.Cut(p.glob, "*")
		bucket := of.heads[head]
		if bucket == nil {
			bucket = &rslBucket{}
			of.heads[head] = bucket
			if at, known := slices.BinarySearch(of.lengths, len(head)); !known {
				of.lengths = slices.Insert(of.lengths, at, len(head))
			}
		}
		bucket.all = append(bucket.all, int32(i))
	}
	for _, of := range index {
		for head, bucket := range of.heads {
			if len(bucket.all) > fewParts {
				bucket.spread(parts, len(head))
			}
		}
	}
	return index
}

// spread finds each pattern by the rarest of the letters that it asks for.
func (b *rslBucket) spread(parts []rslPart, head int) {
	count := map[string]int{}
	for _, i := range b.all {
		for g := range gramsOf(parts[i].glob[head:]) {
			count[g]++
		}
	}
	b.grams = map[string][]int32{}
	for _, i := range b.all {
		rarest := ""
		for g := range gramsOf(parts[i].glob[head:]) {
			if rarest == "" || count[g] < count[rarest] || count[g] == count[rarest] && g < rarest {
				rarest = g
			}
		}
		if rarest == "" {
			b.plain = append(b.plain, i)
		} else {
			b.grams[rarest] = append(b.grams[rarest], i)
		}
	}
}

// gramsOf are the letters in a row of a text between its stars.
func gramsOf(text string) map[string]bool {
	all := map[string]bool{}
	for part := range strings.SplitSeq(text, "*") {
		for i := 0; i+gram <= len(part); i++ {
			all[part[i:i+gram]] = true
		}
	}
	return all
}

// find gives the place of the first pattern that a path of a host fits, in either of two forms, of
// which the second is a beginning of the first or empty; best where none before that does.
func (x rslIndex) find(parts []rslPart, host, path, other string, best int) int {
	for _, name := range [...]string{host, ""} {
		of := x[name]
		if of == nil {
			continue
		}
		for _, length := range of.lengths {
			if length > len(path) {
				break
			}
			bucket := of.heads[path[:length]]
			if bucket == nil {
				continue
			}
			if bucket.grams == nil {
				best = first(parts, bucket.all, path, other, best)
				continue
			}
			best = first(parts, bucket.plain, path, other, best)
			for i := length; i+gram <= len(path); i++ {
				best = first(parts, bucket.grams[path[i:i+gram]], path, other, best)
			}
		}
		if host == "" {
			break
		}
	}
	return best
}

// first gives the first of some patterns that fits, if it is before best.
func first(parts []rslPart, places []int32, path, other string, best int) int {
	for _, i := range places {
		if int(i) >= best {
			break
		}
		if p := &parts[i]; MatchStars(p.glob, path, p.end) || other != "" && MatchStars(p.glob, other, p.end) {
			return int(i)
		}
	}
	return best
}
