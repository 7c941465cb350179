-- expands
ALTER TABLE `webhook_deliveries` ADD `process` text;

--> statement-breakpoint
CREATE TRIGGER webhooks_of_dead_processes AFTER DELETE ON processes BEGIN
	UPDATE webhook_deliveries SET lease_ms = 0 WHERE lease_ms IS NOT NULL AND process = OLD.id;
END;
