import { describe, expect, test } from "bun:test";
import type { ErrorEnvelope } from "@svc/base/http/envelope";
import { serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam } from "../../support/teams.ts";

/* A refusal says what is wrong with the request, and what to do. */

const service = serviceFor();
const KEY = `svc_sk_test_${"a".repeat(38)}`;

async function refusal(path: string, init: RequestInit = {}): Promise<readonly [status: number, message: string]> {
	const answer = await service.api(path, init);
	const { error } = (await answer.json()) as ErrorEnvelope;
	return [answer.status, error.message];
}

describe("401 tells apart what is no secret", () => {
	test.each([
		["nothing", {}, "", "No key was sent."],
		["an empty header", { Authorization: "" }, "", "No key was sent."],
		["X-API-Key", { "X-API-Key": KEY }, "", "The header x-api-key is not read."],
		["a key in the query", {}, `?api_key=${KEY}`, "A key in the URL is not read, and stands in logs by now"],
		["a key without Bearer", { Authorization: KEY }, "", "The word Bearer is missing before the key."],
		["Basic", { Authorization: "Basic YTpi" }, "", "Another scheme than Bearer was sent."],
		["Bearer alone", { Authorization: "Bearer" }, "", "Nothing that could be a key stands behind Bearer."],
		["a key of another service", { Authorization: "Bearer sk_live_abc" }, "", "its keys begin with svc_"],
		["a live key", { Authorization: `Bearer ${KEY.replace("test", "live")}` }, "", "a key of a service in live mode"],
		["an unknown key", { Authorization: `Bearer ${KEY}` }, "", "This key is unknown here, has expired or was revoked"],
	] as const)("%s [errors.message]", async (_, headers, query, words) => {
		for (const path of ["/v1/usage", "/v1/me"]) {
			const [status, message] = await refusal(`${path}${query}`, { headers });
			expect([path, status, message]).toEqual([path, 401, expect.stringContaining(words)]);
			expect(message).not.toContain("aaaa");
		}
	});

	test("a key that was revoked is told as one that never was", async () => {
		const team = await makeTeam(service);
		const { id, secret } = await makeKey(service, team.owner, team.path);
		await ask(service, team.owner, "DELETE", `${team.path}/keys/${id}`);
		const sent = (key: string) => refusal("/v1/usage", { headers: { Authorization: `Bearer ${key}` } });
		expect(await sent(secret)).toEqual(await sent(KEY));
	});
});

describe("404", () => {
	test("of an unknown path names the nearest one [errors.message]", async () => {
		expect(await refusal("/v1/imags")).toEqual([404, "There is no such path. Did you mean /v1/images?"]);
		expect(await refusal("/images")).toEqual([404, "There is no such path. Did you mean /v1/images?"]);
		expect(await refusal("/v1/elephants")).toEqual([404, "There is no such thing here."]);
	});

	test("of what is no id is that of an id which there is not", async () => {
		const missing = [404, "There is no such thing here."] as const;
		for (const id of ["4711", "img_4711", `img_${"0".repeat(22)}`])
			expect(await refusal(`/v1/images/${id}`)).toEqual(missing);
	});

	test("of a path of the API on the images' address names the API's", async () => {
		const answer = await service.open("http://localhost:3001/v1/images?limit=1");
		const { error } = (await answer.json()) as ErrorEnvelope;
		expect([answer.status, error.code]).toEqual([404, "not_found"]);
		expect(error.message).toBe("This address serves images alone. The API is at http://localhost:3000/v1.");
	});
});

describe("a private address", () => {
	test.each(["http://localhost:8080/a.png", "http://10.0.0.1/a.png", "http://127.0.0.1:9/a.png"])(
		"of an import, %s, is told as such at once, with what helps",
		async (url) => {
			const answer = await service.api("/v1/images", {
				method: "POST",
				headers: { Authorization: `Bearer ${service.apiKey}`, "Content-Type": "application/json" },
				body: JSON.stringify({ url }),
			});
			const { error } = (await answer.json()) as ErrorEnvelope;
			expect([answer.status, error.details]).toEqual([422, { url: ["is not a public address"] }]);
			expect(error.message).toContain("SVC_IMPORT_ALLOW");
			expect(error.message).toContain("svc listen");
		},
	);

	test("[C] of a webhook is told in the same words, and a name that nobody has as one", async () => {
		const team = await makeTeam(service);
		const refused = async (url: string) =>
			await ask(service, team.owner, "POST", `${team.path}/webhook_endpoints`, { url, types: ["*"] });
		const { status, body } = await refused("http://localhost:8080/hooks");
		expect(status).toBe(422);
		expect(JSON.stringify(body)).toContain("svc listen");
		expect(JSON.stringify((await refused("https://hooks.example/")).body)).toContain("There is no such host");
	});
});

test("[C] 422 for a type of event that there is not names those of the same object, or the objects", async () => {
	const types = async (word: string) => {
		const headers = { Authorization: `Bearer ${service.apiKey}` };
		const { error } = (await (await service.api(`/v1/events?types=${word}`, { headers })).json()) as ErrorEnvelope;
		return String(error.details?.types);
	};
	expect(await types("image.create")).toContain("there are image.created, ");
	expect(await types("picture.created")).toContain("there are image.*, ");
});
