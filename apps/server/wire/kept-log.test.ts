import { expect, test } from "bun:test";
import type { Log } from "@svc/base/ports";
import { RecentLog } from "@svc/operator/recent-log";
import { keptLog } from "./kept-log.ts";

test("what is kept holds no secret, nothing below the level, and not the reading of it; all of it is logged as before", () => {
	const written: unknown[] = [];
	const write = (message: string) => void written.push(message);
	const plain: Log = { debug: write, info: write, warn: write, error: write };
	const recent = new RecentLog();
	const log = keptLog(plain, recent, "info", { now: () => 1 });
	const secret = `svc_sk_live_${"a1".repeat(19)}`;
	log.debug("below");
	log.info("request", { path: "/v1/operator/logs" });
	log.error(`refused ${secret}`, { Authorization: secret, error: new Error(`Bearer ${secret}`) });
	const { lines } = recent.read(undefined, "debug", 10);
	expect(lines.map(({ level, message }) => [level, message])).toEqual([["error", "refused [redacted]"]]);
	expect(JSON.stringify(lines)).not.toContain("a1a1");
	expect(written).toHaveLength(3);
});
