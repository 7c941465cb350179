-- expands
CREATE TABLE `daily_usage` (
	`storage_pk` integer NOT NULL,
	`day` integer NOT NULL,
	`requests` integer NOT NULL,
	`image_requests` integer NOT NULL,
	`bytes_served` integer NOT NULL,
	`renditions` integer NOT NULL,
	PRIMARY KEY(`storage_pk`, `day`),
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `monthly_usage` ADD `days` text DEFAULT '{}' NOT NULL;
