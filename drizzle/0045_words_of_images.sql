-- expands
CREATE TABLE `image_words` (
	`storage_pk` integer NOT NULL,
	`word` text NOT NULL,
	`image_pk` integer NOT NULL,
	PRIMARY KEY(`storage_pk`, `word`, `image_pk`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `images` ADD `words` text;
--> statement-breakpoint
CREATE INDEX `images_unworded` ON `images` (`pk`) WHERE words IS NULL;
--> statement-breakpoint
CREATE TRIGGER words_of_new_images AFTER INSERT ON images WHEN NEW.words IS NOT NULL BEGIN
	INSERT INTO image_words (storage_pk, word, image_pk)
		SELECT NEW.storage_pk, value, NEW.pk FROM json_each(NEW.words) WHERE type = 'text';
END;
--> statement-breakpoint
CREATE TRIGGER words_of_changed_images AFTER UPDATE OF words, storage_pk ON images
WHEN NEW.words IS NOT OLD.words OR NEW.storage_pk <> OLD.storage_pk BEGIN
	DELETE FROM image_words WHERE storage_pk = OLD.storage_pk AND image_pk = OLD.pk
		AND word IN (SELECT value FROM json_each(coalesce(OLD.words, '[]')) WHERE type = 'text');
	INSERT INTO image_words (storage_pk, word, image_pk)
		SELECT NEW.storage_pk, value, NEW.pk FROM json_each(coalesce(NEW.words, '[]')) WHERE type = 'text';
END;
--> statement-breakpoint
CREATE TRIGGER stale_words_of_images AFTER UPDATE OF filename, caption, labels ON images
WHEN NEW.words IS NOT NULL AND NEW.words IS OLD.words
	AND (NEW.filename <> OLD.filename OR NEW.caption <> OLD.caption OR NEW.labels <> OLD.labels) BEGIN
	UPDATE images SET words = NULL WHERE pk = NEW.pk;
END;
--> statement-breakpoint
CREATE TRIGGER words_of_deleted_images AFTER DELETE ON images WHEN OLD.words IS NOT NULL BEGIN
	DELETE FROM image_words WHERE storage_pk = OLD.storage_pk AND image_pk = OLD.pk
		AND word IN (SELECT value FROM json_each(OLD.words) WHERE type = 'text');
END;
