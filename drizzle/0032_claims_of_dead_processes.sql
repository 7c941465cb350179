-- expands
ALTER TABLE `jobs` ADD `process` text;
--> statement-breakpoint
ALTER TABLE `emails` ADD `process` text;
--> statement-breakpoint
CREATE TRIGGER claims_of_dead_processes AFTER DELETE ON processes BEGIN
	UPDATE jobs SET lease_ms = 0 WHERE state = 'running' AND process = OLD.id;
	UPDATE emails SET next_ms = 0 WHERE next_ms IS NOT NULL AND claim IS NOT NULL AND process = OLD.id;
END;
