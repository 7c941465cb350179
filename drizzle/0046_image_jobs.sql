-- expands
CREATE TABLE `image_job_items` (
	`job_pk` integer NOT NULL,
	`image_pk` integer NOT NULL,
	`image_id` text NOT NULL,
	PRIMARY KEY(`job_pk`, `image_pk`),
	FOREIGN KEY (`job_pk`) REFERENCES `image_jobs`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `image_jobs` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`storage_pk` integer NOT NULL,
	`user_id` text,
	`session_id` text NOT NULL,
	`request_id` text,
	`filter` text NOT NULL,
	`act` text NOT NULL,
	`newest_pk` integer NOT NULL,
	`listed` integer DEFAULT false NOT NULL,
	`changed` integer DEFAULT 0 NOT NULL,
	`skipped` text DEFAULT '{}' NOT NULL,
	`cancelled_ms` integer,
	FOREIGN KEY (`id`) REFERENCES `jobs`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "image_jobs_json" CHECK(json_valid(filter) AND json_valid(act) AND json_valid(skipped))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `image_jobs_id_unique` ON `image_jobs` (`id`);
--> statement-breakpoint
CREATE INDEX `image_jobs_storage` ON `image_jobs` (`storage_pk`);
--> statement-breakpoint
CREATE INDEX `jobs_app` ON `jobs` (`app_pk`,`pk`) WHERE kind = 'import' OR kind = 'image_job';
