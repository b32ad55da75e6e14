package content

import "frontdesk/internal/infra/store"

// Schema is the tables of this package.
//
// content_source has one row per source that was ever filled. Its number n stands for the source in
// the other tables. published is the revision that readers see, 0 before the first; horizon is the
// revision before which removals are no longer remembered; what ended at swept or before holds no
// content any more. A forgotten source keeps its row, so that its revisions go on should it come
// back.
//
// content_version has one small row per version of an item, content_item what the version holds. A
// version is part of the revisions from since up to, but not including, until; until is NULL for
// one that nothing has replaced. A run writes with published+1 in either column, which no reader
// takes for true before the run is published. The number n of a version has its source's number in
// the upper bits and counts up in the lower 40, so that a source's versions lie together in the
// order in which they were put, and n orders them as since does.
//
// content_page has what a run over the web remembers of each page for the next. What holds is that
// of the run that content_source.pages counts; a run writes with pages+1, and sweeps the others
// away.
//
// content_revision says when readers first saw a revision, in microseconds, of the last keepTimes
// of a source. The time tells it from another one of the same number, as there is after an older
// copy of the database was put back.
//
// next_run and attempt are what the one that fills the source told of its last attempt; nothing
// here depends on them.
//
// What a removed version held goes with the sweep at the beginning of a later run; its row in
// content_version stays for a while, to tell followers of the removal.
var Schema = store.Schema{
	ID: "content",
	Steps: []string{`
CREATE TABLE content_source (
	n           {{key}},
	site        {{text}} NOT NULL,
	name        {{text}} NOT NULL,
	published   BIGINT NOT NULL DEFAULT 0,
	horizon     BIGINT NOT NULL DEFAULT 0,
	swept       BIGINT NOT NULL DEFAULT 0,
	forgotten   BIGINT NOT NULL DEFAULT 0,
	items       BIGINT NOT NULL DEFAULT 0,
	passages    BIGINT NOT NULL DEFAULT 0,
	last_run    BIGINT NOT NULL DEFAULT 0,
	last_counts TEXT NOT NULL DEFAULT '',
	failed      BIGINT NOT NULL DEFAULT 0,
	last_error  TEXT NOT NULL DEFAULT '',
	lease       TEXT NOT NULL DEFAULT '',
	lease_until BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX content_source_name ON content_source (site, name);

CREATE TABLE content_version (
	n        {{key}},
	source   BIGINT NOT NULL,
	id       {{text}} NOT NULL,
	since    BIGINT NOT NULL,
	until    BIGINT,
	passages BIGINT NOT NULL,
	hash     {{bytes}} NOT NULL
);
CREATE UNIQUE INDEX content_version_id ON content_version (source, id, since);
CREATE INDEX content_version_since ON content_version (source, since, n);
CREATE INDEX content_version_until ON content_version (source, until, n) WHERE until IS NOT NULL;

CREATE TABLE content_item (
	n           {{key}},
	url         {{text}} NOT NULL,
	types       TEXT NOT NULL,
	name        TEXT NOT NULL,
	description TEXT NOT NULL,
	keys        TEXT NOT NULL,
	language    TEXT NOT NULL,
	image       TEXT NOT NULL,
	publisher   TEXT NOT NULL,
	published   BIGINT NOT NULL,
	modified    BIGINT NOT NULL,
	origin      TEXT NOT NULL,
	passages    {{bytes}} NOT NULL,
	object      {{bytes}} NOT NULL
);
`, `
ALTER TABLE content_source ADD COLUMN pages BIGINT NOT NULL DEFAULT 0;
ALTER TABLE content_source ADD COLUMN tried BIGINT NOT NULL DEFAULT 0;
ALTER TABLE content_source ADD COLUMN next_run BIGINT NOT NULL DEFAULT 0;
ALTER TABLE content_source ADD COLUMN attempt TEXT NOT NULL DEFAULT '';

CREATE TABLE content_page (
	source BIGINT NOT NULL,
	run    BIGINT NOT NULL,
	url    {{text}} NOT NULL,
	state  {{bytes}} NOT NULL,
	PRIMARY KEY (source, run, url)
);
`, `
CREATE TABLE content_revision (
	source   BIGINT NOT NULL,
	revision BIGINT NOT NULL,
	at       BIGINT NOT NULL,
	PRIMARY KEY (source, revision)
) {{clustered}};
`},
}
