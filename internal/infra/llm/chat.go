package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

// prompt is what is asked of a chat model: who it is, and the data as JSON.
type prompt struct {
	system, user string
	reply        int                // the most tokens of the reply; 0 is Options.MaxReplyTokens
	probe        bool               // only whether it answers matters
	delta        func(string) error // is given the reply piece by piece, as it comes; nil for the whole at its end
}

// size is about how many tokens the prompt has; rather more.
func (p prompt) size() int { return (len(p.system)+len(p.user))/3 + 16 }

type chatRequest struct {
	Model               string         `json:"model"`
	Messages            []chatMessage  `json:"messages"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chatReply is a reply, or one piece of a streamed one.
type chatReply struct {
	Choices []struct {
		Message      *chatText `json:"message"`
		Delta        *chatText `json:"delta"`
		FinishReason string    `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatText struct {
	Content string `json:"content"`
}

// chat makes one call of the chat model and returns what it wrote, without what it thought before.
func (c *Client) chat(ctx context.Context, p prompt) (string, Usage, error) {
	reading := &reading{prompt: p, most: 16 * c.replyTokens(p), visible: thinkingFilter{}}
	sent := 0
	build := func() any {
		body := c.chatBody(p)
		sent = p.size()
		return body
	}
	err := c.post(ctx, chatPath, build, func(response *http.Response) error {
		if typ, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); typ == "text/event-stream" {
			return reading.stream(response.Body)
		}
		return reading.whole(response.Body)
	})
	usage := c.counted(chatPath, reading.input, reading.output, sent, c.replyTokens(p))
	if err == nil && reading.cut() && !p.probe {
		err = fault(Truncated, "the reply reached its most tokens, or did not end")
	}
	return reading.text.String(), usage, err
}

func (c *Client) replyTokens(p prompt) int { return or(p.reply, c.options.MaxReplyTokens) }

func (c *Client) chatBody(p prompt) chatRequest {
	body := chatRequest{
		Model:    c.options.Chat,
		Messages: []chatMessage{{"system", p.system}, {"user", p.user}},
		Stream:   p.delta != nil,
	}
	if c.dialect.completionTokens.Load() {
		body.MaxCompletionTokens = c.replyTokens(p)
	} else {
		body.MaxTokens = c.replyTokens(p)
	}
	if !c.dialect.noTemperature.Load() {
		body.Temperature = new(float64)
	}
	if body.Stream && !c.dialect.noStreamOptions.Load() {
		body.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	return body
}

// counted is what a call took by the endpoint's own count. A count that cannot be is not believed:
// a prompt has no more tokens than three times what it was taken for (a byte each), a reply no more
// than were allowed.
func (c *Client) counted(to endpoint, input, output, size, reply int) Usage {
	u := Usage{}
	if input > 0 && input <= 4*size+1000 {
		u.Input = input
	}
	if output > 0 && output <= reply {
		u.Output = output
	}
	u.Cost = c.options.Price.cost(to, u.Input, u.Output)
	return u
}

// reading takes a reply in.
type reading struct {
	prompt        prompt
	most          int // bytes of text
	text          strings.Builder
	visible       thinkingFilter
	finish        string
	ended         bool
	input, output int
}

// cut says whether the reply is not whole.
func (r *reading) cut() bool { return r.finish == "length" || r.finish == "content_filter" || !r.ended }

// whole reads a reply that is one JSON object.
func (r *reading) whole(body io.Reader) error {
	text, err := readBounded(body, maxReply)
	if err != nil {
		return err
	}
	var reply chatReply
	if err := json.Unmarshal(text, &reply); err != nil {
		return fault(Malformed, "the reply is not the JSON of a chat completion")
	}
	if len(reply.Choices) == 0 || reply.Choices[0].Message == nil {
		return fault(Malformed, "the reply has no choice with a message")
	}
	r.ended = true
	return r.take(reply)
}

// stream reads a reply that comes as server-sent events.
func (r *reading) stream(body io.Reader) error {
	bounded := &io.LimitedReader{R: body, N: maxStream}
	lines := bufio.NewReaderSize(bounded, 4<<10)
	for {
		line, err := readLine(lines)
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && err == nil {
			if done, err := r.event(bytes.TrimSpace(data)); done || err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) && bounded.N <= 0:
			return fault(TooLong, "more than %d bytes", maxStream)
		case errors.Is(err, io.EOF) && r.finish != "": // some servers do not say that they are done
			r.ended = true
			return nil
		case errors.Is(err, io.EOF):
			return fault(Truncated, "the stream ended before the reply did")
		case err != nil:
			return err
		}
	}
}

// readLine reads a line of bounded length.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, fault(TooLong, "a line of more than %d bytes", maxLine)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// event takes one event of a stream in, and says whether it was the last.
func (r *reading) event(data []byte) (done bool, err error) {
	if string(data) == "[DONE]" {
		r.ended = true
		return true, nil
	}
	var piece chatReply
	if err := json.Unmarshal(data, &piece); err != nil {
		return false, fault(Malformed, "an event is not the JSON of a chat completion")
	}
	return false, r.take(piece)
}

// take takes what a reply or a piece of one says.
func (r *reading) take(reply chatReply) error {
	if len(reply.Error) > 0 && string(reply.Error) != "null" {
		return fault(Failed, "it says that it failed")
	}
	if reply.Usage != nil {
		r.input, r.output = reply.Usage.Prompt, reply.Usage.Completion
	}
	if len(reply.Choices) == 0 {
		return nil
	}
	choice := reply.Choices[0]
	if choice.FinishReason != "" {
		r.finish = choice.FinishReason
	}
	for _, text := range []*chatText{choice.Message, choice.Delta} {
		if text != nil {
			if err := r.write(text.Content); err != nil {
				return err
			}
		}
	}
	return nil
}

// write takes a piece of the text in.
func (r *reading) write(piece string) error {
	piece = r.visible.pass(strings.ToValidUTF8(piece, "\uFFFD"))
	if piece == "" {
		return nil
	}
	if r.text.Len()+len(piece) > r.most {
		return fault(TooLong, "more than %d bytes of text", r.most)
	}
	r.text.WriteString(piece)
	if r.prompt.delta != nil {
		return r.prompt.delta(piece)
	}
	return nil
}

// thinkingFilter takes off what some models write before their reply: thoughts between <think> and
// </think>.
type thinkingFilter struct {
	held  string // the beginning, until it is known what it is
	state int    // 0 at the beginning, 1 within thoughts, 2 within the reply
}

const thinkOpen, thinkClose = "<think>", "</think>"

// pass gives what of a piece belongs to the reply.
func (t *thinkingFilter) pass(piece string) string {
	if t.state == 2 {
		return piece
	}
	t.held += piece
	if t.state == 0 {
		begin := strings.TrimLeft(t.held, " \t\r\n")
		switch {
		case strings.HasPrefix(begin, thinkOpen):
			t.state, t.held = 1, begin[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, begin):
			return ""
		default:
			t.state, t.held = 2, ""
			return begin
		}
	}
	if _, reply, ok := strings.Cut(t.held, thinkClose); ok {
		t.state, t.held = 2, ""
		return strings.TrimLeft(reply, " \t\r\n")
	}
	t.held = t.held[max(0, len(t.held)-len(thinkClose)):] // enough to know its end by
	return ""
}
