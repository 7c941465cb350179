CREATE TABLE `checkouts` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`subject` text NOT NULL,
	`app_pk` integer NOT NULL,
	`connection_pk` integer,
	`price_pk` integer,
	`app_plan` text,
	`trial_days` integer DEFAULT 0 NOT NULL,
	`redirect_uri` text,
	`state` text,
	`processor` text NOT NULL,
	`ref` text NOT NULL,
	`started_by` text NOT NULL,
	`done_ms` integer,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`connection_pk`) REFERENCES `connections`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`price_pk`) REFERENCES `prices`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "checkouts_subject" CHECK(subject IN ('app', 'user')),
	CONSTRAINT "checkouts_bought" CHECK(iif(subject = 'app', app_plan, price_pk * connection_pk) IS NOT NULL)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_id_unique` ON `checkouts` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `checkouts_ref` ON `checkouts` (`processor`,`ref`);--> statement-breakpoint
CREATE INDEX `checkouts_app` ON `checkouts` (`app_pk`,`pk`);--> statement-breakpoint
CREATE TABLE `invoices` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`subscription_pk` integer NOT NULL,
	`ref` text NOT NULL,
	`status` text NOT NULL,
	`amount_due` integer NOT NULL,
	`amount_paid` integer NOT NULL,
	`amount_refunded` integer NOT NULL,
	`currency` text NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`subscription_pk`) REFERENCES `subscriptions`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "invoices_amounts" CHECK(amount_due >= 0 AND amount_paid >= 0 AND amount_refunded >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_id_unique` ON `invoices` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `invoices_ref` ON `invoices` (`subscription_pk`,`ref`);--> statement-breakpoint
CREATE TABLE `plans` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`app_pk` integer NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`benefits` text NOT NULL,
	`display_order` integer NOT NULL,
	`archived_ms` integer,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "plans_benefits" CHECK(json_valid(benefits))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `plans_id_unique` ON `plans` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `plans_key` ON `plans` (`app_pk`,`key`);--> statement-breakpoint
