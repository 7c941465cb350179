CREATE TABLE `address_changes` (
	`ref` text PRIMARY KEY NOT NULL,
	`account_pk` integer NOT NULL,
	`old_email` text NOT NULL,
	`old_email_norm` text NOT NULL,
	`new_email` text NOT NULL,
	`undone_ms` integer,
	`until_ms` integer NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `address_changes_account` ON `address_changes` (`account_pk`);
--> statement-breakpoint
CREATE INDEX `address_changes_old` ON `address_changes` (`old_email_norm`);
--> statement-breakpoint
CREATE INDEX `address_changes_end` ON `address_changes` (`until_ms`);
--> statement-breakpoint
CREATE TABLE `security_letters` (
	`ref` text PRIMARY KEY NOT NULL,
	`account_pk` integer NOT NULL,
	`deed` text NOT NULL,
	`subject` text NOT NULL,
	`facts` text NOT NULL,
	`summed_up_in` text,
	`used_ms` integer,
	`until_ms` integer NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "security_letters_facts" CHECK(json_valid(facts))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `security_letters_account` ON `security_letters` (`account_pk`);
--> statement-breakpoint
CREATE INDEX `security_letters_end` ON `security_letters` (`until_ms`);
--> statement-breakpoint
ALTER TABLE `logins` ADD `deed` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `network` text;
--> statement-breakpoint
ALTER TABLE `sessions` ADD `notice` text;
