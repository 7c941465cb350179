import { describe, expect, test } from "bun:test";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

/* A parameter of the query that an address does not know, or that comes twice. */

const UNKNOWN = "misspelt";

interface Operation {
	readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

describe("422 names a parameter that the address does not know, at every address under /v1", () => {
	const service = serviceFor({ SVC_VARIANT: "current" });
	const operator = madeBefore(() => addPerson(service.database, { operator: true }));
	const image = madeBefore(async () => await uploaded(service, await plain(4, 4)));

	test("that reads, whoever may call it", async () => {
		const { paths } = (await (await service.api("/openapi.json")).json()) as {
			readonly paths: Record<string, Record<string, Operation>>;
		};
		const reads = Object.entries(paths).filter(
			([path, { get }]) => get && path.startsWith("/v1/") && !path.includes("{"),
		);
		expect(reads.length).toBeGreaterThan(20);
		const byKey = new Set([
			"/v1/key",
			"/v1/usage",
			"/v1/usage/daily",
			"/v1/images",
			"/v1/labels",
			"/v1/billing/plans",
			"/v1/events",
			"/v1/upload_tickets",
			"/v1/imports",
			"/v1/users",
		]);
		for (const [path] of reads) {
			if (path === "/v1/billing/status") continue;
			const caller = byKey.has(path) ? {} : as(operator);
			const { status, fields } = await errorOf(await send(service, "GET", `${path}?${UNKNOWN}=1`, undefined, caller));
			expect([path, status, fields]).toEqual([path, 422, [UNKNOWN]]);
		}
	});

	test("that changes, and nothing is changed", async () => {
		const path = `/v1/images/${image.id}`;
		for (const [method, at, body] of [
			["PATCH", path, { caption: "Changed" }],
			["DELETE", path, undefined],
			["DELETE", "/v1/images/batch", { ids: [image.id] }],
		] as const) {
			const { status, fields } = await errorOf(await send(service, method, `${at}?${UNKNOWN}=1`, body));
			expect([status, fields]).toEqual([422, [UNKNOWN]]);
		}
		const { status, fields } = await errorOf(
			await send(service, "POST", `/v1/apps?${UNKNOWN}=1`, { name: "Photos" }, as(operator)),
		);
		expect([status, fields]).toEqual([422, [UNKNOWN]]);
		expect(await (await send(service, "GET", path)).json()).toEqual(image);
	});

	test("and one that is sent twice", async () => {
		const twice = await errorOf(await send(service, "GET", "/v1/images?limit=1&limit=2"));
		expect([twice.status, twice.fields]).toEqual([422, ["limit"]]);
	});
});

for (const variant of ["transition", "legacy"]) {
	describe(`in ${variant}, for clients of then,`, () => {
		const service = serviceFor({ SVC_VARIANT: variant });

		test("the list of images ignores what it does not know; sent twice it is a 422", async () => {
			const made = await uploaded(service, await plain(4, 4));
			const listed = await send(service, "GET", `/v1/images?${UNKNOWN}=1`);
			expect(((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([made.id]);
			expect((await send(service, "GET", `/v1/images?${UNKNOWN}=1&${UNKNOWN}=2`)).status).toBe(422);
		});
	});
}
