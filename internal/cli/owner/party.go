package owner

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/policy"
)

// partyAs reads who asks, as --as names it: classes, an operator's origin, an agent's name, the
// address that the request comes from. With verified among them all of it is proven, with an
// address of the agent's the agent is.
func partyAs(words []string, known agents.Settings) (party policy.Party, err error) {
	list, traits := known.All(), policy.Traits{}
	var agent *agents.Known
	var from netip.Addr
	for _, word := range words {
		at := slices.IndexFunc(list, func(k agents.Known) bool { return strings.EqualFold(k.UserAgent, word) })
		address, notAddress := netip.ParseAddr(word)
		switch {
		case notAddress == nil:
			from = address.Unmap()
			continue
		case word == policy.PartyKnown:
			party.Proven.Classes = append(party.Proven.Classes, word)
			continue
		case slices.Contains(policy.PartyClasses, word) && word != policy.PartyAnonymous:
			traits.Classes = append(traits.Classes, word)
		case at >= 0:
			agent = &list[at]
			traits.Name, traits.Operators = agent.UserAgent, append(traits.Operators, agent.Origin)
			traits.Classes = append(traits.Classes, agent.Kind)
		case policy.IsOperator(word):
			origin := "https://" + strings.TrimPrefix(strings.ToLower(word), "https://")
			traits.Operators = append(traits.Operators, origin)
			if above := known.OperatorAt(origin); above != "" && above != origin {
				traits.Operators = append(traits.Operators, above)
			}
		default:
			return party, fmt.Errorf(
				"--as: %q is no party; write one of %s, an operator's origin like https://openai.com, "+
					"the name of an agent in the list, or with that the address it comes from; without --as it is "+
					"somebody of whom nothing is known", word, strings.Join(policy.PartyClasses[:3], ", "))
		}
		traits.Classes = append(traits.Classes, policy.PartyAgent)
	}
	near, err := comesFrom(agent, from)
	switch {
	case err != nil:
		return party, err
	case near || slices.Contains(traits.Classes, policy.PartyVerified):
		traits.Classes = append(traits.Classes, party.Proven.Classes...)
		return policy.Party{Proven: traits}, nil
	}
	party.Said = traits
	return party, nil
}

// comesFrom says whether an agent is proven by the address that its request comes from.
func comesFrom(agent *agents.Known, from netip.Addr) (bool, error) {
	switch {
	case !from.IsValid():
		return false, nil
	case agent == nil:
		return false, errors.New(
			"--as: an address says nothing by itself; name the agent, too, for which agents.known " +
				"has it: --as ExampleBot,192.0.2.7")
	}
	return slices.ContainsFunc(agent.Addresses, func(p netip.Prefix) bool { return p.Contains(from) }), nil
}
