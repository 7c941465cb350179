-- expands
CREATE TABLE `delivery_days` (
	`day` integer NOT NULL,
	`app_pk` integer NOT NULL,
	`bytes` integer NOT NULL,
	`renditions` integer NOT NULL,
	`warned_ms` integer,
	PRIMARY KEY(`day`, `app_pk`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `apps` ADD `delivery_referrers` text;
--> statement-breakpoint
ALTER TABLE `apps` ADD `delivery_bytes_limit` integer;
--> statement-breakpoint
ALTER TABLE `apps` ADD `delivery_renditions_limit` integer;
--> statement-breakpoint
-- What is usual of an App is known from the first day on.
INSERT INTO `delivery_days` (`day`, `app_pk`, `bytes`, `renditions`)
	SELECT `daily_usage`.`day`, `storages`.`app_pk`, sum(`daily_usage`.`bytes_served`), sum(`daily_usage`.`renditions`)
	FROM `daily_usage` JOIN `storages` ON `storages`.`pk` = `daily_usage`.`storage_pk`
	WHERE `daily_usage`.`day` >= unixepoch() / 86400 - 14
	GROUP BY 1, 2;
