import { expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { FAKE_IMAGE, fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../run.ts";
import { chunksOf } from "./chunks.ts";

const IDS = Array.from({ length: 150 }, (_, index) => `img_${index}`);

function idsOf({ body }: Sent): string[] {
	return (JSON.parse(String(body)) as { ids: string[] }).ids;
}

function batch(ids: readonly string[], failed: readonly string[] = []): Response {
	const error = { type: "permission_error", code: "media_locked", message: "It is locked." };
	return Response.json(
		{
			object: "batch_result",
			data: ids.filter((id) => !failed.includes(id)).map((id) => ({ ...FAKE_IMAGE, id })),
			errors: failed.map((id) => ({ id, error })),
		},
		{ status: failed.length === 0 ? 200 : 207, headers: { "x-request-id": "req_7" } },
	);
}

async function edit(reply: (sent: Sent) => Response, ids = IDS, ...flags: string[]) {
	const service = fakeService(reply);
	const world = fakeWorld({ fetch: service.fetch });
	const exit = await run(["images", "edit", ...ids, "--caption", "x", ...flags], world);
	return { exit, out: world.outText(), err: world.errText(), sent: service.sent };
}

test("at most 100 ids travel in one call, each of them once [chunks.size]", async () => {
	expect(chunksOf(IDS).map((chunk) => chunk.length)).toEqual([100, 50]);
	expect(chunksOf([])).toEqual([]);
	const { exit, out, sent } = await edit((one) => batch(idsOf(one)), [...IDS, ...IDS], "-q");
	expect([exit, sent.flatMap(idsOf), out.trimEnd().split("\n")]).toEqual([EXIT.ok, IDS, IDS]);
});

test("a call that fails as a whole ends it: what was done is printed, what was not is counted, exit 3 [chunks.stopped]", async () => {
	const reply = (one: Sent) => (idsOf(one).includes("img_0") ? batch(idsOf(one)) : refusal(403, "forbidden"));
	const { exit, out, err } = await edit(reply, IDS, "--json");
	expect([exit, JSON.parse(out).length]).toEqual([EXIT.partly, 100]);
	const [error = "", note] = err.trimEnd().split("\n");
	expect([JSON.parse(error).error.code, note]).toEqual(["forbidden", "50 more were not changed."]);
});

test("where the first call fails, or every id does, nothing was done: the failure's own exit code [chunks.nothing]", async () => {
	expect(await edit(() => refusal(401, "unauthorized"))).toMatchObject({ exit: EXIT.auth, out: "" });
	const all = await edit((one) => batch(idsOf(one), idsOf(one)), IDS.slice(0, 2));
	expect([all.exit, all.out]).toEqual([EXIT.auth, ""]);
	expect(all.err.match(/next: /g)).toHaveLength(1);
	expect(all.err).toContain("request: req_7");
});
