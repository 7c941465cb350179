import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp } from "../support/apps.ts";
import { addImages } from "../support/bulk-images.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../support/people.ts";
import { corners } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import type { OpenService } from "../support/service.ts";
import type { SmtpReceiver } from "../support/smtp.ts";
import { smtpServices } from "../support/smtp-service.ts";

/* Who hears what besides money: each mail as it arrives at a real mail server. */

const MINUTE_MS = 60_000;
/** Images that are blocked at once. */
const BATCH = 7;
const { start } = smtpServices();
const red = await corners(16, 12);

interface Arrived {
	readonly to: string;
	readonly subject: string;
	readonly text: string;
}

/** Sends what is due, and gives what came since the last time. */
async function arrived(service: OpenService, smtp: SmtpReceiver): Promise<readonly Arrived[]> {
	const before = smtp.mails.length;
	while ((await service.sendMail()) > 0);
	const mails = smtp.mails.slice(before).map(({ to, parsed: { subject = "", text = "", html = "" } }) => {
		// What is read is the same in both forms.
		const words = (all: string) => all.replace(/<[^>]*>|&\w+;|[\s\u2060]+/g, "");
		const first = text.split("\n").find((line) => line.trim().length > 20) ?? "";
		expect(words(html)).toContain(words(first).slice(0, 40));
		return { to: to.join(), subject, text: text.replace(/\s+/g, " ") };
	});
	return mails.toSorted((a, b) => (a.to < b.to ? -1 : 1));
}

async function scene() {
	const { smtp, service } = await start({}, { env: { SVC_BOOTSTRAP_SECRET: "a-long-bootstrap-secret" } });
	const app = await addApp(service.database, "Herbarium");
	const owner = { id: app.ownerId, email: `${app.ownerId.toLowerCase()}@example.com` };
	const secret = await addSession(service.database, app.ownerId);
	const [admin, editor, operator] = [
		await addPerson(service.database),
		await addPerson(service.database),
		await addPerson(service.database, { operator: true }),
	];
	await addMember(service.database, app, admin, "admin");
	await addMember(service.database, app, editor, "editor");
	// The first operator is nobody who reads mail.
	await service.database.write([{ run: sql`DELETE FROM operators WHERE created_ms <> 0` }]);
	const call = async (who: { readonly secret: string }, method: string, path: string, body?: object) => {
		const answer = await send(service, method, path, body, as(who));
		expect(answer.status).toBeLessThan(300);
		return await answer.json();
	};
	const speaks = ({ id }: Pick<TestPerson, "id">, locale: string) =>
		service.database.write([{ run: sql`UPDATE accounts SET mail_locale = ${locale} WHERE id = ${id}` }]);
	const run = { service, call, speaks, mails: () => arrived(service, smtp) };
	return { ...run, app, owner: { ...owner, secret }, admin, editor, operator };
}

describe("a team's member hears", () => {
	test("of another role, in their language, with the App, who did it and a link; not where nothing changed", async () => {
		const { mails, call, speaks, app, owner, editor, service } = await scene();
		await speaks(editor, "de");
		const path = `/v1/apps/${app.id}/members/${editor.id}`;
		await call(owner, "PATCH", path, { role: "viewer" });
		await call(owner, "PATCH", path, { role: "viewer" });
		const [mail, ...more] = await mails();
		expect([mail?.to, mail?.subject, more]).toEqual([
			editor.email,
			"Ihre Rolle im Team von Herbarium wurde geändert",
			[],
		]);
		expect(mail?.text).toContain("Betrachter");
		expect(mail?.text).toContain(owner.email);
		expect(mail?.text).toContain(`${service.rooms.addresses.web}/account/apps`);
	});

	test("of being removed; who leaves hears nothing", async () => {
		const { mails, call, app, admin, owner, editor } = await scene();
		await call(editor, "DELETE", `/v1/apps/${app.id}/members/${editor.id}`);
		expect(await mails()).toEqual([]);
		await call(owner, "DELETE", `/v1/apps/${app.id}/members/${admin.id}`);
		const told = await mails();
		expect(told.map(({ to, subject }) => [to, subject])).toEqual([
			[admin.email, "You are no longer in the team of Herbarium"],
		]);
		expect(told[0]?.text).toContain("because you were in the team of “Herbarium”");
	});
});

