package released_test

import (
	"context"
	"maps"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

func TestHoldCountsTheItemsOfARule(t *testing.T) {
	t.Parallel()
	path := func(pattern string, access policy.Access) policy.Rule {
		return policy.Rule{Match: policy.Match{Path: []string{pattern}}, Access: access}
	}
	rules := contenttest.Terms(t, "", path("/a/secret", policy.Blocked), path("/a/**", policy.Licensed),
		path("/none/**", policy.Open))
	db := storetest.Chosen(t, content.Schema)
	c := contenttest.New(t, db, released.Deps{Sites: contenttest.Sites("site")})
	if _, err := c.RuleReach(t.Context(), rules, 1); fail.From(err).Code != fail.Unavailable {
		t.Errorf("before the content is loaded: %v", err)
	}
	c.Fill(t, "site", "s", contenttest.NewArticle("a/1", "One."), contenttest.NewArticle("a/secret", "Two."),
		contenttest.NewArticle("b/1", "Three."))
	c.Fill(t, "former", "s", contenttest.Item("former", "a/1", "Article", "Four", "Four."))
	for rule, want := range []released.RuleReach{{Items: 1}, {Items: 2, Before: map[int]int{0: 1}}, {}} {
		held, err := c.RuleReach(t.Context(), rules, rule)
		if err != nil || held.Items != want.Items || !maps.Equal(held.Before, want.Before) {
			t.Errorf("rule %d: %+v, %v, want %+v", rule, held, err, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := c.RuleReach(ended, rules, 1); fail.From(err).Code != fail.Timeout {
		t.Errorf("without time: %v", err)
	}
}
