DROP INDEX `subscriptions_user`;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_seller` ON `subscriptions` (`connection_pk`,`app_pk`) WHERE ended_ms IS NULL AND subject = 'user';
