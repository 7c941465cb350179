CREATE TABLE `unsold_subscriptions` (
	`subscription_pk` integer PRIMARY KEY NOT NULL,
	`since_ms` integer NOT NULL,
	FOREIGN KEY (`subscription_pk`) REFERENCES `subscriptions`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
