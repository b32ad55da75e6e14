package discovery

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:generate go run ./internal/openapigen -wire ../../../wire/nlweb -out openapi.json

// described is the description of everything that a front desk can serve.
//
//go:embed openapi.json
var described []byte

// description is an OpenAPI document, down to what is changed when it is served.
type description struct {
	all   map[string]any
	info  map[string]any
	paths map[string]any
}

// describe reads the description and leaves out what is not served.
func describe(served []string) description {
	var d description
	if err := json.Unmarshal(described, &d.all); err != nil {
		panic(fmt.Sprintf("discovery: openapi.json: %v", err)) // a test reads it
	}
	d.info = d.all["info"].(map[string]any)
	d.paths = d.all["paths"].(map[string]any)
	maps.DeleteFunc(d.paths, func(path string, _ any) bool { return !slices.Contains(served, path) })
	used := map[string]bool{"#/components/schemas/LegacyMessage": true} // a text names it
	d.refer(d.paths, used)
	for _, kind := range []string{"schemas", "responses"} {
		maps.DeleteFunc(d.all["components"].(map[string]any)[kind].(map[string]any), func(name string, _ any) bool {
			return !used["#/components/"+kind+"/"+name]
		})
	}
	for tag, path := range map[string]string{
		"intake": intakeManifest, "intent": intentDeclaration, "ramp": rampManifest,
	} {
		if !slices.Contains(served, path) {
			d.all["tags"] = slices.DeleteFunc(d.all["tags"].([]any), func(one any) bool {
				return one.(map[string]any)["name"] == tag
			})
		}
	}
	return d
}

// refer collects the components to which a part of the document refers, and those to which these
// do.
func (d description) refer(part any, used map[string]bool) {
	switch part := part.(type) {
	case map[string]any:
		if to, ok := part["$ref"].(string); ok && !used[to] {
			used[to] = true
			at := any(d.all)
			for name := range strings.SplitSeq(strings.TrimPrefix(to, "#/"), "/") {
				at = at.(map[string]any)[name]
			}
			d.refer(at, used)
		}
		for _, one := range part {
			d.refer(one, used)
		}
	case []any:
		for _, one := range part {
			d.refer(one, used)
		}
	}
}

// openAPI is /openapi.json, with the address of the front desk as the server's.
func (d *documents) openAPI(_ context.Context, v view) (document, error) {
	all, info := maps.Clone(d.described.all), maps.Clone(d.described.info)
	info["version"], info["title"] = d.config.Version, d.name(v)
	all["info"] = info
	all["servers"] = []any{map[string]any{"url": v.base}}
	return jsonDocument("application/vnd.oai.openapi+json;version=3.1", all)
}
