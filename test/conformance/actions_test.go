package conformance

import (
	"net/url"
	"strings"
)

// actionRows are about what can be done with items. The fixture's owner tells three actions, one of
// each protocol.
var actionRows = []row{
	{105, "an item with an action tells its name, description and protocol", func(p *probe) {
		for _, action := range p.actions("") {
			for _, name := range []string{"name", "description"} {
				p.expect(str(action[name]) != "", "%s of an action is %v", name, action[name])
			}
			protocol := str(action["protocol"])
			p.expect(protocol == "HTTP" || protocol == "MCP" || protocol == "A2A", "protocol is %q", protocol)
		}
	}},
	{106, "an HTTP action has method and endpoint", func(p *probe) {
		for _, action := range p.actions("HTTP") {
			p.expect(str(action["method"]) != "" && str(action["endpoint"]) != "", "method %v, endpoint %v",
				action["method"], action["endpoint"])
			p.expectObject(action, "params")
			p.expectObject(action, "headers")
		}
	}},
	{107, "an MCP action has server and tool", func(p *probe) {
		for _, action := range p.actions("MCP") {
			p.expect(str(action["server"]) != "" && str(action["tool"]) != "", "server %v, tool %v", action["server"],
				action["tool"])
			p.expectObject(action, "arguments")
		}
	}},
	{108, "an A2A action has agent_url and skill", func(p *probe) {
		for _, action := range p.actions("A2A") {
			p.expect(str(action["agent_url"]) != "" && str(action["skill"]) != "", "agent_url %v, skill %v",
				action["agent_url"], action["skill"])
			p.expectObject(action, "message")
		}
	}},
	{109, "actions lead to the web and carry no credentials", func(p *probe) {
		for _, action := range p.actions("") {
			for _, name := range []string{"endpoint", "agent_url"} {
				if address, there := action[name]; there {
					u, err := url.Parse(str(address))
					p.expect(err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil,
						"%s is %v", name, address)
				}
			}
			headers, _ := action["headers"].(object)
			for name := range headers {
				lower := strings.ToLower(name)
				p.expect(!strings.Contains(lower, "authorization") && !strings.Contains(lower, "cookie") &&
					!strings.Contains(lower, "key"), "an action has the header %s", name)
			}
		}
	}},
}

// actions are those of all items with a protocol, or with any; there must be some, whole and
// streamed alike.
func (p *probe) actions(protocol string) []object {
	var found []object
	question := "lentil soup"
	if protocol == "A2A" {
		question = "kitchen pan model 28"
	}
	for _, items := range [][]object{
		p.answer(p.ask(query(question))), p.items(p.streamAsk(query(question, "prefer", object{"streaming": true}))),
	} {
		before := len(found)
		for _, item := range items {
			actions, ok := objects(item["actions"])
			p.must(ok || item["actions"] == nil, "actions is %v", item["actions"])
			for _, action := range actions {
				if protocol == "" || action["protocol"] == protocol {
					found = append(found, action)
				}
			}
		}
		p.must(len(found) > before, "no item has an action of protocol %q", protocol)
	}
	return found
}

// expectObject expects a member to be an object if it is there.
func (p *probe) expectObject(of object, name string) {
	value, there := of[name]
	_, ok := value.(object)
	p.expect(ok || !there, "%s is no object: %v", name, value)
}
