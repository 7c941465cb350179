ALTER TABLE `subscriptions` ADD `tax_behavior` text;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `next_total` integer;
