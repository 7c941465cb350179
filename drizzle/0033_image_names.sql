-- expands
CREATE TABLE `deleted_images` (
	`id` text PRIMARY KEY NOT NULL,
	`storage_pk` integer NOT NULL,
	`blob_key` text NOT NULL,
	`deleted_ms` integer NOT NULL,
	`image` text NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `deleted_images_storage` ON `deleted_images` (`storage_pk`);
--> statement-breakpoint
CREATE INDEX `deleted_images_age` ON `deleted_images` (`deleted_ms`);
--> statement-breakpoint
CREATE UNIQUE INDEX `deleted_images_blob` ON `deleted_images` (`blob_key`);
--> statement-breakpoint
ALTER TABLE `images` ADD `sent_sha256` blob;
--> statement-breakpoint
ALTER TABLE `images` ADD `external_id` text;
--> statement-breakpoint
CREATE UNIQUE INDEX `images_external_id` ON `images` (`storage_pk`,`external_id`) WHERE external_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `images_sent` ON `images` (`storage_pk`,coalesce(sent_sha256, sha256));
