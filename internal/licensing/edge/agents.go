package edge

import "strings"

// Agents are words of the header User-Agent that AI agents send (RAMP v1, edge gate). They are the
// default.
var Agents = []string{
	"ClaudeBot", "anthropic-ai", "GPTBot", "ChatGPT-User", "CCBot", "Google-Extended", "Googlebot-Extended",
	"Bytespider", "PerplexityBot", "YouBot",
	"Applebot-Extended", "cohere-ai", "Meta-ExternalAgent", "Amazonbot", "AI2Bot", "Diffbot", "Omgilibot",
	"FacebookBot", "ramp-ai-buyer",
}

// known is the word of a list that stands in a user agent, without regard to case; empty for none.
func known(agents []string, userAgent string) string {
	userAgent = folded(userAgent)
	for _, word := range agents {
		if strings.Contains(userAgent, folded(word)) {
			return word
		}
	}
	return ""
}
