import { expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { addApp } from "../../support/apps.ts";
import { act, acted, itemOf, queueOf } from "../../support/moderation.ts";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const file = await plain(8, 6);

async function reported(): Promise<Image> {
	const image = await uploaded(service, file, "a.png", {}, { key: app.key });
	await report(image);
	return image;
}

async function report({ url }: Image): Promise<void> {
	expect((await send(service, "POST", "/v1/reports", { url, reason: "spam" })).status).toBe(202);
}

const reopened = { reopen_reports: true };

test("an unblock with reopen_reports brings back what the block settled, in the queue and as it was [moderation.reopen]", async () => {
	const { id } = await reported();
	const before = await itemOf(service, operator, id);
	await acted(service, operator, id, "block", { reason: "spam" });
	expect(await queueOf(service, operator, "state=reported")).not.toContain(id);
	const after = await acted(service, operator, id, "unblock", reopened);
	expect(after.reports).toEqual(before.reports);
	expect(await queueOf(service, operator, "state=reported")).toContain(id);
});

test("what was decided before the block stays decided, and so does what an earlier block settled [moderation.reopen-own]", async () => {
	const image = await reported();
	const [first] = (await itemOf(service, operator, image.id)).reports;
	const resolve = `/v1/moderation/reports/${first?.id}/resolve`;
	expect((await send(service, "POST", resolve, { outcome: "actioned" }, as(operator))).status).toBe(200);
	await report(image);
	await acted(service, operator, image.id, "block", { reason: "spam" });
	await acted(service, operator, image.id, "unblock");
	await acted(service, operator, image.id, "block", { reason: "dmca" });
	expect((await acted(service, operator, image.id, "unblock", reopened)).reports).toEqual([]);
});

test("without it, or with false or null, the reports stay settled [moderation.reopen-asked]", async () => {
	for (const body of [{}, { reopen_reports: false }, { reopen_reports: null }]) {
		const { id } = await reported();
		await acted(service, operator, id, "block", { reason: "spam" });
		expect((await acted(service, operator, id, "unblock", body)).reports).toEqual([]);
	}
});

test("a batch takes it for all of its images; 409 for a left revision reopens nothing [moderation.reopen-batch]", async () => {
	const ids = [(await reported()).id, (await reported()).id];
	for (const id of ids) await acted(service, operator, id, "block", { reason: "spam" });
	const late = await act(service, operator, String(ids[0]), "unblock", { ...reopened, revision: 1 });
	expect([late.status, (await errorOf(late)).code]).toEqual([409, "state_conflict"]);
	expect((await itemOf(service, operator, String(ids[0]))).reports).toEqual([]);
	const body = { ids, action: "unblock", ...reopened };
	expect((await send(service, "POST", "/v1/moderation/batch", body, as(operator))).status).toBe(200);
	for (const id of ids) expect((await itemOf(service, operator, id)).reports_count).toBe(1);
});

test("422 names reopen_reports when it is no boolean, and changes nothing [moderation.reopen-refused]", async () => {
	const { id } = await reported();
	await acted(service, operator, id, "block", { reason: "spam" });
	const answer = await act(service, operator, id, "unblock", { reopen_reports: "yes" });
	expect([answer.status, (await errorOf(answer)).fields]).toEqual([422, ["reopen_reports"]]);
	expect((await itemOf(service, operator, id)).blocked_reason).toBe("spam");
});
