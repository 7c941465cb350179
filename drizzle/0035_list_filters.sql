-- expands
CREATE INDEX `images_formats` ON `images` (`storage_pk`,`format`,published_ms DESC,pk DESC) WHERE status = 'ready';
--> statement-breakpoint
CREATE INDEX `images_created` ON `images` (`storage_pk`,`created_ms`) WHERE status = 'ready';
--> statement-breakpoint
CREATE INDEX `images_filenames` ON `images` (`storage_pk`,`filename`) WHERE status = 'ready';
--> statement-breakpoint
CREATE INDEX `images_expiring` ON `images` (`storage_pk`,`expires_ms`) WHERE status = 'ready' AND expires_ms IS NOT NULL;
