package front

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section spread: sites spread over several nodes.
type Settings struct {
	// Sites are the ids of those of `sites` that this node holds; `frontdesk serve --sites a,b`
	// says it for one node. Without it a node holds all. Where `nodes` are named, it holds none and
	// is the front: it asks the nodes.
	Sites []string `yaml:"sites"`
	// Nodes say which node holds which sites. Name every site, each at one node.
	Nodes []NodeSettings `yaml:"nodes"`
	// Timeout is how long the front waits for a node. What a node has not answered by then is
	// missing from the answer, which says so.
	Timeout time.Duration `yaml:"timeout" check:"10ms..1m"`
}

// NodeSettings is one node, as the front asks it.
type NodeSettings struct {
	// URL is where the front reaches the node, such as `http://10.0.0.11:8080`. It may be an
	// address of your own network.
	URL string `yaml:"url" check:"url"`
	// Name is what answers call the node; without it, `node-1` for the first of the list, and so
	// on. Everybody who asks may see it.
	Name string `yaml:"name"`
	// Sites are the ids of the sites that the node holds.
	Sites []string `yaml:"sites"`
	// KeyEnv names the variable of the environment that holds the API key with which the front asks
	// the node. What the key may see, everybody sees who asks the front.
	KeyEnv string `yaml:"key_env"`
	// KeyFile is a file that holds that key.
	KeyFile string `yaml:"key_file" relative:"path"`
}

// DefaultSettings is the section where nothing is said: one node holds all sites.
func DefaultSettings() Settings { return Settings{Timeout: 5 * time.Second} }

// Check looks at each node by itself.
func (s Settings) Check(r *yamlconf.Report) {
	names := map[string]bool{}
	for i, n := range s.Nodes {
		at := r.Entry("nodes", i)
		switch {
		case n.URL == "":
			at.Problem("url", "say where the front reaches this node, like http://10.0.0.11:8080")
		case holdsPassword(n.URL):
			at.Problem("url", "the address holds a password; name a key with key_env or key_file")
		}
		if name := s.name(i); names[name] {
			at.Problem("name", "%s is the name of another node too", name)
		} else {
			names[name] = true
		}
		if n.KeyEnv != "" && n.KeyFile != "" {
			at.Problem("key_file", "there is key_env, too; keep one of them")
		} else if _, err := n.key(); err != nil { // which the nodes themselves need not have
			at.Warning(map[bool]string{true: "key_env", false: "key_file"}[n.KeyEnv != ""], "%v", err)
		}
	}
}

func holdsPassword(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.User != nil
}

// CheckSites looks at which sites are where, of all that there are, and holds that an answer that
// is ready in time can be sent in time.
func (s Settings) CheckSites(r *yamlconf.Report, all []string, write time.Duration) {
	if s.IsFront() && s.Timeout >= write {
		r.Problem("timeout",
			"%s is not less than limits.write_timeout, %s: an answer that came in time could not be sent",
			yamlconf.Show(s.Timeout), yamlconf.Show(write))
	}
	unknown := func(path, site string) {
		r.Problem(path, "there is no site %s; there are %s", site, strings.Join(all, ", "))
	}
	for i, site := range s.Sites {
		if !slices.Contains(all, site) {
			unknown(yamlconf.Index("sites", i), site)
		}
	}
	at := map[string]string{}
	for i, n := range s.Nodes {
		for k, site := range n.Sites {
			path := yamlconf.Index(yamlconf.Index("nodes", i)+".sites", k)
			switch {
			case !slices.Contains(all, site):
				unknown(path, site)
			case at[site] != "":
				r.Problem(path, "%s is at %s, too; put a load balancer before nodes with the same sites, "+
					"and name its address once", site, at[site])
			}
			at[site] = s.name(i)
		}
	}
	for _, site := range all {
		if len(s.Nodes) > 0 && at[site] == "" {
			r.Problem("nodes", "no node has the site %s; add it to the sites of one", site)
		}
	}
}

// IsFront says whether this node asks others, and holds nothing itself.
func (s Settings) IsFront() bool { return len(s.Nodes) > 0 && len(s.Sites) == 0 }

// Holds says whether this node holds a site.
func (s Settings) Holds(site string) bool {
	return !s.IsFront() && (len(s.Sites) == 0 || slices.Contains(s.Sites, site))
}

// NodeOf is the name of the node that holds a site; empty where nobody said.
func (s Settings) NodeOf(site string) string {
	for i, n := range s.Nodes {
		if slices.Contains(n.Sites, site) {
			return s.name(i)
		}
	}
	return ""
}

func (s Settings) name(i int) string { return cmp.Or(s.Nodes[i].Name, fmt.Sprintf("node-%d", i+1)) }

// key reads the key with which a node is asked; empty for none.
func (n NodeSettings) key() (string, error) {
	var key string
	switch {
	case n.KeyEnv != "":
		if key = strings.TrimSpace(os.Getenv(n.KeyEnv)); key == "" {
			return "", fmt.Errorf("the environment has no %s; set it to the key with which this node is asked",
				n.KeyEnv)
		}
	case n.KeyFile != "":
		text, err := os.ReadFile(n.KeyFile)
		if err != nil {
			return "", errors.New("the file cannot be read; write the key with which this node is asked into it")
		}
		key = strings.TrimSpace(string(text))
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("the key has a blank, a line break or a letter beyond ASCII; keep the key alone there")
	}
	return key, nil
}
