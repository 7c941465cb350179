-- expands
CREATE TABLE `app_import_records` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_pk` integer NOT NULL,
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`data` text NOT NULL,
	`sha256` blob,
	`blob_key` text,
	FOREIGN KEY (`import_pk`) REFERENCES `app_imports`(`pk`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `app_import_records_id` ON `app_import_records` (`import_pk`,`id`);
--> statement-breakpoint
CREATE INDEX `app_import_records_kind` ON `app_import_records` (`import_pk`,`kind`,`pk`);
--> statement-breakpoint
CREATE INDEX `app_import_records_master` ON `app_import_records` (`import_pk`,`sha256`) WHERE sha256 IS NOT NULL;
--> statement-breakpoint
CREATE TABLE `app_imports` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`file` blob NOT NULL,
	`app_id` text NOT NULL,
	`installation` text NOT NULL,
	`images` integer NOT NULL,
	`state` text NOT NULL,
	`touched_ms` integer NOT NULL,
	`created_ms` integer NOT NULL,
	CONSTRAINT "app_imports_state" CHECK(state IN ('importing', 'done')),
	CONSTRAINT "app_imports_file" CHECK(length(file) = 32)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `app_imports_id_unique` ON `app_imports` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `app_imports_app` ON `app_imports` (`app_id`);
--> statement-breakpoint
CREATE INDEX `app_imports_age` ON `app_imports` (`touched_ms`);
--> statement-breakpoint
ALTER TABLE `connections` ADD `pending_ms` integer;
