CREATE INDEX `subscriptions_disputed` ON `subscriptions` (`pk`) WHERE dispute_state IS NOT NULL;
