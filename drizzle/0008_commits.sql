CREATE TABLE `commits` (
	`slot` text PRIMARY KEY NOT NULL,
	`turn` integer NOT NULL,
	`used_s` integer NOT NULL
) STRICT, WITHOUT ROWID;
