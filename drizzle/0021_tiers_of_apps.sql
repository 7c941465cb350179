ALTER TABLE `apps` ADD `tier` text DEFAULT 'free' NOT NULL;

--> statement-breakpoint
-- What is in force gives its tier where tiers are sold, as it did before tiers could be bought for an App.
UPDATE `apps` SET `tier` = CASE `plan` WHEN 'pro' THEN 'pro' WHEN 'unlimited' THEN 'max' ELSE 'free' END;
