-- expands
CREATE TABLE `webhook_deliveries` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`endpoint_pk` integer NOT NULL,
	`event_id` text NOT NULL,
	`type` text NOT NULL,
	`body` text,
	`state` text NOT NULL,
	`next_ms` integer,
	`tries` integer DEFAULT 0 NOT NULL,
	`attempts` text DEFAULT '[]' NOT NULL,
	`claim` text,
	`lease_ms` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`endpoint_pk`) REFERENCES `webhook_endpoints`(`pk`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "webhook_deliveries_state" CHECK(state IN ('pending', 'delivered', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_id_unique` ON `webhook_deliveries` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`endpoint_pk`,`event_id`);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_list` ON `webhook_deliveries` (`endpoint_pk`,`pk`);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`endpoint_pk`,`next_ms`) WHERE state = 'pending';
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_running` ON `webhook_deliveries` (`endpoint_pk`) WHERE lease_ms IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `webhook_endpoints` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`url` text NOT NULL,
	`types` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`secret` text NOT NULL,
	`old_secret` text,
	`old_secret_until_ms` integer,
	`state` text DEFAULT 'enabled' NOT NULL,
	`disabled_reason` text,
	`disabled_ms` integer,
	`last_delivered_ms` integer,
	`failing_since_ms` integer,
	`warned_ms` integer,
	`place` integer NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_endpoints_state" CHECK(state IN ('enabled', 'disabled'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_endpoints_id_unique` ON `webhook_endpoints` (`id`);
--> statement-breakpoint
CREATE INDEX `webhook_endpoints_app` ON `webhook_endpoints` (`app_pk`,`pk`);
--> statement-breakpoint
CREATE INDEX `webhook_endpoints_enabled` ON `webhook_endpoints` (`pk`) WHERE state = 'enabled';
