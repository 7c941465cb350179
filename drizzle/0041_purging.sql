-- expands
CREATE TABLE `purge_target` (
	`pk` integer PRIMARY KEY NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`paused_ms` integer DEFAULT 0 NOT NULL,
	`claim` text,
	`lease_ms` integer DEFAULT 0 NOT NULL,
	`process` text,
	CONSTRAINT "purge_target_one" CHECK(pk = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `waiting_purges` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`tag` text NOT NULL,
	`created_ms` integer NOT NULL,
	`next_ms` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `waiting_purges_due` ON `waiting_purges` (`next_ms`,`pk`);
--> statement-breakpoint
CREATE INDEX `waiting_purges_tag` ON `waiting_purges` (`tag`);
--> statement-breakpoint
CREATE TRIGGER cached_changed_images AFTER UPDATE OF blob_key, storage_pk, status ON images
WHEN (NEW.blob_key <> OLD.blob_key OR NEW.storage_pk <> OLD.storage_pk OR NEW.status <> OLD.status) AND OLD.status <> 'processing'
	AND EXISTS (SELECT 1 FROM purge_target) BEGIN
	INSERT INTO waiting_purges (tag, created_ms) VALUES (OLD.id, unixepoch() * 1000);
END;
--> statement-breakpoint
CREATE TRIGGER cached_deleted_images AFTER DELETE ON images
WHEN EXISTS (SELECT 1 FROM purge_target) AND EXISTS (SELECT 1 FROM storages WHERE pk = OLD.storage_pk AND state = 'active') BEGIN
	INSERT INTO waiting_purges (tag, created_ms) VALUES (OLD.id, unixepoch() * 1000);
END;
--> statement-breakpoint
CREATE TRIGGER cached_storages AFTER UPDATE OF state, team_hash ON storages
WHEN ((NEW.state <> OLD.state AND OLD.state = 'active') OR NEW.team_hash <> OLD.team_hash) AND EXISTS (SELECT 1 FROM purge_target) BEGIN
	INSERT INTO waiting_purges (tag, created_ms) VALUES ('t-' || OLD.team_hash, unixepoch() * 1000);
END;
--> statement-breakpoint
CREATE TRIGGER cached_apps AFTER UPDATE OF delivery, delivery_version ON apps
WHEN (NEW.delivery <> OLD.delivery OR NEW.delivery_version <> OLD.delivery_version) AND EXISTS (SELECT 1 FROM purge_target) BEGIN
	INSERT INTO waiting_purges (tag, created_ms)
		SELECT 't-' || team_hash, unixepoch() * 1000 FROM storages WHERE app_pk = NEW.pk AND state = 'active' AND images > 0;
END;
--> statement-breakpoint
CREATE TRIGGER purges_of_dead_processes AFTER DELETE ON processes BEGIN
	UPDATE purge_target SET lease_ms = 0 WHERE process = OLD.id;
END;
