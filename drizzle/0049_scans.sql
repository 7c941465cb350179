-- expands
CREATE TABLE `scan_verdicts` (
	`sha256` blob PRIMARY KEY NOT NULL,
	`verdict` text NOT NULL,
	`reason` text NOT NULL,
	`judged_ms` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `scan_verdicts_age` ON `scan_verdicts` (`judged_ms`);
--> statement-breakpoint
CREATE TABLE `scans` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`image_id` text NOT NULL,
	`due_ms` integer DEFAULT 0 NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`held_ms` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `scans_image_id_unique` ON `scans` (`image_id`);
--> statement-breakpoint
CREATE INDEX `scans_due` ON `scans` (`due_ms`,`pk`);
--> statement-breakpoint
CREATE INDEX `scans_unheld` ON `scans` (`pk`) WHERE held_ms IS NULL;
--> statement-breakpoint
CREATE TRIGGER scan_new_pictures AFTER INSERT ON images
WHEN NEW.status = 'ready' AND NEW.revision = 1 AND EXISTS (SELECT 1 FROM meta WHERE key = 'scan') BEGIN
	INSERT OR REPLACE INTO scans (image_id) VALUES (NEW.id);
END;
--> statement-breakpoint
CREATE TRIGGER scan_changed_pictures AFTER UPDATE OF blob_key, status ON images
WHEN NEW.status = 'ready' AND (NEW.blob_key <> OLD.blob_key OR OLD.status = 'processing')
	AND EXISTS (SELECT 1 FROM meta WHERE key = 'scan') BEGIN
	INSERT OR REPLACE INTO scans (image_id) VALUES (NEW.id);
END;
