CREATE TABLE `moderation_actions` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`image_id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`reason` text,
	`note` text,
	`created_ms` integer NOT NULL,
	CONSTRAINT "moderation_actions_action" CHECK(action IN ('lock', 'unlock', 'block', 'unblock', 'nsfw', 'not_nsfw', 'delete'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `moderation_actions_id_unique` ON `moderation_actions` (`id`);--> statement-breakpoint
CREATE INDEX `moderation_actions_image` ON `moderation_actions` (`image_id`,`pk`);--> statement-breakpoint
CREATE INDEX `moderation_actions_app` ON `moderation_actions` (`app_pk`,`pk`);--> statement-breakpoint
CREATE TABLE `reports` (
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
	CONSTRAINT "reports_reason" CHECK(reason IN ('content_policy', 'dmca', 'spam', 'terms')),
	CONSTRAINT "reports_outcome" CHECK((outcome IS NULL) = (resolved_ms IS NULL))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reports_id_unique` ON `reports` (`id`);--> statement-breakpoint
CREATE INDEX `reports_open` ON `reports` (`image_id`) WHERE resolved_ms IS NULL;--> statement-breakpoint
CREATE INDEX `reports_image` ON `reports` (`image_id`);--> statement-breakpoint
CREATE TABLE `exchange_codes` (
	`hash` blob PRIMARY KEY NOT NULL,
	`app_pk` integer NOT NULL,
	`connection_pk` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	`used_ms` integer,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`connection_pk`) REFERENCES `connections`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "exchange_codes_hash" CHECK(length(hash) = 32)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `exchange_codes_expiry` ON `exchange_codes` (`expires_ms`);--> statement-breakpoint
CREATE TABLE `invites` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`email` text NOT NULL,
	`email_norm` text NOT NULL,
	`role` text NOT NULL,
	`token_hash` blob NOT NULL,
	`created_by_pk` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	`accepted_ms` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "invites_role" CHECK(role IN ('viewer', 'editor', 'admin')),
	CONSTRAINT "invites_hash" CHECK(length(token_hash) = 32)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invites_id_unique` ON `invites` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `invites_token_hash_unique` ON `invites` (`token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `invites_open` ON `invites` (`app_pk`,`email_norm`) WHERE accepted_ms IS NULL;--> statement-breakpoint
CREATE TABLE `logins` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`secret_hash` blob NOT NULL,
	`email` text NOT NULL,
	`email_norm` text NOT NULL,
	`code_mac` blob NOT NULL,
	`account_pk` integer,
	`session_id` text,
	`app_pk` integer,
	`redirect_uri` text,
	`state` text,
	`device` text NOT NULL,
	`budget` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`sends` integer DEFAULT 1 NOT NULL,
	`sent_ms` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	`done_ms` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "logins_purpose" CHECK(purpose IN ('console', 'connect', 'account', 'step_up', 'email')),
	CONSTRAINT "logins_hashes" CHECK(length(secret_hash) = 32 AND length(code_mac) = 32)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `logins_expiry` ON `logins` (`expires_ms`);--> statement-breakpoint
CREATE TABLE `redirect_uris` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`uri` text NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `redirect_uris_id_unique` ON `redirect_uris` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `redirect_uris_app` ON `redirect_uris` (`app_pk`,`uri`);--> statement-breakpoint
CREATE TABLE `throttles` (
	`bucket` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`ends_ms` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `throttles_end` ON `throttles` (`ends_ms`);--> statement-breakpoint
CREATE TABLE `emails` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`template` text NOT NULL,
	`recipient` text NOT NULL,
	`facts` text NOT NULL,
	`dedupe` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_ms` integer,
	`claim` text,
	`sent_ms` integer,
	`uncertain` integer DEFAULT 0 NOT NULL,
	`failure` text,
	`created_ms` integer NOT NULL,
	CONSTRAINT "emails_facts" CHECK(json_valid(facts))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `emails_id_unique` ON `emails` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `emails_dedupe_unique` ON `emails` (`dedupe`);--> statement-breakpoint
CREATE INDEX `emails_due` ON `emails` (`next_ms`) WHERE next_ms IS NOT NULL;--> statement-breakpoint
CREATE TABLE `__new_image_facts` (
	`blob_key` text NOT NULL,
	`kind` text NOT NULL,
	`value` blob NOT NULL,
	`found_ms` integer NOT NULL,
	PRIMARY KEY(`blob_key`, `kind`),
	CONSTRAINT "image_facts_kind" CHECK(kind IN ('faces', 'focus', 'content', 'subject', 'thumbhash', 'colour'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_image_facts`("blob_key", "kind", "value", "found_ms") SELECT "blob_key", "kind", "value", "found_ms" FROM `image_facts`;--> statement-breakpoint
DROP TABLE `image_facts`;--> statement-breakpoint
ALTER TABLE `__new_image_facts` RENAME TO `image_facts`;--> statement-breakpoint
ALTER TABLE `accounts` ADD `deleted_ms` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `parent` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `started_by` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `done` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` ADD `total` integer;--> statement-breakpoint
ALTER TABLE `jobs` ADD `result` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `failure` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `claim` text;--> statement-breakpoint
ALTER TABLE `jobs` ADD `ended_ms` integer;--> statement-breakpoint
CREATE INDEX `images_storage` ON `images` (`storage_pk`);--> statement-breakpoint
CREATE INDEX `images_nsfw` ON `images` (`pk`) WHERE nsfw = 1;--> statement-breakpoint
CREATE INDEX `images_app` ON `images` (`app_pk`,`pk`);--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`ended_ms`) WHERE ended_ms IS NOT NULL;--> statement-breakpoint
ALTER TABLE `jobs` DROP COLUMN `progress`;--> statement-breakpoint
ALTER TABLE `jobs` DROP COLUMN `error`;