package app

import (
	"cmp"
	"context"
	"fmt"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/intake"
)

// outboxWorker does what is recorded in the outbox: it sends access events to sinks, and tells
// businesses of offers that were accepted.
type outboxWorker struct {
	box       *outbox.Outbox
	intakes   *intake.Service
	hooks     map[string]*notify.Webhook // that get access events, by the names of their sinks
	notifiers map[string]notifier        // of binds, by the sink of their intake
}

// newOutboxWorker makes what does the outside part of what platforms and agents did here; nil where
// there is nobody to tell.
func newOutboxWorker(b *base, intakes *intake.Service) (*outboxWorker, error) {
	w := &outboxWorker{
		intakes: intakes, hooks: map[string]*notify.Webhook{}, notifiers: map[string]notifier{},
	}
	var sinks []string
	if b.config.Intent.Enabled {
		for _, sink := range b.config.Intent.Sinks {
			secret, err := sink.Secret()
			if err != nil {
				return nil, fmt.Errorf("sink %s: %w", sink.Name, err)
			}
			w.hooks[sink.Name] = &notify.Webhook{URL: sink.URL, Secret: secret, Fetcher: b.config.Fetcher(), Now: b.now,
				StatusOnly: true}
			sinks = append(sinks, sink.Name)
		}
	}
	for _, one := range b.config.Intakes.List {
		tell, err := b.notifier(one)
		if err != nil {
			return nil, fmt.Errorf("intake %s: %w", one.ID, err)
		}
		if tell != nil {
			w.notifiers[intakeSink(one.ID)] = tell
			sinks = append(sinks, intakeSink(one.ID))
		}
	}
	if len(sinks) == 0 {
		return nil, nil
	}
	w.box = outbox.New(outbox.Options{DB: b.db, Sinks: sinks, Deliver: w.do, Now: b.now, Log: b.log})
	return w, nil
}

// do does what the outbox has for a sink.
func (w *outboxWorker) do(ctx context.Context, e outbox.Effect) error {
	if tell := w.notifiers[e.Sink]; tell != nil {
		return w.intakes.Deliver(ctx, e, func(ctx context.Context, bound intake.BoundOffer) error {
			return tell(ctx, e.ID, bound)
		})
	}
	response, err := w.hooks[e.Sink].Post(ctx, e.ID, e.Body)
	switch { // of the answer the status counts
	case err != nil:
		return err
	case response.Status >= 300:
		return fail.Caused("answered", fmt.Errorf("%s answered with status %d", e.Sink, response.Status))
	}
	return nil
}

// notifier tells the business of an offer that was accepted, under an id that stays the same at
// each try.
type notifier func(ctx context.Context, id string, bound intake.BoundOffer) error

// notifier is that of an intake's binds; nil where they wait in the inbox.
func (b *base) notifier(one intake.IntakeSettings) (notifier, error) {
	if !one.Binding {
		return nil, nil
	}
	switch one.Bind.Effect {
	case intake.EffectWebhook:
		return b.tellByWebhook(one)
	case intake.EffectMail:
		return b.tellByMail(one)
	}
	return nil, nil
}

func (b *base) tellByWebhook(one intake.IntakeSettings) (notifier, error) {
	secret, err := one.Bind.Webhook.Secret()
	if err != nil {
		return nil, err
	}
	hook := &notify.Webhook{URL: one.Bind.Webhook.URL, Secret: secret, Fetcher: b.config.Fetcher(), Now: b.now}
	return func(ctx context.Context, id string, bound intake.BoundOffer) error {
		body, err := acceptance(bound).Event()
		if err != nil {
			return err
		}
		response, err := hook.Post(ctx, id, body)
		switch {
		case err != nil:
			return err
		case response.Status >= 300:
			err = fmt.Errorf("the server of intake %s answered with status %d", one.ID, response.Status)
			return fail.Caused("answered", err)
		}
		return nil
	}, nil
}

func (b *base) tellByMail(one intake.IntakeSettings) (notifier, error) {
	mailer, err := notify.NewMailer(b.config.Intakes.Mail, nil)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, id string, bound intake.BoundOffer) error {
		return mailer.Send(ctx, notify.Message{
			ID: id, To: one.Bind.Mail.To, Subject: cmp.Or(one.Bind.Mail.Subject, one.Name),
			Text: acceptance(bound).Text(), Time: bound.Bound,
		})
	}, nil
}

// acceptance is what the business is told of an offer that was accepted.
func acceptance(b intake.BoundOffer) notify.Acceptance {
	return notify.Acceptance{
		Intake: b.Intake, OfferID: b.ID, SessionID: b.Session, AgentID: b.Agent, Platform: b.Platform, BoundAt: b.Bound,
		Summary: b.Summary, Details: b.Details, IntakeData: b.Input, BindData: b.Data, Receipt: b.Entry,
	}
}

// module tells others of what was recorded for them, if there is anybody to tell.
func (w *outboxWorker) module() (m Module) {
	if w != nil {
		m.Jobs = []Job{{"tell others", w.box.Run}}
	}
	return m
}
