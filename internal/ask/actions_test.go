package ask

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/ask/actions"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// acting is a bench whose sites have the owner's actions.
func acting(t testing.TB, sites []string, templates ...actions.Template) *bench {
	t.Helper()
	set, err := actions.New(templates, content.IsA)
	if err != nil {
		t.Fatal(err)
	}
	return benchWith(t, released.Options{
		Sites: contenttest.Sites(sites...),
		Actions: func(of policy.Facts, sold bool, object []byte) (told []byte, some bool) {
			return set.Append(nil, of, sold, object)
		},
	})
}

// withPotential is an item that names an action of its own.
func withPotential(site, path, name string) content.Item {
	i := item(site, path, "Product", name, "A lamp of folded paper whose text is for subscribers alone, all of it.")
	object := map[string]any{
		"@type": "Product", "url": i.URL, "name": name, "sku": "SKU-" + path,
		"potentialAction": map[string]any{"@type": "BuyAction", "target": i.URL + "/buy"},
	}
	i.Object, _ = json.Marshal(object)
	return i
}

func actionsOf(item map[string]any) []string {
	var names []string
	all, _ := item["actions"].([]any)
	for _, a := range all {
		names = append(names, fmt.Sprint(a.(map[string]any)["name"]))
	}
	return names
}

func TestActionsAreToldWithTheItemsThatTheyMatch(t *testing.T) {
	t.Parallel()
	b := acting(t, []string{"shop", "garden"}, actions.Template{
		Match: policy.Match{Site: []string{"shop"}, Type: []string{"Product"}}, Name: "order", Description: "Order {name}",
		HTTP: actions.HTTPCall{Method: "POST", Endpoint: "https://shop.example/order", Params: `{"sku":"{sku}"}`},
	})
	b.fill(t, "shop", "files", item("shop", "lamp", "Product", "Paper lamp", "A lamp"), item("shop", "essay", "Article", "On the lamp", "A lamp"), withPotential("shop", "own", "Own lamp"))
	b.fill(t, "garden", "files", item("garden", "light", "Product", "Garden lamp", "A lamp"))
	want := map[string]string{"lamp": "[order]", "essay": "[]", "own": "[order buy]", "light": "[]"}
	items := b.asked(t, Question{Text: "lamp"})
	if len(items) != len(want) {
		t.Fatalf("%d items", len(items))
	}
	for _, item := range items {
		url := item["url"].(string)
		if got := fmt.Sprint(actionsOf(item)); got != want[url[strings.LastIndex(url, "/")+1:]] {
			t.Errorf("%s has actions %s", url, got)
		}
		if strings.HasSuffix(url, "/lamp") {
			first := item["actions"].([]any)[0].(map[string]any)
			if first["description"] != "Order Paper lamp" || first["params"].(map[string]any)["sku"] != "SKU-lamp" {
				t.Errorf("the action is %v", first)
			}
		}
	}
}

// TestAnActionOfALicensedItemSaysNoMoreThanItsNotice holds that actions are no way around the terms: neither the
// item's own, nor a template that asks for what was not released.
func TestAnActionOfALicensedItemSaysNoMoreThanItsNotice(t *testing.T) {
	t.Parallel()
	b := acting(t, []string{"shop"},
		actions.Template{Name: "subscribe", Description: "Subscribe to read {name}", HTTP: actions.HTTPCall{Method: "GET", Endpoint: "https://shop.example/subscribe?for={url}"}},
		actions.Template{Name: "leak", Description: "{sku}", MCP: actions.ToolCall{Server: "s", Tool: "t"}},
		actions.Template{Name: "excerpt", Description: "{description}", MCP: actions.ToolCall{Server: "s", Tool: "t"}},
	)
	b.fill(t, "shop", "files", withPotential("shop", "lamp", "Paper lamp"))
	open := b.asked(t, Question{Text: "lamp"})
	if got := fmt.Sprint(actionsOf(open[0])); got != "[subscribe leak excerpt buy]" {
		t.Errorf("while it is open: %s", got)
	}
	b.obey(t, policy.Rule{Access: policy.Licensed, Excerpt: policy.Excerpt{Words: 2}})
	licensed := b.asked(t, Question{Text: "lamp"})
	if got := fmt.Sprint(actionsOf(licensed[0])); got != "[subscribe excerpt]" {
		t.Errorf("when it is licensed: %s", got)
	}
	if text := fmt.Sprint(licensed[0]); strings.Contains(text, "SKU") || strings.Contains(text, "folded") || strings.Contains(text, "/buy") {
		t.Errorf("told of a licensed item: %s", text)
	}
	b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/lamp/buy"}}, Access: policy.Blocked}, policy.Rule{Access: policy.Open})
	if got := fmt.Sprint(actionsOf(b.asked(t, Question{Text: "lamp"})[0])); !strings.Contains(got, "subscribe") {
		t.Errorf("where another page is blocked: %s", got)
	}
}
