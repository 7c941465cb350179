CREATE TABLE `replays` (
	`hash` blob PRIMARY KEY NOT NULL,
	`caller` text NOT NULL,
	`fingerprint` blob NOT NULL,
	`request_id` text NOT NULL,
	`changed` integer DEFAULT false NOT NULL,
	`lease_ms` integer NOT NULL,
	`status` integer,
	`body` text,
	`expires_ms` integer NOT NULL,
	CONSTRAINT "replays_hashes" CHECK(length(hash) = 32 AND length(fingerprint) = 32),
	CONSTRAINT "replays_changed" CHECK(changed IN (0, 1))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `replays_expiry` ON `replays` (`expires_ms`);
--> statement-breakpoint
CREATE INDEX `replays_caller` ON `replays` (`caller`);
