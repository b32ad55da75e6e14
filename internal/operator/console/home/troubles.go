package home

import (
	"cmp"
	"context"
	"html/template"
	"net/url"
	"strconv"
	"time"

	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/operator/console/frame"
)

// soon is how long before a key or a certificate ends its end is told.
const soon = 14 * 24 * time.Hour

// Source is how a source of content is.
type Source struct {
	Name            string
	Unread          int    // how many of its files could not be read
	Error           string // why it could not be read at all
	Read            time.Time
	Stale, Critical bool // that was too long ago
}

// Trouble is something that somebody has to see to.
type Trouble struct {
	Text string
	Why  template.HTML // what a program says of it
	Bad  bool          // it loses something now
	Page string        // where it is seen to, below the console's path; empty for nowhere
}

// sayer says a text of the words of pages.
type sayer func(key string, args ...any) string

// troubles are what somebody has to see to, as far as it is known without looking for it.
func (h *home) troubles(ctx context.Context, say sayer) (all []Trouble, err error) {
	c, now := h.config, h.Now()
	ends := func(t time.Time) bool { return !t.IsZero() && t.After(now) && t.Before(now.Add(soon)) }
	if c.Refused != nil {
		if why := c.Refused(); why != nil {
			all = append(all, Trouble{Text: say("home.trouble_file"), Why: frame.English(*why), Bad: true})
		}
	}
	if c.Operator != nil {
		for _, s := range c.Operator.Settings.List() {
			if s.Problem != "" {
				page := h.at("settings", "/"+string(s.Section))
				text := say("home.trouble_setting", s.Key)
				all = append(all, Trouble{Text: text, Why: frame.English(s.Problem), Page: page})
			}
		}
	}
	if c.Sources != nil {
		sources, err := c.Sources(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range sources {
			all = append(all, s.troubles(say, h.where("content"))...)
		}
	}
	if c.Certificate != nil && ends(c.Certificate()) {
		all = append(all, Trouble{Text: say("home.trouble_tls", day(c.Certificate()))})
	}
	if c.Keys != nil {
		keys, err := c.Keys(ctx, keyring.Filter{State: keyring.Current})
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			if k.Ends == nil || !ends(*k.Ends) || k.Own() { // the site's own end once another follows
				continue
			}
			kind := k.Kind
			if kind == keyring.Console {
				kind = "people"
			}
			all = append(all, Trouble{
				Text: say("home.trouble_key", cmp.Or(k.Holder(), k.ID), day(*k.Ends)),
				Page: "keys/" + kind + "/" + (&url.URL{Path: k.ID}).EscapedPath(),
			})
		}
	}
	if c.Tasks != nil {
		tasks, err := c.Tasks(ctx)
		if err != nil {
			return nil, err
		}
		if n := len(tasks.Failed); n > 0 {
			key := "home.trouble_deliveries_other"
			if n == 1 {
				key = "home.trouble_deliveries_one"
			}
			all = append(all, Trouble{Text: say(key, n), Bad: true, Page: "inbox"})
		}
	}
	return all, nil
}

// troubles are those of a source, which are seen to on a page.
func (s Source) troubles(say sayer, page string) (all []Trouble) {
	if s.Unread > 0 {
		key := "home.trouble_files_other"
		if s.Unread == 1 {
			key = "home.trouble_files_one"
		}
		all = append(all, Trouble{Text: say(key, strconv.Itoa(s.Unread), s.Name), Page: page})
	}
	switch {
	case s.Error != "":
		text := say("home.trouble_source", s.Name)
		all = append(all, Trouble{Text: text, Why: frame.English(s.Error), Bad: true, Page: page})
	case s.Stale:
		all = append(all, Trouble{Text: say("home.trouble_stale", s.Name, day(s.Read)), Bad: s.Critical, Page: page})
	}
	return all
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }
