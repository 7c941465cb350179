CREATE TABLE `accounts` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`email` text NOT NULL,
	`email_norm` text NOT NULL,
	`status` text NOT NULL,
	`verified_ms` integer,
	`created_ms` integer NOT NULL,
	CONSTRAINT "accounts_status" CHECK(status IN ('active', 'disabled', 'deleting'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_id_unique` ON `accounts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_norm_unique` ON `accounts` (`email_norm`);--> statement-breakpoint
CREATE TABLE `app_usage` (
	`app_pk` integer PRIMARY KEY NOT NULL,
	`images` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`users` integer DEFAULT 0 NOT NULL,
	`checked_ms` integer,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "app_usage_counters" CHECK(images >= 0 AND bytes >= 0 AND users >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `apps` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`paused_ms` integer,
	`paused_by` text,
	`blocked_ms` integer,
	`block_reason` text,
	`deleting_ms` integer,
	`sign_in` integer DEFAULT false NOT NULL,
	`selling` integer DEFAULT false NOT NULL,
	`plan` text DEFAULT 'free' NOT NULL,
	`images_limit` integer,
	`users_limit` integer,
	`created_ms` integer NOT NULL,
	CONSTRAINT "apps_plan" CHECK(plan IN ('free', 'pro', 'unlimited')),
	CONSTRAINT "apps_flags" CHECK(sign_in IN (0, 1) AND selling IN (0, 1)),
	CONSTRAINT "apps_limits" CHECK(coalesce(images_limit, 0) >= 0 AND coalesce(users_limit, 0) >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `apps_id_unique` ON `apps` (`id`);--> statement-breakpoint
CREATE TABLE `connections` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`account_pk` integer NOT NULL,
	`storage_pk` integer,
	`state` text NOT NULL,
	`email_at_consent` text NOT NULL,
	`consent_version` integer NOT NULL,
	`created_ms` integer NOT NULL,
	`ended_ms` integer,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "connections_state" CHECK(state IN ('connected', 'disconnecting', 'gone')),
	CONSTRAINT "connections_connected" CHECK(state <> 'connected' OR storage_pk IS NOT NULL)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `connections_id_unique` ON `connections` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `connections_user_id_unique` ON `connections` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `connections_person` ON `connections` (`app_pk`,`account_pk`);--> statement-breakpoint
CREATE INDEX `connections_account` ON `connections` (`account_pk`);--> statement-breakpoint
CREATE UNIQUE INDEX `connections_storage` ON `connections` (`storage_pk`) WHERE storage_pk IS NOT NULL;--> statement-breakpoint
CREATE TABLE `keys` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`reach` text NOT NULL,
	`storage_pk` integer NOT NULL,
	`creator_pk` integer NOT NULL,
	`name` text NOT NULL,
	`permissions` integer NOT NULL,
	`hash` blob NOT NULL,
	`prefix` text NOT NULL,
	`last4` text NOT NULL,
	`replaced_by` text,
	`expires_ms` integer,
	`last_used_ms` integer,
	`revoked_ms` integer,
	`revoked_by` text,
	`revoke_reason` text,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`creator_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "keys_reach" CHECK(reach IN ('app', 'bucket', 'user')),
	CONSTRAINT "keys_permissions" CHECK(permissions BETWEEN 1 AND 3),
	CONSTRAINT "keys_hash" CHECK(length(hash) = 32)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keys_id_unique` ON `keys` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `keys_hash_unique` ON `keys` (`hash`);--> statement-breakpoint
CREATE INDEX `keys_app` ON `keys` (`app_pk`,`pk`);--> statement-breakpoint
CREATE INDEX `keys_creator` ON `keys` (`creator_pk`) WHERE revoked_ms IS NULL;--> statement-breakpoint
CREATE TABLE `members` (
	`app_pk` integer NOT NULL,
	`account_pk` integer NOT NULL,
	`role` text NOT NULL,
	`created_ms` integer NOT NULL,
	PRIMARY KEY(`app_pk`, `account_pk`),
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "members_role" CHECK(role IN ('viewer', 'editor', 'admin', 'owner'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `members_one_owner` ON `members` (`app_pk`) WHERE role = 'owner';--> statement-breakpoint
CREATE INDEX `members_account` ON `members` (`account_pk`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `monthly_usage` (
	`storage_pk` integer NOT NULL,
	`month` text NOT NULL,
	`uploads` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`storage_pk`, `month`),
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "monthly_usage_counters" CHECK(uploads >= 0 AND month GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]')
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `operators` (
	`account_pk` integer PRIMARY KEY NOT NULL,
	`created_by_pk` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`hash` blob PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`account_pk` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text,
	`app_pk` integer,
	`scopes` text,
	`fresh_ms` integer,
	`expires_ms` integer NOT NULL,
	`last_used_ms` integer,
	`revoked_ms` integer,
	`device` text,
	`ip_hash` blob,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sessions_kind" CHECK(kind IN ('web', 'console', 'pat')),
	CONSTRAINT "sessions_hash" CHECK(length(hash) = 32)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_id_unique` ON `sessions` (`id`);--> statement-breakpoint
CREATE INDEX `sessions_account` ON `sessions` (`account_pk`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_ms`);--> statement-breakpoint
CREATE TABLE `storages` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`kind` text NOT NULL,
	`account_pk` integer,
	`team_hash` text NOT NULL,
	`state` text NOT NULL,
	`images` integer DEFAULT 0 NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "storages_kind" CHECK(kind IN ('app', 'user', 'personal', 'anonymous')),
	CONSTRAINT "storages_state" CHECK(state IN ('active', 'deleting')),
	CONSTRAINT "storages_counters" CHECK(images >= 0 AND bytes >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `storages_id_unique` ON `storages` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `storages_team_hash_unique` ON `storages` (`team_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `storages_app` ON `storages` (`app_pk`) WHERE kind = 'app';--> statement-breakpoint
CREATE UNIQUE INDEX `storages_user` ON `storages` (`app_pk`,`account_pk`) WHERE kind = 'user' AND state = 'active';--> statement-breakpoint
CREATE TABLE `blobs` (
	`blob_key` text PRIMARY KEY NOT NULL,
	`state` text NOT NULL,
	`since_ms` integer NOT NULL,
	CONSTRAINT "blobs_state" CHECK(state IN ('pending', 'live', 'dead'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `blobs_pending` ON `blobs` (`since_ms`) WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX `blobs_dead` ON `blobs` (`since_ms`) WHERE state = 'dead';--> statement-breakpoint
CREATE TABLE `idempotency` (
	`storage_pk` integer NOT NULL,
	`key_hash` blob NOT NULL,
	`fingerprint` blob NOT NULL,
	`image_id` text NOT NULL,
	`claim` text NOT NULL,
	`state` text NOT NULL,
	`lease_ms` integer NOT NULL,
	`recovery` text,
	`created_ms` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	PRIMARY KEY(`storage_pk`, `key_hash`),
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "idempotency_state" CHECK(state IN ('claimed', 'stored', 'done'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `idempotency_expiry` ON `idempotency` (`expires_ms`);--> statement-breakpoint
CREATE TABLE `image_labels` (
	`storage_pk` integer NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	`published_ms` integer NOT NULL,
	`image_pk` integer NOT NULL,
	`expires_ms` integer,
	PRIMARY KEY(`storage_pk`, `key`, `value`, `published_ms`, `image_pk`),
	FOREIGN KEY (`image_pk`) REFERENCES `images`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `labels_by_key` ON `image_labels` (`storage_pk`,`key`,`published_ms`,`image_pk`);--> statement-breakpoint
CREATE UNIQUE INDEX `labels_by_image` ON `image_labels` (`image_pk`,`key`);--> statement-breakpoint
CREATE TABLE `images` (
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
	CONSTRAINT "images_block_reason" CHECK(block_reason IS NULL OR block_reason IN ('content_policy', 'dmca', 'spam', 'terms')),
	CONSTRAINT "images_flags" CHECK(nsfw IN (0, 1) AND coalesce(public, 0) IN (0, 1)),
	CONSTRAINT "images_sizes" CHECK(width >= 0 AND height >= 0 AND bytes >= 0),
	CONSTRAINT "images_sha256" CHECK(length(sha256) = 32),
	CONSTRAINT "images_json" CHECK(json_type(metadata) = 'object' AND json_type(labels) = 'object')
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `images_id_unique` ON `images` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `images_blob_key_unique` ON `images` (`blob_key`);--> statement-breakpoint
CREATE INDEX `images_list` ON `images` (`storage_pk`,published_ms DESC,pk DESC) WHERE status = 'ready';--> statement-breakpoint
CREATE INDEX `images_expiry` ON `images` (`expires_ms`) WHERE expires_ms IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `images_idempotency` ON `images` (`storage_pk`,`idempotency_hash`) WHERE idempotency_hash IS NOT NULL;--> statement-breakpoint
CREATE INDEX `images_unready` ON `images` (`status`,`pk`) WHERE status <> 'ready';--> statement-breakpoint
CREATE INDEX `images_locked` ON `images` (`pk`) WHERE locked_ms IS NOT NULL;--> statement-breakpoint
CREATE TABLE `audit` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`actor` text NOT NULL,
	`app_pk` integer,
	`event` text NOT NULL,
	`target` text,
	`changes` text,
	`request_id` text,
	CONSTRAINT "audit_changes" CHECK(changes IS NULL OR json_valid(changes))
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_app` ON `audit` (`app_pk`,`pk`);--> statement-breakpoint
CREATE TABLE `guard` (
	`ok` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `jobs` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`dedupe` text,
	`app_pk` integer,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`progress` text,
	`run_ms` integer NOT NULL,
	`lease_ms` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`error` text,
	`created_ms` integer NOT NULL,
	CONSTRAINT "jobs_state" CHECK(state IN ('queued', 'running', 'done', 'failed')),
	CONSTRAINT "jobs_payload" CHECK(json_valid(payload))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_id_unique` ON `jobs` (`id`);--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`run_ms`) WHERE state = 'queued';--> statement-breakpoint
CREATE INDEX `jobs_leased` ON `jobs` (`lease_ms`) WHERE state = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_dedupe` ON `jobs` (`dedupe`) WHERE state IN ('queued', 'running');
--> statement-breakpoint
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;--> statement-breakpoint
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
