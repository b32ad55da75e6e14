package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/tryout"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
)

// Tuning is what an owner says to mend answers: words that mean others, items that come first for a
// question, answers in the owner's words, and questions that are no problem.
const (
	tuningPath      = "/admin/tuning"
	tuningEntryPath = tuningPath + "/{id}"
)

var tuningOperations = []Operation{
	Define[ListTuning]("tuning", "GET", tuningPath, "List what mends answers"),
	Define[AddTuning]("addTuning", "POST", tuningPath,
		"Add what mends answers, or put it in the place of that with its id"),
	Define[PreviewTuning]("previewTuning", "POST", tuningPath+"/preview",
		"Say what an entry would do: to its question, and to those that were asked last"),
	Define[ExportTuning]("exportTuning", "GET", tuningPath+"/export", "Give all entries as a tuning.yaml"),
	Define[ImportTuning]("importTuning", "POST", tuningPath+"/import", "Take in the entries of a tuning.yaml"),
	Define[ShowTuning]("tuningEntry", "GET", tuningEntryPath, "Read an entry"),
	Define[RemoveTuning]("removeTuning", "DELETE", tuningEntryPath, "Remove an entry"),
	Define[TurnOffTuning]("turnOffTuning", "POST", tuningEntryPath+"/off",
		"Have an entry do nothing, until it is turned on"),
	Define[TurnOnTuning]("turnOnTuning", "POST", tuningEntryPath+"/on", "Have an entry do again what it says"),
}

// Tuning is the entries, and what they are tried on.
type Tuning struct {
	*tuning.Store
	Ask    *ask.Service
	Corpus *released.Corpus
	// Kept gives the questions that were asked last, the last first; nil where none are kept.
	Kept func(ctx context.Context, most int) ([]tryout.Kept, error)
	// Ignore takes a question out of the lists of problems, or back into them; nil where none are
	// kept.
	Ignore func(ctx context.Context, question string, ignored bool) error
	// Load has the content be there, in a process that answers nobody; nil where it is.
	Load func(context.Context) error
}

func (t *Tuning) load(ctx context.Context) error {
	if t.Load == nil {
		return nil
	}
	return t.Load(ctx)
}

// TuningEntry is one thing that an owner says. Which members it has follows from its kind.
type TuningEntry struct {
	ID       string   `json:"id" name:"id" placeholder:"ID" help:"Change the entry with this id, instead of adding one." column:"1:ID" form:"id" input:"hidden"`
	Kind     string   `json:"kind" arg:"" enum:"synonym,pin,answer,ignore" help:"synonym, pin, answer or ignore." column:"2:KIND" form:"kind" input:"hidden"`
	Words    []string `json:"words,omitempty" name:"word" sep:"none" placeholder:"WORDS" help:"Of a synonym: words that visitors say; may be repeated."`
	Means    string   `json:"means,omitempty" placeholder:"WORDS" help:"Of a synonym: the words that they mean." form:"means"`
	Both     bool     `json:"both,omitempty" help:"Of a synonym: each stands for every other." form:"both"`
	Language string   `json:"language,omitempty" placeholder:"TAG" help:"Of a synonym: the language whose questions alone it is for, such as de." form:"language"`
	Question string   `json:"question,omitempty" placeholder:"TEXT" help:"The question that a pin, an answer or an ignored question is about." form:"question"`
	Items    []string `json:"items,omitempty" name:"item" sep:"none" placeholder:"URL" help:"Of a pin: the address of an item; up to three."`
	Text     string   `json:"text,omitempty" placeholder:"TEXT" help:"Of an answer: its text." form:"text"`
	Link     string   `json:"link,omitempty" placeholder:"URL" help:"Of an answer: the page that it comes from." form:"link"`
	Until    string   `json:"until,omitempty" placeholder:"DAY" help:"The last day on which it holds, such as 2027-01-31." column:"5:UNTIL" form:"until"`
	Off      bool     `json:"off,omitempty" help:"It does nothing yet."`
}

