package vector

import "frontdesk/internal/infra/store"

// Schema is the tables of this room.
//
// vector_text has the vector of every text, by the SHA-256 of the model's name and the text, as
// float32 in little-endian order, of length 1. unused is when nothing was found to need it any
// more, 0 while something does.
//
// vector_work has one row: who makes vectors, until when.
//
// vector_source is how whoever makes vectors last found each source, for the owner to read.
var Schema = store.Schema{
	ID: "vector",
	Steps: []string{`
CREATE TABLE vector_text (
	key    {{bytes}} NOT NULL PRIMARY KEY,
	vector {{bytes}} NOT NULL,
	unused BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE vector_work (
	name        TEXT NOT NULL PRIMARY KEY,
	holder      TEXT NOT NULL DEFAULT '',
	lease_until BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE vector_source (
	site   {{text}} NOT NULL,
	source {{text}} NOT NULL,
	texts  BIGINT NOT NULL,
	ready  BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	error  TEXT NOT NULL,
	PRIMARY KEY (site, source)
);
`},
}
