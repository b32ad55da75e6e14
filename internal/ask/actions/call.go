package actions

// call is the part of an action that its protocol prescribes (NLWeb 0.55 §5).
type call interface {
	// fill puts an item's values in; it is not ok when one is missing or the outcome does not hold
	// up.
	fill(*item) (call, bool)
	// append writes the members, protocol first.
	append(dst []byte) []byte
}

type httpCall struct {
	method, endpoint string
	params, headers  map[string]any
}

func (c httpCall) fill(i *item) (_ call, ok bool) {
	if c.endpoint, ok = i.address(c.endpoint); !ok {
		return nil, false
	}
	if c.params, ok = i.object(c.params); !ok {
		return nil, false
	}
	if c.headers, ok = i.object(c.headers); !ok || checkHeaders(c.headers) != nil {
		return nil, false
	}
	return c, true
}

func (c httpCall) append(dst []byte) []byte {
	dst = appendMember(dst, "protocol", "HTTP")
	dst = appendMember(dst, "method", c.method)
	dst = appendMember(dst, "endpoint", c.endpoint)
	dst = appendMember(dst, "params", c.params)
	return appendMember(dst, "headers", c.headers)
}

type toolCall struct {
	server, tool string
	arguments    map[string]any
}

func (c toolCall) fill(i *item) (_ call, ok bool) {
	c.arguments, ok = i.object(c.arguments)
	return c, ok
}

func (c toolCall) append(dst []byte) []byte {
	dst = appendMember(dst, "protocol", "MCP")
	dst = appendMember(dst, "server", c.server)
	dst = appendMember(dst, "tool", c.tool)
	return appendMember(dst, "arguments", c.arguments)
}

type agentCall struct {
	agent, skill string
	message      map[string]any
}

func (c agentCall) fill(i *item) (_ call, ok bool) {
	if c.agent, ok = i.address(c.agent); !ok {
		return nil, false
	}
	c.message, ok = i.object(c.message)
	return c, ok
}

func (c agentCall) append(dst []byte) []byte {
	dst = appendMember(dst, "protocol", "A2A")
	dst = appendMember(dst, "agent_url", c.agent)
	dst = appendMember(dst, "skill", c.skill)
	return appendMember(dst, "message", c.message)
}
