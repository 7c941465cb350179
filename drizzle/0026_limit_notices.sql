CREATE TABLE `limit_notices` (
	`app_pk` integer NOT NULL,
	`limit` text NOT NULL,
	`percent` integer NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`app_pk`, `limit`),
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
