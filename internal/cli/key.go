package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"frontdesk/internal/limit"
	"frontdesk/internal/server"
	"frontdesk/internal/trust"
)

type keyCommands struct {
	Create keyCreate `cmd:"" help:"Make an API key and print it, once."`
	List   keyList   `cmd:"" help:"List the API keys, without their secrets."`
	Revoke keyRevoke `cmd:"" help:"End an API key."`
	Hash   keyHash   `cmd:"" help:"Print the hash of a key on standard input, for auth.keys of the configuration."`
}

// openKeys opens the house that keeps the keys. Where there is no database yet, it makes one only if asked to, and
// otherwise gives no house.
func openKeys(env *environment, flags configFlags, create bool) (*server.House, *server.Loaded, error) {
	loaded, err := flags.load(env, nil)
	if err != nil || !create && needContent(loaded.Config) != nil {
		return nil, loaded, err
	}
	house, err := server.OpenHouse(env.ctx, loaded.Config, server.NewLog(server.Log{Level: "error"}, env.stderr))
	return house, loaded, err
}

type keyCreate struct {
	configFlags
	Name    string        `arg:"" help:"What you call the key's holder."`
	Door    []string      `placeholder:"NAME" help:"A door that the key opens, ask or mcp; may be repeated. Without it, all."`
	Rate    string        `placeholder:"RATE" help:"The key's own limit, such as 600/1m, in place of limits.rate.key."`
	Expires time.Duration `placeholder:"SPAN" help:"How long the key is good, such as 720h. Without it, until it is revoked."`
}

// Help is the command's example.
func (keyCreate) Help() string {
	return "The key goes to standard output and is kept nowhere: only its hash is. A server that runs takes it at once.\n\n" +
		"Example:\n\n\tfrontdesk key create \"Example Agents Inc.\" --door ask --rate 600/1m --expires 2160h"
}

// Run makes a key.
func (c keyCreate) Run(env *environment) error {
	for _, door := range c.Door {
		if !server.IsDoor(door) {
			return usage("--door %s: there is no such door; there are %s", door, strings.Join(server.Doors(), ", "))
		}
	}
	if _, err := limit.ParseRate(c.Rate); err != nil {
		return usage("--rate %v", err)
	}
	key := trust.Key{Name: clean(c.Name), Scopes: c.Door, Rate: c.Rate}
	if key.Name == "" {
		return usage("give the key's holder a name")
	}
	switch {
	case c.Expires < 0:
		return usage("--expires %s is over already", c.Expires)
	case c.Expires > 0:
		key.Expires = time.Now().UTC().Add(c.Expires).Truncate(time.Second)
	}
	house, loaded, err := openKeys(env, c.configFlags, true)
	if err != nil {
		return err
	}
	defer house.Close()
	text, made, err := house.Keys.Create(env.ctx, key)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stderr, "The key %s for %q is shown this once:\n", made.ID, made.Name)
	env.print("%s\n", text)
	if len(loaded.Config.Auth.Required) == 0 {
		fmt.Fprintln(env.stderr, "No door needs a key yet; set auth.required in the configuration to close those that should.")
	}
	return nil
}

type keyList struct {
	configFlags
	JSON bool `help:"Print a JSON array."`
}

// Run lists the keys.
func (c keyList) Run(env *environment) error {
	keys, err := c.keys(env)
	if err != nil {
		return err
	}
	now := time.Now()
	if c.JSON {
		return printKeys(env, keys, now)
	}
	if len(keys) == 0 {
		env.print("There are no keys. Make one with `frontdesk key create NAME`.\n")
		return nil
	}
	table := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tSTATE\tDOORS\tRATE\tCREATED\tEXPIRES")
	for _, key := range keys {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", key.ID, clean(key.Name), key.State(now), orElse(strings.Join(key.Scopes, ","), "all"),
			orElse(key.Rate, "-"), day(key.Created), day(key.Expires))
	}
	return table.Flush()
}

func (c keyList) keys(env *environment) ([]trust.Key, error) {
	house, _, err := openKeys(env, c.configFlags, false)
	if err != nil || house == nil {
		return nil, err
	}
	defer house.Close()
	return house.Keys.List(env.ctx)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// day is a time for people; "-" for never.
func day(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format("2006-01-02 15:04")
}

// listedKey is a key as `frontdesk key list --json` prints it.
type listedKey struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"`
	State   string     `json:"state"`
	Doors   []string   `json:"doors,omitempty"` // none for all
	Rate    string     `json:"rate,omitempty"`
	Created time.Time  `json:"created"`
	Expires *time.Time `json:"expires,omitempty"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

func printKeys(env *environment, keys []trust.Key, now time.Time) error {
	listed := make([]listedKey, len(keys))
	for i, key := range keys {
		listed[i] = listedKey{ID: key.ID, Name: key.Name, State: key.State(now), Doors: key.Scopes, Rate: key.Rate, Created: key.Created}
		if !key.Expires.IsZero() {
			listed[i].Expires = &key.Expires
		}
		if !key.Revoked.IsZero() {
			listed[i].Revoked = &key.Revoked
		}
	}
	encoder := json.NewEncoder(env.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(listed)
}

type keyRevoke struct {
	configFlags
	ID string `arg:"" name:"id" help:"The key's id, as frontdesk key list shows it."`
}

// Run ends a key.
func (c keyRevoke) Run(env *environment) error {
	house, _, err := openKeys(env, c.configFlags, false)
	if err != nil {
		return err
	}
	if house == nil {
		return fmt.Errorf("there is no database here, and so no key %s; name the folder with --data or the file with --config", c.ID)
	}
	defer house.Close()
	if err := house.Keys.Revoke(env.ctx, c.ID); err != nil {
		return err
	}
	env.print("The key %s opens nothing any more; servers that run know it within a second.\n", c.ID)
	return nil
}

type keyHash struct{}

// leastKey is how long a key that somebody thought of must be.
const leastKey = 20

// Run prints a hash. The key comes by standard input, since arguments can be seen by other users of the machine.
func (keyHash) Run(env *environment) error {
	line, _ := bufio.NewReader(env.stdin).ReadString('\n')
	key := strings.TrimSpace(line)
	if len(key) < leastKey {
		return usage("write the key to standard input, at least %d characters; for a new one: openssl rand -hex 20", leastKey)
	}
	env.print("%s\n", trust.Hash(key))
	return nil
}
