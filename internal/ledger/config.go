package ledger

import (
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/receipt"
)

// Settings is the section ledger: how the ledger of what was given and taken is called.
type Settings struct {
	// Origin is the name of the ledger, and of the keys that sign it: an address without its
	// scheme, such as `www.example.com/ledger`. Without it, it is made from `url` or, without
	// `url`, from the site's id. A ledger that has begun keeps its name.
	Origin string `yaml:"origin"`
}

// Check looks at the name.
func (l Settings) Check(r *yamlconf.Report) {
	if l.Origin != "" {
		if err := receipt.CheckOrigin(l.Origin); err != nil {
			r.Problem("origin", "%v", err)
		}
	}
}
