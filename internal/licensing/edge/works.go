package edge

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/notify"
	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/edge"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Deps are what the gate before the sites of a configuration needs.
type Deps struct {
	Settings Settings
	// Data is the folder for what frontdesk keeps.
	Data string
	// Exchange is the public address of the Exchange, for agents.
	Exchange string
	// WriteTimeout is how long an answer to a client may take.
	WriteTimeout time.Duration
	Fetcher      *fetch.Fetcher // asks the Exchange
	// Client, Host and Secure are as in Config.
	Client func(*http.Request) netip.Addr
	Host   func(*http.Request) string
	Secure func(*http.Request) bool
	// Party is as in Config.
	Party func(context.Context) policy.Party
	// Ship tells the Exchange of deliveries.
	Ship func(context.Context, wire.Batch) error
	// AskPolicy asks the Exchange for the policy of a host, as it makes it for gates
	// (wire.GatePolicy); nil for what it publishes alone.
	AskPolicy func(ctx context.Context, id, host string) ([]byte, error)
	// Complete adds to a site what is known of it here; nil asks the Exchange elsewhere.
	Complete func(SiteSettings, *Site) error
	// Answered says whether a challenge of a domain is answered with a token, beside those in
	// files; nil for no others.
	Answered func(ctx context.Context, domain, token string) bool
	Now      func() time.Time
	Log      *slog.Logger
}

// Works is the gate before the sites of a configuration, with what it needs in the background.
type Works struct {
	Gate    *Gate
	Records *deliverylog.Log

	deps      Deps
	remotes   []*Remote
	origins   []*Origin
	followers []*Follower
}

// OpenWorks makes the gate of the configured sites.
func OpenWorks(deps Deps) (*Works, error) {
	e := deps.Settings
	records, err := deliverylog.Open(deliverylog.Config{
		Dir: filepath.Join(deps.Data, "edge", "spool"), Sync: e.Deliveries.Sync, Every: e.Deliveries.Every,
		Max: int64(e.Deliveries.Max), Ship: deps.Ship, Now: deps.Now, Log: deps.Log,
	})
	if err != nil {
		return nil, err
	}
	w := &Works{Records: records, deps: deps}
	config := Config{
		Deliveries: records, Agents: e.Agents, Client: deps.Client, Host: deps.Host, Secure: deps.Secure,
		Party:   deps.Party,
		InfoURL: cmp.Or(e.InfoURL, deps.Exchange+exchangeManifest), Unseen: int64(e.Auth.Unseen),
		Now: deps.Now, Log: deps.Log,
	}
	config.Refusals, _ = ratelimit.ParseRate(e.Refusals) // checked
	config.Manifests, _ = ratelimit.ParseRate(e.Manifests)
	for _, site := range e.Sites {
		made, err := w.site(site)
		if err != nil {
			return nil, errors.Join(err, w.Close())
		}
		config.Sites = append(config.Sites, made)
	}
	w.Gate = New(config)
	if e.Auth.Log != "" {
		w.followers = append(w.followers, &Follower{
			Path: e.Auth.Log, State: filepath.Join(deps.Data, "edge", "log.json"), Put: records.Put, Log: deps.Log,
		})
	}
	return w, nil
}

// exchangeManifest is where an Exchange tells of itself.
const exchangeManifest = "/.well-known/ramp-exchange.json"

// defaultMost is how many requests an origin has at a time.
const defaultMost = 256

// site makes one site of the gate.
func (w *Works) site(site SiteSettings) (Site, error) {
	d := w.deps
	made := Site{
		Domain: site.Domain, Hosts: site.AllHosts(), URL: site.Address(), Closed: site.Closed, License: site.License,
		Fetches: site.Fetches, Tokens: NewTokens(site.Tokens, site.TokensFile, d.Now, d.Log),
	}
	if site.Origin != "" {
		to, err := url.Parse(site.Origin)
		if err != nil {
			return made, err
		}
		made.Origin = NewOrigin(OriginConfig{
			URL: to, Host: site.OriginHost, Timeout: d.Settings.Timeout, Stall: d.Settings.Stall,
			Client: d.WriteTimeout, MaxRequests: cmp.Or(site.Most, defaultMost),
			Body: int64(d.Settings.Body), Upgrades: site.Upgrades,
		})
		w.origins = append(w.origins, made.Origin)
	}
	made.Tokens.AddSource(NewTokens(nil, TokensFile(d.Data, site.Domain), d.Now, d.Log).Has)
	if d.Answered != nil {
		made.Tokens.AddSource(func(token string) bool {
			return d.Answered(context.Background(), site.Domain, token)
		})
	}
	complete := d.Complete
	if complete == nil {
		complete = w.remote
	}
	if err := complete(site, &made); err != nil {
		return made, err
	}
	folder, keys := NewKeyFolder(KeysFolder(d.Data, site.Domain), d.Now, d.Log), made.Keys
	made.Keys = func(ctx context.Context) ([]sign.URLKey, error) {
		all, err := keys(ctx)
		return append(all[:len(all):len(all)], folder.Keys()...), err
	}
	return made, nil
}

// TokensFile is where `frontdesk ramp verify-domain` puts tokens of a site behind the gate.
func TokensFile(data, domain string) string {
	return filepath.Join(data, "edge", "answers", domain+".txt")
}

// KeysFolder is where it puts keys that were registered elsewhere for the site.
func KeysFolder(data, domain string) string { return filepath.Join(data, "edge", "keys", domain) }

