package owner

import (
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/policy"
)

// partyAs reads who asks, as --as names it: classes, an operator's origin, an agent's name. With
// verified among them all of it is proven.
func partyAs(words []string, known agents.Settings) (party policy.Party, err error) {
	list, traits := known.All(), policy.Traits{}
	for _, word := range words {
		at := slices.IndexFunc(list, func(k agents.Known) bool { return strings.EqualFold(k.UserAgent, word) })
		switch {
		case word == policy.PartyKnown:
			party.Proven.Classes = append(party.Proven.Classes, word)
			continue
		case slices.Contains(policy.PartyClasses, word) && word != policy.PartyAnonymous:
			traits.Classes = append(traits.Classes, word)
		case at >= 0:
			traits.Name, traits.Operators = list[at].UserAgent, append(traits.Operators, list[at].Origin)
			traits.Classes = append(traits.Classes, list[at].Kind)
		case policy.IsOperator(word):
			traits.Operators = append(traits.Operators, "https://"+strings.TrimPrefix(word, "https://"))
		default:
			return party, fmt.Errorf("--as: %q is no party; write one of %s, an operator's origin like https://openai.com, "+
				"or the name of an agent in the list; without --as it is "+
				"somebody of whom nothing is known", word, strings.Join(policy.PartyClasses[:3], ", "))
		}
		traits.Classes = append(traits.Classes, policy.PartyAgent)
	}
	if slices.Contains(traits.Classes, policy.PartyVerified) {
		traits.Classes = append(traits.Classes, party.Proven.Classes...)
		return policy.Party{Proven: traits}, nil
	}
	party.Said = traits
	return party, nil
}
