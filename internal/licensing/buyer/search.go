package buyer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/client"
	"frontdesk/internal/infra/httpx"
)

// maxFound is how many items a search gives, and maxDesks how many front desks it asks.
const (
	maxFound         = 20
	usualFound       = 8
	maxFrontDesks    = 10
	maxSnippet       = 400
	frontDeskTimeout = 20 * time.Second
)

type searching struct {
	Query string   `json:"query"`
	Sites []string `json:"sites"`
	Limit int      `json:"limit"`
}

type foundItem struct {
	URL     string `json:"url"`
	Name    string `json:"name,omitempty"`
	Type    string `json:"type,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
	Site    string `json:"site,omitempty"`
	ForSale *bool  `json:"for_sale,omitempty"` // nil where it is not known
	Desk    string `json:"found_at"`
}

type searched struct {
	Items []foundItem `json:"items"`
	// Unasked says of each front desk that could not be asked why.
	Unasked []string `json:"unasked,omitempty"`
	Next    string   `json:"next"`
}

func (b *Buyer) searchTool() httpx.Tool {
	where := " The front desks that are asked: " + strings.Join(b.FrontDesks, ", ") + "; or name others in sites."
	switch {
	case b.Broker != "":
		where = " Where no sites are named, the Broker is asked, too, what it knows."
	case len(b.FrontDesks) == 0:
		where = " Name the sites to search in sites: the person has set none."
	}
	return httpx.Tool{
		Name: "search", Title: "Search for content",
		Description: "Puts a question in plain words to front desks (NLWeb) and gives the items that they find, the " +
			"best first. Nothing is bought. Of an item with for_sale true there is only an excerpt here, and its url " +
			"goes into quote; of one without for_sale, quote tells whether it is sold." + where,
		Input: []byte(`{"type":"object","required":["query"],"additionalProperties":false,"properties":{"query":{"type":"string","minLength":1,"maxLength":2000,"description":"What is looked for, in plain words."},` +
			`"sites":{"type":"array","maxItems":10,"items":{"type":"string"},"description":"Addresses of front desks to ask, like https://www.example.com."},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many items at most; 8 where nothing is said."}}}`),
		Output:   []byte(`{"type":"object","properties":{"items":{"type":"array","items":{"type":"object"}},"unasked":{"type":"array","items":{"type":"string"}},"code":{"type":"string"},"message":{"type":"string"}}}`),
		ReadOnly: true, OpenWorld: true, Call: called(b.search),
	}
}

// search asks all front desks at once. One that fails takes nothing from the others.
func (b *Buyer) search(ctx context.Context, q *searching) (*searched, error) {
	desks := q.Sites
	if len(desks) == 0 {
		desks = b.FrontDesks
	}
	switch {
	case strings.TrimSpace(q.Query) == "":
		return nil, wrong("query is empty; say what is looked for")
	case len(desks) == 0 && b.Broker == "":
		return nil, wrong("no front desk is set: name some in sites, or ask the person to start this with --site")
	case len(desks) > maxFrontDesks:
		return nil, wrong("at most %d sites are searched at once", maxFrontDesks)
	case q.Limit < 0 || q.Limit > maxFound:
		return nil, wrong("limit is 1 to %d", maxFound)
	case q.Limit == 0:
		q.Limit = usualFound
	}
	for _, site := range q.Sites {
		if _, err := client.New(site, client.Options{}); err != nil {
			return nil, wrong("sites: %v", err)
		}
	}
	found, failed := make([][]client.Result, len(desks)), make([]error, len(desks))
	var wait sync.WaitGroup
	var brokered []client.FoundItem
	var unbrokered error
	asked := b.Broker != "" && len(q.Sites) == 0
	if asked {
		wait.Go(func() { brokered, unbrokered = b.askBroker(ctx, q) })
	}
	for i, desk := range desks {
		wait.Go(func() { found[i], failed[i] = b.ask(ctx, desk, q) })
	}
	wait.Wait()
	out := &searched{Items: []foundItem{}}
	for i, err := range failed {
		if err != nil {
			out.Unasked = append(out.Unasked, desks[i]+": "+err.Error())
		}
	}
	if unbrokered != nil {
		out.Unasked = append(out.Unasked, b.Broker+": "+unbrokered.Error())
	}
	if len(out.Unasked) == len(desks)+count(asked) {
		return nil, problemOf(errors.Join(append(failed, unbrokered)...))
	}
	for place := 0; len(out.Items) < q.Limit; place++ { // the best of each desk before the second of any
		more := false
		for i := range desks {
			if place < len(found[i]) && len(out.Items) < q.Limit {
				out.Items, more = append(out.Items, shownItem(desks[i], found[i][place])), true
			}
		}
		if !more {
			break
		}
	}
	for _, item := range brokered {
		if len(out.Items) < q.Limit &&
			!slices.ContainsFunc(out.Items, func(one foundItem) bool { return one.URL == item.URI }) {
			out.Items = append(out.Items, foundItem{URL: item.URI, Name: clip(item.Title, 200), Desk: b.Broker})
		}
	}
	out.Next = "Call quote with the url of an item whose for_sale is true, or missing, to learn whether its text is " +
		"sold and what it costs; the others are free to read at their url."
	if len(out.Items) == 0 {
		out.Next = "Nothing was found; put it in other words."
	}
	return out, nil
}

// askBroker asks the Broker what it knows.
func (b *Buyer) askBroker(ctx context.Context, q *searching) ([]client.FoundItem, error) {
	ctx, cancel := context.WithTimeout(ctx, frontDeskTimeout)
	defer cancel()
	c, err := b.broker(b.Broker)
	if err != nil {
		return nil, err
	}
	return c.Search(ctx, q.Query, q.Limit)
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// ask asks one front desk.
func (b *Buyer) ask(ctx context.Context, desk string, q *searching) ([]client.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, frontDeskTimeout)
	defer cancel()
	c, err := b.client(desk)
	if err != nil {
		return nil, err
	}
	answer, err := c.Ask(ctx, client.Question{Text: q.Query, Limit: q.Limit, NoQuestions: true})
	if client.IsNoResults(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	items := answer.Results[:min(len(answer.Results), q.Limit)]
	b.remember(desk, items)
	return items, nil
}

func shownItem(desk string, r client.Result) foundItem {
	sold := licensed(r)
	return foundItem{r.URL, clip(r.Name, 200), r.Type(), clip(r.Description, maxSnippet), clip(r.Site, 200),
		&sold, desk}
}

// licensed says whether an item is for sale, or says at least that it is not free: its site's
// ramp.json may tell who sells it.
func licensed(r client.Result) bool {
	var item struct {
		Free *bool `json:"isAccessibleForFree"`
	}
	return r.ForSale() || r.Decode(&item) == nil && item.Free != nil && !*item.Free
}

// clip shortens what a stranger wrote.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
