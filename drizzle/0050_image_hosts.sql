-- expands
CREATE TABLE `ended_image_hosts` (
	`host` text PRIMARY KEY NOT NULL,
	`ended_ms` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `apps` ADD `image_host` text;
--> statement-breakpoint
ALTER TABLE `apps` ADD `image_host_state` text;
--> statement-breakpoint
ALTER TABLE `apps` ADD `image_host_value` text;
--> statement-breakpoint
ALTER TABLE `apps` ADD `image_host_missing_ms` integer;
--> statement-breakpoint
ALTER TABLE `apps` ADD `image_host_asked_ms` integer;
--> statement-breakpoint
CREATE INDEX `apps_verified_host` ON `apps` (`image_host`) WHERE image_host_state = 'verified';
--> statement-breakpoint
CREATE INDEX `apps_asked_host` ON `apps` (`image_host_asked_ms`) WHERE image_host IS NOT NULL;
