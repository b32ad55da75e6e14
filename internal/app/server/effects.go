package server

import (
	"cmp"
	"context"
	"fmt"

	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/intake"
)

// openEffects makes ready what is done outside of what platforms and agents did here; with nobody to tell it does nothing.
func (s *Server) openEffects() error {
	var sinks []string
	s.sinks = map[string]*notify.Webhook{}
	if s.config.Intent.Enabled {
		for _, sink := range s.config.Intent.Sinks {
			secret, err := sink.secret()
			if err != nil {
				return fmt.Errorf("sink %s: %w", sink.Name, err)
			}
			s.sinks[sink.Name] = &notify.Webhook{URL: sink.URL, Secret: secret, Fetcher: s.config.Fetcher(), Now: s.now, StatusOnly: true}
			sinks = append(sinks, sink.Name)
		}
	}
	s.tellers = map[string]teller{}
	for _, one := range s.config.Intakes.List {
		tell, err := s.teller(one)
		if err != nil {
			return fmt.Errorf("intake %s: %w", one.ID, err)
		}
		if tell != nil {
			s.tellers[intakeSink(one.ID)] = tell
			sinks = append(sinks, intakeSink(one.ID))
		}
	}
	if len(sinks) == 0 {
		return nil
	}
	s.effects = outbox.New(outbox.Options{DB: s.db, Sinks: sinks, Do: s.doEffect, Now: s.now, Log: s.log})
	return nil
}

// doEffect does what the outbox has for a sink.
func (s *Server) doEffect(ctx context.Context, e outbox.Effect) error {
	tell := s.tellers[e.Sink]
	if tell == nil {
		return s.postEffect(ctx, e)
	}
	return s.Intakes.Deliver(ctx, e, func(ctx context.Context, bound intake.BoundOffer) error { return tell(ctx, e.ID, bound) })
}

// teller tells the business of an offer that was accepted, under an id that stays the same at each try.
type teller func(ctx context.Context, id string, bound intake.BoundOffer) error

// teller is that of an intake's binds; nil where they wait in the inbox.
func (s *Server) teller(one Intake) (teller, error) {
	if !one.Binding {
		return nil, nil
	}
	switch one.Bind.Effect {
	case effectWebhook:
		return s.tellByWebhook(one)
	case effectMail:
		return s.tellByMail(one)
	}
	return nil, nil
}

func (s *Server) tellByWebhook(one Intake) (teller, error) {
	secret, err := one.Bind.Webhook.secret()
	if err != nil {
		return nil, err
	}
	hook := &notify.Webhook{URL: one.Bind.Webhook.URL, Secret: secret, Fetcher: s.config.Fetcher(), Now: s.now}
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
			return fmt.Errorf("the server of intake %s answered with status %d", one.ID, response.Status)
		}
		return nil
	}, nil
}

func (s *Server) tellByMail(one Intake) (teller, error) {
	mailer, err := notify.NewMailer(s.config.Intakes.Mail, nil)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, id string, bound intake.BoundOffer) error {
		return mailer.Send(ctx, notify.Message{
			ID: id, To: one.Bind.Mail.To, Subject: cmp.Or(one.Bind.Mail.Subject, one.Name), Text: acceptance(bound).Text(), Time: bound.Bound,
		})
	}, nil
}

// acceptance is what the business is told of an offer that was accepted.
func acceptance(b intake.BoundOffer) notify.Acceptance {
	return notify.Acceptance{
		Intake: b.Intake, OfferID: b.ID, SessionID: b.Session, AgentID: b.Agent, Platform: b.Platform, BoundAt: b.Bound, Summary: b.Summary, Details: b.Details,
		IntakeData: b.Input, BindData: b.Data, Receipt: b.Entry,
	}
}