CREATE INDEX `plans_order` ON `plans` (`app_pk`,`display_order`,`name`,`pk`);--> statement-breakpoint
CREATE TABLE `prices` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`plan_pk` integer NOT NULL,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`interval` text NOT NULL,
	`trial_days` integer NOT NULL,
	`on_sale` integer NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`plan_pk`) REFERENCES `plans`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "prices_amount" CHECK(amount > 0 AND trial_days >= 0 AND on_sale IN (0, 1)),
	CONSTRAINT "prices_currency" CHECK(currency GLOB '[a-z][a-z][a-z]'),
	CONSTRAINT "prices_interval" CHECK(interval IN ('month', 'year'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `prices_id_unique` ON `prices` (`id`);--> statement-breakpoint
CREATE INDEX `prices_plan` ON `prices` (`plan_pk`);--> statement-breakpoint
CREATE TABLE `processor_events` (
	`processor` text NOT NULL,
	`id` text NOT NULL,
	`type` text NOT NULL,
	`subscription_ref` text,
	`received_ms` integer NOT NULL,
	`done_ms` integer,
	PRIMARY KEY(`processor`, `id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `processor_events_due` ON `processor_events` (`received_ms`) WHERE done_ms IS NULL;--> statement-breakpoint
CREATE TABLE `processor_refs` (
	`processor` text NOT NULL,
	`subject` text NOT NULL,
	`ref` text NOT NULL,
	`created_ms` integer NOT NULL,
	PRIMARY KEY(`processor`, `subject`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `processor_refs_ref` ON `processor_refs` (`processor`,`ref`);--> statement-breakpoint
CREATE TABLE `sim_clock` (
	`one` integer PRIMARY KEY NOT NULL,
	`offset_ms` integer NOT NULL,
	CONSTRAINT "sim_clock_one" CHECK(one = 1 AND offset_ms >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `sim_objects` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`revision` integer NOT NULL,
	`due_ms` integer,
	`value` text NOT NULL,
	PRIMARY KEY(`kind`, `id`),
	CONSTRAINT "sim_objects_kind" CHECK(kind IN ('price', 'checkout', 'subscription', 'event')),
	CONSTRAINT "sim_objects_value" CHECK(json_valid(value))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sim_objects_due` ON `sim_objects` (`kind`,`due_ms`) WHERE due_ms IS NOT NULL;--> statement-breakpoint
CREATE TABLE `subscriptions` (
	`pk` integer PRIMARY KEY NOT NULL,
	`id` text NOT NULL,
	`subject` text NOT NULL,
	`app_pk` integer NOT NULL,
	`connection_pk` integer,
	`price_pk` integer,
	`app_plan` text,
	`processor` text NOT NULL,
	`ref` text NOT NULL,
	`status` text NOT NULL,
	`trial_end_ms` integer,
	`period_start_ms` integer NOT NULL,
	`period_end_ms` integer NOT NULL,
	`cancel_at_period_end` integer NOT NULL,
	`cancel_at_ms` integer,
	`pending_price_pk` integer,
	`pending_app_plan` text,
	`pending_ms` integer,
	`granted_plan` text,
	`started_ms` integer NOT NULL,
	`withdrawn_ms` integer,
	`ended_ms` integer,
	`revision` integer DEFAULT 1 NOT NULL,
	`synced_ms` integer NOT NULL,
	`created_ms` integer NOT NULL,
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`connection_pk`) REFERENCES `connections`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`price_pk`) REFERENCES `prices`(`pk`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`pending_price_pk`) REFERENCES `prices`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "subscriptions_subject" CHECK(subject IN ('app', 'user')),
	CONSTRAINT "subscriptions_bought" CHECK(iif(subject = 'app', app_plan, price_pk * connection_pk) IS NOT NULL)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_id_unique` ON `subscriptions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_ref` ON `subscriptions` (`processor`,`ref`);--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_user` ON `subscriptions` (`connection_pk`) WHERE ended_ms IS NULL AND subject = 'user';--> statement-breakpoint
CREATE UNIQUE INDEX `subscriptions_own` ON `subscriptions` (`app_pk`) WHERE ended_ms IS NULL AND subject = 'app';--> statement-breakpoint
CREATE INDEX `subscriptions_app` ON `subscriptions` (`app_pk`,`pk`);--> statement-breakpoint
CREATE INDEX `subscriptions_connection` ON `subscriptions` (`connection_pk`,`pk`);--> statement-breakpoint
CREATE INDEX `subscriptions_due` ON `subscriptions` (`period_end_ms`) WHERE ended_ms IS NULL;--> statement-breakpoint
CREATE INDEX `subscriptions_unpaid` ON `subscriptions` (`period_start_ms`) WHERE ended_ms IS NULL AND status = 'past_due';--> statement-breakpoint
CREATE INDEX `subscriptions_trials` ON `subscriptions` (`trial_end_ms`) WHERE ended_ms IS NULL AND trial_end_ms IS NOT NULL;--> statement-breakpoint
CREATE INDEX `subscriptions_withdrawn` ON `subscriptions` (`pk`) WHERE withdrawn_ms IS NOT NULL;--> statement-breakpoint
CREATE TABLE `trial_grants` (
	`app_pk` integer NOT NULL,
	`email_mac` blob NOT NULL,
	`reason` text NOT NULL,
	`created_ms` integer NOT NULL,
	PRIMARY KEY(`app_pk`, `email_mac`),
	FOREIGN KEY (`app_pk`) REFERENCES `apps`(`pk`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "trial_grants_reason" CHECK(reason IN ('trial', 'withdrawal')),
	CONSTRAINT "trial_grants_mac" CHECK(length(email_mac) = 32)
) STRICT, WITHOUT ROWID;
