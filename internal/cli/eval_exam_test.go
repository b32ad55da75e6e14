package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"frontdesk/internal/cli/eval"
)

// TestEverydayQuestionsAreAnsweredAsBefore asks invented sites, in seven languages, what their visitors ask. The
// floors are what is answered right today: who answers better raises them.
func TestEverydayQuestionsAreAnsweredAsBefore(t *testing.T) {
	t.Parallel()
	floors := map[string]int{
		"harbour": 31, "fournil": 28, "lomo": 27, "ribeira": 23, "biblioteca": 29, "clinique": 30, "hanaya": 33, "gasthof": 37,
		"quayline": 39,
		// For measuring: asked before anybody looked at them.
		"werkbank": 36, "vigneto": 32, "pawprint": 29, "cimes": 38, "kornblume": 30, "patchbay": 25, "escuela": 29,
	}
	const shows = 14 // answers that show what they must not
	command := evalCommand{JSON: true, Resamples: 1}
	for site := range floors {
		command.Exam = append(command.Exam, "eval/testdata/exam/"+site)
	}
	var out bytes.Buffer
	if err := command.Run(&environment{ctx: t.Context(), stdout: &out, stderr: os.Stderr}); err != nil {
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