// entry reads what is said.
func (t TuningEntry) entry() (e tuning.Entry, err error) {
	until, err := tuning.ReadUntil(t.Until)
	if err != nil {
		return e, wrong("until", err)
	}
	e = tuning.Entry{
		ID: t.ID, Kind: t.Kind, Words: t.Words, Means: t.Means, Both: t.Both, Language: t.Language,
		Question: t.Question,
		Items:    t.Items, Text: t.Text, Link: t.Link, Until: until, Off: t.Off,
	}
	return e, e.Check()
}

// Tuned is an entry as it is told.
type Tuned struct {
	TuningEntry
	About   string   `json:"about" column:"3:ABOUT"` // in a few words
	On      bool     `json:"on" column:"4:ON"`       // it is in force now
	Uses    int64    `json:"uses" column:"6:USES"`   // in the last 30 days
	By      string   `json:"by" column:"8:BY"`       // who changed it last; empty for the command line
	Created Instant  `json:"created"`
	Changed Instant  `json:"changed" column:"7:CHANGED"`
	Waiting []string `json:"waiting,omitempty"` // addresses of items that are not here now, so that they are not shown
}

func (o *Operator) showTuning(e tuning.Entry) Tuned {
	t := Tuned{
		TuningEntry: TuningEntry{
			ID: e.ID, Kind: e.Kind, Words: e.Words, Means: e.Means, Both: e.Both, Language: e.Language,
			Question: e.Question,
			Items:    e.Items, Text: e.Text, Link: e.Link, Until: tuning.WriteUntil(e.Until), Off: e.Off,
		},
		About: e.About(), On: e.On(o.Now()), Uses: e.Uses, By: e.By, Created: Instant{e.Created},
		Changed: Instant{e.Changed},
	}
	if e.Kind == tuning.Pin && o.Tuning.Corpus.Ready() == nil {
		view := o.Tuning.Corpus.Current()
		for _, address := range e.Items {
			if len(view.At(address)) == 0 {
				t.Waiting = append(t.Waiting, address)
			}
		}
	}
	return t
}

// ListTuning lists the entries, by kind.
type ListTuning struct {
	Kind string `query:"kind" placeholder:"KIND" help:"Those of one kind alone."`
	Printed
}

// TuningList is entries by kind, the one changed last first.
type TuningList struct {
	Entries []Tuned `json:"entries"`
}

// Empty is what the command says where there are none.
func (ListTuning) Empty() string {
	return "Nothing mends answers yet. Say what words mean with `frontdesk tuning add synonym --word WORDS " +
		"--means WORDS`."
}

func (in ListTuning) Do(ctx context.Context, o *Operator) (TuningList, error) {
	if in.Kind != "" && !slices.Contains(tuning.Kinds, in.Kind) {
		return TuningList{}, invalid("kind: %.40q is none; it is one of %s", in.Kind, strings.Join(tuning.Kinds, ", "))
	}
	all, err := o.Tuning.List(ctx)
	all = slices.DeleteFunc(all, func(e tuning.Entry) bool { return in.Kind != "" && e.Kind != in.Kind })
	return TuningList{each(all, o.showTuning)}, err
}

// TuningID names an entry.
type TuningID struct {
	ID string `json:"-" path:"id" arg:"" help:"The entry's id." form:"id" input:"hidden"`
}

// ShowTuning tells of an entry.
type ShowTuning struct{ TuningID }

func (in ShowTuning) Do(ctx context.Context, o *Operator) (Tuned, error) {
	e, err := o.Tuning.Get(ctx, in.ID)
	if err != nil {
		return Tuned{}, err
	}
	return o.showTuning(e), nil
}

// AddTuning adds an entry, or puts it in the place of that with its id.
type AddTuning struct{ TuningEntry }

// AddedTuning is an entry that was added or changed.
type AddedTuning struct {
	Tuned
	fresh bool
}

