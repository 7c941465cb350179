CREATE TABLE `plan_grants` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`connection_pk` integer NOT NULL,
	`plan_pk` integer NOT NULL,
	`until_ms` integer NOT NULL,
	`reason` text NOT NULL,
	`granted_by` text NOT NULL,
	`ended_ms` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`connection_pk`) REFERENCES `connections`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`plan_pk`) REFERENCES `plans`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `plan_grants_id_unique` ON `plan_grants` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `plan_grants_user` ON `plan_grants` (`connection_pk`) WHERE ended_ms IS NULL;
--> statement-breakpoint
CREATE INDEX `plan_grants_until` ON `plan_grants` (`until_ms`) WHERE ended_ms IS NULL;
--> statement-breakpoint
ALTER TABLE `apps` ADD `granted_plan` text;
--> statement-breakpoint
ALTER TABLE `apps` ADD `tax_mode` text DEFAULT 'none' NOT NULL;
--> statement-breakpoint
ALTER TABLE `apps` ADD `tax_behavior` text DEFAULT 'exclusive' NOT NULL;
--> statement-breakpoint
ALTER TABLE `apps` ADD `promotion_codes` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `processor_events` ADD `tries` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `processor_events` ADD `next_ms` integer;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `dispute_state` text;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `dispute_amount` integer;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `dispute_ms` integer;
--> statement-breakpoint
CREATE INDEX `checkouts_open` ON `checkouts` (`created_ms`) WHERE done_ms IS NULL;
--> statement-breakpoint
UPDATE `apps` SET `granted_plan` = `plan` WHERE `plan` <> 'free' AND NOT EXISTS (SELECT 1 FROM `subscriptions` WHERE `subscriptions`.`app_pk` = `apps`.`pk` AND `subscriptions`.`subject` = 'app' AND `subscriptions`.`ended_ms` IS NULL);
