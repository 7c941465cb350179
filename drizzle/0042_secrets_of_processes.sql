-- expands
ALTER TABLE `processes` ADD `secrets` text;