describe("an Owner and Admins hear", () => {
	test("of a blocked image, with the reason and how to object; of the same block once", async () => {
		const { mails, call, speaks, app, owner, admin, operator, service } = await scene();
		await speaks(admin, "ja");
		const image = await uploaded(service, red, "a.png", {}, { key: app.key });
		await call(operator, "POST", `/v1/moderation/images/${image.id}/block`, { reason: "dmca" });
		await send(service, "POST", `/v1/moderation/images/${image.id}/block`, { reason: "spam" }, as(operator));
		expect(await mails()).toEqual([]);
		service.clock.advance(MINUTE_MS);
		const told = await mails();
		expect(told.map(({ to }) => to)).toEqual([admin.email, owner.email].toSorted());
		const [english, japanese] = [owner, admin].map(({ email }) => told.find(({ to }) => to === email));
		expect(english?.subject).toBe("Herbarium: an image has been blocked");
		for (const part of [image.id, "a claim of copyright", "You think that this is a mistake?"]) {
			expect(english?.text).toContain(part);
		}
		expect(japanese?.subject).toBe("Herbarium：画像がブロックされました");
	});

	test("of many images that were blocked within a minute in one mail, which names them all; of another reason, and another App, in their own", async () => {
		const { mails, call, speaks, app, owner, admin, operator, service } = await scene();
		await speaks(admin, "fr");
		const other = await addApp(service.database, "Herbarium");
		await addMember(service.database, other, owner, "admin");
		const made = async (key: string) => (await uploaded(service, red, "a.png", {}, { key })).id;
		const ids: string[] = [];
		for (let count = 0; count < BATCH; count++) ids.push(await made(app.key));
		const [spam, theirs] = [await made(app.key), await made(other.key)];
		const block = (which: readonly string[], reason: string) =>
			call(operator, "POST", "/v1/moderation/batch", { ids: which, action: "block", reason });
		await block(ids.slice(0, -1), "dmca");
		await block([spam, theirs], "spam");
		// Blocked once more: it is not named twice.
		await call(operator, "POST", `/v1/moderation/images/${ids[0]}/unblock`, {});
		await block([...ids.slice(-1), ...ids.slice(0, 1)], "dmca");
		service.clock.advance(MINUTE_MS);
		const told = await mails();
		// Two to the Owner and the Admin of the first App each, and one to those of the other.
		expect(told).toHaveLength(6);
		const toOwner = told.filter(({ to }) => to === owner.email);
		expect(toOwner.map(({ subject }) => subject).toSorted()).toEqual([
			`Herbarium: ${BATCH} images have been blocked`,
			"Herbarium: an image has been blocked",
			"Herbarium: an image has been blocked",
		]);
		const summed = toOwner.find(({ subject }) => subject.includes(String(BATCH)))?.text ?? "";
		expect(ids.filter((id) => summed.split(id).length === 2)).toEqual(ids);
		expect(told.filter(({ to }) => to === admin.email).map(({ subject }) => subject.replace(/\s/g, " "))).toContain(
			`Herbarium : ${BATCH} images ont été bloquées`,
		);

		// What comes after the mail was sent is told in another one.
		await block([await made(app.key)], "dmca");
		service.clock.advance(MINUTE_MS);
		expect((await mails()).map(({ subject }) => subject.replace(/\s/g, " "))).toContain(
			"Herbarium: an image has been blocked",
		);
	});

	test("of more than one mail can name in a second one, and of each image once", async () => {
		const { mails, call, app, owner, operator, service } = await scene();
		await addImages(service, app.storageId, 120, red);
		const ids = (await service.database.rows("SELECT id FROM images", [])).map(([id]) => String(id));
		for (const part of [ids.slice(0, 60), ids.slice(60)]) {
			await call(operator, "POST", "/v1/moderation/batch", { ids: part, action: "block", reason: "spam" });
		}
		service.clock.advance(MINUTE_MS);
		const toOwner = (await mails()).filter(({ to }) => to === owner.email);
		expect(toOwner).toHaveLength(2);
		const all = toOwner.map(({ text }) => text).join();
		expect(ids.filter((id) => all.split(id).length === 2)).toEqual(ids);
	});

	test("of a blocked App and of the end of the block", async () => {
		const { mails, call, app, owner, admin, operator } = await scene();
		const all = [admin.email, owner.email].toSorted();
		for (let turn = 0; turn < 2; turn++) {
			await call(operator, "POST", `/v1/operator/apps/${app.id}/block`, { reason: "spam" });
		}
		const blocked = await mails();
		expect(blocked.map(({ to, subject }) => [to, subject])).toEqual(
			all.map((to) => [to, "Herbarium has been blocked"]),
		);
		expect(blocked[0]?.text).toContain("You think that this is a mistake?");
		for (let turn = 0; turn < 2; turn++) await call(operator, "POST", `/v1/operator/apps/${app.id}/unblock`, {});
		const unblocked = await mails();
		expect(unblocked.map(({ to, subject }) => [to, subject])).toEqual(
			all.map((to) => [to, "Herbarium is no longer blocked"]),
		);
	});
});

