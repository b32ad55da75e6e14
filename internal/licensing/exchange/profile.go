package exchange

import (
	"context"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/cache"
)

// Profile adds members to offers of some kinds of items (RAMP v1, supported_profiles).
type Profile struct {
	Name  string   // as agents name it, such as "ramp-news-v1"
	Types []string // schema.org types of the items that it is for, with all below them; none for all
	// Keys say, by the key of the offer's ext, which member of the item's object has it: a path of
	// names with dots. Of things it tells their names.
	Keys map[string]string
}

// profiled has a builder know what the profiles tell of its entry to whom understands them; whoever
// names none is told all.
func (a *Assortment) profiled(ctx context.Context, m *offerBuilder) error {
	var apply []*Profile
	for i := range m.owner.Profiles {
		p := &m.owner.Profiles[i]
		if (len(m.query.Profiles) == 0 || slices.Contains(m.query.Profiles, p.Name)) && p.isFor(m.entry.Types) {
			apply = append(apply, p)
		}
	}
	if len(apply) == 0 {
		return nil
	}
	object, err := a.objects.get(ctx, m.entry.Ref)
	if err != nil {
		return err
	}
	m.told = map[string]any{}
	for _, p := range apply {
		for key, path := range p.Keys {
			if value := member(object, strings.Split(path, ".")); value != nil {
				m.told[key] = value
			}
		}
	}
	return nil
}

func (p *Profile) isFor(types []string) bool {
	return len(p.Types) == 0 || slices.ContainsFunc(types, func(t string) bool {
		return slices.ContainsFunc(p.Types, func(above string) bool { return content.IsA(t, above) })
	})
}

// maxTold bounds a text that a profile tells, in bytes, and how many of a list are told.
const maxTold, maxToldList = 500, 20

// member is what stands in a value of JSON under a path: texts, numbers and truths, and lists of
// them; things by their name. Long texts are left out: they are what is sold.
func member(value any, path []string) any {
	switch v := value.(type) {
	case []any:
		var all []any
		for _, element := range v[:min(len(v), maxToldList)] {
			if found := member(element, path); found != nil {
				all = append(all, found)
			}
		}
		switch len(all) {
		case 0:
			return nil
		case 1:
			return all[0]
		}
		return all
	case map[string]any:
		if len(path) > 0 {
			return member(v[path[0]], path[1:])
		}
		name, _ := v["name"].(string)
		return member(name, nil)
	case string:
		if len(path) > 0 || v == "" || len(v) > maxTold {
			return nil
		}
		return v
	case nil:
		return nil
	}
	if len(path) > 0 {
		return nil
	}
	return value
}

// objectOf reads an item's object; nil for one that cannot be read.
func objectOf(object []byte) map[string]any {
	var read map[string]any
	if json.Unmarshal(object, &read) != nil {
		return nil
	}
	return read
}

// objects are those that profiles told of, as they were read.
type objects struct {
	known cache.Cache[content.Ref, map[string]any]
	read  func(context.Context, content.Ref) (map[string]any, error)
}

func newObjects(bytes uint64, corpus *released.Corpus) (objects, error) {
	const each = 4 << 10 // about what one takes
	known, err := cache.New[content.Ref, map[string]any](int(max(bytes/4/each, 64)))
	return objects{known: known, read: func(ctx context.Context, ref content.Ref) (map[string]any, error) {
		item, err := corpus.LoadVersion(ctx, ref)
		if err != nil || item == nil {
			return nil, err
		}
		return objectOf(item.Object()), nil
	}}, err
}

// get gives an item's object; nil for one that is no more.
func (o *objects) get(ctx context.Context, ref content.Ref) (map[string]any, error) {
	if object, ok := o.known.GetIfPresent(ref); ok {
		return object, nil
	}
	object, err := o.read(ctx, ref)
	if err == nil {
		o.known.Set(ref, object)
	}
	return object, err
}
