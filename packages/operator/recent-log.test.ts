import { expect, test } from "bun:test";
import { RecentLog } from "./recent-log.ts";

const line = (message: string, level: "info" | "error" = "info") => ({ atMs: 1, level, message, facts: { n: 1 } });
const messages = (page: ReturnType<RecentLog["read"]>) => page.lines.map(({ message }) => message);

test("a reader sees every line once, oldest first, whatever its page holds", () => {
	const log = new RecentLog();
	expect(log.read(undefined, "debug", 10)).toEqual({ lines: [], hasMore: false, latest: null });
	for (const name of ["a", "b", "c"]) log.keep(line(name));
	const last = log.read(undefined, "debug", 2);
	expect([messages(last), last.hasMore]).toEqual([["b", "c"], false]);
	for (const name of ["d", "e", "f"]) log.keep(line(name));
	const next = log.read(last.latest ?? "", "debug", 2);
	expect([messages(next), next.hasMore]).toEqual([["d", "e"], true]);
	expect(messages(log.read(next.latest ?? "", "debug", 2))).toEqual(["f"]);
	expect(messages(log.read(log.read(undefined, "debug", 1).latest ?? "", "debug", 2))).toEqual([]);
});

test("lines below the level are passed over, and not looked at again", () => {
	const log = new RecentLog();
	log.keep(line("quiet"));
	log.keep(line("loud", "error"));
	log.keep(line("quiet"));
	const page = log.read(undefined, "error", 10);
	expect(messages(page)).toEqual(["loud"]);
	expect(messages(log.read(page.latest ?? "", "info", 10))).toEqual([]);
});

test("what is kept is bounded, in lines and in letters; a cursor that is gone or of elsewhere means all of it", () => {
	const log = new RecentLog();
	log.keep(line("first"));
	const { latest } = log.read(undefined, "debug", 1);
	for (let count = 0; count < 1_500; count++)
		log.keep({ ...line(`${count}`), message: "m".repeat(9_000), facts: { text: "x".repeat(9_000) } });
	const page = log.read(latest ?? "", "debug", 2_000);
	expect(page.lines).toHaveLength(1_000);
	expect(Math.max(...page.lines.map((one) => JSON.stringify(one).length))).toBeLessThan(9_000);
	for (const cursor of ["", "other.5", "nonsense", `${latest}9999999999999999999`])
		expect(log.read(cursor, "debug", 2_000).lines).toHaveLength(1_000);
});