describe("who reported an image and left an address hears the outcome once", () => {
	const report = async ({ service }: Awaited<ReturnType<typeof scene>>, url: string, email: string | null) => {
		const body = JSON.stringify({ url, reason: "spam", ...(email && { email }) });
		const headers = { "Content-Type": "application/json" };
		expect((await service.api("/v1/reports", { method: "POST", body, headers })).status).toBe(202);
	};

	test.each([
		["dismissed", "They found nothing against the rules"],
		["actioned", "They have acted on it"],
	])("by an operator's decision: %s", async (outcome, words) => {
		const all = await scene();
		const { mails, call, app, operator, service } = all;
		const { url, id } = await uploaded(service, red, "a.png", {}, { key: app.key });
		await report(all, url, "reporter@example.com");
		const { data } = await call(operator, "GET", "/v1/moderation/reports");
		const path = `/v1/moderation/reports/${data[0].id}/resolve`;
		await call(operator, "POST", path, { outcome });
		expect((await send(service, "POST", path, { outcome }, as(operator))).status).toBe(409);
		service.clock.advance(MINUTE_MS);
		const told = await mails();
		expect(told.map(({ to, subject }) => [to, subject])).toEqual([
			["reporter@example.com", "Your report of an image at Svc"],
		]);
		for (const part of [id, words, "because you left this address"]) expect(told[0]?.text).toContain(part);
	});

	test("by a block or a deletion of the image; who left none hears nothing", async () => {
		const all = await scene();
		const { mails, call, app, operator, service } = all;
		for (const act of ["block", "delete"] as const) {
			const { url, id } = await uploaded(service, red, "a.png", {}, { key: app.key });
			await report(all, url, `${act}@example.com`);
			await call(
				operator,
				act === "block" ? "POST" : "DELETE",
				`/v1/moderation/images/${id}${act === "block" ? "/block" : ""}`,
				act === "block" ? { reason: "spam" } : undefined,
			);
			service.clock.advance(MINUTE_MS);
			const reporters = (await mails()).filter(({ subject }) => subject.includes("Your report"));
			expect(reporters.map(({ to }) => to)).toEqual([`${act}@example.com`]);
		}
		const { url, id } = await uploaded(service, red, "a.png", {}, { key: app.key });
		await report(all, url, null);
		await call(operator, "DELETE", `/v1/moderation/images/${id}`);
		service.clock.advance(MINUTE_MS);
		expect(await mails()).toEqual([]);
	});

	test("of many that were settled within a minute in one mail", async () => {
		const all = await scene();
		const { mails, call, app, operator, service } = all;
		const made = [];
		for (let count = 0; count < BATCH; count++) made.push(await uploaded(service, red, "a.png", {}, { key: app.key }));
		for (const { url } of made) await report(all, url, "Reporter@example.com");
		const ids = made.map(({ id }) => id);
		await call(operator, "POST", "/v1/moderation/batch", { ids: ids.slice(1), action: "delete" });
		await call(operator, "POST", `/v1/moderation/images/${ids[0]}/block`, { reason: "spam" });
		service.clock.advance(MINUTE_MS);
		const told = (await mails()).filter(({ to }) => to.toLowerCase() === "reporter@example.com");
		expect(told.map(({ subject }) => subject)).toEqual([`Your reports of ${BATCH} images at Svc`]);
		expect(ids.filter((id) => told[0]?.text.includes(id))).toEqual(ids);
		expect(told[0]?.text).toContain("They have acted on them.");
	});
});

