package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

type askCommand struct {
	Question []string `arg:"" help:"The question."`
	configFlags
	URL    string `placeholder:"URL" help:"Ask the front desk at this address instead of the local database."`
	Site   string `placeholder:"SITE" help:"Ask one site."`
	Type   string `placeholder:"TYPE" help:"Want items of this schema.org type, such as Recipe."`
	Limit  int    `placeholder:"N" help:"Number of results (10)."`
	Mode   string `placeholder:"MODE" help:"list, summarize, or both with a comma."`
	JSON   bool   `name:"json" help:"Print the response as it is."`
	Stream bool   `help:"Print results while they arrive."`
}

// Help is the command's example.
func (askCommand) Help() string {
	return "Without --url the database is asked that serve would use.\n\n" +
		"Examples:\n\n\tfrontdesk ask \"a quick vegan dinner\" --type Recipe\n\tfrontdesk ask --url http://127.0.0.1:8080 --mode summarize \"how do I season a pan?\""
}

// Run asks.
func (c askCommand) Run(env *environment) error {
	desk, err := c.desk(env)
	if err != nil {
		return err
	}
	defer desk.close()
	response, err := desk.post(env.ctx, c.question())
	if err != nil {
		return err
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return c.follow(env, response)
	}
	answer, body, err := desk.read(response)
	if err != nil {
		return err
	}
	if c.JSON {
		env.print("%s\n", strings.TrimSpace(string(body)))
		if answer.Error != nil {
			return errTold
		}
		return nil
	}
	if answer.Error != nil {
		return fmt.Errorf("%s", clean(answer.Error.Message))
	}
	p := printer{out: env.stdout}
	for _, r := range answer.Results {
		p.result(r)
	}
	return nil
}

func (c askCommand) desk(env *environment) (*front, error) {
	if c.URL != "" {
		return remote(c.URL)
	}
	loaded, err := c.load(env, nil)
	if err != nil {
		return nil, err
	}
	return local(env, loaded)
}

func (c askCommand) question() question {
	var q question
	q.Query.Text = strings.Join(c.Question, " ")
	q.Query.Site, q.Query.ItemType, q.Query.Limit = c.Site, c.Type, c.Limit
	q.Prefer.Mode, q.Prefer.Streaming = c.Mode, &c.Stream
	return q
}

// maxEvent bounds one event of a stream.
const maxEvent = 16 << 20

// follow prints the events of a stream as they arrive.
func (c askCommand) follow(env *environment, response *http.Response) error {
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxEvent)
	p, name, completed := printer{out: env.stdout}, "", false
	var failure error
	for lines.Scan() {
		line := lines.Text()
		if c.JSON {
			env.print("%s\n", line)
		}
		if event, ok := strings.CutPrefix(line, "event: "); ok {
			name = event
			completed = completed || name == "complete"
			continue
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var event struct {
			Item  result
			Error *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return fmt.Errorf("an event of the stream cannot be read: %w", err)
		}
		switch {
		case name == "error" && event.Error != nil:
			failure = fmt.Errorf("%s", clean(event.Error.Message))
		case name == "result" && !c.JSON:
			p.result(event.Item)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("the stream broke off: %w", err)
	}
	if !completed {
		return fmt.Errorf("the stream broke off before its end")
	}
	return failure
}

// printer writes results for people.
type printer struct {
	out    io.Writer
	number int
}

func (p *printer) result(r result) {
	if r.Type == "SearchSummary" {
		fmt.Fprintf(p.out, "%s\n\n", wrap(clean(r.Text), ""))
		return
	}
	p.number++
	const indent = "    "
	name := clean(r.Name)
	if name == "" {
		name = clean(r.URL)
	}
	fmt.Fprintf(p.out, "%2d  %s  (%s, %.0f)\n%s%s\n", p.number, name, clean(string(r.Type)), r.Score, indent, clean(r.URL))
	if r.Description != "" {
		fmt.Fprintln(p.out, wrap(shorten(clean(r.Description), 240), indent))
	}
	fmt.Fprintln(p.out)
}

// clean takes what could command the terminal out of a text that somebody else wrote, and brings it to one line.
func clean(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return r <= ' ' || r >= 0x7f && r <= 0x9f || r == utf8.RuneError || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}), " ")
}

// shorten cuts a text at a blank.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if blank := strings.LastIndexByte(cut, ' '); blank > 0 {
		cut = cut[:blank]
	}
	return strings.TrimRight(cut, " ,.;:") + " …"
}

// lineWidth is where wrap breaks lines.
const lineWidth = 96

func wrap(text, indent string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+width > lineWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}
