package intake

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// This file has what the protocol's prose asks for and a schema cannot say.

func (m *Manifest) rules(o Options) (found Findings) {
	found = spoken(m.Version)
	if !o.StrictUpstream {
		return found
	}
	for i, intake := range m.Intakes {
		if intake.Category != "" && !upstreamCategory.MatchString(intake.Category) {
			found = append(found, wrong(fmt.Sprintf("/intakes/%d/category", i), "manifest intakes.category",
				"the published schema takes letters and underscores alone",
				"write a category like b_b/vendor, or read it less strictly"))
		}
	}
	return found
}

// upstreamCategory is the form of categories in the published schema.
var upstreamCategory = regexp.MustCompile(`^[a-z]+/[a-z_]+$`)

// rules of a request: the version that is spoken, a session of version 4, consent to the intake
// itself (Agent Intake Protocol 0.1.0, Stage 2).
func (r *Request) rules(Options) (found Findings) {
	found = spoken(r.Version)
	if anyUUID.MatchString(r.SessionID) && !sessionUUID.MatchString(r.SessionID) {
		found = append(found, wrong("/session_id", "request session_id", "is a UUID, and not one of version 4",
			"make a random UUID, of version 4, for each intake"))
	}
	if len(r.Agent.ConsentScope) > 0 && !slices.Contains(r.Agent.ConsentScope, ScopeIntake) {
		found = append(found, wrong("/agent/consent_scope", "request agent.consent_scope", `does not have "intake"`, `ask the person, and add "intake"`))
	}
	return found
}

func (r *Response) rules(Options) Findings { return spoken(r.Version) }

func (b *Bind) rules(Options) Findings { return nil }

func (b *Bound) rules(Options) Findings { return spoken(b.Version) }

