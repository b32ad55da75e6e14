package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"frontdesk/internal/licensing/edge/proof"

	"frontdesk/client"
	"frontdesk/internal/app"
	"frontdesk/internal/cli/command"
	rampv1 "frontdesk/wire/ramp/v1"
)

// VerifyDomain shows an Exchange that a domain is the provider's.
type VerifyDomain struct {
	command.ConfigFlags
	Domain         string `arg:"" help:"The domain, such as www.example.com."`
	Exchange       string `required:"" placeholder:"URL" help:"The Exchange's address, such as https://exchange.example.com."`
	Caller         string `required:"" placeholder:"ID" help:"The caller's id, as the Exchange knows it."`
	KeyFile        string `required:"" placeholder:"FILE" help:"The caller's Ed25519 private key in PEM, or - for standard input."`
	CDNType        string `name:"cdn-type" enum:",hmac,cloudfront,akamai,fastly" default:"" help:"Register a key that signs addresses at the domain, in this form: hmac, cloudfront, akamai or fastly. Without it, none."`
	SigningKeyFile string `placeholder:"FILE" help:"Register the key in this file, a secret in hex or for cloudfront a private key in PEM, instead of making one."`
	KeyPairID      string `name:"key-pair-id" placeholder:"ID" help:"For cloudfront: the id that CloudFront gave the public key. Without it, addresses name the key as the Exchange does."`
	SaveKey        string `placeholder:"FILE" help:"Write the key here for whoever delivers: the secret in hex, or for cloudfront the public key."`
	Webroot        string `placeholder:"DIR" help:"Answer the challenge by a file in this folder, which a web server serves at the domain."`
	TokensFile     string `placeholder:"FILE" help:"Answer the challenge by an edge that has this tokens_file."`
	Desk           string `placeholder:"URL" help:"Answer the challenge by the front desk at this address, as its operator."`
	DeskKeyFile    string `placeholder:"FILE" help:"With --desk: the file of an API key of the door admin there."`
	Unseen         bool   `help:"Do not look first whether the domain answers and its ramp.json names the Exchange: for machines that cannot ask the domain."`
	JSON           bool   `name:"json" help:"Print what came of it as JSON."`
}

// Help is the command's example.
func (VerifyDomain) Help() string {
	return "It asks the Exchange for a challenge, has your front desk or edge answer it, has the Exchange look, " +
		"and takes the answer back. With --cdn-type a key is made and registered, and kept " +
		"where your edge verifies by it at once. Run it again before the day that it tells.\n\n" +
		"Examples:\n\n\tfrontdesk ramp verify-domain www.example.com --exchange https://exchange.example.com " +
		"--caller acme-cms --key-file acme.pem --cdn-type hmac --config edge.yaml\n" +
		"\tfrontdesk ramp verify-domain www.example.com --exchange https://exchange.example.com --caller acme-cms " +
		"--key-file acme.pem --webroot /var/www/html --cdn-type hmac --save-key hmac.hex"
}

