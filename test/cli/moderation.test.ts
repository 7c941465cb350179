import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image, ModerationAction, ModerationItem, Report } from "@svc/sdk/shapes";
import { addApp, firstApp, setImageStatus } from "../support/apps.ts";
import { addMember, addPerson } from "../support/people.ts";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { send, uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let operator: Program;
let file: Buffer<ArrayBuffer>;

beforeAll(async () => {
	service = await startService();
	operator = await openProgram(service);
	file = await plain(8, 6);
});

afterAll(async () => {
	await operator.close();
	await service.stop();
});

const create = (): Promise<Image> => uploaded(service, file, "a.png");
const shown = (id: string) => operator.json<ModerationItem>("moderation", "show", id);

async function report(image: Image, note = "Look"): Promise<void> {
	const answer = await send(service, "POST", "/v1/reports", { url: image.url, reason: "spam", note });
	expect(answer.status).toBe(202);
}

describe("svc moderation", () => {
	test("each verb does to one image what it says, and the history tells it with its note [cli.moderation.verbs]", async () => {
		const { id } = await create();
		const act = async (...argv: string[]) => (await operator.json<ModerationItem[]>("moderation", ...argv))[0];
		expect(await act("lock", id, "--note", "first")).toMatchObject({ id, locked: true });
		expect((await operator.svc("images", "edit", id, "--caption", "no")).exit).toBe(4);
		expect(await act("unlock", id)).toMatchObject({ locked: false });
		expect(await act("nsfw", "on", id)).toMatchObject({ image: { nsfw: true } });
		expect(await act("nsfw", "off", id)).toMatchObject({ image: { nsfw: false } });
		expect(await act("block", id, "--reason", "dmca")).toMatchObject({ blocked_reason: "dmca" });
		expect(await act("unblock", id)).toMatchObject({ blocked_reason: null, image: { status: "ready" } });
		const { actions } = await shown(id);
		expect(actions.map(({ action }) => action)).toEqual(["unblock", "block", "not_nsfw", "nsfw", "unlock", "lock"]);
		expect(actions.at(-1)?.note).toBe("first");
	});

	test("unblock brings back the reports that the block settled, for one and for many, unless they are to stay settled [cli.moderation.reopen]", async () => {
		const images = [await create(), await create()];
		const ids = images.map(({ id }) => id);
		const counts = async () => Promise.all(ids.map(async (id) => (await shown(id)).reports_count));
		for (const image of images) await report(image);
		const block = () => operator.json("moderation", "block", ...ids, "--reason", "spam");
		await block();
		expect(await counts()).toEqual([0, 0]);
		await operator.json("moderation", "unblock", ids[0] ?? "");
		expect(await counts()).toEqual([1, 0]);
		await operator.json("moderation", "block", ids[0] ?? "", "--reason", "spam");
		await operator.json("moderation", "unblock", ...ids);
		expect(await counts()).toEqual([1, 1]);
		await block();
		await operator.json("moderation", "unblock", ...ids, "--keep-settled");
		expect(await counts()).toEqual([0, 0]);
	});

	test("several in one call; what did not fit is told with its id, exit 3 [cli.moderation.many]", async () => {
		const ids = [(await create()).id, (await create()).id, (await create()).id];
		await setImageStatus(service.database, ids[1] ?? "", "blocked", "spam");
		const { exit, out, err } = await operator.svc("moderation", "block", ...ids, "--reason", "terms");
		expect([exit, out]).toEqual([3, `${ids[0]}\tblocked\tterms\n${ids[2]}\tblocked\tterms\n`]);
		expect(err).toContain(`error: ${ids[1]}: `);
		expect(err).toContain("code: state_conflict (207)");
		const none = await operator.svc("moderation", "unlock", ids[0] ?? "", ids[2] ?? "");
		expect([none.exit, none.out]).toEqual([6, ""]);
	});

	test("a block without a reason, or with none that there is, sends nothing: exit 2 [cli.moderation.reason]", async () => {
		const { id } = await create();
		for (const flags of [[], ["--reason", "taste"]]) {
			const { exit, err } = await operator.svc("moderation", "block", id, ...flags);
			expect([exit, err]).toEqual([2, expect.stringContaining("content_policy")]);
		}
		expect((await operator.svc("moderation", "nsfw", "maybe", id)).exit).toBe(2);
		expect((await shown(id)).actions).toEqual([]);
	});

	test("asks first: without --yes on a pipe nothing is deleted [cli.moderation.delete]", async () => {
		const ids = [(await create()).id, (await create()).id];
		const refused = await operator.svc("moderation", "delete", ...ids);
		expect([refused.exit, refused.err]).toEqual([2, expect.stringContaining("--yes")]);
		await shown(ids[0] ?? "");
		const deleted = await operator.svc("moderation", "delete", ...ids, "--yes");
		expect([deleted.exit, deleted.out]).toEqual([0, ids.map((id) => `${id}\tdeleted\t\n`).join("")]);
		expect((await operator.svc("moderation", "delete", ids[0] ?? "", "--yes")).exit).toBe(5);
	});

	test("--dry-run shows one call for one image and batches for many, and changes nothing [cli.moderation.dry]", async () => {
		const { id } = await create();
		const plan = (...argv: string[]) => operator.json("moderation", ...argv, "--dry-run");
		expect(await plan("block", id, "--reason", "spam")).toEqual([
			{ method: "POST", path: `/v1/moderation/images/${id}/block`, body: { reason: "spam" } },
		]);
		expect(await plan("nsfw", "off", id)).toEqual([
			{ method: "PATCH", path: `/v1/moderation/images/${id}`, body: { nsfw: false } },
		]);
		expect(await plan("delete", id, "img_2")).toEqual([
			{ method: "POST", path: "/v1/moderation/batch", body: { ids: [id, "img_2"], action: "delete" } },
		]);
		expect((await shown(id)).actions).toEqual([]);
	});

	test("lists what is reported, or in a state, of all Apps or of one [cli.moderation.queue]", async () => {
		const [image, other] = [await create(), await create()];
		await report(image);
		await operator.svc("moderation", "lock", other.id);
		const ids = async (...argv: string[]) => (await operator.svc("moderation", "queue", "-q", ...argv)).out.split("\n");
		expect(await ids()).toContain(image.id);
		expect(await ids("--state", "locked", "--all")).toContain(other.id);
		expect(await ids("--state", "locked", "--app", (await addApp(service.database)).id)).toEqual([""]);
		expect((await operator.svc("moderation", "queue", "--state", "odd")).exit).toBe(2);
	});

	test("the App's team sees what was done; moderating is for operators alone [cli.moderation.log]", async () => {
		const { id } = await create();
		await operator.svc("moderation", "lock", id);
		const { id: appId } = await firstApp(service.database);
		const viewer = await addPerson(service.database);
		await addMember(service.database, { id: appId }, viewer, "viewer");
		const team = await openProgram(service, { token: viewer.secret });
		const [entry] = await team.json<ModerationAction[]>("moderation", "log", "--limit", "1");
		expect(entry).toMatchObject({ object: "moderation_action", image_id: id, action: "lock" });
		expect((await team.svc("moderation", "lock", id)).exit).toBeOneOf([4, 5]);
		expect((await team.svc("moderation", "queue")).exit).toBeOneOf([4, 5]);
		await team.close();
		const stranger = await openProgram(service, { token: (await addPerson(service.database)).secret });
		expect(await stranger.svc("moderation", "log", "--app", appId)).toMatchObject({ exit: 5, out: "" });
		await stranger.close();
	});
});

describe("svc reports", () => {
	test("lists open ones, settles each, and says which were settled before: exit 3 [cli.reports]", async () => {
		const images = [await create(), await create()];
		for (const image of images) await report(image, image === images[0] ? "Twice" : "Again");
		const ids = images.map(({ id }) => id);
		const open = async () =>
			(await operator.json<Report[]>("reports", "list", "--all")).filter(({ image_id }) => ids.includes(image_id));
		const [first, second] = await open();
		expect([first?.note, second?.note]).toEqual(["Again", "Twice"]);
		const resolve = (...ids: (string | undefined)[]) =>
			operator.svc("reports", "resolve", ...ids.map(String), "--outcome", "dismissed");
		expect(await resolve(first?.id)).toMatchObject({ exit: 0, err: "" });
		const { exit, out, err } = await resolve(first?.id, second?.id, "rep_none");
		expect([exit, out.split("\t")[0]]).toEqual([3, String(second?.id)]);
		expect(err).toContain("error: rep_none: ");
		expect(await open()).toEqual([]);
		const settled = await operator.json<Report[]>("reports", "list", "--state", "resolved");
		expect(settled.find(({ id }) => id === second?.id)).toMatchObject({ outcome: "dismissed" });
		expect((await operator.svc("reports", "resolve", "rep_1")).exit).toBe(2);
	});
});
