package console

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/wire/receipt"
)

// TestBarsAreAsHighAsTheirFigures draws any tallies: parts of a bar lie on each other without a gap, from the bottom, none
// leaves the plot, and the day with the most reaches its top.
func TestBarsAreAsHighAsTheirFigures(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 23, 59, 59, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var tallies []grants.DayCount
		most := map[time.Time]int{}
		for i := range rapid.IntRange(1, 60).Draw(t, "tallies") {
			tally := grants.DayCount{
				Platform: fmt.Sprint("platform-", rapid.IntRange(0, 9).Draw(t, "platform")), Day: firstDay(now).AddDate(0, 0, rapid.IntRange(0, plotDays-1).Draw(t, "day")),
				Given: rapid.IntRange(0, 5000).Draw(t, "given"), Refused: map[string]int{"out_of_scope": rapid.IntRange(0, 50).Draw(t, "refused"), "rate_limited": i % 3},
			}
			most[tally.Day] += tally.Given + tally.Refused["out_of_scope"] + i%3
			tallies = append(tallies, tally)
		}
		p, top := newPlot(tallies, now), 0
		for _, n := range most {
			top = max(top, n)
		}
		if p.Max != top || len(p.Days) != plotDays || !p.Days[plotDays-1].Day.Equal(now.Truncate(24*time.Hour)) {
			t.Fatalf("the most is %d, want %d, of %d days to %v", p.Max, top, len(p.Days), p.Days[plotDays-1].Day)
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
	if newPlot(nil, now) != nil {
		t.Error("nothing is drawn")
	}
}

func TestWhatDiffersIsNamed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ours := receipt.Entry{Time: at, Kind: "access", Party: "platform:a", Body: []byte(`{"a":1,"b":[2]}`)}
	text := receipt.Entry{Time: at.Add(time.Second), Kind: "access", Party: "platform:b", Body: []byte(`{"b":[2],"c":3}`)}
	got := fmt.Sprint(differences(text, ours))
	if want := "[{body.a  1} {body.c 3 } {party platform:b platform:a} {time 2026-11-22T12:00:01Z 2026-11-22T12:00:00Z}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if same := differences(ours, ours); same != nil {
		t.Errorf("an entry differs from itself: %v", same)
	}
}

func TestErrorsAreSaidAsSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"the entry was changed": "The entry was changed.", "ärger": "Ärger.", "Done.": "Done.", "": "."} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
