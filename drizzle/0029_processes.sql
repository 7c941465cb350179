-- expands
CREATE TABLE `processes` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`version` text NOT NULL,
	`host` text NOT NULL,
	`started_ms` integer NOT NULL,
	`beat_ms` integer NOT NULL,
	`steady_ms` integer NOT NULL,
	`draining` integer DEFAULT false NOT NULL,
	`blobs_work` integer,
	`skew_ms` integer,
	CONSTRAINT "processes_flags" CHECK(draining IN (0, 1) AND coalesce(blobs_work, 0) IN (0, 1))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `processes_id_unique` ON `processes` (`id`);
--> statement-breakpoint
CREATE TABLE `purges` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`blob_key` text NOT NULL,
	`at_s` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `purges_age` ON `purges` (`at_s`);
--> statement-breakpoint
ALTER TABLE `idempotency` ADD `process` text;
--> statement-breakpoint
ALTER TABLE `replays` ADD `process` text;
--> statement-breakpoint
CREATE TRIGGER purges_of_dead_blobs AFTER UPDATE OF state ON blobs WHEN NEW.state = 'dead' AND OLD.state = 'live' BEGIN
	INSERT INTO purges (blob_key, at_s) VALUES (NEW.blob_key, unixepoch());
END;
--> statement-breakpoint
CREATE TRIGGER purges_of_blocked_images AFTER UPDATE OF status ON images WHEN NEW.status = 'blocked' AND OLD.status <> 'blocked' BEGIN
	INSERT INTO purges (blob_key, at_s) VALUES (NEW.blob_key, unixepoch());
END;
