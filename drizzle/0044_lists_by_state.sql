-- expands
CREATE INDEX `events_subject` ON `events` (`subject`);
--> statement-breakpoint
CREATE INDEX `deleted_images_list` ON `deleted_images` (`storage_pk`,deleted_ms DESC,(image ->> 'pk') DESC);
--> statement-breakpoint
CREATE INDEX `images_unlisted` ON `images` (`storage_pk`,`status`,published_ms DESC,pk DESC) WHERE status = 'blocked' OR status = 'failed';
--> statement-breakpoint
CREATE INDEX `images_held` ON `images` (`storage_pk`,published_ms DESC,pk DESC) WHERE locked_ms IS NOT NULL;
