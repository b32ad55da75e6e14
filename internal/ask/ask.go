// Package ask words what answers say of items: summaries of several, details of one, and several set side by side. Every
// sentence is made of what was released of an item and of nothing else, in the language that is asked for.
package ask
