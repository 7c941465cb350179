ALTER TABLE `storages` ADD `tier` text DEFAULT 'free' NOT NULL CONSTRAINT "storages_tier" CHECK(tier IN ('free', 'pro', 'scale', 'max'));--> statement-breakpoint
ALTER TABLE `storages` ADD `public_by_default` integer DEFAULT false NOT NULL CONSTRAINT "storages_visibility" CHECK(public_by_default IN (0, 1));--> statement-breakpoint
CREATE UNIQUE INDEX `storages_personal` ON `storages` (`account_pk`) WHERE kind = 'personal' AND state = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX `storages_anonymous` ON `storages` (`kind`) WHERE kind = 'anonymous';--> statement-breakpoint
CREATE INDEX `images_processing` ON `images` (`storage_pk`,published_ms DESC,pk DESC) WHERE status = 'processing';--> statement-breakpoint
CREATE INDEX `images_public` ON `images` (`pk`) WHERE public = 1;