// Fresh says whether there was none of its id.
func (t AddedTuning) Fresh() bool { return t.fresh }

// Note tells what is kept and does nothing yet.
func (t AddedTuning) Note() (notes []string) {
	for _, address := range t.Waiting {
		notes = append(notes, "no item is at "+address+" now; the pin waits for it")
	}
	return notes
}

// Example is one of the command.
func (AddTuning) Example() string {
	return "A synonym is read before anything else: it holds for every question with its words. The others hold for " +
		"one question, however its words are written.\n\nExamples:\n\n" +
		"\tfrontdesk tuning add synonym --word 'money back' --word refund --means return\n" +
		"\tfrontdesk tuning add pin --question 'gift for dad' --item https://www.example.com/grinder\n" +
		"\tfrontdesk tuning add answer --question 'do you ship to norway' --text 'Yes, for 12 euros.' " +
		"--link https://www.example.com/shipping\n" +
		"\tfrontdesk tuning add ignore --question 'bicycle tyres'"
}

// Say tells what was kept.
func (AddTuning) Say(out AddedTuning) string {
	return fmt.Sprintf("%s is kept, and holds within seconds on every node.", out.ID)
}

func (in AddTuning) Do(ctx context.Context, o *Operator) (out AddedTuning, err error) {
	e, err := in.entry()
	if err != nil {
		return out, err
	}
	if e.Kind == tuning.Pin {
		if err := o.Tuning.load(ctx); err != nil { // to say which items are not here
			return out, err
		}
	}
	e.By = Actor(ctx)
	put, fresh, _, err := o.Tuning.Put(ctx, e)
	if err != nil {
		return out, err
	}
	return AddedTuning{o.showTuning(put[0]), fresh > 0}, o.ignoreAgain(ctx, put...)
}

// ignoreAgain has what is kept of questions follow entries that were changed.
func (o *Operator) ignoreAgain(ctx context.Context, changed ...tuning.Entry) error {
	for _, e := range changed {
		if e.Kind != tuning.Ignore || o.Tuning.Ignore == nil {
			continue
		}
		err := o.Tuning.Ignore(ctx, e.Question, e.On(o.Now()))
		if err != nil && fail.From(err).Code != fail.NotFound { // which nobody has asked yet
			return err
		}
	}
	return nil
}

// RemoveTuning removes an entry.
type RemoveTuning struct{ TuningID }

// Say tells what was removed.
func (in RemoveTuning) Say(Removed) string { return in.ID + " is removed." }

func (in RemoveTuning) Do(ctx context.Context, o *Operator) (Removed, error) {
	e, err := o.Tuning.Get(ctx, in.ID)
	if err == nil {
		err = o.Tuning.Remove(ctx, in.ID)
	}
	if err != nil {
		return Removed{}, err
	}
	e.Off = true
	return Removed{in.ID}, o.ignoreAgain(ctx, e)
}

// TurnOffTuning has an entry do nothing.
type TurnOffTuning struct{ TuningID }

// Bodiless says that a request says nothing.
func (*TurnOffTuning) Bodiless() {}

// Say tells what holds now.
func (TurnOffTuning) Say(out Tuned) string { return out.ID + " is off." }

func (in TurnOffTuning) Do(ctx context.Context, o *Operator) (Tuned, error) {
	return o.turnTuning(ctx, in.ID, true)
}

// TurnOnTuning has an entry do again what it says.
type TurnOnTuning struct{ TuningID }

// Bodiless says that a request says nothing.
func (*TurnOnTuning) Bodiless() {}

// Say tells what holds now.
func (TurnOnTuning) Say(out Tuned) string { return out.ID + " is on." }

func (in TurnOnTuning) Do(ctx context.Context, o *Operator) (Tuned, error) {
	return o.turnTuning(ctx, in.ID, false)
}

