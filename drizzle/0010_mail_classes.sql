ALTER TABLE `emails` ADD `class` text DEFAULT 'notice' NOT NULL;
--> statement-breakpoint
ALTER TABLE `emails` ADD `person` text DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE `emails` ADD `round` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `emails` SET `person` = lower(`recipient`), `class` = CASE
	WHEN `template` IN ('sign_in_code', 'connect_code', 'step_up_code', 'email_change_code') THEN 'code'
	WHEN `template` = 'email_changed' THEN 'security'
	WHEN `template` IN ('subscription_started', 'trial_started', 'trial_ending', 'withdrawn', 'further_refund') THEN 'billing'
	WHEN `template` = 'invite' THEN 'team'
	ELSE 'notice' END;
--> statement-breakpoint
CREATE INDEX `emails_turn` ON `emails` (`class`,`round`,`next_ms`) WHERE next_ms IS NOT NULL;
--> statement-breakpoint
CREATE INDEX `emails_person` ON `emails` (`class`,`person`,`round`) WHERE next_ms IS NOT NULL;
