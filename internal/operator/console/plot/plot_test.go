package plot

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/excerpts/grants"
)

// TestBarsAreAsHighAsTheirFigures draws any tallies: parts of a bar lie on each other without a
// gap, from the bottom, none leaves the plot, and the day with the most reaches its top.
func TestBarsAreAsHighAsTheirFigures(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 23, 59, 59, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var tallies []grants.DayCount
		most := map[time.Time]int{}
		for i := range rapid.IntRange(1, 60).Draw(t, "tallies") {
			tally := grants.DayCount{
				Platform: fmt.Sprint("platform-", rapid.IntRange(0, 9).Draw(t, "platform")),
				Day:      FirstDay(now).AddDate(0, 0, rapid.IntRange(0, Days-1).Draw(t, "day")),
				Given:    rapid.IntRange(0, 5000).Draw(t, "given"),
				Refused: map[string]int{"out_of_scope": rapid.IntRange(0, 50).Draw(t, "refused"),
					"rate_limited": i % 3},
			}
			most[tally.Day] += tally.Given + tally.Refused["out_of_scope"] + i%3
			tallies = append(tallies, tally)
		}
		p, top := OfPlatforms(tallies, now), 0
		for _, n := range most {
			top = max(top, n)
		}
		if p.Max != top || len(p.Days) != Days || !p.Days[Days-1].Day.Equal(now.Truncate(24*time.Hour)) {
			t.Fatalf("the most is %d, want %d, of %d days to %v", p.Max, top, len(p.Days), p.Days[Days-1].Day)
		}
		reached := 0
		for _, day := range p.Days {
			bottom := 1000
			for _, part := range day.Parts {
				y, _ := strconv.Atoi(part.Y)
				height, _ := strconv.Atoi(part.Height)
				if y+height != bottom || y < 0 {
					t.Fatalf("%v: a part from %d, %d high, on %d", day.Day, y, height, bottom)
				}
				bottom = y
			}
			if want := 1000 - 1000*most[day.Day]/max(top, 1); bottom != want {
				t.Fatalf("%v: the bar ends at %d, want %d", day.Day, bottom, want)
			}
			reached = max(reached, 1000-bottom)
		}
		if top > 0 && reached != 1000 {
			t.Fatalf("the highest bar has %d thousandths", reached)
		}
	})
	if OfPlatforms(nil, now) != nil {
		t.Error("nothing is drawn")
	}
}
