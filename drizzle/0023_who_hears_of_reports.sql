ALTER TABLE `reports` ADD `locale` text;
--> statement-breakpoint
CREATE INDEX `jobs_backups` ON `jobs` (`pk`) WHERE kind = 'backup.make';
