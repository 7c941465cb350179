CREATE TABLE `passkey_options` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`challenge` blob NOT NULL,
	`account_pk` integer,
	`session_id` text,
	`expires_ms` integer NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "passkey_options_purpose" CHECK(purpose IN ('add', 'sign_in', 'step_up')),
	CONSTRAINT "passkey_options_challenge" CHECK(length(challenge) = 32)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `passkey_options_account` ON `passkey_options` (`account_pk`);
--> statement-breakpoint
CREATE INDEX `passkey_options_expiry` ON `passkey_options` (`expires_ms`);
--> statement-breakpoint
CREATE TABLE `passkeys` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`account_pk` integer NOT NULL,
	`credential_id` blob NOT NULL,
	`public_key` blob NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text NOT NULL,
	`last_used_ms` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`account_pk`) REFERENCES `accounts`(`pk`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_id_unique` ON `passkeys` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential_id_unique` ON `passkeys` (`credential_id`);
--> statement-breakpoint
CREATE INDEX `passkeys_account` ON `passkeys` (`account_pk`);
