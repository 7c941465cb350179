-- expands
CREATE TABLE `upload_tickets` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`hash` blob NOT NULL,
	`app_pk` integer NOT NULL,
	`storage_pk` integer NOT NULL,
	`user_id` text,
	`maker` text NOT NULL,
	`maker_kind` text NOT NULL,
	`state` text NOT NULL,
	`image_id` text NOT NULL,
	`max_bytes` integer NOT NULL,
	`formats` text NOT NULL,
	`origins` text,
	`fields` text NOT NULL,
	`created_ms` integer NOT NULL,
	`expires_ms` integer NOT NULL,
	`used_ms` integer,
	`ended_ms` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`failure` text,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "upload_tickets_state" CHECK(state IN ('open', 'used', 'expired', 'cancelled')),
	CONSTRAINT "upload_tickets_maker" CHECK(maker_kind IN ('key', 'session')),
	CONSTRAINT "upload_tickets_hash" CHECK(length(hash) = 32)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `upload_tickets_id_unique` ON `upload_tickets` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `upload_tickets_hash_unique` ON `upload_tickets` (`hash`);
--> statement-breakpoint
CREATE INDEX `upload_tickets_storage` ON `upload_tickets` (`storage_pk`,`pk`);
--> statement-breakpoint
CREATE INDEX `upload_tickets_state` ON `upload_tickets` (`storage_pk`,`state`,`pk`);
--> statement-breakpoint
CREATE INDEX `upload_tickets_open` ON `upload_tickets` (`app_pk`,`ended_ms`) WHERE state = 'open';
--> statement-breakpoint
CREATE INDEX `upload_tickets_due` ON `upload_tickets` (`ended_ms`) WHERE state = 'open';
--> statement-breakpoint
CREATE INDEX `upload_tickets_over` ON `upload_tickets` (`ended_ms`) WHERE state <> 'open';
