package feed

import (
	"fmt"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
)

// BenchmarkFeedOfAMillion divides a million items into parts, which happens once after each change
// of content or terms,
// when a feed is next asked for.
func BenchmarkFeedOfAMillion(b *testing.B) {
	items := make([]*index.Doc, 1_000_000)
	for i := range items {
		items[i] = &index.Doc{Ref: content.Ref{Site: "shop", Source: "files"},
			URL: fmt.Sprintf("https://shop.example/things/%07d", i), Dated: int64(i * 7919 % 1_000_003)}
	}
	b.ReportAllocs()
	for b.Loop() {
		if parts := len(newSiteFeed(items).parts); parts != 2048 {
			b.Fatal(parts)
		}
	}
}