// verification is what came of it.
type verification struct {
	Domain     string `json:"domain"`
	Exchange   string `json:"exchange"`
	Verified   bool   `json:"verified"`
	KeyID      string `json:"key_id,omitempty"`
	CDNType    string `json:"cdn_type,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	KeptIn     string `json:"kept_in,omitempty"` // the file of the key, of an edge's or of --save-key
	Failure    string `json:"failure_reason,omitempty"`
	Mend       string `json:"mend,omitempty"`
}

// unverified is a domain that was not verified, with what to do.
type unverified struct{ why, mend string }

func (u *unverified) Error() string {
	if u.mend == "" {
		return u.why
	}
	return u.why + "\n" + u.mend
}

// Run verifies a domain.
func (c VerifyDomain) Run(env *command.Environment) error {
	if err := c.check(); err != nil {
		return err
	}
	text, err := command.ReadKeyFile(env, c.KeyFile)
	if err != nil {
		return err
	}
	key, err := readPrivateKey(text)
	if err != nil {
		return command.Usage("--key-file: %v", err)
	}
	loaded, err := c.Load(env, nil)
	if err != nil {
		return err
	}
	answers, kept, err := c.answers(env, loaded)
	if err != nil {
		return err
	}
	if kept != nil {
		defer kept.Close()
	}
	domains, err := client.OpenDomains(env.Ctx, c.Exchange, c.Caller, key, buying())
	if err != nil {
		return explainedExchange(err)
	}
	p := &verifyRun{VerifyDomain: c, env: env, domains: domains, watched: app.Watch(loaded.Config), answers: answers,
		kept: kept}
	out, err := p.run()
	if c.JSON {
		told := verification{Domain: c.Domain, Exchange: c.Exchange}
		var failed *unverified
		switch {
		case err == nil:
			told = *out
		case errors.As(err, &failed):
			told.Failure, told.Mend = failed.why, failed.mend
		default:
			told.Failure = command.Clean(err.Error())
		}
		line, _ := json.Marshal(told)
		env.Print("%s\n", line)
	} else if err == nil {
		c.tell(env, out)
	}
	return err
}

// check says what of the flags does not go together.
func (c VerifyDomain) check() error {
	places := 0
	for _, place := range []string{c.Webroot, c.TokensFile, c.Desk} {
		if place != "" {
			places++
		}
	}
	switch {
	case places > 1:
		return command.Usage("name one of --webroot, --tokens-file and --desk")
	case (c.Desk == "") != (c.DeskKeyFile == ""):
		return command.Usage("--desk and --desk-key-file belong together")
	case c.CDNType == "" && (c.SigningKeyFile != "" || c.SaveKey != "" || c.KeyPairID != ""):
		return command.Usage(
			"--signing-key-file, --save-key and --key-pair-id are of a key; say of what kind it is with --cdn-type")
	case c.KeyPairID != "" && c.CDNType != "cloudfront":
		return command.Usage("--key-pair-id is for cloudfront")
	case places > 0 && c.CDNType != "" && c.SaveKey == "" && c.SigningKeyFile == "":
		return command.Usage("say with --save-key where to write the key, for whoever delivers")
	}
	return nil
}

// answerer has a token be answered at the domain.
type answerer interface {
	Put(ctx context.Context, token string, ends time.Time) error
	Remove(ctx context.Context, token string) error
}

// answers gives who answers at the domain; kept is where keys are kept for a gate, nil where that
// is nowhere.
func (c VerifyDomain) answers(env *command.Environment, loaded *app.Loaded) (answerer, *proof.Answering, error) {
	switch {
	case c.Webroot != "":
		return webroot(c.Webroot), nil, nil
	case c.TokensFile != "":
		return proof.TokensIn(c.TokensFile), nil, nil
	case c.Desk != "":
		key, err := command.ReadKeyFile(env, c.DeskKeyFile)
		if err != nil {
			return nil, nil, err
		}
		return &deskAnswers{at: strings.TrimSuffix(c.Desk, "/"), domain: c.Domain, key: strings.TrimSpace(string(key))},
			nil, nil
	}
	kept, err := app.OpenAnswering(env.Ctx, loaded, app.NewLog(app.Log{Level: "error"}, env.Stderr), c.Domain)
	if err != nil {
		return nil, nil, err
	}
	if c.CDNType != "" && !kept.Keeps() && c.SaveKey == "" && c.SigningKeyFile == "" {
		return nil, nil, errors.Join(command.Usage("no gate of the configuration verifies addresses at %s; say with "+
			"--save-key where to write the key, for whoever delivers", command.Clean(c.Domain)), kept.Close())
	}
	return kept, kept, nil
}

// verifyRun is a run of the command.
type verifyRun struct {
	VerifyDomain
	env     *command.Environment
	domains *client.Domains
	watched *proof.Watched
	answers answerer
	kept    *proof.Answering
}

func (p *verifyRun) say(format string, args ...any) { fmt.Fprintf(p.env.Stderr, format+"\n", args...) }

// run asks for a challenge, has it answered and looked at, and keeps the key.
func (p *verifyRun) run() (*verification, error) {
	if err := p.listed(); err != nil {
		return nil, err
	}
	key, err := p.key()
	if err != nil {
		return nil, err
	}
	var result *rampv1.DomainVerificationResult
	for try := 0; ; try++ {
		if result, err = p.once(key); err != nil {
			return nil, err
		}
		if again := strings.HasPrefix(result.GetFailureReason(), "TOKEN_USED"); !again || try > 0 {
			break
		}
		p.say("The answer to the first look was lost on its way; another challenge tells how it stands.")
	}
	if !result.Verified {
		reason := result.GetFailureReason()
		word, _, _ := strings.Cut(reason, ":")
		return nil, &unverified{"the domain is not verified: " + command.Clean(reason), p.mend(word)}
	}
	return p.done(result, key)
}

// listed looks whether the domain's ramp.json names the Exchange, before a challenge is spent.
func (p *verifyRun) listed() error {
	if p.Unseen {
		return nil
	}
	exchange, endpoint := p.domains.Exchange()
	listed, err := p.watched.Lists(p.env.Ctx, p.Domain, exchange)
	switch {
	case errors.Is(err, proof.ErrNotToldHere):
		p.say("Whether the domain names the Exchange cannot be seen from here: %s", command.Clean(err.Error()))
		return nil
	case err != nil:
		return &unverified{"the domain's ramp.json cannot be had: " + command.Clean(err.Error()),
			p.listing(exchange, endpoint)}
	case !listed:
		return &unverified{fmt.Sprintf("the domain's ramp.json does not name the Exchange %s", command.Clean(exchange)),
			p.listing(exchange, endpoint)}
	}
	return nil
}

// listing is how a domain names an Exchange.
func (p *verifyRun) listing(exchange, endpoint string) string {
	return fmt.Sprintf("An edge serves ramp.json as its Exchange (edge.exchange) has it. "+
		"A front desk names others by the configuration:\n"+
		"\tramp: {exchanges: [{domain: %s, endpoint: %q}]}\nand a file at https://%s/.well-known/ramp.json by\n"+
		"\t{\"ver\": \"1.0\", \"provider\": %q, \"exchanges\": [{\"domain\": %q, \"endpoint\": %q, "+
		"\"relationship\": \"DIRECT\"}]}", command.Clean(exchange), command.Clean(endpoint), command.Clean(p.Domain),
		command.Clean(p.Domain), command.Clean(exchange), command.Clean(endpoint))
}

// key is the key to register; nil for none. It lies on disk before anybody is told of it.
func (p *verifyRun) key() (*proof.OfferedKey, error) {
	if p.CDNType == "" {
		return nil, nil
	}
	keeps := p.kept != nil && p.kept.Keeps()
	text := ""
	if p.SigningKeyFile != "" {
		given, err := command.ReadKeyFile(p.env, p.SigningKeyFile)
		if err != nil {
			return nil, err
		}
		text = string(given)
	} else if keeps {
		if key, ok := p.kept.Pending(p.Exchange, p.CDNType); ok {
			p.say("The key of the run that broke off is registered.")
			return &key, p.save(key)
		}
	}
	key, err := proof.MakeKey(p.CDNType, text, p.KeyPairID)
	if err != nil {
		return nil, err
	}
	key.Stored.Exchange = p.Exchange
	if keeps {
		err = p.kept.Offer(key)
	}
	return &key, errors.Join(err, p.save(key))
}

// save writes the key for whoever delivers.
func (p *verifyRun) save(key proof.OfferedKey) error {
	if p.SaveKey == "" {
		return nil
	}
	return os.WriteFile(p.SaveKey, []byte(strings.TrimSpace(cmp.Or(key.Stored.Public, key.Stored.Secret))+"\n"), 0o600)
}

// once has one challenge be answered and looked at.
func (p *verifyRun) once(key *proof.OfferedKey) (*rampv1.DomainVerificationResult, error) {
	challenge, err := p.domains.Request(p.env.Ctx, p.Domain)
	if err != nil {
		return nil, explainedExchange(err)
	}
	ends := challenge.ExpiresAt.AsTime()
	if most := time.Now().Add(time.Hour - time.Second); ends.After(most) {
		ends = most
	}
	at, err := url.Parse(challenge.VerificationUrl)
	if err != nil || !strings.EqualFold(at.Host, p.Domain) || !strings.HasSuffix(at.Path, "/"+challenge.Token) {
		return nil, fmt.Errorf("the Exchange wants to look at %s, which is not at the domain %s; "+
			"it is not to be trusted with this", command.Clean(challenge.VerificationUrl), command.Clean(p.Domain))
	}
	if err := p.answers.Put(p.env.Ctx, challenge.Token, ends); err != nil {
		return nil, fmt.Errorf("the challenge cannot be answered: %w", err)
	}
	defer p.takeBack(challenge.Token)
	if err := p.answered(challenge); err != nil {
		return nil, err
	}
	p.say("The domain answers; the Exchange looks.")
	var signing *client.SigningKey
	if key != nil {
		signing = &client.SigningKey{Type: p.CDNType, Text: key.Text}
	}
	result, err := p.domains.Confirm(p.env.Ctx, p.Domain, challenge.Token, signing)
	return result, explainedExchange(err)
}

// takeBack has the token not be answered any more, even where the command was told to stop.
func (p *verifyRun) takeBack(token string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.env.Ctx), 10*time.Second)
	defer cancel()
	if err := p.answers.Remove(ctx, token); err != nil {
		p.say("The token could not be taken back, and is answered until it ends: %s", command.Clean(err.Error()))
	}
}

// answerTime is how long a domain may take until it answers: servers look once a second for what is
// new.
const answerTime = 20 * time.Second

// answered waits until the domain answers the challenge, before the Exchange is asked to look,
// which it does once.
func (p *verifyRun) answered(challenge *rampv1.DomainVerificationChallenge) error {
	if p.Unseen {
		return nil
	}
	ctx, cancel := context.WithTimeout(p.env.Ctx, answerTime)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := p.watched.Answers(ctx, challenge.VerificationUrl, challenge.Token)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, proof.ErrNotToldHere):
			p.say("Whether the domain answers cannot be seen from here: %s", command.Clean(err.Error()))
			return nil
		case ctx.Err() == nil:
			last = err
		}
		select {
		case <-ctx.Done():
			if p.env.Ctx.Err() != nil {
				return p.env.Ctx.Err()
			}
			return &unverified{fmt.Sprintf("the domain does not answer the challenge: %s",
				command.Clean(cmp.Or(last, err).Error())), p.mend("CHALLENGE_STATUS")}
		case <-tick.C:
		}
	}
}

// mends are what to do where the Exchange says why a domain is not verified, beside what it says
// itself.
var mends = map[string]string{
	"TOKEN_EXPIRED": "Run the command again; it took longer than the ten minutes of a challenge.",
	"TOKEN_UNKNOWN": "Run the command again.",
	"CHALLENGE_STATUS": "See that the front desk or edge at the domain runs with this configuration (or " +
		"serves the folder of --webroot), and that what stands before it passes /.well-known/ramp-verify/ " +
		"on. Then run the command again.",
	"CHALLENGE_DIFFERS": "Something before your server answers in its stead, such as a cache or a page for " +
		"unknown addresses; have it pass /.well-known/ramp-verify/ on. Then run the command again.",
	"CHALLENGE_TOO_LARGE": "Something before your server answers in its stead, " +
		"such as a page for unknown addresses; have it pass /.well-known/ramp-verify/ on. Then run the command again.",
	"CHALLENGE_REDIRECTS": "Have the server answer at the domain itself, " +
		"without a redirect to another host or spelling. Then run the command again.",
	"CHALLENGE_UNREACHABLE": "See that the domain answers by https from everywhere, " +
		"with a certificate that browsers trust. Then run the command again.",
	"CHALLENGE_ADDRESS_REFUSED": "See that the domain's records in the DNS lead to public " +
		"addresses. Then run the command again.",
	"MANIFEST_UNREACHABLE": "See that /.well-known/ramp.json answers at the domain. Then run the command again.",
	"KEY_REFUSED":          "Run the command again without --signing-key-file, so that another key is made.",
	"DOMAIN_NOT_OF_TENANT": "Have the Exchange's operator add the domain to your tenant.",
}

func (p *verifyRun) mend(word string) string {
	if word == "EXCHANGE_NOT_LISTED" {
		return p.listing(p.domains.Exchange())
	}
	if word == "KEY_REFUSED" && p.kept != nil && p.kept.Keeps() {
		p.kept.Drop(p.Exchange)
	}
	return mends[word]
}

// done keeps the key where the gate verifies by it.
func (p *verifyRun) done(result *rampv1.DomainVerificationResult, key *proof.OfferedKey) (*verification, error) {
	until := result.GetValidUntil().AsTime()
	out := &verification{Domain: p.Domain, Exchange: p.Exchange, Verified: true, KeyID: result.GetKeyId(),
		CDNType: p.CDNType, KeptIn: p.SaveKey}
	if result.ValidUntil != nil {
		out.ValidUntil = until.UTC().Format(time.RFC3339)
	}
	if key == nil || p.kept == nil || !p.kept.Keeps() {
		return out, nil
	}
	path, err := p.kept.Keep(*key, cmp.Or(result.GetKeyId(), "key"), until)
	if err != nil {
		return nil, &unverified{"the domain is verified and the key registered, but it cannot be kept for the edge: " +
			command.Clean(err.Error()), "Mend that, and run the command again: the key is the same then."}
	}
	out.KeptIn = path
	return out, nil
}

// tell tells a person.
func (c VerifyDomain) tell(env *command.Environment, v *verification) {
	env.Print("The domain %s is verified at %s.\n", command.Clean(v.Domain), command.Clean(v.Exchange))
	if v.KeyID != "" && v.CDNType != "" {
		env.Print("The key %s signs addresses there from now on (%s).\n", command.Clean(v.KeyID), v.CDNType)
	}
	if v.KeptIn != "" {
		env.Print("It is kept in %s; give it to nobody but who delivers.\n", command.Clean(v.KeptIn))
	}
	if v.ValidUntil != "" {
		env.Print("Run this again before %s, or the Exchange stops selling under it.\n", v.ValidUntil)
	}
}

// webroot answers by files of a folder that a web server serves.
type webroot string

func (w webroot) path(token string) string {
	return filepath.Join(string(w), ".well-known", "ramp-verify", token)
}

// Put writes a token's file.
func (w webroot) Put(_ context.Context, token string, _ time.Time) error {
	if strings.ContainsAny(token, `/\`) || strings.Trim(token, ".") == "" || len(token) > 256 {
		return errors.New("the Exchange gave no token that can be the name of a file")
	}
	path := w.path(token)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(token+"\n"), 0o644) //nolint:gosec // a web server reads it
}

// Remove removes it.
func (w webroot) Remove(_ context.Context, token string) error { return os.Remove(w.path(token)) }

// deskAnswers answers by a front desk elsewhere, as its operator.
type deskAnswers struct{ at, domain, key string }

// Put has the front desk answer.
func (d *deskAnswers) Put(ctx context.Context, token string, ends time.Time) error {
	body, err := json.Marshal(
		map[string]string{"domain": d.domain, "token": token, "expires_at": ends.UTC().Format(time.RFC3339)})
	if err != nil {
		return err
	}
	return d.do(ctx, http.MethodPost, "/admin/answers", body)
}

// Remove has it not answer any more.
func (d *deskAnswers) Remove(ctx context.Context, token string) error {
	return d.do(ctx, http.MethodDelete, "/admin/answers/"+url.PathEscape(d.domain)+"/"+url.PathEscape(token), nil)
}

func (d *deskAnswers) do(ctx context.Context, method, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, d.at+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("X-API-Key", d.key)
	request.Header.Set("Content-Type", "application/json")
	web := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := web.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
	if response.StatusCode >= 300 {
		return fmt.Errorf("the front desk at %s answers with the status %d: %s", command.Clean(d.at),
			response.StatusCode, command.Clean(strings.TrimSpace(string(text))))
	}
	return nil
}
