package conformance

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
)

// rpc sends a request of the Model Context Protocol and returns what came back; see result.
func (p *probe) rpc(method string, params any) reply {
	return p.rpcText(text(object{"jsonrpc": "2.0", "id": 7, "method": method, "params": params}))
}

func (p *probe) rpcText(body string, headers ...string) reply {
	return p.send("POST", "/mcp", body,
		append([]string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25"},
			headers...)...)
}

// result holds that a reply is the result of a request, and returns it.
func (p *probe) result(r reply) object {
	p.must(r.status == http.StatusOK && r.body != nil, "status %d: %s", r.status, clip(r.raw))
	p.expect(r.body["jsonrpc"] == "2.0" && r.body["id"] == 7.0, "jsonrpc %v, id %v", r.body["jsonrpc"], r.body["id"])
	result, ok := r.body["result"].(object)
	p.must(ok, "no result: %s", clip(r.raw))
	return result
}

// callAsk asks by the tool.
func (p *probe) callAsk(arguments any) (result, answer object) { return p.callTool("ask", arguments) }

// callTool uses a tool, and returns the result and the NLWeb object in its last text part.
func (p *probe) callTool(name string, arguments any) (result, answer object) {
	result = p.result(p.rpc("tools/call", object{"name": name, "arguments": arguments}))
	parts, ok := objects(result["content"])
	p.must(ok && len(parts) > 0, "content is %v", result["content"])
	for _, part := range parts {
		p.expect(part["type"] == "text", "a part of type %v", part["type"])
		if found := oneObject([]byte(str(part["text"]))); found != nil {
			answer = found
		}
	}
	p.must(answer != nil, "no text part is a JSON object: %v", parts)
	return result, answer
}

// items holds that an NLWeb object is an answer, and returns its items.
func (p *probe) itemsOf(answer object) []object {
	meta, _ := answer["_meta"].(object)
	p.expect(meta["response_type"] == "answer" && meta["version"] == "0.55", "_meta is %v", meta)
	items, ok := objects(answer["results"])
	p.must(ok && len(items) > 0, "results is no non-empty array: %v", answer["results"])
	return items
}