var (
	anyUUID     = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	sessionUUID = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$`)
)

// spoken wants a version of 0.1, whatever its last number: those that break anything change the one
// before. (That it is missing or empty, the schema has found itself.)
func spoken(version string) Findings {
	if version == "" || speaks(version) {
		return nil
	}
	return Findings{wrong("/aip_version", RuleVersion, "is no version that is spoken here", `write "`+Version+`"`)}
}

func speaks(version string) bool { return spokenVersion.MatchString(version) }

var spokenVersion = regexp.MustCompile(`^0\.1\.[0-9]+$`)

// lint looks for what a response may be and should not.
func (r *Response) lint(o Options) (found Findings) {
	add := func(at, rule, detail, mend string) { found = append(found, doubt(at, "response "+rule, detail, mend)) }
	if r.Status == StatusError && r.Error == nil {
		add("", "error", "says error, and not which", `add "error" with code and message`)
	}
	if r.Status == StatusDeclined && r.DeclineReason == "" {
		add("", "decline_reason", "declines without a reason", `add "decline_reason", in words for the person`)
	}
	if r.Status != StatusOffer && r.Offer != nil {
		add("/offer", "offer", "is there although the status is "+string(r.Status),
			"send an offer with the status offer alone")
	}
	if r.Status != StatusError && r.Error != nil {
		add("/error", "error", "is there although the status is "+string(r.Status),
			"send an error with the status error alone")
	}
	if r.Status != StatusDeclined && r.DeclineReason != "" {
		add("/decline_reason", "decline_reason", "is there although the status is "+string(r.Status),
			"send it with the status declined alone")
	}
	if r.Error != nil && !slices.Contains(codes, r.Error.Code) {
		add("/error/code", "error.code", "is none of the protocol's codes", "use one of them where one fits")
	}
	if r.Status != StatusOffer || r.Offer == nil {
		return found
	}
	if strings.TrimSpace(r.Offer.Summary) == "" {
		add("/offer/summary", "offer.summary", "says nothing",
			"sum the offer up, so that a person understands it without the details")
	}
	if r.Offer.Expired(o.Now) && !o.Now.IsZero() {
		add("/offer/expires", "offer.expires", "has passed", "offer what can still be accepted")
	}
	if e := r.Offer.BindEndpoint; e != "" {
		found = append(found, secured("/offer/bind_endpoint", "response offer.bind_endpoint", e)...)
	}
	return found
}

var codes = []string{
	CodeInvalidInput, CodeSchemaMismatch, CodeRateLimited, CodeUnavailable, CodeOfferExpired, CodeOfferNotFound,
	CodeBindIncomplete, CodeInternal,
	CodeUnauthorized, CodeOfferAlreadyBound,
}

// Expired says whether an offer has ended: at the instant of its expires it has. One without never
// does.
func (o *Offer) Expired(now time.Time) bool {
	if o.Expires == "" {
		return false
	}
	end, err := sign.ParseTime(o.Expires)
	return err != nil || !now.Before(end)
}

// CheckOffer judges a response against the request that it answers and the intake that it was made
// to (Agent Intake Protocol 0.1.0, Stage 3 and readings of it: a binding intake gives an address
// and fields to bind with and an end, another none of them).
func CheckOffer(intake *Intake, request *Request, response *Response, now time.Time) (found Findings) {
	if !SameSession(request.SessionID, response.SessionID) {
		found = append(found, wrong("/session_id", "answer session_id", "is not the request's",
			"echo the request's session_id"))
	}
	offer := response.Offer
	if response.Status != StatusOffer || offer == nil {
		return found
	}
	if !intake.BindingAvailable {
		if offer.BindEndpoint != "" || offer.BindRequires != nil {
			found = append(found,
				wrong("/offer", "answer offer.bind_endpoint", "can be bound, and the manifest says that it cannot",
					"leave bind_endpoint and bind_requires out, or declare binding_available true"))
		}
		return found
	}
	if offer.BindEndpoint == "" {
		found = append(found, wrong("/offer", "answer offer.bind_endpoint", `"bind_endpoint" is missing, and the manifest declares binding_available`, "add the address to bind at"))
	}
	if offer.BindRequires == nil {
		found = append(found, doubt("/offer", "answer offer.bind_requires", `"bind_requires" is missing, and the manifest declares binding_available`,
			"add the names of the fields that are needed, or an empty list"))
	}
	switch {
	case offer.Expires == "":
		found = append(found, doubt("/offer", "answer offer.expires", `"expires" is missing`, "say until when the offer holds"))
	case offer.Expired(now):
		found = append(found,
			wrong("/offer/expires", "answer offer.expires", "has passed", "offer what can still be accepted"))
	}
	return found
}

// secured wants addresses of the web that are https, unless they are on the same machine.
func secured(at, rule, address string) Findings {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil // the schema has found it
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return Findings{wrong(at, rule, "is no address of the web",
			"write it like https://www.example.com/intake/start")}
	case u.User != nil || u.Fragment != "":
		return Findings{wrong(at, rule, "has a password or a fragment", "write it without")}
	case u.Scheme == "http" && !Loopback(u.Hostname()):
		return Findings{wrong(at, rule, "is not https", "serve it by https: the protocol allows http for development "+
			"on one machine alone")}
	}
	return nil
}

// Loopback says whether a host is this machine by its name: the one place where http is acceptable.
func Loopback(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// RetryAfter is the metadata's retry_after_seconds, which we send with errors and pending answers;
// 0 where there is none.
func (r *Response) RetryAfter() time.Duration {
	var metadata struct {
		Seconds *float64                    `json:"retry_after_seconds"`
		Others  map[string]strictjson.Value `json:",embed"`
	}
	if len(r.Metadata) == 0 || strictjson.DecodeTolerant(r.Metadata, &metadata) != nil || metadata.Seconds == nil ||
		!(*metadata.Seconds > 0) {
		return 0
	}
	return time.Duration(min(*metadata.Seconds, 366*24*3600) * float64(time.Second))
}
