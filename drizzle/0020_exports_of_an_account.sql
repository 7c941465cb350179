CREATE INDEX `jobs_exports` ON `jobs` (`started_by`,`pk`) WHERE kind = 'account.export';
