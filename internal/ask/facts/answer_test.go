package facts_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"frontdesk/internal/ask/facts"
)

// load gives the questions and the objects of testdata/answers.txtar.
func load(t *testing.T) (questions string, objects map[string]facts.Object) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "answers.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	objects = map[string]facts.Object{}
	for _, file := range archive.Files {
		if name, ok := strings.CutSuffix(file.Name, ".json"); ok {
			objects[name] = facts.Read(file.Data)
		} else {
			questions = string(file.Data)
		}
	}
	return questions, objects
}

func TestAnswersAsAPersonWould(t *testing.T) {
	t.Parallel()
	questions, objects := load(t)
	asked, line := 0, ""
	for next := range strings.Lines(questions) {
		if next = strings.TrimRight(next, "\n"); !strings.HasPrefix(next, "\t") {
			line = next
			continue
		}
		asked++
		want := strings.TrimPrefix(next, "\t")
		name, q := question(t, line)
		object, known := objects[name]
		if !known {
			t.Fatalf("%s: no such object", line)
		}
		answer, ok := q.Answer(object)
		if !ok {
			answer.Text = "-"
		}
		if answer.Text != want {
			t.Errorf("%s\n got %s\nwant %s", line, answer.Text, want)
		}
		if ok && len(answer.Properties) == 0 {
			t.Errorf("%s: %q has no evidence", line, answer.Text)
		}
	}
	if asked < 100 {
		t.Errorf("only %d questions were asked", asked)
	}
}

// question reads a line of questions.
func question(t *testing.T, line string) (object string, q facts.Question) {
	t.Helper()
	fields := strings.Fields(line)
	q = facts.Question{Language: fields[1], Intent: fields[2]}
	for _, field := range fields[3:] {
		name, value, _ := strings.Cut(field, "=")
		value = strings.ReplaceAll(value, "_", " ")
		switch name {
		case "every":
			q.When = facts.Every(weekday(value))
		case "on":
			q.When = facts.On(moment(t, time.DateOnly, value))
		case "holiday":
			q.When = facts.OnHoliday(moment(t, time.DateOnly, value))
		case "at":
			q.When = facts.At(moment(t, "2006-01-02T15:04", value))
		case "now":
			q.Now = moment(t, "2006-01-02T15:04", value)
		case "country":
			q.Country = value
		case "variant":
			q.Variant = value
		case "property":
			q.Property = value
		case "supposed":
			q.Supposed = value
		default:
			t.Fatalf("%s: what is %s?", line, name)
		}
	}
	return fields[0], q
}

func moment(t *testing.T, layout, value string) time.Time {
	t.Helper()
	at, err := time.Parse(layout, value)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func weekday(name string) time.Weekday {
	day := time.Sunday
	for day < time.Saturday && day.String() != name {
		day++
	}
	return day
}

func TestSaysWhereAnAnswerIsFrom(t *testing.T) {
	t.Parallel()
	_, objects := load(t)
	q := facts.Question{Intent: "closes", When: facts.On(time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC))}
	got, ok := q.Answer(objects["mug"], objects["shop"])
	want := facts.Answer{
		Text: "Fern & Finch closes on Thursday, 24 December 2026 at 3 pm.", Values: []string{"3 pm"},
		Properties: []string{"openingHoursSpecification", "specialOpeningHoursSpecification"}, Object: 1,
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(diff)
	}
	got, ok = facts.Question{Intent: "dishwasher"}.Answer(objects["mug"])
	want = facts.Answer{
		Text: "No, Moss Mug is not dishwasher safe.", Values: []string{"no"},
		Properties: []string{"additionalProperty"}, Verdict: facts.No,
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(diff)
	}
	if answer, ok := (facts.Question{Intent: "price"}).Answer(facts.Object{}); ok {
		t.Errorf("the zero Object says %q", answer.Text)
	}
}

func TestStatesWhateverPropertiesAreCalled(t *testing.T) {
	t.Parallel()
	object := facts.Read([]byte(`{"name":"Node SDK","url":"https://x.example","runtimePlatform":"Node 20 or newer",
		"medicalSpecialty":"https://schema.org/Dermatology","isAcceptingNewPatients":true,
		"hasCourseInstance":{"startDate":"2027-05-08","courseMode":"onsite"},
		"additionalProperty":[{"name":"Wheels","value":4},{"name":"Climatisation","value":false}]}`))
	for language, want := range map[string]string{
		"en": "Node SDK: Wheels – 4. | No, Node SDK: Climatisation – no. | Node SDK: course mode – onsite. | " +
			"Node SDK: date – 8 May 2027. | Node SDK: accepts new patients – yes. | Node SDK: " +
			"specialty – dermatology (skin). | " +
			"Node SDK: runtime platform – Node 20 or newer.",
		"fr": "Node SDK : Wheels – 4. | Non, Node SDK : Climatisation – non. | Node SDK : course mode – onsite. | " +
			"Node SDK : date – 8 mai 2027. | Node SDK : accepte de nouveaux patients – oui. | " +
			"Node SDK : spécialité – dermatologie (peau). | Node SDK : runtime platform – Node 20 or newer.",
	} {
		var said []string
		for _, s := range object.Statements(language) {
			said = append(said, s.Text)
		}
		if got := strings.Join(said, " | "); got != want {
			t.Errorf("%s\n got %s\nwant %s", language, got, want)
		}
	}
}
