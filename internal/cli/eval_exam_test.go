package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/eval"
)

// TestEverydayQuestionsAreAnsweredAsBefore asks invented sites, in seven languages, what their
// visitors ask. The floors are what is answered right today: who answers better raises them.
func TestEverydayQuestionsAreAnsweredAsBefore(t *testing.T) {
	t.Parallel()
	floors := map[string]int{
		"harbour": 31, "fournil": 29, "lomo": 29, "ribeira": 26, "biblioteca": 33, "clinique": 35, "hanaya": 31,
		"gasthof": 43, "quayline": 42, "vigneto": 36, "pawprint": 38, "cimes": 42, "kornblume": 37, "patchbay": 34,
		"escuela": 33, "larkspur": 33, "heronford": 28, "meeple": 37, "helados": 25, "verleih": 25,
		"zahnrad": 29, "kelpline": 30, "azulejaria": 37, "marelle": 32,
		"tidewell": 36, "atelierlin": 40, "nordlicht": 37,
		"brackenrigg": 40, "algodonera": 42, "holunderhof": 37,
		"hollerbeck": 32, "kettlecoil": 35, "pilothouse": 37, "remise": 38,
		"thornbeck": 32, "muddypaws": 27,
		// For measuring: nobody has looked at them, but for two questions of bordon.
		"werkbank": 40, "nettlerye": 37, "kelder": 23, "bordon": 29, "lindenbad": 27, "tourvielle": 33,
	}
	const shows = 49 // answers that show what they must not
	exam := evalCommand{JSON: true, Resamples: 1}
	for site := range floors {
		exam.Exam = append(exam.Exam, "eval/testdata/exam/"+site)
	}
	var out bytes.Buffer
	if err := exam.Run(&command.Environment{Ctx: t.Context(), Stdout: &out, Stderr: os.Stderr}); err != nil {
		t.Fatal(err)
	}
	var report eval.ExamReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	for site, least := range floors {
		if got := report.Sites[site]; got == nil || got.Right < least {
			t.Errorf("%s: %+v is answered right, and %d were", site, got, least)
		}
	}
	if report.All.Shows > shows {
		t.Errorf("%d answers show what they must not, and %d did", report.All.Shows, shows)
	}
}
