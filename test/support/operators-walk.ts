import { createReport } from "@svc/moderation/reports";
import type { Page } from "playwright-core";
import type { Scene, Stop } from "./page-walk.ts";
import { addSession, as } from "./people.ts";
import { plain } from "./pictures.ts";
import { send, uploaded } from "./requests.ts";
import { made } from "./selling.ts";

/* A way through the screens of those who run the service. */

async function operatorOf({ service }: Scene) {
	const operator = await service.rooms.operator.setup.findFirstOperator();
	const secret = await addSession(service.database, operator?.id ?? "");
	return { id: operator?.id ?? "", caller: as({ secret }) };
}

function screen(
	name: string,
	route: string,
	at: (scene: Scene) => string | Promise<string> = () => route,
	then: (page: Page) => Promise<unknown> = async () => undefined,
): Stop {
	return {
		name: `console, operators: ${name}`,
		route: `/console/operator${route}`,
		by: async (page, scene) => {
			const { service } = scene;
			const { id } = await operatorOf(scene);
			const value = await addSession(service.database, id, { kind: "web" });
			await page.context().addCookies([{ name: "session", value, url: service.baseUrl }]);
			await page.goto(`${service.baseUrl}/console/operator${await at(scene)}`);
			await then(page);
		},
	};
}

/** A picture with a report, and with a history; `verb` is done to it. */
async function reported(scene: Scene, verb: string, body: object = {}): Promise<string> {
	const { service, shop } = scene;
	const name = "a picture with a rather long name, as cameras and people give them.png";
	const { id, url } = await uploaded(service, await plain(640, 420), name, {}, { key: shop.app.key });
	const note = "This is my own picture, and nobody has asked me whether it may be shown here.";
	const said = { url, reason: "dmca", note, email: "grace.with.a.long.name@example.com" } as const;
	await createReport(service.rooms.moderation, {
		...said,
		address: `2001:db8:${Date.now().toString(16).slice(-4)}::1`,
	});
	const { caller } = await operatorOf(scene);
	await made(send(service, "POST", `/v1/moderation/images/${id}/${verb}`, { note: "Seen before.", ...body }, caller));
	return id;
}

export const OPERATOR_STOPS: readonly Stop[] = [
	screen("moderation", "/moderation", async (scene) => {
		await reported(scene, "lock");
		return "/moderation";
	}),
	screen(
		"small pictures, one selected",
		"/moderation",
		async (scene) => {
			await reported(scene, "lock");
			return "/moderation?view=grid";
		},
		async (page) => {
			await page.locator("main .box").first().check();
			await page.locator(".marked").waitFor();
			// What is read out is seen by nobody, and has no width.
			await page.evaluate(() => document.querySelector("#said")?.replaceChildren());
		},
	),
	screen(
		"a blocked picture that was asked for",
		"/moderation/:image",
		async (scene) => `/moderation/${await reported(scene, "block", { reason: "spam" })}`,
		(page) => page.click(".veil summary"),
	),
	screen("what is selected", "/moderation", async (scene) => `/moderation?ids=${await reported(scene, "lock")}`),
	screen("reports", "/reports", async (scene) => {
		await reported(scene, "lock");
		return "/reports";
	}),
	screen("Apps", "/apps"),
	screen("App", "/apps", ({ shop }) => `/apps?id=${shop.app.id}`),
	screen("accounts", "/accounts", undefined, (page) => page.locator("main details summary").first().click()),
	screen("operators", "/accounts", () => "/accounts?status=operators"),
	screen("health", "/health"),
	screen("jobs", "/jobs"),
	screen("trash", "/trash"),
	screen("backups", "/backups"),
	screen("logs", "/logs"),
	screen("audit", "/logs", () => "/logs?of=audit"),
];
