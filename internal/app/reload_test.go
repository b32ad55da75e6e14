package app

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

const everythingOpen = "terms:\n  - match: {}\n    access: open\n"
const everythingBlocked = "terms:\n  - match: {}\n    access: blocked\n"

// reloading is a reloader over a file of its own, with what it put in force.
type reloading struct {
	*reloader
	file   string
	counts map[string]int
	log    *logbook
}

func newReloading(t *testing.T, text string) *reloading {
	t.Helper()
	r := &reloading{file: write(t, t.TempDir(), "frontdesk.yaml", text), counts: map[string]int{}, log: &logbook{}}
	loaded, err := Load(Layers{File: r.file})
	if err != nil {
		t.Fatal(err)
	}
	b := &base{config: loaded.Config, log: NewLog(Log{Level: "info"}, r.log)}
	r.reloader = &reloader{
		base: b, terms: &terms{base: b}, loaded: loaded, modules: func() modules { return nil },
		count: func(result string) { r.counts[result]++ },
	}
	r.licences.Store(&importedTerms{})
	r.added.Store(&overrides.RuleSet{})
	return r
}

// change writes the file anew; each version has its own time, as on a clock that went on.
func (r *reloading) change(t *testing.T, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(r.file, at, at); err != nil {
		t.Fatal(err)
	}
}

func (r *reloading) access() policy.Access {
	if r.Terms() == nil {
		return "as at the start"
	}
	return r.Terms().Decide(policy.Facts{URL: "https://example.com/a"}).Access
}

func TestChangedTermsAreInForceAfterAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReloading(t, everythingOpen)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go r.watch(ctx)
		time.Sleep(10 * watchEvery)
		synctest.Wait()
		if r.access() != "as at the start" {
			t.Error("an unchanged file was read again")
		}
		r.change(t, everythingBlocked, time.Now())
		time.Sleep(3 * watchEvery)
		synctest.Wait()
		if r.access() != policy.Blocked {
			t.Errorf("after the change: %s\n%s", r.access(), r.log)
		}
	})
}

func TestFileThatIsStillBeingWrittenIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReloading(t, everythingBlocked)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go r.watch(ctx)
		for i := range 5 {
			r.change(t, everythingOpen+strings.Repeat("#\n", i), time.Now())
			time.Sleep(watchEvery)
			synctest.Wait()
			if r.access() != "as at the start" {
				t.Fatal("a file that changed a moment ago was read")
			}
		}
		if err := os.Remove(r.file); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * watchEvery)
		synctest.Wait()
		if r.access() != "as at the start" || strings.Contains(r.log.String(), "level=ERROR") {
			t.Errorf("a file that is gone for a moment: %s\n%s", r.access(), r.log)
		}
	})
}

func TestBadFileLeavesTheOldTermsInForce(t *testing.T) {
	t.Parallel()
	s, log := open(t, everythingOpen)
	file := s.options.Loaded.layers.File
	for text, line := range map[string]string{
		everythingBlocked + "lisen: x\n":                      file + ":4:1: lisen: unknown key",
		"terms:\n  - match: {path: a}\n    access: blocked\n": file + ":2:13: terms[0].match.path[0]:",
		"terms: [\n":                             file + ":1:",
		"terms:\n":                               file + ":1:1: terms: the list is empty",
		everythingBlocked + "ask: {limit: 0}\n":  file + ":4:7: ask.limit: 0 is not between",
		"terms:\n  - match:\n    access: open\n": file + ":2:5: terms[0].match: the key has no value",
		"terms:\n  - match: {}\n    access: open\n    prize: {rate: 1}\n": file + ":4:5: terms[0].prize: unknown key",
	} {
		before := s.Terms()
		write(t, file[:strings.LastIndex(file, "/")], "frontdesk.yaml", text)
		s.Reload()
		if s.Terms() != before {
			t.Errorf("terms were changed by\n%s", text)
		}
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log does not say %q:\n%s", line, log)
		}
	}
	if w := send(s, asking("lentil soup")); !strings.Contains(w.Body.String(), "example.com/soup") {
		t.Errorf("what was open is no longer: %s", w.Body)
	}
	write(t, file[:strings.LastIndex(file, "/")], "frontdesk.yaml", everythingBlocked)
	s.Reload()
	if w := send(s, asking("lentil soup")); strings.Contains(w.Body.String(), "example.com/soup") {
		t.Errorf("what is blocked now is still answered: %s", w.Body)
	}
}

// Without the key terms everything is open, which at the start is a choice. While rules are in
// force, a file that was emptied or cut short must not be taken for one.
func TestFileWithoutTermsDoesNotOpenWhatRulesClosed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "# terms are gone\n", "ask: {limit: 3}\n"} {
		r := newReloading(t, everythingBlocked)
		r.change(t, text, time.Now())
		r.reload()
		if r.Terms() != nil || r.counts["refused"] != 1 || r.counts["loaded"] != 0 {
			t.Errorf("%q was put in force: %s, %v", text, r.access(), r.counts)
		}
		for _, want := range []string{"level=ERROR", "terms: [{match: {}, access: open}]", "restart"} {
			if !strings.Contains(r.log.String(), want) {
				t.Errorf("%q: the log does not say %q:\n%s", text, want, r.log)
			}
		}
		r.change(t, everythingOpen, time.Now())
		r.reload()
		if r.access() != policy.Open {
			t.Errorf("what the log says to write does not open: %s\n%s", r.access(), r.log)
		}
		r.change(t, "", time.Now())
		r.reload()
		if r.counts["refused"] != 2 {
			t.Errorf("rules that came by a reload went away: %v", r.counts)
		}
	}
	licensed := newReloading(t, "rsl: ["+write(t, t.TempDir(), "rsl.xml", `<rsl><content url="/"><license><payment type="purchase"/></license></content></rsl>`)+"]\n")
	licensed.change(t, "", time.Now())
	if licensed.reload(); licensed.counts["refused"] != 1 {
		t.Errorf("a file that lost its RSL documents and has no terms: %v", licensed.counts)
	}
	r := newReloading(t, "ask: {limit: 3}\n")
	r.change(t, "ask: {limit: 4}\n", time.Now())
	r.reload()
	if r.counts["loaded"] != 1 {
		t.Errorf("a file that never had terms is refused: %v\n%s", r.counts, r.log)
	}
}

func TestOtherChangedKeysAreNamed(t *testing.T) {
	t.Parallel()
	r := newReloading(t, everythingOpen)
	r.change(t, everythingBlocked+"listen: :1234\nask: {limit: 3}\nsources: [{path: /}]\n", time.Now())
	r.reload()
	if r.access() != policy.Blocked || r.counts["loaded"] != 1 {
		t.Errorf("%s, %v", r.access(), r.counts)
	}
	if !strings.Contains(r.log.String(), `keys="[ask.limit listen sources]"`) {
		t.Errorf("log:\n%s", r.log)
	}
}
