ALTER TABLE `accounts` ADD `locale` text;
--> statement-breakpoint
ALTER TABLE `accounts` ADD `mail_locale` text;
--> statement-breakpoint
ALTER TABLE `emails` ADD `locale` text;