// remote completes a site with what an Exchange elsewhere says of it.
func (w *Works) remote(site SiteSettings, made *Site) error {
	d := w.deps
	published := slices.ContainsFunc(site.Keys, func(k KeySettings) bool { return k.File == "" })
	var others []*rampv1.AuthorizedExchange
	for _, x := range site.Exchanges {
		others = append(others, x.Authorised())
	}
	remote, err := OpenRemote(RemoteConfig{
		Others: others, Exchange: strings.TrimRight(d.Settings.Exchange, "/"), Domain: site.Domain,
		Folder: filepath.Join(d.Data, "edge", "sites", site.Domain), Fetcher: d.Fetcher,
		Unknown: Access(cmp.Or(site.Unknown, string(Blocked))), Keys: published,
		Every: d.Settings.Every, Stale: d.Settings.Stale, Now: d.Now, Log: d.Log,
		NewID: w.Records.NewID, AskPolicy: d.AskPolicy,
	})
	if err != nil {
		return err
	}
	w.remotes = append(w.remotes, remote)
	made.Policy, made.Documents = remote.Policy, remote.Document
	files, err := site.OpenKeys(d.Now, d.Log)
	if err != nil {
		return err
	}
	made.Keys = func(context.Context) ([]sign.URLKey, error) {
		if !published {
			return files.Keys(), nil
		}
		return append(slices.Clone(files.Keys()), remote.Keys()...), nil
	}
	return nil
}

// OpenKeys opens the keys of a site that are in files.
func (s SiteSettings) OpenKeys(now func() time.Time, log *slog.Logger) (*KeyFiles, error) {
	var files []KeyFile
	for _, key := range s.Keys {
		if key.File != "" {
			files = append(files, key.file())
		}
	}
	return OpenKeyFiles(files, now, log)
}

// firstAsk is how long an edge that starts waits for its Exchange; without it, what it said last
// holds.
const firstAsk = 5 * time.Second

// Ask asks the Exchange for the first time.
func (w *Works) Ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstAsk)
	defer cancel()
	var all sync.WaitGroup
	for _, remote := range w.remotes {
		all.Go(func() { remote.Poll(ctx) })
	}
	all.Wait()
}

// Run tells the Exchange of deliveries, and follows what it says and the log of a server that asks,
// until ctx ends.
func (w *Works) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { w.Records.Run(ctx) })
	for _, remote := range w.remotes {
		all.Go(func() { remote.Run(ctx) })
	}
	for _, follower := range w.followers {
		all.Go(func() { follower.Run(ctx) })
	}
	all.Wait()
}

// lastShip is how long an edge that stops tries to tell the Exchange what it has not told yet.
const lastShip = 5 * time.Second

// Last tells the Exchange of what was delivered until now, if it can be reached.
func (w *Works) Last(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastShip)
	defer cancel()
	if err := w.Records.Flush(ctx); err != nil {
		w.deps.Log.Warn("the Exchange does not know all deliveries yet; it is told when this runs again", "error", err)
	}
}

// Close gives back what the gate holds.
func (w *Works) Close() error {
	for _, origin := range w.origins {
		origin.Close()
	}
	return w.Records.Close()
}

// errNoKey is why records wait where there is no key.
var errNoKey = errors.New("edge.key and the key's secret are not set, so that the Exchange is told of nothing: " +
	"run `frontdesk keys issue edge` there")

// Shipper tells the Exchange of the settings of deliveries, and asks it for whom paths are: ask is
// nil where there is no key.
func (e Settings) Shipper(to *fetch.Fetcher, now func() time.Time, log *slog.Logger) (
	ship func(context.Context, wire.Batch) error, ask func(ctx context.Context, id, host string) ([]byte, error),
	err error) {
	text, err := notify.ReadSecret(e.SecretEnv, e.SecretFile)
	if err != nil {
		return nil, nil, err
	}
	if e.Key == "" || text == "" {
		log.Warn(errNoKey.Error())
		return func(context.Context, wire.Batch) error { return errNoKey }, nil, nil
	}
	secret, err := sign.ParseWebhookSecret(text)
	if err != nil {
		return nil, nil, err
	}
	exchange := &deliverylog.Exchange{
		URL: strings.TrimRight(e.Exchange, "/") + wire.Path, Key: e.Key, Secret: secret, Fetcher: to, Now: now,
	}
	return exchange.Ship, exchange.Policy, nil
}

// ErrNoExchange is of an edge by itself that has nobody to ask.
var ErrNoExchange = errors.New("an edge by itself needs an Exchange: set edge.exchange to its address; " +
	"`frontdesk serve` is both in one")

// ImportLog tells the Exchange of the deliveries in a log of a server that asked an edge, and
// returns once it has taken them. It gives how many there were, and how many lines could not be
// read. The edge may run meanwhile.
func ImportLog(ctx context.Context, deps Deps, log io.Reader) (deliveries, unread int, err error) {
	e := deps.Settings
	if e.Exchange == "" {
		return 0, 0, ErrNoExchange
	}
	ship, _, err := e.Shipper(deps.Fetcher, deps.Now, deps.Log)
	if err != nil {
		return 0, 0, err
	}
	records, err := deliverylog.Open(deliverylog.Config{
		Dir: filepath.Join(deps.Data, "edge", "import"), Sync: time.Hour, Max: int64(e.Deliveries.Max), Ship: ship,
		Now: deps.Now, Log: deps.Log,
	})
	if err != nil {
		return 0, 0, err
	}
	_, deliveries, unread, err = ReadLog(log, func(d wire.Delivery) error {
		err := records.Put(d)
		if errors.Is(err, deliverylog.ErrFull) {
			if err = records.Flush(ctx); err == nil {
				err = records.Put(d)
			}
		}
		return err
	})
	if err == nil {
		err = records.Flush(ctx)
	}
	if err == nil && records.Stats().Waiting > 0 {
		err = errors.New("the Exchange does not take all of it; its log says why, " +
			"and what waits is told again with the next import")
	}
	return deliveries, unread, errors.Join(err, records.Close())
}
