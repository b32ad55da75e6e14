package app

import (
	"context"
	"strings"
	"time"

	"frontdesk/internal/content/overview"
	"frontdesk/internal/operator/console/home"
)

// home is what the console's first page shows.
func (a *App) home() home.Config {
	c := home.Config{
		Sources: a.sourceHealth, Keys: a.keys().List, Items: a.Corpus.Items,
		Unnamed: func() string {
			switch now := a.reloader.file().Config; {
			case now.title() == "":
				return "site.name"
			case now.Console.Contact == "":
				return "console.contact"
			}
			return ""
		}, Decided: len(a.config.Terms) > 0,
		Public: strings.HasPrefix(a.config.URL, "https://"),
		Certificate: func() (ends time.Time) {
			if source := a.certificates.Load(); source != nil {
				ends = (*source).Expires()
			}
			return ends
		},
	}
	if a.reloader != nil {
		c.Refused = a.reloader.wrong.Load
	}
	if inbox := a.inbox(); inbox != nil {
		c.Waiting, c.Tasks = inbox.Open, inbox.ToDo
	}
	if a.exchange != nil {
		c.Accounts = a.ReadAccounts
	}
	return c
}

// sourceHealth tells how the configured sources are.
func (a *App) sourceHealth(ctx context.Context) (all []home.Source, err error) {
	sources, err := a.Sources(ctx)
	for _, s := range sources {
		if !s.Configured {
			continue
		}
		one := home.Source{
			Name: s.Name, Error: s.Error, Read: s.LastRun, Stale: s.Age != overview.Recent,
			Critical: s.Age == overview.Critical,
		}
		if s.Attempt != nil {
			one.Unread = s.Attempt.Skipped
		}
		all = append(all, one)
	}
	return all, err
}
