package ask

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/remarks"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/fail"
)

// The bounds of what a question comes with.
const (
	maxPrevious = 48          // earlier questions that are read, the last ones
	maxAside    = 2000        // characters of one text beside the question
	maxAsides   = 16          // texts
	memoryTime  = time.Second // for what is remembered
)

// remarked is one text about what is known beside a question.
type remarked struct {
	remark remarks.Remark
	source facets.Source
}

// remembering keeps the turns of those who want it: session.Memory, or forgetful.
type remembering interface {
	Recall(ctx context.Context, w session.Whose) (turns []session.Turn, about []string, err error)
	Keep(ctx context.Context, w session.Whose, t session.Turn) error // durable when it returns
	Forget(ctx context.Context, w session.Whose) error
}

// forgetful is where nothing is remembered.
type forgetful struct{}

func (forgetful) Recall(context.Context, session.Whose) ([]session.Turn, []string, error) {
	return nil, nil, nil
}

func (forgetful) Keep(context.Context, session.Whose, session.Turn) error {
	return errors.New("ask: nothing is remembered here")
}

func (forgetful) Forget(context.Context, session.Whose) error { return nil }

// carried is a session where conversations carry something with them; nil where they do not.
func (s *Service) carried(one *Session) *Session {
	if !s.carries {
		return nil
	}
	return one
}

// recall brings back what was said before: the conversation that the question is part of, what is
// remembered of it, and what the question itself brings along.
func (s *Service) recall(ctx context.Context, in *askState) {
	if in.Session != nil {
		in.talk = s.deps.Conversations.Open(in.Session.Conversation, in.Party, in.Session.State)
	}
	in.types = in.asked.Types
	in.earlier = in.talk.Turns
	about := s.remembered(ctx, in)
	in.previous()
	for _, text := range about {
		in.aside(text, facets.FromMemory)
	}
	for _, text := range in.Context.Memory {
		in.aside(text, facets.FromMemory)
	}
	for _, text := range in.Context.Texts {
		in.aside(text, facets.FromContext)
	}
	for i, other := range in.Context.Others {
		in.other(i, other, s.deps.Elicitation.Reads)
	}
}

// whose says under which names the question may be remembered.
func (in *askState) whose() session.Whose {
	w := session.Whose{Party: in.Party, Conversation: in.talk.ID}
	if in.Party == "" {
		w.Secret = in.talk.Secret
	} else {
		w.Person = in.Person // which is nobody's word but the party's
	}
	return w
}

// remembered puts the turns that are kept before those that the caller carries, and gives what was
// told of the person. A stranger is asked for only if the state says that there is something; a
// party comes by its name.
func (s *Service) remembered(ctx context.Context, in *askState) (about []string) {
	w := in.whose()
	if in.Session == nil || !w.Remembers() || in.Party == "" && !in.talk.Kept {
		return nil
	}
	if in.Session.Conversation == "" && in.Person == "" {
		return nil // a new conversation of nobody in particular
	}
	limited, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	turns, about, err := s.memory.Recall(limited, w)
	if err != nil {
		s.deps.Log.Warn("what is remembered cannot be read; the question is answered without", "error", err)
		return nil
	}
	in.earlier = slices.Concat(turns, in.earlier)
	in.earlier = in.earlier[max(0, len(in.earlier)-maxPrevious):]
	return about
}

// previous takes the earlier questions that came with this one. What is known of them by other ways
// is known better: which attributes they had, and how many items they were shown.
func (in *askState) previous() {
	if len(in.Context.Previous) == 0 {
		return
	}
	var turns []session.Turn
	before := in.earlier
	for _, text := range in.Context.Previous[max(0, len(in.Context.Previous)-maxPrevious):] {
		if strings.TrimSpace(text) == "" {
			continue
		}
		turn := session.Turn{Text: text}
		if i := slices.IndexFunc(before, func(t session.Turn) bool { return t.Text == text }); i >= 0 {
			turn, before = before[i], before[i+1:]
		}
		var one session.Conversation
		one.Add(turn) // which cuts it to its bounds
		turns = append(turns, one.Turns...)
	}
	in.earlier = turns
}

// aside takes a text that is known beside the question.
func (in *askState) aside(text string, source facets.Source) {
	if len(in.remarks) >= maxAsides {
		return
	}
	if runes := []rune(text); len(runes) > maxAside {
		text = string(runes[:maxAside])
	}
	for _, remark := range remarks.Read(text) {
		in.remarks = append(in.remarks, remarked{remark, source})
	}
}

// applyContext adds what is known beside the question to what it wants. Diets, allergies and the
// like hold; everything else raises items that meet it.
func (s *Service) applyContext(in *askState) {
	if len(in.remarks) == 0 || in.only != nil {
		return
	}
	var conditions []facets.Constraint
	var soft []string
	for _, k := range in.remarks {
		if k.remark.Likes {
			soft = append(soft, query.Words(k.remark.Text)...)
			continue
		}
		said := s.read(in, k.remark.Text, nil)
		for _, c := range said.Constraints {
			c.Source = k.source
			c.Soft = k.remark.Dislikes || !c.Not && c.Slot != facets.Diet || k.source == facets.FromContext && c.Soft
			conditions = append(conditions, c)
		}
		if len(said.Constraints) == 0 && !strings.HasPrefix(k.remark.Text, "without ") {
			soft = append(soft, query.Words(said.Text)...)
		}
	}
	in.understood.Remind(conditions, soft[:min(len(soft), maxAsides)])
}

// conclude adds the question to the conversation and hands it back to the caller. A question that
// was asked back is none yet: it comes again with its answers; nor is one whose answer is promised,
// which is one with its answer.
func (s *Service) conclude(ctx context.Context, in *askState, reply *Reply) {
	if in.Session == nil {
		return
	}
	if reply.Elicitation == nil && reply.Promise == nil {
		s.note(ctx, in, reply)
	}
	reply.Session = &Session{Conversation: in.talk.ID, State: s.deps.Conversations.Seal(in.talk, in.Party)}
}

// note adds the question to the conversation: to what is kept here if the caller wants it to be
// remembered, to nothing if it wants the opposite, and else to what it carries itself.
func (s *Service) note(ctx context.Context, in *askState, reply *Reply) {
	switch {
	case in.Remember == nil:
		in.talk.Add(in.turn())
	case !*in.Remember:
	case !s.remembers:
		in.talk.Add(in.turn())
		reply.ignore("/meta/remember", "nothing is remembered here; the conversation is in session_context")
	default:
		if err := s.keepTurn(ctx, in); err != nil {
			s.deps.Log.Warn("a turn could not be kept", "error", err)
			in.talk.Add(in.turn())
			reply.ignore("/meta/remember",
				"it cannot be remembered at the moment; the conversation is in session_context")
		}
	}
}

func (r *Reply) ignore(name, reason string) {
	r.Understood.Ignored = append(r.Understood.Ignored, Ignored{name, reason})
}

// keepTurn keeps the question here.
func (s *Service) keepTurn(ctx context.Context, in *askState) error {
	if in.Party == "" && in.talk.Secret == "" {
		in.talk.Secret = s.deps.Conversations.NewSecret()
	}
	var one session.Conversation
	one.Add(in.turn())
	turn := one.Turns[0]
	for _, text := range in.Context.Memory {
		if len(text) <= maxAside && len(turn.About) < session.MaxAbout {
			turn.About = append(turn.About, text)
		}
	}
	limited, cancel := context.WithTimeout(ctx, memoryTime)
	defer cancel()
	if err := s.memory.Keep(limited, in.whose(), turn); err != nil {
		return err
	}
	in.talk.Kept = true
	// Of a promise, the conversation may have been forgotten since it was made.
	forgotten, err := progressOf(ctx).forgotten(limited)
	if !forgotten {
		return err
	}
	in.talk.Kept = false
	return s.memory.Forget(limited, in.whose())
}

// turn is the question as a turn of the conversation.
func (in *askState) turn() session.Turn {
	t := session.Turn{Text: in.Text, Attributes: in.Attributes, Types: in.types, Sites: in.Sites, Given: in.asked.Limit}
	if in.understood.Asked != in.Text {
		t.Whole, t.Sort = in.understood.Asked, in.understood.Sort.Name()
	}
	return t
}

// Forget forgets a conversation that is kept here: of the party that asks, or of a stranger who has
// its state. With it go the promises that were made in it. Nobody learns whether there was one. It
// is fail.Forbidden for a stranger without a state of the conversation.
func (s *Service) Forget(ctx context.Context, party string, of Session) error {
	if of.Conversation == "" || len(of.Conversation) > session.MaxID || s.carried(&of) == nil {
		return fail.New(fail.NotFound, "there is no such conversation")
	}
	talk := s.deps.Conversations.Open(of.Conversation, party, of.State)
	if party == "" && talk.At == 0 {
		return fail.New(fail.Forbidden, "show that the conversation is yours: "+
			"send the state_token of its last answer in the header Session-State, or the credential that asked")
	}
	limited, cancel := context.WithTimeout(ctx, s.deps.Timeout)
	defer cancel()
	if err := s.forget(limited,
		session.Whose{Party: party, Secret: talk.Secret, Conversation: of.Conversation}); err != nil {
		unavailable := fail.New(fail.Unavailable, "the conversation cannot be forgotten at the moment; try again")
		unavailable.RetryAfter = 5 * time.Second
		return unavailable.Wrap(err)
	}
	return nil
}

