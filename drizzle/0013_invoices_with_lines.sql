ALTER TABLE `invoices` ADD `seller_pk` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `seq` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `number` text DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `period_start_ms` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `period_end_ms` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `lines` text DEFAULT '[]' NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `subtotal` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `tax` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `total` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `paid_ms` integer;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `refunds` text DEFAULT '[]' NOT NULL;
--> statement-breakpoint
ALTER TABLE `invoices` ADD `processor_url` text;
--> statement-breakpoint
UPDATE `invoices` SET `seller_pk` = (SELECT CASE WHEN `subscriptions`.`subject` = 'app' OR `subscriptions`.`app_pk` IS (SELECT `app_pk` FROM `storages` WHERE `kind` = 'anonymous') THEN 0 ELSE `subscriptions`.`app_pk` END FROM `subscriptions` WHERE `subscriptions`.`pk` = `invoices`.`subscription_pk`),
	`subtotal` = `amount_due`, `total` = `amount_due`, `period_start_ms` = `created_ms`, `period_end_ms` = `created_ms`,
	`paid_ms` = CASE WHEN `amount_paid` > 0 THEN `created_ms` END,
	`refunds` = CASE WHEN `amount_refunded` > 0 THEN json_array(json_object('amount', `amount_refunded`, 'atMs', `created_ms`, 'reason', 'refund')) ELSE '[]' END;
--> statement-breakpoint
UPDATE `invoices` SET `seq` = (SELECT count(*) FROM `invoices` AS `earlier` WHERE `earlier`.`seller_pk` = `invoices`.`seller_pk` AND `earlier`.`pk` <= `invoices`.`pk`);
--> statement-breakpoint
UPDATE `invoices` SET `number` = CASE WHEN `seller_pk` = 0 THEN 'S' ELSE (SELECT upper(substr(`id`, 5, 8)) FROM `apps` WHERE `pk` = `invoices`.`seller_pk`) END || '-' || printf('%06d', `seq`);
--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_number` ON `invoices` (`seller_pk`,`seq`);
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `unpaid_price_pk` integer REFERENCES prices(pk);
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `unpaid_app_plan` text;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `unpaid_amount` integer;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `credit` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `collection_paused` integer DEFAULT false NOT NULL;
