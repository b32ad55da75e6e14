package ingest

import (
	"fmt"
	"strconv"
)

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