// mcpRows are about the same answers by the Model Context Protocol (NLWeb 0.55 appendices A and C).
var mcpRows = []row{
	{122, "initialize tells name, version and tools", func(p *probe) {
		result := p.result(p.rpc("initialize", object{
			"protocolVersion": "2025-11-25", "capabilities": object{},
			"clientInfo": object{"name": "probe", "version": "1"},
		}))
		server, _ := result["serverInfo"].(object)
		p.expect(str(server["name"]) != "" && str(server["version"]) != "", "serverInfo is %v", server)
		capabilities, _ := result["capabilities"].(object)
		_, tools := capabilities["tools"].(object)
		p.expect(tools, "capabilities are %v", capabilities)
		p.expect(result["protocolVersion"] == "2025-11-25", "protocolVersion is %v", result["protocolVersion"])
		p.expect(str(result["instructions"]) != "", "no instructions")
	}},
	{123, "the tools have ask and await", func(p *probe) {
		for _, name := range []string{"ask", "await"} {
			tool := p.tool(name)
			p.expect(len([]rune(str(tool["description"]))) >= 20, "the description is %q", tool["description"])
		}
	}},
	{124, "the schema of ask is that of the protocol", func(p *probe) {
		schema, _ := p.tool("ask")["inputSchema"].(object)
		p.expect(schema["type"] == "object" && contains(schema["required"], "query"),
			"the schema is of type %v and requires %v", schema["type"], schema["required"])
		properties, _ := schema["properties"].(object)
		query, _ := properties["query"].(object)
		p.expect(query["type"] == "object" && contains(query["required"], "text"),
			"query is of type %v and requires %v", query["type"], query["required"])
		inside, _ := query["properties"].(object)
		for _, name := range []string{"text", "site", "itemType"} {
			_, there := inside[name].(object)
			p.expect(there, "query has no %s", name)
		}
		p.expect(query["additionalProperties"] != false, "query is closed to further attributes")
		for _, name := range []string{"context", "prefer", "meta"} {
			section, _ := properties[name].(object)
			p.expect(section["type"] == "object", "%s is of type %v", name, section["type"])
		}
	}},
	{126, "tools/call ask has the answer as text", func(p *probe) {
		result, answer := p.callAsk(supper)
		p.expectItems(p.itemsOf(answer))
		p.expect(result["isError"] != true, "an answer is an error")
	}},
	{127, "structuredContent is the same object", func(p *probe) {
		result, answer := p.callAsk(supper)
		if structured, there := result["structuredContent"]; there {
			p.expect(reflect.DeepEqual(structured, any(answer)), "structuredContent is %s, the text %s",
				clip([]byte(text(structured))), clip([]byte(text(answer))))
		}
	}},
	{128, "the result's metadata is the answer's", func(p *probe) {
		result, answer := p.callAsk(query("supper", "meta", object{"session_context": object{"conversation_id": "c"}}))
		meta, ok := result["_meta"].(object)
		p.must(ok, "the result has no _meta")
		own, _ := answer["_meta"].(object)
		for _, name := range []string{"response_type", "version", "session_context"} {
			p.expect(meta[name] != nil && reflect.DeepEqual(meta[name], own[name]), "%s is %v, in the answer %v", name,
				meta[name], own[name])
		}
	}},
	{129, "tools/call ask in chatgpt_app", func(p *probe) {
		_, answer := p.callAsk(query("supper", "prefer", object{"response_format": "chatgpt_app"}))
		content, ok := objects(answer["content"])
		p.expect(ok && len(content) > 0 && content[0]["type"] == "text", "content is %v", answer["content"])
		items, ok := objects(answer["structuredData"])
		p.must(ok && len(items) > 0, "structuredData is %v", answer["structuredData"])
		p.expectItems(items)
	}},
	{132, "bad calls are errors", func(p *probe) {
		for _, arguments := range []any{object{}, object{"query": object{}}, object{"query": object{"text": " "}},
			object{"query": object{"text": 7}}} {
			r := p.rpc("tools/call", object{"name": "ask", "arguments": arguments})
			p.must(r.body != nil, "status %d: %s", r.status, clip(r.raw))
			if result, ok := r.body["result"].(object); ok {
				p.expect(result["isError"] == true && strings.Contains(text(result), "INVALID_QUERY"), "%v gives %s",
					arguments, clip(r.raw))
			} else {
				p.expectRPCError(r, -32602)
			}
		}
		p.expectRPCError(p.rpc("tools/call", object{"name": "teleport", "arguments": object{}}), -32602, -32601)
		p.expectRPCError(p.rpc("tools/call", object{}), -32602, -32601, -32600)
	}},
	{133, "MCP and HTTP give the same items in the same order", func(p *probe) {
		for _, request := range []object{
			query("quick supper", "limit", 30), query("lentil soup", "site", kitchen, "itemType", "Recipe"),
		} {
			_, answer := p.callAsk(request)
			p.expect(reflect.DeepEqual(p.itemsOf(answer), p.answer(p.ask(request))), "the items differ for %v", request)
		}
		_, none := p.callAsk(query("zzyzx qwrtp"))
		fault, _ := none["error"].(object)
		p.expect(fault["code"] == "NO_RESULTS", "error.code is %v", fault["code"])
	}},
	{134, "a notification has no answer", func(p *probe) {
		for _, method := range []string{"notifications/initialized", "notifications/cancelled",
			"notifications/of-our-own", "tools/list", "tools/call"} {
			r := p.rpcText(text(object{"jsonrpc": "2.0", "method": method, "params": object{"requestId": 9}}))
			p.expect(r.status == http.StatusAccepted || r.status == http.StatusNoContent, "%s: status %d",
				method, r.status)
			p.expect(len(r.raw) == 0, "%s is answered: %s", method, clip(r.raw))
		}
	}},
	{135, "what is no JSON-RPC is told so", func(p *probe) {
		for body, code := range map[string]float64{
			`{`: -32700, `not JSON`: -32700, `{"jsonrpc": "2.0", "id": 7, "method": "ping"`: -32700,
			`[]`: -32600, `7`: -32600, `{}`: -32600, `{"jsonrpc": "1.0", "id": 7, "method": "ping"}`: -32600, `{"jsonrpc": "2.0", "id": {}, "method": "ping"}`: -32600,
			`{"jsonrpc": "2.0", "id": 7}`: -32600,
		} {
			r := p.rpcText(body)
			p.must(r.body != nil, "%s: status %d: %s", body, r.status, clip(r.raw))
			fault, _ := r.body["error"].(object)
			p.expect(fault["code"] == code, "%s: the code is %v, want %v", body, fault["code"], code)
			p.expect(r.status >= 400 && r.status < 500, "%s: status %d", body, r.status)
		}
		p.result(p.rpc("ping", object{}))
	}},
}