// forget forgets what was promised first: work on it that remembers its question afterwards sees
// that (keepTurn).
func (s *Service) forget(ctx context.Context, w session.Whose) error {
	talk := session.Talk{Party: w.Party, Secret: w.Secret, Conversation: w.Conversation}
	jobs, err := s.promises.store.Forget(ctx, talk)
	if err != nil {
		return err
	}
	for _, id := range jobs {
		s.promises.jobs.stop(id, errTakenBack)
	}
	return s.memory.Forget(ctx, w)
}

// other takes what is known of a context of another type (NLWeb 0.55 §3.2). What it means is told
// by the names of its attributes; where its @context leads is never looked at. What answers a
// question that was asked back is heeded elsewhere.
func (in *askState) other(at int, attributes map[string]jsontext.Value, answers func(name string) bool) {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if _, answered := in.Attributes[name]; answered || strings.HasPrefix(name, "@") {
			continue
		}
		take, ok := asides[strings.ReplaceAll(facets.Fold(name), " ", "")]
		values := remarks.Values(attributes[name])
		if !ok || len(values) == 0 || name == "answers" {
			if name != "answers" && !answers(name) {
				in.ignored = append(in.ignored,
					Ignored{in.origin(at) + "/" + pointerToken(name), "nothing is known to do with it"})
			}
			continue
		}
		for _, value := range values {
			take(in, value)
		}
	}
}

func (in *askState) origin(at int) string {
	if at < len(in.Context.Origins) {
		return in.Context.Origins[at]
	}
	return "/context"
}

// pointerToken is a name as part of a JSON pointer (RFC 6901).
func pointerToken(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(fail.Clip(name))
}

// asides are the attributes of contexts that are known, by their names without case, blanks and
// signs, and what is done with each value.
var asides = func() map[string]func(*askState, string) {
	all := map[string]func(*askState, string){}
	add := func(take func(*askState, string), names ...string) {
		for _, name := range names {
			all[name] = take
		}
	}
	add(func(in *askState, v string) { in.aside(v, facets.FromMemory) },
		"diet", "diets", "dietary", "restriction", "restrictions", "dietaryrestriction", "dietaryrestrictions",
		"dietarypreference", "dietarypreferences", "suitablefordiet", "memory", "about")
	add(func(in *askState, v string) { in.remark(remarks.Bears(v), facets.FromMemory) },
		"allergy", "allergies", "allergen", "allergens", "intolerance", "intolerances", "avoid", "avoids", "exclude",
		"excludes", "exclusions", "excludedingredients")
	add(func(in *askState, v string) {
		for _, r := range remarks.Bears(v) {
			r.Dislikes = true
			in.remark([]remarks.Remark{r}, facets.FromMemory)
		}
	}, "dislike", "dislikes", "dislikedingredients")
	add(func(in *askState, v string) {
		in.remark([]remarks.Remark{{Text: v, Likes: true}}, facets.FromMemory)
	}, "like", "likes", "interest", "interests", "favorite", "favorites", "favourites", "preference", "preferences",
		"cuisine", "cuisines", "brand", "brands", "color", "colour", "style", "occasion", "topic", "topics", "hobbies")
	add(func(in *askState, v string) { in.aside(remarks.Limited(v, "under "), facets.FromContext) },
		"budget", "maxprice", "pricelimit", "maxbudget", "pricemax")
	add(func(in *askState, v string) {
		in.aside(remarks.Limited(v, "under ")+remarks.Minutes(v), facets.FromContext)
	},
		"maxtime", "timelimit", "timeavailable", "availabletime")
	add(func(in *askState, v string) {
		in.aside(remarks.Limited(v, "for ")+remarks.People(v), facets.FromContext)
	},
		"servings", "people", "partysize", "householdsize", "guests")
	add(func(in *askState, v string) { in.aside("in "+v, facets.FromContext) },
		"location", "city", "place", "region", "town", "country")
	add(func(in *askState, v string) {
		if len(in.Languages) < maxAsides {
			in.Languages = append(in.Languages[:len(in.Languages):len(in.Languages)], v)
		}
	}, "language", "languages", "inlanguage", "preferredlanguage", "locale")
	add(func(in *askState, v string) { in.aside(v, facets.FromContext) }, "situation", "description", "note",
		"notes", "context")
	return all
}()

// remark takes what is known without reading it again.
func (in *askState) remark(said []remarks.Remark, source facets.Source) {
	for _, r := range said {
		if len(in.remarks) < 2*maxAsides {
			in.remarks = append(in.remarks, remarked{r, source})
		}
	}
}
