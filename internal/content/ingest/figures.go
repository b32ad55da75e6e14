package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// bytesText writes a number of bytes for people.
func bytesText(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size {
			if n%unit.size == 0 {
				return fmt.Sprintf("%d %s", n/unit.size, unit.name)
			}
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// countText writes a number with a comma at each thousand.
func countText(n int) string {
	if n < 0 {
		return "-" + countText(-n)
	}
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return countText(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// sortFiles orders files by the parts of their paths.
func sortFiles(all []file) {
	slices.SortFunc(all, func(a, b file) int { return cmp.Compare(a.name, b.name) })
}
