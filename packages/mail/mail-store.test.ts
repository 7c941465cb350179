import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { apps } from "@svc/base/database/schema/apps";
import { updateStep } from "@svc/base/database/statements";
import { migratedDatabase, NOW, type Scratch } from "@svc/test/support/scratch";
import { sql } from "drizzle-orm";
import { newMail } from "./mail.ts";
import { mailEach, mailEntry } from "./mail-entries-store.ts";
import { endMailClaims, type MailStore, mailStore } from "./mail-store.ts";

/** Mails of a deployment that seals nothing yet. */
const PLAIN = { open: (text: string) => text };

let scratch: Scratch;
let mails: MailStore;

beforeEach(async () => {
	scratch = await migratedDatabase();
	mails = mailStore(scratch.database, "me", PLAIN);
});
afterEach(() => scratch[Symbol.asyncDispose]());

function add(dedupe: string | null = null, code = "402917"): Promise<unknown> {
	const mail = newMail("sign_in_code", "ada@example.com", { code, minutes: 10 }, dedupe);
	return scratch.database.write([{ run: mailEntry(mail, NOW) }]);
}

const claimAs = (nonce: string, nowMs = NOW) => mails.claim({ nonce, untilMs: nowMs + 1_000 }, "code", nowMs);

test("a mail to many goes out with a change, and to nobody where an App is renamed to the name that it has", async () => {
	const { database } = scratch;
	await scratch.sql("INSERT INTO apps (id, name, name_fold, created_ms) VALUES ('app_a', 'Old', 'old', 1)");
	const to = sql`SELECT 'ada@example.com' AS email, NULL AS locale UNION ALL SELECT 'bob@example.com', 'de'`;
	const mailed = async (name: string) => {
		await database.write([
			updateStep(apps, { name }, sql`${apps.id} = 'app_a' AND ${apps.name} <> ${name}`),
			{ run: mailEach({ template: "app_unblocked", facts: { app: name }, to }, NOW, { onChange: true }) },
		]);
		const count = sql`SELECT count(*) FROM emails`;
		return (await database.read(() => database.queries.values<[number]>(count)))[0]?.[0];
	};
	expect([await mailed("Old"), await mailed("New"), await mailed("New")]).toEqual([0, 2, 2]);
});

