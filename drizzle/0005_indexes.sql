CREATE INDEX `reports_contact` ON `reports` (`resolved_ms`) WHERE resolved_ms IS NOT NULL AND email IS NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_actor` ON `audit` (`actor`);--> statement-breakpoint
CREATE INDEX `audit_event` ON `audit` (`event`);--> statement-breakpoint
CREATE INDEX `audit_time` ON `audit` (`at_ms`);--> statement-breakpoint
CREATE INDEX `connections_app` ON `connections` (`app_pk`,`pk`);--> statement-breakpoint
CREATE INDEX `keys_team` ON `keys` (`app_pk`,`pk`) WHERE reach <> 'user';--> statement-breakpoint
CREATE INDEX `keys_storage` ON `keys` (`storage_pk`);--> statement-breakpoint
CREATE INDEX `storages_of_app` ON `storages` (`app_pk`);--> statement-breakpoint
CREATE INDEX `storages_of_account` ON `storages` (`account_pk`) WHERE account_pk IS NOT NULL;