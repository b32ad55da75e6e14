package offers

import (
	"maps"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// provider gives CEL the shapes that have names. Their values are maps.
type provider struct {
	*types.Registry
	world world
}

// newProvider returns a provider of a world that does not change any more, except by more shapes.
func newProvider(w world) (*provider, error) {
	registry, err := types.NewRegistry()
	return &provider{registry, w}, err
}

// FindStructType finds a shape by name.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if s := p.world[name]; s != nil {
		return types.NewTypeTypeWithParam(s.typ), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldNames gives the names of a shape's members.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if s := p.world[name]; s != nil {
		return slices.Sorted(maps.Keys(s.fields)), true
	}
	return p.Registry.FindStructFieldNames(name)
}

// FindStructFieldType tells how to read a member.
func (p *provider) FindStructFieldType(name, member string) (*types.FieldType, bool) {
	s := p.world[name]
	if s == nil {
		return p.Registry.FindStructFieldType(name, member)
	}
	f, known := s.fields[member]
	if !known {
		return nil, false
	}
	return &types.FieldType{
		Type:  f.typ,
		IsSet: func(object any) bool { _, there := membersOf(object)[member]; return there },
		GetFrom: func(object any) (any, error) {
			value, there := membersOf(object)[member]
			if !there {
				return nil, errNoMember
			}
			return value, nil
		},
	}, true
}

// errNoMember is the absence of an optional member that a rule reads.
const errNoMember = fault("it reads a member that was not submitted; ask with has() first")

func membersOf(object any) map[string]any {
	if value, ok := object.(ref.Val); ok {
		object = value.Value()
	}
	members, _ := object.(map[string]any)
	return members
}