describe("claims", () => {
	test("end with the process that holds them, and what was sent then counts as a try without an answer", async () => {
		await scratch.sql(
			"INSERT INTO processes (id, version, host, started_ms, beat_ms, steady_ms) VALUES ('me', '1', 'h', 1, 1, 1)",
		);
		await add(null, "111111");
		await add(null, "222222");
		expect(await claimAs("a")).toMatchObject({ facts: { code: "111111" }, uncertain: 0 });
		await scratch.sql("DELETE FROM processes");
		expect(await claimAs("b")).toMatchObject({ facts: { code: "111111" }, uncertain: 1 });
		expect(await claimAs("c")).toMatchObject({ facts: { code: "222222" }, uncertain: 0 });
	});

	test("50 at once on 20 mails: each mail has one holder", async () => {
		for (let made = 0; made < 20; made++) await add();
		const claimed = await Promise.all(Array.from({ length: 50 }, (_, index) => claimAs(`n${index}`)));
		const pks = claimed.flatMap((mail) => (typeof mail === "string" ? [] : [mail.pk]));
		expect(pks).toHaveLength(20);
		expect(new Set(pks).size).toBe(20);
	});

	test("the mail that has been due longest comes first, and one that is not due never", async () => {
		await add(null, "111111");
		await add(null, "222222");
		await scratch.sql(`UPDATE emails SET next_ms = ${NOW - 1} WHERE pk = 2`);
		await scratch.sql(`UPDATE emails SET next_ms = ${NOW + 1} WHERE pk = 1`);
		expect(await mails.isDue(NOW)).toBe(true);
		expect(await claimAs("a")).toMatchObject({ facts: { code: "222222" }, attempts: 1, uncertain: 0 });
		expect(await mails.isDue(NOW)).toBe(false);
		expect(await claimAs("b")).toBe("none");
	});

	test("are found through the index of what is next, and places through that of a person's mails", async () => {
		const planOf = async (query: string) => {
			const plan = await scratch.database.rows(`EXPLAIN QUERY PLAN ${query}`, [NOW]);
			return plan.map((row) => String(row[3])).join();
		};
		expect(
			await planOf(
				"SELECT pk FROM emails WHERE class = 'code' AND next_ms <= ? AND template IN ('invite') ORDER BY round, next_ms LIMIT 1",
			),
		).toBe("SEARCH emails USING INDEX emails_turn (class=?)");
		expect(
			await planOf("SELECT max(round) FROM emails WHERE class = 'code' AND next_ms IS NOT NULL AND person = ?"),
		).toBe("SEARCH emails USING INDEX emails_person (class=? AND person=?)");
	});

	test("of 5 invites of one person and 2 of another, each has one in turn; who comes later is not behind what was sent", async () => {
		const invite = async (by: string) => {
			const facts = { app: "Herbarium", by, role: "viewer", link: "https://svc.example/i" };
			await scratch.database.write([{ run: mailEntry(newMail("invite", `to-${by}`, facts), NOW) }]);
		};
		const claimed = async (count: number) => {
			const by: unknown[] = [];
			for (let place = 0; place < count; place++) {
				const claim = { nonce: `n${crypto.randomUUID()}`, untilMs: NOW + 1_000 };
				const mail = await mails.claim(claim, "team", NOW);
				by.push(typeof mail === "string" ? mail : mail.facts.by);
			}
			return by.join(" ");
		};
		for (let made = 0; made < 5; made++) await invite("ada");
		for (let made = 0; made < 2; made++) await invite("BOB");
		expect(await claimed(3)).toBe("ada BOB ada");
		await invite("eve");
		await invite("ada");
		expect(await claimed(6)).toBe("BOB eve ada ada ada ada");
	});

	test("a class has its own mails, and the first of the classes that are asked for is told", async () => {
		await add();
		const facts = { app: "Herbarium", reason: "spam" };
		await scratch.database.write([{ run: mailEntry(newMail("app_blocked", "ada@example.com", facts), NOW) }]);
		expect(await mails.nextClass(["code", "notice"], NOW)).toBe("code");
		expect(await mails.nextClass(["security", "notice"], NOW)).toBe("notice");
		expect(await mails.nextClass(["security", "team"], NOW)).toBeUndefined();
		expect(await mails.claim({ nonce: "a", untilMs: NOW + 1 }, "notice", NOW)).toMatchObject({
			template: "app_blocked",
		});
		expect(await mails.claim({ nonce: "b", untilMs: NOW + 1 }, "notice", NOW)).toBe("none");
		expect(await claimAs("c")).toMatchObject({ template: "sign_in_code" });
	});

	test("a start of the only service ends them, and remembers that nobody knows what came of them", async () => {
		await add();
		await claimAs("died");
		expect(await claimAs("early")).toBe("none");
		await endMailClaims(scratch.database, NOW);
		expect(await claimAs("next")).toMatchObject({ attempts: 2, uncertain: 1 });
	});
});

test("an end that nobody may write any more writes nothing; secrets go with the last one", async () => {
	await add();
	const mail = await claimAs("mine");
	if (typeof mail === "string") throw new Error("nothing was due");
	const claim = (nonce: string) => ({ nonce, untilMs: NOW + 1_000 });
	expect(await mails.finish(mail, claim("theirs"), { state: "sent" }, NOW)).toBe(false);
	const later = { state: "queued", failure: "busy", nextMs: NOW + 5, uncertain: true } as const;
	expect(await mails.finish(mail, claim("mine"), later, NOW)).toBe(true);
	expect(await mails.finish(mail, claim("mine"), { state: "sent" }, NOW)).toBe(false);
	expect(await scratch.value("SELECT facts FROM emails")).toContain("402917");
	expect(await claimAs("again", NOW + 5)).toMatchObject({ uncertain: 1, failure: "busy" });
	expect(await mails.finish(mail, claim("again"), { state: "failed", failure: "never" }, NOW)).toBe(true);
	expect(await scratch.value("SELECT facts FROM emails")).toBe('{"code":null,"minutes":10}');
});

test("the same mail is never enqueued twice, sent or not", async () => {
	await add("once");
	await add("once");
	await scratch.sql("UPDATE emails SET sent_ms = 1, next_ms = NULL");
	await add("once");
	await add();
	expect(await scratch.value("SELECT count(*) FROM emails")).toBe(2);
});

test("what has been settled meanwhile is not put off again", async () => {
	await add();
	await mails.settle([{ pk: 1, nextMs: NOW + 100 }], NOW);
	await mails.settle([{ pk: 1, nextMs: null }], NOW);
	expect(await scratch.value("SELECT next_ms FROM emails")).toBe(NOW + 100);
	expect(await mails.listDue(NOW + 100, 5)).toEqual([
		{ pk: 1, facts: { code: "402917", minutes: 10 }, createdMs: NOW },
	]);
	await mails.settle([{ pk: 1, nextMs: null }], NOW + 100);
	expect(await mails.listDue(NOW + 1e9, 5)).toEqual([]);
	expect(await scratch.value("SELECT facts FROM emails")).not.toContain("402917");
});
