package app

import (
	apphttp "frontdesk/internal/app/http"

	"cmp"
	"fmt"
	"net"
	"strings"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/api"
	wire "frontdesk/wire/intake"
)

// intakeActions are the actions that start intakes: one for each condition under which an item of
// an answer fits one. What is sent is the agent's own, and the person's; so each leads to the
// manifest, and runs as it is given. Without an address to which data may be sent there are none.
func (c Config) intakeActions() (all []actions.Template) {
	base := c.ownAddress()
	if base == "" || !intake.SafeAddress(base) {
		return nil
	}
	for _, one := range c.Intakes.List {
		what := strings.TrimRight(cmp.Or(one.Description, one.Name), ". ")
		for _, match := range one.Match {
			all = append(all, actions.Template{
				Match: match, Name: "start-" + one.ID, Type: "ApplyAction",
				// Braces would be values of the item.
				Description: strings.NewReplacer("{", "(", "}", ")").Replace(one.Name+": "+what) +
					". By the Agent Intake Protocol: this manifest says what the intake " + one.ID +
					" takes, to be sent to " + api.SubmitURL(base, one.ID) + " after the person has agreed.",
				HTTP: actions.HTTPCall{Method: "GET", Endpoint: base + wire.WellKnown},
			})
		}
	}
	return all
}

// intakeMatches are the keys of the conditions of intakeActions, in their order.
func (c Config) intakeMatches() (keys []string) {
	for n, one := range c.Intakes.List {
		for m := range one.Match {
			keys = append(keys, fmt.Sprintf("intakes.list[%d].match[%d]", n, m))
		}
	}
	return keys
}

// ownAddress is the address of this front desk as far as the configuration has it; empty where only
// a request tells.
func (c Config) ownAddress() string {
	if c.URL != "" {
		return strings.TrimSuffix(c.URL, "/")
	}
	host, port, err := net.SplitHostPort(c.Listen)
	if ip := net.ParseIP(host); err != nil || host == "" || port == "0" || ip != nil && ip.IsUnspecified() {
		return ""
	}
	scheme := "http"
	if c.TLS.On() {
		scheme = "https"
	}
	return scheme + "://" + strings.TrimSuffix(net.JoinHostPort(host, port), apphttp.UsualPorts[scheme])
}
