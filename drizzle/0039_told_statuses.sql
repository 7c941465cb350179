-- expands
CREATE TABLE `told_statuses` (
	`connection_pk` integer PRIMARY KEY NOT NULL,
	`storage` text,
	`shown` text NOT NULL,
	`subscription` text,
	`held` integer NOT NULL,
	`ends_ms` integer,
	FOREIGN KEY (`connection_pk`) REFERENCES `connections`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `told_statuses_ends` ON `told_statuses` (`ends_ms`) WHERE ends_ms IS NOT NULL;
