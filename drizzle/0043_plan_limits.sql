-- expands
ALTER TABLE `apps` ADD `free_images_limit` integer;
--> statement-breakpoint
ALTER TABLE `apps` ADD `free_bytes_limit` integer;
--> statement-breakpoint
ALTER TABLE `apps` ADD `limits_users` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `plans` ADD `images_limit` integer;
--> statement-breakpoint
ALTER TABLE `plans` ADD `bytes_limit` integer;
