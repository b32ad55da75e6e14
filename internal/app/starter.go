package app

import _ "embed"

// Starter is the file that `frontdesk config init` writes: the keys that most owners touch, with a
// word on each.
//
//go:embed starter.yaml
var Starter string
