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
	for _, part := range []struct{ served, tag, schemas, packages string }{{intakeManifest, "intake", "Intake",
		"Intake"}, {intentDeclaration, "intent", "Intent", "Intent"}, {rampManifest, "ramp", "ramp.", "comp."}} {
		if !slices.Contains(served, part.served) { // their schemas are large
			schemas := d.all["components"].(map[string]any)["schemas"].(map[string]any)
			maps.DeleteFunc(schemas, func(name string, _ any) bool {
				return strings.HasPrefix(name, part.schemas) || strings.HasPrefix(name, part.packages)
			})
			d.all["tags"] = slices.DeleteFunc(d.all["tags"].([]any), func(tag any) bool {
				return tag.(map[string]any)["name"] == part.tag
			})
		}
	}
	return d
}

// openAPI is /openapi.json, with the address of the front desk as the server's.
func (d *documents) openAPI(_ context.Context, v view) (document, error) {
	all, info := maps.Clone(d.described.all), maps.Clone(d.described.info)
	info["version"], info["title"] = d.config.Version, d.name(v)
	all["info"] = info
	all["servers"] = []any{map[string]any{"url": v.base}}
	return jsonDocument("application/vnd.oai.openapi+json;version=3.1", all)
}
