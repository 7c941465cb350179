-- expands
CREATE TABLE `events` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`user_id` text,
	`type` text NOT NULL,
	`subject` text NOT NULL,
	`data` text,
	`request_id` text,
	`created_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id_unique` ON `events` (`id`);
--> statement-breakpoint
CREATE INDEX `events_feed` ON `events` (`app_pk`,`type`,`pk`);
--> statement-breakpoint
CREATE INDEX `events_user` ON `events` (`user_id`,`pk`) WHERE user_id IS NOT NULL;