describe("operators hear", () => {
	test("that backups fail for ten minutes, and that they work again, once each", async () => {
		const { mails, operator, service } = await scene();
		const fail = (state: string) =>
			sql`INSERT INTO jobs (id, kind, payload, state, failure, run_ms, created_ms, ended_ms)
				VALUES (${`job_${crypto.randomUUID()}`}, 'backup.make', '{}', ${state}, NULL, 0, 0, ${service.clock.now()})`;
		const watch = async (minutes: number) => {
			for (let passed = 0; passed < minutes; passed++) {
				await service.watchParts();
				service.clock.advance(MINUTE_MS);
			}
		};
		await service.database.write([{ run: fail("failed") }]);
		await watch(10);
		expect(await mails()).toEqual([]);
		await watch(5);
		const failing = await mails();
		expect(failing.map(({ to, subject }) => [to, subject])).toEqual([
			[operator.email, "Svc: the backup has been failing"],
		]);
		await service.database.write([{ run: fail("done") }]);
		await watch(3);
		const healed = await mails();
		expect(healed.map(({ to, subject }) => [to, subject])).toEqual([[operator.email, "Svc: the backup works again"]]);
	});

	test("that the store of pictures fails for ten minutes, and that it works again, once each", async () => {
		const { mails, operator, service } = await scene();
		const { blobs } = service.rooms.images;
		const probe = blobs.probe.bind(blobs);
		const subjects = async () => (await mails()).map(({ to, subject }) => [to, subject]);
		const watch = async (minutes: number) => {
			for (let passed = 0; passed < minutes; passed++) {
				await service.watchParts();
				service.clock.advance(MINUTE_MS);
			}
		};
		blobs.probe = () => Promise.reject(new Error("the disk is gone"));
		await watch(15);
		expect(await subjects()).toEqual([[operator.email, "Svc: the store of pictures has been failing"]]);
		blobs.probe = probe;
		await watch(3);
		expect(await subjects()).toEqual([[operator.email, "Svc: the store of pictures works again"]]);
	});

	test("that they became one by the bootstrap, with a link that takes it back", async () => {
		const { mails, service } = await scene();
		await service.database.write([{ run: sql`DELETE FROM operators` }]);
		const body = JSON.stringify({ secret: "a-long-bootstrap-secret", email: "root@example.com" });
		const post = () =>
			service.api("/v1/operator/bootstrap", { method: "POST", body, headers: { "Content-Type": "application/json" } });
		expect((await post()).status).toBe(201);
		expect((await post()).status).toBe(404);
		const told = await mails();
		expect(told.map(({ to }) => to)).toEqual(["root@example.com"]);
		expect(told[0]?.subject).toContain("became an operator of Svc");
		expect(told[0]?.text).toContain(`${service.rooms.addresses.web}/account/not-me/`);
	});
});

test("a person whose export is ready hears of it, with how much there is and until when", async () => {
	const { mails, call, owner, service } = await scene();
	await call(owner, "POST", "/v1/me/export", {});
	await service.runJobs();
	const [mail, ...more] = await mails();
	expect([mail?.to, mail?.subject, more]).toEqual([owner.email, "Your export from Svc is ready", []]);
	expect(mail?.text).toContain("0 pictures (0 bytes)");
	expect(mail?.text).toContain(`${service.rooms.addresses.web}/account/export`);
});

test("test people hear nothing", async () => {
	const { mails, call, app, owner, editor, service } = await scene();
	await service.database.write([
		{
			run: sql`UPDATE accounts SET email = 'e+svc_test@example.com', email_norm = 'e+svc_test@example.com' WHERE id = ${editor.id}`,
		},
	]);
	await call(owner, "PATCH", `/v1/apps/${app.id}/members/${editor.id}`, { role: "viewer" });
	expect(await mails()).toEqual([]);
});
