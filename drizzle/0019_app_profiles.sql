ALTER TABLE `apps` ADD `profile` text;
