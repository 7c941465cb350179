ALTER TABLE `invoices` ADD `amount_disputed` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `extended` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `held_for_app` integer DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE `unsold_subscriptions` ADD `resuming_ms` integer;
--> statement-breakpoint
UPDATE `subscriptions` SET `held_for_app` = `collection_paused` WHERE `dispute_state` IS NOT 'open';