func (o *Operator) turnTuning(ctx context.Context, id string, off bool) (Tuned, error) {
	e, err := o.Tuning.Get(ctx, id)
	if err != nil {
		return Tuned{}, err
	}
	if !off && !e.Until.IsZero() && !o.Now().Before(e.Until) {
		return Tuned{}, invalid("until: it ended on %s; change that first", tuning.WriteUntil(e.Until))
	}
	e.Off, e.By = off, Actor(ctx)
	if _, _, _, err := o.Tuning.Put(ctx, e); err != nil {
		return Tuned{}, err
	}
	return o.showTuning(e), o.ignoreAgain(ctx, e)
}

// PreviewTuning tries an entry before it is kept.
type PreviewTuning struct {
	TuningEntry
	Try string `json:"try,omitempty" placeholder:"TEXT" help:"The question that a synonym is tried on; without it, its first words." form:"try"`
}

func (in PreviewTuning) Do(ctx context.Context, o *Operator) (out tryout.Effect, err error) {
	e, err := in.entry()
	if err != nil {
		return out, err
	}
	if err := o.Tuning.load(ctx); err != nil {
		return out, err
	}
	trial := tryout.Trial{Service: o.Tuning.Ask, Rules: o.Tuning.Rules(), Entry: e, Question: in.Try, Now: o.Now}
	if o.Tuning.Kept != nil {
		if trial.Kept, err = o.Tuning.Kept(ctx, tryout.MaxKept); err != nil {
			return out, err
		}
	}
	out, err = tryout.Try(ctx, trial)
	out.NothingIsKept = len(trial.Kept) == 0
	return out, err
}

// ExportTuning gives all entries as a file.
type ExportTuning struct{}

// TuningFile is entries as a tuning.yaml.
type TuningFile struct {
	YAML string `json:"yaml"`
}

// Text is the file, as the command prints it.
func (f TuningFile) Text() string { return f.YAML }

func (ExportTuning) Do(ctx context.Context, o *Operator) (TuningFile, error) {
	all, err := o.Tuning.List(ctx)
	return TuningFile{string(tuning.WriteFile(all))}, err
}

// ImportTuning takes the entries of a file in. One with an id takes the place of that with it, and
// one that says what another says already is left alone. Nothing is removed.
type ImportTuning struct {
	File string `json:"-" arg:"" placeholder:"FILE" help:"A tuning.yaml; - for standard input."`
	YAML string `json:"yaml" kong:"-" form:"yaml"`
}

// maxTuningFile is how many bytes a request with a file may have.
const maxTuningFile = 1 << 20

// MaxBody is how many bytes a request may have.
func (*ImportTuning) MaxBody() int64 { return maxTuningFile }

// ReadFiles reads the file of the command line.
func (in *ImportTuning) ReadFiles(files Files) error {
	text, err := files.ReadFile(in.File)
	in.YAML = string(text)
	return err
}

// ImportedTuning is what became of a file.
type ImportedTuning struct {
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
}

// Say tells what became of the file.
func (ImportTuning) Say(out ImportedTuning) string {
	return fmt.Sprintf("%d added, %d changed, %d as they were.", out.Added, out.Changed, out.Unchanged)
}

func (in ImportTuning) Do(ctx context.Context, o *Operator) (out ImportedTuning, err error) {
	entries, err := tuning.ReadFile("tuning.yaml", []byte(in.YAML))
	if err != nil {
		return out, err
	}
	there, err := o.Tuning.List(ctx)
	if err != nil {
		return out, err
	}
	var put []tuning.Entry
	for _, e := range entries {
		e.By = Actor(ctx)
		if e.ID == "" && slices.ContainsFunc(there, func(other tuning.Entry) bool { return e.Same(&other) }) {
			out.Unchanged++
			continue
		}
		put = append(put, e)
	}
	put, out.Added, out.Changed, err = o.Tuning.Put(ctx, put...)
	if err != nil {
		return ImportedTuning{}, err
	}
	out.Unchanged += len(put) - out.Added - out.Changed
	return out, o.ignoreAgain(ctx, put...)
}
