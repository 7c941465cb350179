import { createHash } from "node:crypto";
import type { Actor } from "@svc/base/actor";
import { found } from "@svc/base/failure";
import type { Membership } from "../app-record.ts";
import { conflict, type TeamMember } from "../authority.ts";
import type { Apps } from "../room.ts";
import { checkImageHost, recordNameOf } from "./image-host-name.ts";
import type { AskedHost } from "./image-hosts-store.ts";

/*
 * A host of an App's own, at which its images are served. Whoever can write into its zone of the DNS may have it: a record there names the App. It
 * is looked for when it is set, when somebody asks, and once a day; never while a picture or an address is asked for.
 */

const DAY_MS = 86_400_000;
/** So long a record may be missing: a zone that moves is often without some of it. */
const MISSING_MS = 3 * DAY_MS;
const DUE_AT_ONCE = 50;
/** Who is named in the audit for what nobody has asked for. */
const CHECK = "image_host_check";

/** What a record has to say for an App of this installation: not secret, and nobody else's. */
function recordValueOf(installation: string, appId: string): string {
	const digest = createHash("sha256").update(`image host\n${installation}\n${appId}`).digest("base64url");
	return `svc-app=${digest.slice(0, 32)}`;
}

/** What is to be written for a host that was sent. @throws Failure validation_error under `image_host` */
export async function wantedHost(room: Apps, appId: string, sent: string | null) {
	if (sent === null) return null;
	const { base, web, cdn } = room.addresses;
	const host = checkImageHost(
		sent,
		[base, web, cdn].map((origin) => new URL(origin).hostname),
	);
	return { host, value: recordValueOf(await room.installation(), appId) };
}

/** Looks for the record now. @throws Failure state_conflict for an App without a host */
export async function verifyImageHost(room: Apps, { app, person, by }: TeamMember): Promise<Membership> {
	const asked = await room.imageHosts.find(app.pk);
	if (!asked) throw conflict("This App has no image host; PATCH the App's image_host first.");
	await look(room, asked, by);
	await readHosts(room);
	return found(await room.memberships.find(app.id, person.account.pk));
}

/** The same where a host has just been set, or taken away. */
export async function lookAtNewHost(room: Apps, { app, by }: TeamMember): Promise<void> {
	const asked = await room.imageHosts.find(app.pk);
	if (asked?.state === "pending") await look(room, asked, by);
	await readHosts(room);
}

/** Looks for the records that were last looked for a day ago; to be called now and then, by one process. */
export async function lookAtDueHosts(room: Apps): Promise<number> {
	const nowMs = room.clock.now();
	const due = await room.imageHosts.listDue(nowMs - DAY_MS, DUE_AT_ONCE);
	await Promise.all(due.map((asked) => look(room, asked, { actor: CHECK, requestId: null, nowMs })));
	if (due.length === 0) return 0;
	await readHosts(room);
	// What is over counts no more, whether it is forgotten or not: no commit for it while nothing else is to be done.
	await room.imageHosts.forgetEnded(nowMs);
	return due.length;
}

async function look(room: Apps, asked: AskedHost, by: Actor): Promise<void> {
	const values = await room.findTexts(recordNameOf(asked.host));
	const looked = { by, web: room.addresses.web };
	if (values?.includes(asked.value)) await take(room, asked, values, looked);
	else {
		// A DNS that does not answer says nothing about a record.
		await room.imageHosts.noteUnseen(asked, values !== undefined, by.nowMs);
		const isLong = asked.missingMs !== null && by.nowMs - asked.missingMs >= MISSING_MS;
		if (values !== undefined && asked.state === "verified" && isLong) await room.imageHosts.lose(asked, looked);
	}
}

type Looked = Parameters<Apps["imageHosts"]["verify"]>[2];

/** It goes over from another App only where that one's record is gone; a second time where two were at it at once. */
async function take(room: Apps, asked: AskedHost, values: readonly string[], looked: Looked): Promise<void> {
	for (let attempt = 0; attempt < 2; attempt++) {
		const holder = await room.imageHosts.findHolder(asked.host);
		const other = holder?.appPk === asked.appPk ? undefined : holder;
		if (other && values.includes(other.value)) break;
		if ((await room.imageHosts.verify(asked, other, looked)) === undefined) return;
	}
	await room.imageHosts.noteUnseen(asked, false, looked.by.nowMs);
}

/** Reads which hosts are served, in this process. */
export async function readHosts({ imageHosts, addresses }: Pick<Apps, "imageHosts" | "addresses">): Promise<void> {
	addresses.hosts?.replace(await imageHosts.listVerified());
}

/** The same where another process has changed them. */
export function hostsFollower(room: Pick<Apps, "imageHosts" | "addresses">): () => Promise<void> {
	let known: string | undefined;
	return async () => {
		const version = await room.imageHosts.readVersion();
		if (version === known) return;
		await readHosts(room);
		known = version;
	};
}
