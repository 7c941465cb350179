import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { addPerson } from "../../support/people.ts";
import { serviceFor } from "../../support/service.ts";
import { askCode, from, signIn } from "../../support/sign-in.ts";

/* How many codes are sent, to one address and for one network. */

const MINUTE_MS = 60_000;

const limited = serviceFor({ SVC_SIGN_IN_EMAIL_RATE: "5", SVC_SIGN_IN_IP_RATE: "8" });

const statuses = async (answers: readonly Promise<Response>[]) =>
	(await Promise.all(answers)).map(({ status }) => status).sort();

test("five an hour for an address, of fifty at once too, known to us or not; each refusal says how long to wait", async () => {
	const known = await addPerson(limited.database);
	for (const email of [known.email, "unknown@example.com"]) {
		const asks = Array.from({ length: 50 }, (_, place) => askCode(limited, { email }, from(`192.0.2.${place}`)));
		expect(await statuses(asks)).toEqual([...Array(5).fill(202), ...Array(45).fill(429)]);
		const mails = sql`SELECT count(*) FROM emails WHERE recipient = ${email}`;
		expect(await countOf(limited.database, mails)).toBe(5);
	}
	const refused = await askCode(limited, { email: known.email }, from("192.0.2.60"));
	const waits = Number(refused.headers.get("Retry-After"));
	expect(waits).toBeGreaterThan(3_500);
	expect(waits).toBeLessThanOrEqual(3_600);
	limited.clock.advance(60 * MINUTE_MS);
	expect((await askCode(limited, { email: known.email }, from("192.0.2.60"))).status).toBe(202);
});

test("eight an hour for a network, whatever the addresses; of IPv6 a network is a /64", async () => {
	const asks = Array.from({ length: 20 }, (_, place) =>
		askCode(limited, { email: `many${place}@example.com` }, from(`2001:db8:0:1::${place}`)),
	);
	expect(await statuses(asks)).toEqual([...Array(8).fill(202), ...Array(12).fill(429)]);
	expect((await askCode(limited, { email: "many@example.com" }, from("2001:db8:0:2::1"))).status).toBe(202);
});

test("four times as many for a /48, from however many of its networks they are asked for", async () => {
	const asks = Array.from({ length: 40 }, (_, place) =>
		askCode(limited, { email: `site${place}@example.com` }, from(`2001:db8:48:${place.toString(16)}::1`)),
	);
	expect(await statuses(asks)).toEqual([...Array(32).fill(202), ...Array(8).fill(429)]);
	expect((await askCode(limited, { email: "site@example.com" }, from("2001:db8:49::1"))).status).toBe(202);
	limited.clock.advance(60 * MINUTE_MS);
	expect((await askCode(limited, { email: "site@example.com" }, from("2001:db8:48::1"))).status).toBe(202);
});

test("a known device gets its code whatever strangers have used up, and has a limit of its own", async () => {
	const email = "kept-out@example.com";
	const { device_token } = await signIn(limited, email);
	await statuses(Array.from({ length: 30 }, () => askCode(limited, { email })));
	expect((await askCode(limited, { email })).status).toBe(429);
	const asks = Array.from({ length: 20 }, () => askCode(limited, { email, device_token }));
	expect(await statuses(asks)).toEqual([...Array(5).fill(202), ...Array(15).fill(429)]);
});
