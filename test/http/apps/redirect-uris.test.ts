import { expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeTeam, statuses, type Team } from "../../support/teams.ts";

const service = serviceFor();
const team = madeBefore(() => makeTeam(service));

const add = (own: Team, uri: unknown, role: keyof Team & ("viewer" | "editor" | "admin" | "owner") = "admin") =>
	ask(service, own[role], "POST", `${own.path}/redirect_uris`, { uri });
const list = async (own: Team) =>
	(await ask(service, own.viewer, "GET", `${own.path}/redirect_uris`)).body.data as { id: string; uri: string }[];

test("Admin and Owner add and remove redirect URIs; Editor and Viewer are refused; all see them [roles.admin.sign-in-setup]", async () => {
	expect(await statuses((role) => add(team, `https://${role}.example/cb`, role))).toEqual([403, 403, 201, 201]);
	const [newest, oldest] = await list(team);
	expect([newest?.id.slice(0, 4), newest?.uri]).toEqual(["red_", "https://owner.example/cb"]);
	const remove = await statuses((role) =>
		ask(service, team[role], "DELETE", `${team.path}/redirect_uris/${role === "admin" ? newest?.id : oldest?.id}`),
	);
	expect(remove).toEqual([403, 403, 200, 200]);
	expect(await list(team)).toEqual([]);
	expect(await eventsOf(service, team)).toEqual([
		"app.created",
		"redirect_uri.added",
		"redirect_uri.added",
		"redirect_uri.removed",
		"redirect_uri.removed",
	]);
});

test("they are kept byte for byte: what differs in one byte is another one", async () => {
	const own = await makeTeam(service);
	const uris = [
		"https://a.example/cb",
		"https://a.example/cb/",
		"https://A.example/cb",
		"https://a.example/%63b",
		"https://a.example:443/cb",
	];
	for (const uri of uris) expect((await add(own, uri)).body.uri).toBe(uri);
	expect((await list(own)).map(({ uri }) => uri).reverse()).toEqual(uris);
});

test("422 names uri where it is malformed or there already, and past 20, however many are added at once", async () => {
	const own = await makeTeam(service);
	const sent = [
		undefined,
		null,
		7,
		{},
		"",
		"x",
		"http://a.example/",
		"https://a.example/#",
		"https://a@b.example/",
		"https://a.example/\\",
		"app://cb",
	];
	for (const uri of sent) expect(Object.keys((await add(own, uri)).details)).toEqual(["uri"]);
	expect((await add(own, "https://a.example/cb")).status).toBe(201);
	const again = await Promise.all(Array.from({ length: 10 }, () => add(own, "https://a.example/cb")));
	expect(new Set(again.map(({ details }) => details.uri?.[0]))).toEqual(new Set(["is there already"]));
	const more = await Promise.all(Array.from({ length: 30 }, (_, place) => add(own, `https://a.example/${place}`)));
	expect(more.filter(({ status }) => status === 201)).toHaveLength(19);
	expect(more.filter(({ status, details }) => status === 422 && details.uri)).toHaveLength(11);
});

test("404 for one of another App, and for what is no id", async () => {
	const other = await makeTeam(service);
	const { body } = await add(other, "https://other.example/cb");
	for (const id of [body.id, newId("red"), "x", "__proto__"]) {
		expect((await ask(service, team.owner, "DELETE", `${team.path}/redirect_uris/${id}`)).status).toBe(404);
	}
	expect(await list(other)).toHaveLength(1);
});
