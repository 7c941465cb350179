CREATE TABLE `part_health` (
	`part` text PRIMARY KEY NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`worked_ms` integer,
	`failure` text,
	`failing_ms` integer,
	`told_ms` integer
) STRICT, WITHOUT ROWID;
