import { describe, expect, test } from "bun:test";
import { as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { makeTeam, type Team } from "../../support/teams.ts";

const service = serviceFor();
const post = ({ path, admin }: Team, body: unknown) =>
	send(service, "POST", `${path}/webhook_endpoints`, body, as(admin));

describe("an endpoint", () => {
	test.each([
		"http://app.example.com/hooks",
		"https://app.example.com:8443/hooks",
		"https://127.0.0.1/hooks",
		"https://[::1]/hooks",
		"https://[::ffff:10.0.0.1]/hooks",
		"https://10.0.0.1/hooks",
		"https://169.254.169.254/latest/meta-data",
		"https://168.63.129.16/",
		"https://100.64.0.1/",
		"https://0x7f000001/",
		"https://2130706433/",
		"https://localhost/hooks",
		"https://metadata.google.internal/",
		"https://intranet/hooks",
		"https://user:secret@app.example.com/hooks",
		"https:\\\\app.example.com/hooks",
		"https:app.example.com",
		"ftp://app.example.com/",
		"file:///etc/passwd",
		"",
	])("is refused at %s, naming url", async (url) => {
		const team = await makeTeam(service);
		const { status, fields } = await errorOf(await post(team, { url }));
		expect([status, fields]).toEqual([422, ["url"]]);
	});

	test("whose name leads into our network fails as an attempt, and says no more", async () => {
		const { poster } = service.rooms.webhooks;
		const posted = await poster.post("https://127.0.0.1/", "{}", {});
		expect(posted).toEqual({ status: null, error: "address_not_allowed", retryAfter: undefined, response: null });
	});

	test("shows its secret once, takes ten to an App, and refuses types that there are not", async () => {
		const team = await makeTeam(service);
		const url = "https://app.example.com/hooks";
		const first = (await (await post(team, { url })).json()) as Readonly<Record<string, unknown>>;
		expect(first).toMatchObject({ object: "webhook_endpoint", url, types: ["*"], description: "", state: "enabled" });
		expect(String(first.secret)).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
		const listed = await send(service, "GET", `${team.path}/webhook_endpoints`, undefined, as(team.viewer));
		expect(await listed.text()).not.toContain("whsec_");
		expect((await errorOf(await post(team, { url, types: ["image.eaten"] }))).fields).toEqual(["types"]);
		for (let made = 1; made < 10; made++) expect((await post(team, { url })).status).toBe(201);
		expect((await errorOf(await post(team, { url }))).fields).toEqual(["webhook_endpoints"]);
	});
});

test("429 after 20 tests, redeliveries and recoveries by one person in a minute, of all Apps together; another person goes on", async () => {
	const team = await makeTeam(service);
	const made = await send(
		service,
		"POST",
		`${team.path}/webhook_endpoints`,
		{ url: "https://app.example.com/hooks" },
		as(team.admin),
	);
	const path = `${team.path}/webhook_endpoints/${((await made.json()) as { readonly id: string }).id}`;
	const tested = () => send(service, "POST", `${path}/test`, {}, as(team.admin));
	const { id } = (await (await tested()).json()) as { readonly id: string };
	for (let turn = 1; turn < 20; turn++) expect((await tested()).status).toBe(202);
	const since = new Date(service.clock.now() - 1_000).toISOString();
	for (const [rest, body] of [
		["test", {}],
		[`deliveries/${id}/redeliver`, {}],
		["recover", { since }],
	] as const) {
		const refused = await send(service, "POST", `${path}/${rest}`, body, as(team.admin));
		expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited", action: { type: "wait" } });
	}
	expect((await send(service, "POST", `${path}/test`, {}, as(team.owner))).status).toBe(202);
});
