-- expands
CREATE TABLE `import_items` (
	`import_pk` integer NOT NULL,
	`place` integer NOT NULL,
	`url` text NOT NULL,
	`fields` text NOT NULL,
	`image_id` text NOT NULL,
	`state` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`since_ms` integer,
	`due_ms` integer DEFAULT 0 NOT NULL,
	`error` text,
	PRIMARY KEY(`import_pk`, `place`),
	FOREIGN KEY (`import_pk`) REFERENCES `imports`(`pk`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "import_items_state" CHECK(state IN ('queued', 'running', 'created', 'failed', 'cancelled')),
	CONSTRAINT "import_items_place" CHECK(place >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `import_items_state` ON `import_items` (`import_pk`,`state`,`place`);
--> statement-breakpoint
CREATE TABLE `imports` (
	`pk` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`storage_pk` integer NOT NULL,
	`user_id` text,
	`maker` text NOT NULL,
	`maker_kind` text NOT NULL,
	`request_id` text,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`storage_pk`) REFERENCES `storages`(`pk`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "imports_maker" CHECK(maker_kind IN ('key', 'session'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_id_unique` ON `imports` (`id`);
--> statement-breakpoint
CREATE INDEX `imports_storage` ON `imports` (`storage_pk`,`pk`);
--> statement-breakpoint
CREATE INDEX `imports_app` ON `imports` (`app_pk`);
--> statement-breakpoint
CREATE INDEX `imports_age` ON `imports` (`created_ms`);
