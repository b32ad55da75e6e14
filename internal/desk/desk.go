// Package desk is the one door: every use case of every protocol comes through here, and no other way leads to a
// site's content. A use case identifies who asks, admits, decides by the owner's terms, selects and records, and
// answers only with what it decided to release.
//
// The doors (nlweb and its siblings) translate into and out of it; below it stand answer, terms, content and the rooms that keep what
// was done: session, excerpt, submission, deal, account, dispute, ledger, outbox and their siblings.
package desk

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/cache"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/policy"
)

// Site is one of the sites that the desk serves.
type Site = released.Site

// Config is what a Desk needs.
type Config struct {
	Corpus  *released.Corpus // nil makes one
	Catalog *content.Catalog
	Sites   []Site
	// Terms gives the rules in force; it is called for every request and may answer differently over time.
	Terms func() *policy.Terms
	// Actions are what can be done with items, told with each that they match; nil for none of the owner's.
	Actions *actions.Set
	// CacheBytes bounds the memory for items that are ready to send; 0 is 64 MiB.
	CacheBytes uint64
	// Timeout bounds how long the content of one part of an answer may take to load; 0 is 10 seconds.
	Timeout time.Duration
	Now     func() time.Time // nil is time.Now
	Log     *slog.Logger
}

// Desk carries out the use cases. Its methods may be called from many goroutines.
type Desk struct {
	config Config
	corpus *released.Corpus
	served map[string]bool // ids

	goods        goods
	quoting      *Quoting   // nil where no offers are made
	dealing      *Dealing   // nil where nothing is sold
	supplying    *Supplying // nil where nothing is pushed
	attestations cache.Cache[attestedAt, []*attestation.Kept]
	pushLane     lane
	// pushedAttested checks what is pushed, in that lane.
	pushedAttested *attestation.Checker
	streams        streams
	signatures     signatures
	lately         lately
	objects        cache.Cache[content.Ref, map[string]any]
	unsubscribed   cache.Cache[subscriber, time.Time]
	readObject     func(context.Context, content.Ref) (map[string]any, error) // for objects; tests put a slow one there
	fault          func(step string) error                                    // in tests: what befalls a step, by its name; nil for nothing
}

// New returns a desk that knows nothing yet; Refresh or Follow loads the catalog.
func New(config Config) (*Desk, error) {
	if config.CacheBytes == 0 {
		config.CacheBytes = 64 << 20
	}
	if config.Timeout == 0 {
		config.Timeout = 10 * time.Second
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{config: config, corpus: config.Corpus, served: map[string]bool{}}
	for _, site := range config.Sites {
		d.served[site.ID] = true
	}
	if d.corpus != nil {
		return d, nil
	}
	return d, d.openCorpus()
}

// openCorpus makes the corpus by the configuration.
func (d *Desk) openCorpus() (err error) {
	options := released.Options{
		Catalog: d.config.Catalog, Sites: released.NewSites(d.config.Sites...), Terms: d.config.Terms, CacheBytes: d.config.CacheBytes, Timeout: d.config.Timeout,
		ForSale: d.forSale, Log: d.config.Log,
		Actions: func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
			return d.config.Actions.Append(nil, of, sold, object)
		},
	}
	d.corpus, err = released.New(options)
	return err
}

func (d *Desk) forSale(rules *policy.Terms, l *index.Listing, decision policy.Decision, item *released.Copy) bool {
	return d.quoting != nil && ForSale(d.quoting.Owner(), rules, l, decision, item)
}

// Refresh brings the desk to the catalog's published state and the terms in force at once.
func (d *Desk) Refresh(ctx context.Context) error { return d.corpus.Load(ctx, d.Stock) }

// Ready says why the desk cannot answer yet; nil when it can.
func (d *Desk) Ready() error { return d.corpus.Ready() }

// Items is how many items can be found.
func (d *Desk) Items() int { return d.corpus.Items() }

// Sites returns the sites that the desk serves.
func (d *Desk) Sites() []Site { return d.corpus.Sites().All() }

// befalls is what a test has happen at a step.
func (d *Desk) befalls(step string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(step)
}
