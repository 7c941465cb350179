-- expands
CREATE TABLE `presets` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`name` text NOT NULL,
	`parameters` text NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `presets_id_unique` ON `presets` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `presets_app` ON `presets` (`app_pk`,`name`);
--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`name` text NOT NULL,
	`secret` text NOT NULL,
	`last4` text NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `signing_keys_id_unique` ON `signing_keys` (`id`);
--> statement-breakpoint
CREATE INDEX `signing_keys_app` ON `signing_keys` (`app_pk`);
--> statement-breakpoint
ALTER TABLE `apps` ADD `delivery` text DEFAULT 'open' NOT NULL;
--> statement-breakpoint
ALTER TABLE `apps` ADD `delivery_version` integer DEFAULT 0 NOT NULL;
