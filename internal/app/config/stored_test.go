package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// owned is a configuration with what can be stored beside a file.
type owned struct {
	Name  string        `yaml:"name"`
	Texts []string      `yaml:"texts"`
	Keep  time.Duration `yaml:"keep"`
	On    bool          `yaml:"on"`
	Asked asked         `yaml:"asked"`
	Sites []site        `yaml:"sites"`
	Read  []source      `yaml:"read"`
}

type asked struct {
	Keep time.Duration `yaml:"keep"`
}

// Off keeps nothing.
func (a *asked) Off() { a.Keep = 0 }

type site struct {
	ID   string `yaml:"id"`
	Name string `yaml:"name"`
}

type source struct {
	URL   string        `yaml:"url"`
	Every time.Duration `yaml:"every"`
	Deep  asked         `yaml:"deep"`
	Owned bool          `yaml:",stored"`
}

func readOwned(t *testing.T, text string, layers Layers) (*owned, *Origins, yamlconf.Findings) {
	t.Helper()
	c := &owned{On: true, Keep: time.Hour, Asked: asked{Keep: time.Hour}}
	layers.File, layers.Text = "site.yaml", []byte(text)
	o, findings, _ := Read(layers, c)
	return c, o, findings
}

func TestStoredValuesFillWhatTheFileIsSilentAbout(t *testing.T) {
	t.Parallel()
	const file = "name: Of the file\nsites: [{id: shop.example}, {id: b, name: B}]\nread: [{url: one}]\n"
	c, o, findings := readOwned(t, file, Layers{
		Env: []string{"FRONTDESK_ON=true"},
		Stored: []Stored{
			{"name", []string{"Stored"}}, {"texts", []string{"a, b", "c"}}, {"keep", []string{"3d"}},
			{"on", []string{"false"}},
			{"sites[shop.example].name", []string{"Shop"}}, {"sites[b].name", []string{"Not B"}},
			{"read[x/two]", []string{"url=https://two/?a=b", "every=2h"}},
		},
	})
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	switch {
	case c.Name != "Of the file", !slices.Equal(c.Texts, []string{"a, b", "c"}), c.Keep != 72*time.Hour, !c.On,
		c.Sites[0].Name != "Shop", c.Sites[1].Name != "B", len(c.Read) != 2, c.Read[0].Owned,
		c.Read[1] != source{URL: "https://two/?a=b", Every: 2 * time.Hour, Owned: true}:
		t.Errorf("%+v", c)
	}
	for key, want := range map[string]string{
		"name": "file site.yaml:1", "texts": "store ", "keep": "store ", "on": "environment FRONTDESK_ON",
		"sites[shop.example].name": "store ", "sites[b].name": "file site.yaml:2", "asked.keep": "default ",
	} {
		known, ok := o.Index(*c).Look(key)
		if got := known.Layer + " " + known.Place; !ok || got != want {
			t.Errorf("%s is from %q, want %q", key, got, want)
		}
	}
	if known, _ := o.Index(*c).Look("keep"); known.Values[0] != "3d" {
		t.Errorf("days are written as %q", known.Values)
	}
	var out strings.Builder
	if err := o.Print(&out, *c); err != nil || !strings.Contains(out.String(), "# store\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	const want = `texts: ["a, b", "c"]
keep: 72h
sites:
  - id: shop.example
    name: Shop
read:
  - url: "https://two/?a=b"
    every: 2h
`
	if got := o.OnlyStored(*c); got != want {
		t.Errorf("as lines for the file:\n%s", got)
	}
	again, _, findings := readOwned(t, want, Layers{})
	if len(findings) > 0 || again.Texts[0] != "a, b" || again.Read[0].URL != c.Read[1].URL {
		t.Errorf("the lines are read as %+v, %v", again, findings)
	}
}

func TestASectionThatIsOffIsNotSilent(t *testing.T) {
	t.Parallel()
	c, o, _ := readOwned(t, "asked: off\n", Layers{Stored: []Stored{{"asked.keep", []string{"3d"}}}})
	if known, _ := o.Index(*c).Look("asked.keep"); c.Asked.Keep != 0 || known.Place != "site.yaml:1" {
		t.Errorf("%v, from %q", c.Asked.Keep, known.Place)
	}
}

func TestStoredValuesThatDoNotFitAreLeftOutAlone(t *testing.T) {
	t.Parallel()
	all := []Stored{
		{"name", []string{"good"}}, {"keep", []string{"soon"}}, {"nokey", []string{"x"}},
		{"sites[none].name", []string{"x"}}, {"read[a]", []string{"path=/etc/passwd"}}, {"sites", []string{"x"}},
		{"asked", []string{"x"}}, {"texts", []string{"a", "b"}},
		{"on", []string{"true", "false"}}, {"read[", []string{"url=x"}}, {"[]", nil}, {"name.x", []string{"y"}},
	}
	load := func(some []Stored) (*owned, error) {
		c, _, findings := readOwned(t, "", Layers{Stored: some})
		if len(findings) > 0 {
			return c, findings
		}
		return c, nil
	}
	without, _ := load(nil)
	with, unused := Fit(without, all, load)
	if with.Name != "good" || len(with.Texts) != 2 || len(unused) != len(all)-2 {
		t.Errorf("%+v, left out %+v", with, unused)
	}
	for _, u := range unused {
		if u.Problem == "" {
			t.Errorf("%s: nothing says why", u.Key)
		}
	}
	if unused[0].Problem != `"soon" should be a time span like 10s or 2m` {
		t.Errorf("%q", unused[0].Problem)
	}
	broken := errors.New("nothing can be read")
	if _, unused := Fit(without, all[:1], func([]Stored) (*owned, error) { return nil, broken }); len(unused) != 1 {
		t.Errorf("%v", unused)
	}
}
