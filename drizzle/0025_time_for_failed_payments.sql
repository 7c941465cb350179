ALTER TABLE `subscriptions` ADD `grace_until_ms` integer;
