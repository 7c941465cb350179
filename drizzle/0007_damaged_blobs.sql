CREATE TABLE `damaged_blobs` (
	`blob_key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`found_bytes` integer,
	`found_ms` integer NOT NULL
) STRICT, WITHOUT ROWID;
