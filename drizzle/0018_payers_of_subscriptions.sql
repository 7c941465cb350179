ALTER TABLE `subscriptions` ADD `payer_pk` integer REFERENCES accounts(pk);
--> statement-breakpoint
ALTER TABLE `subscriptions` ADD `app_name` text DEFAULT '' NOT NULL;
--> statement-breakpoint
CREATE INDEX `subscriptions_payer` ON `subscriptions` (`payer_pk`,`pk`) WHERE payer_pk IS NOT NULL;

--> statement-breakpoint
UPDATE `subscriptions` SET
	`payer_pk` = CASE WHEN `subject` = 'app' THEN (SELECT `account_pk` FROM `members` WHERE `members`.`app_pk` = `subscriptions`.`app_pk` AND `members`.`role` = 'owner') END,
	`app_name` = coalesce((SELECT `name` FROM `apps` WHERE `apps`.`pk` = coalesce((SELECT `connections`.`app_pk` FROM `connections` WHERE `connections`.`pk` = `subscriptions`.`connection_pk`), `subscriptions`.`app_pk`)), '');
