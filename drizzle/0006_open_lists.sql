CREATE TABLE `__new_image_facts` (
	`blob_key` text NOT NULL,
	`kind` text NOT NULL,
	`value` blob NOT NULL,
	`found_ms` integer NOT NULL,
	PRIMARY KEY(`blob_key`, `kind`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_image_facts` (`blob_key`, `kind`, `value`, `found_ms`) SELECT `blob_key`, `kind`, `value`, `found_ms` FROM `image_facts`;
--> statement-breakpoint
DROP TABLE `image_facts`;
--> statement-breakpoint
ALTER TABLE `__new_image_facts` RENAME TO `image_facts`;
--> statement-breakpoint
CREATE TABLE `__new_images` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`storage_pk` integer NOT NULL,
	`status` text NOT NULL,
	`locked_ms` integer,
	`block_reason` text,
	`nsfw` integer DEFAULT false NOT NULL,
	`public` integer,
	`filename` text NOT NULL,
	`format` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` blob NOT NULL,
	`blob_key` text NOT NULL,
	`published_ms` integer NOT NULL,
	`expires_ms` integer,
	`created_ms` integer NOT NULL,
	`caption` text DEFAULT '' NOT NULL,
	`metadata` text DEFAULT '{}' NOT NULL,
	`labels` text DEFAULT '{}' NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`idempotency_hash` blob,
	`idempotency_fingerprint` blob,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "images_status" CHECK(status IN ('ready', 'processing', 'failed', 'blocked')),
	CONSTRAINT "images_flags" CHECK(nsfw IN (0, 1) AND coalesce(public, 0) IN (0, 1)),
	CONSTRAINT "images_sizes" CHECK(width >= 0 AND height >= 0 AND bytes >= 0),
	CONSTRAINT "images_sha256" CHECK(length(sha256) = 32),
	CONSTRAINT "images_json" CHECK(json_type(metadata) = 'object' AND json_type(labels) = 'object')
) STRICT;
--> statement-breakpoint
INSERT INTO sqlite_sequence (name, seq) SELECT '__new_images', seq FROM sqlite_sequence WHERE name = 'images';
--> statement-breakpoint
INSERT INTO `__new_images` (`pk`, `id`, `app_pk`, `storage_pk`, `status`, `locked_ms`, `block_reason`, `nsfw`, `public`, `filename`, `format`, `width`, `height`, `bytes`, `sha256`, `blob_key`, `published_ms`, `expires_ms`, `created_ms`, `caption`, `metadata`, `labels`, `revision`, `idempotency_hash`, `idempotency_fingerprint`) SELECT `pk`, `id`, `app_pk`, `storage_pk`, `status`, `locked_ms`, `block_reason`, `nsfw`, `public`, `filename`, `format`, `width`, `height`, `bytes`, `sha256`, `blob_key`, `published_ms`, `expires_ms`, `created_ms`, `caption`, `metadata`, `labels`, `revision`, `idempotency_hash`, `idempotency_fingerprint` FROM `images`;
--> statement-breakpoint
CREATE TABLE `__kept_image_labels` AS SELECT * FROM `image_labels`;
--> statement-breakpoint
DELETE FROM `image_labels`;
--> statement-breakpoint
DROP TABLE `images`;
--> statement-breakpoint
ALTER TABLE `__new_images` RENAME TO `images`;
--> statement-breakpoint
INSERT INTO `image_labels` SELECT * FROM `__kept_image_labels`;
--> statement-breakpoint
DROP TABLE `__kept_image_labels`;
--> statement-breakpoint
CREATE UNIQUE INDEX `images_id_unique` ON `images` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `images_blob_key_unique` ON `images` (`blob_key`);
--> statement-breakpoint
CREATE INDEX `images_list` ON `images` (`storage_pk`,published_ms DESC,pk DESC) WHERE status = 'ready';
--> statement-breakpoint
CREATE INDEX `images_processing` ON `images` (`storage_pk`,published_ms DESC,pk DESC) WHERE status = 'processing';
--> statement-breakpoint
CREATE INDEX `images_expiry` ON `images` (`expires_ms`) WHERE expires_ms IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX `images_idempotency` ON `images` (`storage_pk`,`idempotency_hash`) WHERE idempotency_hash IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `images_storage` ON `images` (`storage_pk`);
--> statement-breakpoint
CREATE INDEX `images_unready` ON `images` (`status`,`pk`) WHERE status <> 'ready';
--> statement-breakpoint
CREATE INDEX `images_locked` ON `images` (`pk`) WHERE locked_ms IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `images_nsfw` ON `images` (`pk`) WHERE nsfw = 1;
--> statement-breakpoint
CREATE INDEX `images_public` ON `images` (`pk`) WHERE public = 1;
--> statement-breakpoint
CREATE INDEX `images_app` ON `images` (`app_pk`,`pk`);
--> statement-breakpoint
CREATE TABLE `__new_moderation_actions` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`image_id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`reason` text,
	`note` text,
	`created_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_moderation_actions` (`pk`, `id`, `image_id`, `app_pk`, `actor`, `action`, `reason`, `note`, `created_ms`) SELECT `pk`, `id`, `image_id`, `app_pk`, `actor`, `action`, `reason`, `note`, `created_ms` FROM `moderation_actions`;
--> statement-breakpoint
DROP TABLE `moderation_actions`;
--> statement-breakpoint
ALTER TABLE `__new_moderation_actions` RENAME TO `moderation_actions`;
--> statement-breakpoint
CREATE UNIQUE INDEX `moderation_actions_id_unique` ON `moderation_actions` (`id`);
--> statement-breakpoint
CREATE INDEX `moderation_actions_image` ON `moderation_actions` (`image_id`,`pk`);
--> statement-breakpoint
CREATE INDEX `moderation_actions_app` ON `moderation_actions` (`app_pk`,`pk`);
--> statement-breakpoint
CREATE TABLE `__new_reports` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`image_id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`reason` text NOT NULL,
	`note` text,
	`email` text,
	`ip_hash` blob NOT NULL,
	`resolved_ms` integer,
	`resolved_by` text,
	`outcome` text,
	`created_ms` integer NOT NULL,
	CONSTRAINT "reports_outcome" CHECK((outcome IS NULL) = (resolved_ms IS NULL))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_reports` (`pk`, `id`, `image_id`, `app_pk`, `reason`, `note`, `email`, `ip_hash`, `resolved_ms`, `resolved_by`, `outcome`, `created_ms`) SELECT `pk`, `id`, `image_id`, `app_pk`, `reason`, `note`, `email`, `ip_hash`, `resolved_ms`, `resolved_by`, `outcome`, `created_ms` FROM `reports`;
--> statement-breakpoint
DROP TABLE `reports`;
--> statement-breakpoint
ALTER TABLE `__new_reports` RENAME TO `reports`;
--> statement-breakpoint
CREATE UNIQUE INDEX `reports_id_unique` ON `reports` (`id`);
--> statement-breakpoint
CREATE INDEX `reports_open` ON `reports` (`image_id`) WHERE resolved_ms IS NULL;
--> statement-breakpoint
CREATE INDEX `reports_image` ON `reports` (`image_id`);
--> statement-breakpoint
CREATE INDEX `reports_contact` ON `reports` (`resolved_ms`) WHERE resolved_ms IS NOT NULL AND email IS NOT NULL;