// tool is the tool of a name among those that the server lists.
func (p *probe) tool(name string) object {
	tools, ok := objects(p.result(p.rpc("tools/list", object{}))["tools"])
	p.must(ok, "tools is no array of objects")
	for _, tool := range tools {
		if tool["name"] == name {
			return tool
		}
	}
	p.must(false, "no tool %s among %v", name, tools)
	return nil
}

// expectRPCError holds that a reply is an error of one of the codes.
func (p *probe) expectRPCError(r reply, codes ...float64) {
	fault, _ := r.body["error"].(object)
	for _, code := range codes {
		if fault["code"] == code {
			p.expect(str(fault["message"]) != "", "the error has no message")
			return
		}
	}
	p.faultf("the error is %v, want one of %v: %s", fault["code"], codes, clip(r.raw))
}

// contains says whether an array has a text.
func contains(array any, want string) bool {
	elements, _ := array.([]any)
	for _, element := range elements {
		if element == want {
			return true
		}
	}
	return false
}

// inResult edits the result of a JSON-RPC response.
func inResult(edit func(result object)) func(*exchange) {
	return func(x *exchange) {
		change(x, func(body object) {
			if result, ok := body["result"].(object); ok {
				edit(result)
			}
		})
	}
}

// inText edits the NLWeb object within a result's text, and there alone.
func inText(edit func(answer object)) func(*exchange) {
	return inResult(func(result object) {
		parts, _ := objects(result["content"])
		for _, part := range parts {
			var answer object
			if json.Unmarshal([]byte(str(part["text"])), &answer) == nil {
				edit(answer)
				part["text"] = text(answer)
			}
		}
	})
}

var wrongMCP = []wrong{
	{name: "a server without a name", rows: []int{122},
		reply: inResult(func(result object) { delete(result, "serverInfo") })},
	{name: "a server without tools", rows: []int{122, 123, 124}, reply: inResult(func(result object) {
		delete(result, "capabilities")
		delete(result, "tools")
	})},
	{name: "a tool of another schema", rows: []int{124}, reply: inResult(func(result object) {
		tools, _ := objects(result["tools"])
		for _, tool := range tools {
			tool["inputSchema"] = object{"type": "object"}
		}
	})},
	{name: "results as prose", rows: []int{126, 127, 128, 129, 133}, reply: inResult(func(result object) {
		result["content"] = []any{object{"type": "text", "text": "Here are 10 suppers."}}
	})},
	{name: "answers without items", rows: []int{126, 133},
		reply: inText(func(answer object) { delete(answer, "results") })},
	{name: "another object in structuredContent", rows: []int{127},
		reply: inResult(func(result object) { result["structuredContent"] = object{"a": 1} })},
	{name: "results without metadata", rows: []int{128},
		reply: inResult(func(result object) { delete(result, "_meta") })},
	{name: "chatgpt_app without its members", rows: []int{129},
		reply: inText(func(answer object) { delete(answer, "structuredData") })},
	{name: "bad calls taken", rows: []int{132, 135}, reply: func(x *exchange) {
		change(x, func(body object) {
			if strings.HasPrefix(x.request.URL.Path, "/mcp") {
				delete(body, "error")
				body["result"] = object{"content": []any{}}
			}
		})
	}},
	{name: "errors of another code", rows: []int{132, 135},
		reply: eachFailure(func(fault object) { fault["code"] = -32000 })},
	{name: "other items by MCP", rows: []int{133}, reply: inText(func(answer object) {
		if items, ok := answer["results"].([]any); ok && len(items) > 1 {
			answer["results"] = items[1:]
		}
	})},
	{name: "notifications answered", rows: []int{134}, reply: func(x *exchange) {
		if x.status == http.StatusAccepted {
			x.status, x.body = http.StatusOK, []byte(`{"jsonrpc":"2.0","result":{}}`)
		}
	}},
}
