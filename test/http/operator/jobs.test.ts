import { describe, expect, test } from "bun:test";
import { newJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { sql } from "drizzle-orm";
import { addApp, connectUser, countOf } from "../../support/apps.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addUser } from "../../support/users.ts";

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

interface ShownJob {
	readonly id: string;
	readonly kind: string;
	readonly state: string;
	readonly result: unknown;
}

const get = (id: string, who: { secret: string }) => send(service, "GET", `/v1/jobs/${id}`, undefined, as(who));
const post = (path: string, who: { secret: string }) => send(service, "POST", path, undefined, as(who));

async function startedBy(): Promise<{ job: ShownJob; who: { secret: string; id: string } }> {
	const user = await addUser(service.database, app);
	const answer = await send(service, "DELETE", `/v1/me/connections/${app.id}`, undefined, as(user));
	return { job: (await answer.json()) as ShownJob, who: { secret: user.secret, id: user.accountId } };
}

/** A job that no version of the service knows: it fails at once. */
async function failing(): Promise<string> {
	const job = newJob("reconcile", {});
	await service.database.write([
		{ run: jobEntry(job, service.clock.now()) },
		{ run: sql`UPDATE jobs SET kind = 'unheard-of' WHERE id = ${job.id}` },
	]);
	await service.runJobs();
	await service.database.write([{ run: sql`UPDATE jobs SET kind = 'reconcile' WHERE id = ${job.id}` }]);
	return job.id;
}

describe("a job", () => {
	test("is shown to whoever started it and to operators; for all others it is not there", async () => {
		const { job, who } = await startedBy();
		const other = await addPerson(service.database);
		const owner = { secret: await addSession(service.database, app.ownerId) };
		const statuses = await Promise.all(
			[who, operator, other, owner].map(async (one) => (await get(job.id, one)).status),
		);
		expect(statuses).toEqual([200, 200, 404, 404]);
		const missing = await (await get(`job_${"0".repeat(22)}`, who)).text();
		expect(await (await get(job.id, other)).text()).toBe(missing);
		for (const id of ["x", "%00", "__proto__", job.id.toLowerCase()]) expect((await get(id, who)).status).toBe(404);
		expect((await send(service, "GET", `/v1/jobs/${job.id}`)).status).toBe(403);
	});

	test("is not shown to a token that is bound to another App, though its owner started it", async () => {
		const elsewhere = await addApp(service.database);
		await addMember(service.database, elsewhere, { id: app.ownerId }, "admin");
		const user = await connectUser(service.database, app);
		const owner = { secret: await addSession(service.database, app.ownerId) };
		const path = `/v1/apps/${app.id}/users/${user.id}`;
		const { id } = (await (await send(service, "DELETE", path, undefined, as(owner))).json()) as ShownJob;
		const bound = async (appId: string) => ({
			secret: await addSession(service.database, app.ownerId, { scopes: ["users:write"], appId }),
		});
		expect((await get(id, await bound(app.id))).status).toBe(200);
		expect((await get(id, await bound(elsewhere.id))).status).toBe(404);
	});

	test("tells its progress and its end", async () => {
		const { job, who } = await startedBy();
		expect(job).toEqual({
			id: job.id,
			object: "job",
			kind: "storage.empty",
			state: "queued",
			done: 0,
			total: null,
			failure: null,
			result: null,
			created_at: expect.any(String),
			ended_at: null,
		} as never);
		await service.runJobs();
		expect(await (await get(job.id, who)).json()).toMatchObject({
			state: "done",
			done: 0,
			total: 0,
			ended_at: expect.any(String),
		});
	});

	test("an operator's token needs the scope to see what others started", async () => {
		const { job } = await startedBy();
		const without = await addSession(service.database, operator.id, { scopes: ["apps:read"] });
		const reader = await addSession(service.database, operator.id, { scopes: ["operator:read"] });
		expect((await get(job.id, { secret: without })).status).toBe(404);
		expect((await get(job.id, { secret: reader })).status).toBe(200);
		expect((await post("/v1/operator/reconcile", { secret: reader })).status).toBe(403);
	});

	test("that ended is forgotten after 30 days, one that did not is kept", async () => {
		const { job } = await startedBy();
		await service.runJobs();
		const { job: waiting } = await startedBy();
		service.clock.advance(31 * 86_400_000);
		expect((await service.sweep()).jobs).toBeGreaterThan(0);
		service.clock.advance(-31 * 86_400_000);
		expect((await get(job.id, operator)).status).toBe(404);
		expect((await get(waiting.id, operator)).status).toBe(200);
		await service.runJobs();
	});
});

describe("operators", () => {
	test("list jobs by state and kind; nobody else does", async () => {
		const { job, who } = await startedBy();
		const list = async (query: string) =>
			(
				(await (await send(service, "GET", `/v1/operator/jobs${query}`, undefined, as(operator))).json()) as {
					data: ShownJob[];
				}
			).data;
		expect((await list("?state=queued&kind=storage.empty")).map(({ id }) => id)).toEqual([job.id]);
		expect(await list("?state=queued&kind=reconcile")).toEqual([]);
		await service.runJobs();
		expect((await list("?state=done")).map(({ id }) => id)).toContain(job.id);
		for (const caller of [who, { secret: app.key }]) {
			expect((await send(service, "GET", "/v1/operator/jobs", undefined, as(caller))).status).toBe(403);
		}
		const wrong = await errorOf(
			await send(service, "GET", "/v1/operator/jobs?state=toString", undefined, as(operator)),
		);
		expect([wrong.status, wrong.fields]).toEqual([422, ["state"]]);
	});

	test("let a failed job start over, once; any other is 409, and a missing one 404", async () => {
		const id = await failing();
		expect(await (await get(id, operator)).json()).toMatchObject({
			state: "failed",
			failure: "This version of the service does not know this kind of job.",
		});
		const retry = () => post(`/v1/operator/jobs/${id}/retry`, operator);
		const statuses = (await Promise.all(Array.from({ length: 20 }, retry))).map(({ status }) => status);
		expect(statuses.toSorted().slice(0, 2)).toEqual([202, 409]);
		expect(await service.runJobs()).toBe(1);
		expect(await (await get(id, operator)).json()).toMatchObject({ state: "done", failure: null });
		expect((await errorOf(await retry())).code).toBe("state_conflict");
		expect((await post(`/v1/operator/jobs/job_${"0".repeat(22)}/retry`, operator)).status).toBe(404);
		expect((await post(`/v1/operator/jobs/${id}/retry`, await addPerson(service.database))).status).toBe(403);
	});

	test("have everything counted again: the result names what had drifted, and twenty calls at once start one job", async () => {
		const drifted = await addApp(service.database);
		await service.database.write([{ run: sql`UPDATE storages SET images = 7 WHERE id = ${drifted.storageId}` }]);
		const answers = await Promise.all(Array.from({ length: 20 }, () => post("/v1/operator/reconcile", operator)));
		const jobs = (await Promise.all(answers.map((answer) => answer.json()))) as ShownJob[];
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
		expect(new Set(jobs.map(({ id }) => id)).size).toBe(1);
		await service.runJobs();
		const job = (await (await get(jobs[0]?.id ?? "", operator)).json()) as ShownJob;
		expect(job).toMatchObject({
			kind: "reconcile",
			state: "done",
			result: { usage: { drifts: [{ id: drifted.storageId }] } },
		});
		expect(await countOf(service.database, sql`SELECT images FROM storages WHERE id = ${drifted.storageId}`)).toBe(0);
		const started = sql`SELECT count(*) FROM audit WHERE event = 'job.started' AND target = ${job.id} AND actor = ${operator.id}`;
		expect(await countOf(service.database, started)).toBe(1);
	});
});
