-- expands
CREATE TABLE `blocked_pictures` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`image_id` text NOT NULL,
	`reason` text NOT NULL,
	`note` text,
	`blob_key` text NOT NULL,
	`format` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`sha256` blob NOT NULL,
	`sent_sha256` blob,
	`likeness` blob,
	`pixels` text,
	`blocked_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `blocked_pictures_image_id_unique` ON `blocked_pictures` (`image_id`);
--> statement-breakpoint
CREATE TABLE `likeness_bands` (
	`band` integer NOT NULL,
	`storage_pk` integer NOT NULL,
	`image_pk` integer NOT NULL,
	`rest` integer NOT NULL,
	PRIMARY KEY(`band`, `storage_pk`, `image_pk`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `likeness_bands_image` ON `likeness_bands` (`image_pk`);
--> statement-breakpoint
CREATE TABLE `picture_queue` (
	`image_pk` integer PRIMARY KEY NOT NULL,
	`due_ms` integer DEFAULT 0 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
ALTER TABLE `moderation_actions` ADD `similar_id` text;
--> statement-breakpoint
ALTER TABLE `moderation_actions` ADD `similar_kind` text;
--> statement-breakpoint
ALTER TABLE `moderation_actions` ADD `similar_score` real;
--> statement-breakpoint
CREATE INDEX `moderation_actions_similar` ON `moderation_actions` (`similar_id`) WHERE similar_id IS NOT NULL;
--> statement-breakpoint
ALTER TABLE `reports` ADD `source` text DEFAULT 'person' NOT NULL;
--> statement-breakpoint
CREATE TRIGGER queued_new_pictures AFTER INSERT ON images WHEN NEW.status = 'ready' BEGIN
	INSERT OR IGNORE INTO picture_queue (image_pk) VALUES (NEW.pk);
END;
--> statement-breakpoint
CREATE TRIGGER queued_changed_pictures AFTER UPDATE OF blob_key, status ON images
WHEN NEW.status = 'ready' AND (NEW.blob_key <> OLD.blob_key OR OLD.status = 'processing') BEGIN
	INSERT OR REPLACE INTO picture_queue (image_pk) VALUES (NEW.pk);
END;
--> statement-breakpoint
CREATE TRIGGER likeness_of_moved_images AFTER UPDATE OF storage_pk ON images WHEN NEW.storage_pk <> OLD.storage_pk BEGIN
	UPDATE likeness_bands SET storage_pk = NEW.storage_pk WHERE image_pk = NEW.pk;
END;
--> statement-breakpoint
CREATE TRIGGER likeness_of_deleted_images AFTER DELETE ON images BEGIN
	DELETE FROM likeness_bands WHERE image_pk = OLD.pk;
	DELETE FROM picture_queue WHERE image_pk = OLD.pk;
END;
--> statement-breakpoint
INSERT INTO picture_queue (image_pk) SELECT pk FROM images WHERE status = 'ready';
--> statement-breakpoint
INSERT INTO blocked_pictures (image_id, reason, note, blob_key, format, width, height, sha256, sent_sha256, blocked_ms)
	SELECT id, coalesce(block_reason, 'content_policy'),
		(SELECT note FROM moderation_actions WHERE image_id = images.id AND action = 'block' ORDER BY pk DESC LIMIT 1),
		blob_key, format, width, height, sha256, sent_sha256, created_ms
	FROM images WHERE status = 'blocked';
