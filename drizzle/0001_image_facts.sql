CREATE TABLE `image_facts` (
	`blob_key` text NOT NULL,
	`kind` text NOT NULL,
	`value` blob NOT NULL,
	`found_ms` integer NOT NULL,
	PRIMARY KEY(`blob_key`, `kind`),
	CONSTRAINT "image_facts_kind" CHECK(kind IN ('faces', 'focus', 'content', 'subject'))
) STRICT, WITHOUT ROWID;
