import { expect, test } from "bun:test";
import { COMMANDS } from "../commands.ts";
import { linesOf } from "./read-here.ts";

test("the dashboard runs commands that list, show and count, and none that changes something [tui.output.reading]", async () => {
	const lines = await linesOf(COMMANDS);
	const reading = lines.filter(({ reads }) => reads).map(({ line }) => line);
	for (const line of [
		"svc keys list",
		"svc moderation list",
		"svc usage get",
		"svc webhooks deliveries",
		"svc whoami",
	]) {
		expect(reading).toContain(line);
	}
	const changing =
		/ (?:create|add|set|rm|remove|revoke|rotate|delete|login|logout|upload|import|serve|restore|refund|grant)$/;
	expect(reading.filter((line) => changing.test(line))).toEqual([]);
	expect(lines.find(({ line }) => line === "svc images get")?.needs).toHaveLength(1);
	expect(lines.find(({ line }) => line === "svc keys list")?.needs).toEqual([]);
});
