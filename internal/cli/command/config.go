package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"frontdesk/internal/app"
	"frontdesk/internal/app/config"
	"frontdesk/internal/infra/yamlconf"
)

// ConfigFlags choose the configuration. Every key can be set by one of them, and they outweigh
// environment and file.
type ConfigFlags struct {
	Config string   `placeholder:"FILE" help:"Configuration file; without it $$FRONTDESK_CONFIG, or frontdesk.yaml if it is here."`
	Data   *string  `placeholder:"DIR" help:"Folder for the database."`
	Store  *string  `placeholder:"DSN" help:"Database: sqlite:PATH or postgres://user:password@host/database."`
	Set    []string `placeholder:"KEY=VALUE" sep:"none" help:"Set any other key of the configuration, such as ask.limit=5."`
}

// ConfigFile is the configuration file to read, empty for none.
func (f ConfigFlags) ConfigFile(env *Environment) string {
	if f.Config != "" {
		return f.Config
	}
	for _, entry := range env.Env {
		if name, value, _ := strings.Cut(entry, "="); name == config.FileEnv && value != "" {
			return value
		}
	}
	if _, err := os.Stat(DefaultFile); err == nil {
		return DefaultFile
	}
	return ""
}

// DefaultFile is the configuration file that is read when none is named.
const DefaultFile = "frontdesk.yaml"

// layers are the configuration's, with the flags given as key and value.
func (f ConfigFlags) layers(env *Environment, flags map[string]*string, sources ...app.Source) (app.Layers, error) {
	layers := app.Layers{File: f.ConfigFile(env), Env: env.Env, Flags: map[string]string{}, Sources: sources}
	for _, setting := range f.Set {
		key, value, ok := strings.Cut(setting, "=")
		if !ok {
			return layers, Usage("--set %s: write KEY=VALUE, like --set ask.limit=5", setting)
		}
		layers.Flags[key] = value
	}
	for key, value := range flags {
		if value != nil {
			layers.Flags[key] = *value
		}
	}
	for key, value := range map[string]*string{"data": f.Data, "store": f.Store} {
		if value != nil {
			layers.Flags[key] = *value
		}
	}
	return layers, nil
}

// Load reads the configuration. What is odd about it is told by what serves, and by `frontdesk
// config check`.
func (f ConfigFlags) Load(env *Environment, flags map[string]*string, sources ...app.Source) (*app.Loaded, error) {
	layers, err := f.layers(env, flags, sources...)
	if err != nil {
		return nil, err
	}
	return app.Load(layers)
}

// Warn writes warnings of the configuration to standard error.
func (e *Environment) Warn(warnings yamlconf.Findings) {
	for _, w := range warnings {
		fmt.Fprintf(e.Stderr, "warning: %v\n", w)
	}
}

// NeedContent refuses to look for content where there is none yet, instead of making an empty
// database.
func NeedContent(config app.Config) error {
	path, isFile := config.StoreFile()
	if !isFile {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("there is no content at %s yet; read some with `frontdesk ingest PATH`, "+
			"or name another folder with --data", filepath.Dir(path))
	}
	return nil
}

// PathSources are sources for paths and web addresses of the command line.
func PathSources(paths []string, pattern app.Source) ([]app.Source, error) {
	var sources []app.Source
	for _, path := range paths {
		source := pattern
		if lower := strings.ToLower(path); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
			source.URL = path
			sources = append(sources, source)
			continue
		}
		if _, err := os.Stat(path); err != nil && !strings.ContainsAny(path, "*?") {
			return nil, fmt.Errorf("there is no %s; name a file or a folder with content", path)
		}
		source.Path = path
		sources = append(sources, source)
	}
	return sources, nil
}
