import { issueTicket } from "@svc/people/sign-in/console-tickets";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { setImageStatus } from "./apps.ts";
import type { Scene, Stop } from "./page-walk.ts";
import { addSession } from "./people.ts";
import { plain } from "./pictures.ts";
import { send, uploaded } from "./requests.ts";
import { made } from "./selling.ts";

/* A way through the screens of the console, in each of their states. */

/** A screen of the console, as who owns the App sees it. */
function screen(
	name: string,
	route: string,
	at: (scene: Scene) => string | Promise<string>,
	then: (page: Page) => Promise<unknown> = async () => undefined,
): Stop {
	return {
		name: `console, ${name}`,
		route: `/console${route}`,
		by: async (page, scene) => {
			const { service, shop } = scene;
			const value = await addSession(service.database, shop.app.ownerId, { kind: "web" });
			await page.context().addCookies([{ name: "session", value, url: service.baseUrl }]);
			const answer = await page.goto(service.baseUrl + (await at(scene)));
			// The page of a failure would pass for one of ours.
			if (!answer?.ok()) throw new Error(`${answer?.status()} for ${page.url()}`);
			await then(page);
		},
	};
}

const ofApp = ({ shop }: Scene) => `/console/${shop.app.id}`;

/** Of nothing: it ends at once. */
async function jobOf(scene: Scene): Promise<string> {
	const body = { filter: { filename_prefix: "nothing" }, act: { labels: { a: "b" } } };
	const path = `/v1/apps/${scene.shop.app.id}/image_jobs`;
	const { id } = await made<{ id: string }>(send(scene.service, "POST", path, body, scene.shop.owner));
	return `${ofApp(scene)}/jobs/${id}`;
}

/** What an endpoint was sent, and did not take. */
const REFUSED = JSON.stringify([
	{ atMs: 1_790_000_000_000, status: 500, ms: 31, error: null, response: "<h1>Oops</h1>" },
]);

/** The endpoint of the App, with a delivery that failed; both are made once. */
async function deliveryOf(scene: Scene): Promise<string> {
	const { service, shop } = scene;
	const path = `/v1/apps/${shop.app.id}/webhook_endpoints`;
	const list = async (at: string) =>
		(await made<{ data: { id: string }[] }>(send(service, "GET", at, undefined, shop.owner))).data;
	const fields = {
		url: "https://app.example.com/a/rather/long/address/for/events",
		types: ["image.*"],
		description: "Nightly",
	};
	const { id } = (await list(path))[0] ?? (await made<{ id: string }>(send(service, "POST", path, fields, shop.owner)));
	const deliveries = `${path}/${id}/deliveries`;
	if ((await list(deliveries)).length === 0) {
		await made(send(service, "POST", `${path}/${id}/test`, {}, shop.owner));
		const ended = sql`UPDATE webhook_deliveries SET state = 'failed', next_ms = NULL, attempts = ${REFUSED}`;
		await service.database.write([{ run: ended }]);
	}
	return `${ofApp(scene)}/webhooks/${id}/${(await list(deliveries))[0]?.id}`;
}

async function eventOf({ service, shop }: Scene): Promise<string> {
	const { data } = await made<{ data: { id: string }[] }>(
		send(service, "GET", "/v1/events?limit=1", undefined, { key: shop.app.key }),
	);
	return data[0]?.id ?? "none";
}

/** Of an address that is fetched by nobody, since it is no public one. */
async function importOf(scene: Scene): Promise<string> {
	const body = { items: [{ url: "https://pictures.example/a/rather/long/name/of/a/picture.jpg" }] };
	const { id } = await made<{ id: string }>(
		send(scene.service, "POST", "/v1/imports", body, { key: scene.shop.app.key }),
	);
	return `${ofApp(scene)}/imports/${id}`;
}

async function newApp({ service, shop }: Scene): Promise<string> {
	return (await made<{ id: string }>(send(service, "POST", "/v1/apps", { name: "New" }, shop.owner))).id;
}

interface Sold {
	readonly id: string;
	readonly invoices: readonly { readonly id: string }[];
}

/** What the list of the App begins with. */
async function newest({ service, shop }: Scene, list: "plans" | "subscriptions"): Promise<Sold> {
	const path = `/v1/apps/${shop.app.id}/${list}?limit=1`;
	const { data } = await made<{ data: readonly Sold[] }>(send(service, "GET", path, undefined, shop.owner));
	const [first] = data;
	if (!first) throw new Error(`nothing in ${list}`);
	return first;
}

const newestPlan = (scene: Scene) => newest(scene, "plans");
const newestSubscription = (scene: Scene) => newest(scene, "subscriptions");

/** With a preset and a signing key, and bounds. */
async function boundsOf(scene: Scene): Promise<string> {
	const { service, shop } = scene;
	const path = `/v1/apps/${shop.app.id}`;
	const name = `card-${crypto.randomUUID().slice(0, 8)}`;
	await made(send(service, "POST", `${path}/presets`, { name, parameters: { w: "40" } }, shop.owner));
	const keys = await made<{ data: readonly unknown[] }>(
		send(service, "GET", `${path}/signing_keys`, undefined, shop.owner),
	);
	if (keys.data.length === 0) await made(send(service, "POST", `${path}/signing_keys`, { name: "web" }, shop.owner));
	const limits = { bytes: 10e12, renditions: 1e9 };
	const image_host = "img.botanical-garden.example.com";
	const bounds = { delivery_referrers: ["example.com"], delivery_limits: limits, image_host };
	await made(send(service, "PATCH", path, bounds, shop.owner));
	return `${ofApp(scene)}/delivery`;
}

export const CONSOLE_STOPS: readonly Stop[] = [
	screen("Apps", "", () => "/console"),
	screen("overview", "/:app", (scene) => ofApp(scene)),
	screen("images", "/:app/images", (scene) => `${ofApp(scene)}/images`),
	screen("table of images", "/:app/images", (scene) => `${ofApp(scene)}/images?view=table`),
	screen("images, none that fits", "/:app/images", (scene) => `${ofApp(scene)}/images?q=nothing-has-this-name`),
	screen(
		"images, a file is asked for",
		"/:app/images",
		(scene) => `${ofApp(scene)}/images`,
		(page) => page.click(".menus summary"),
	),
	screen(
		"images, who is signed in",
		"/:app/images",
		(scene) => `${ofApp(scene)}/images`,
		(page) => page.click("header.top [popovertarget]"),
	),
	screen("image that is blocked", "/:app/images", async (scene) => {
		const { id } = await uploaded(scene.service, await plain(60, 40), "held.png", {}, { key: scene.shop.app.key });
		await setImageStatus(scene.service.database, id, "blocked", "content_policy");
		return `${ofApp(scene)}/images?state=blocked`;
	}),
	screen("many images", "/:app/images/chosen", (scene) => `${ofApp(scene)}/images/chosen?all=1`),
	screen("job", "/:app/jobs/:job", jobOf, (page) => page.waitForSelector("main progress", { state: "detached" })),
	screen(
		"picture",
		"/:app/images/:image",
		(scene) => `${ofApp(scene)}/images/${scene.imageId}?storage=${scene.customer.user.id}`,
	),
	screen(
		"picture, refused",
		"/:app/images/:image",
		(scene) => `${ofApp(scene)}/images/${scene.imageId}?storage=${scene.customer.user.id}`,
		async (page) => {
			await page.fill("#published_at", "the day after the day after tomorrow, in the morning");
			await page.click("form:has(#published_at) button.primary");
			await page.waitForSelector("[aria-invalid]");
		},
	),
	screen(
		"picture, to be replaced",
		"/:app/images/:image",
		(scene) => `${ofApp(scene)}/images/${scene.imageId}?storage=${scene.customer.user.id}`,
		(page) => page.click(".acts summary"),
	),
	screen(
		"picture in its forms",
		"/:app/images/:image/forms",
		(scene) => `${ofApp(scene)}/images/${scene.imageId}/forms?storage=${scene.customer.user.id}`,
	),
	{
		name: "console, opened by a ticket",
		route: "/console",
		by: async (page, { service, shop }) => {
			const [owner] = await service.database.read(() =>
				service.database.queries.values<[number, string]>(
					sql`SELECT pk, email FROM accounts WHERE id = ${shop.app.ownerId}`,
				),
			);
			const [pk = 0, email = ""] = owner ?? [];
			const life = { seconds: 60, reach: "anywhere" } as const;
			const { ticket } = await issueTicket(service.rooms.people, { pk, email }, life);
			await page.goto(`${service.baseUrl}/console?start=${ticket}`);
		},
	},
	{
		name: "console, mails",
		route: "/console/operator/mails",
		by: async (page, { service }) => {
			const operator = await service.rooms.operator.setup.findFirstOperator();
			const value = await addSession(service.database, operator?.id ?? "", { kind: "web" });
			await page.context().addCookies([{ name: "session", value, url: service.baseUrl }]);
			await page.goto(`${service.baseUrl}/console/operator/mails`);
		},
	},
	{ name: "console, ticket over", at: () => "/console?start=x" },
	screen("users", "/:app/users", (scene) => `${ofApp(scene)}/users`),
	screen("users, none that fits", "/:app/users", (scene) => `${ofApp(scene)}/users?email=nobody@example.com`),
	screen("user", "/:app/users/:user", (scene) => `${ofApp(scene)}/users/${scene.customer.user.id}`),
	screen("links of an App", "/:app/delivery", boundsOf),
	screen(
		"links of an App, refused",
		"/:app/delivery",
		(scene) => `${ofApp(scene)}/delivery`,
		async (page) => {
			await page.fill("#delivery_referrers", "example.com/path");
			await page.click("form:has(#delivery_referrers) button.primary");
			await page.waitForSelector("[aria-invalid]");
		},
	),
	screen("activity", "/:app/activity", (scene) => `${ofApp(scene)}/activity`),
	screen("settings", "/:app/settings", (scene) => `${ofApp(scene)}/settings`),
	screen(
		"sign-in",
		"/:app/sign-in",
		(scene) => `${ofApp(scene)}/sign-in`,
		async (page) => {
			await page.locator(".preview").scrollIntoViewIfNeeded();
			await page.frameLocator(".preview").locator("h1").waitFor();
		},
	),
	screen("preview of the sign-in", "/:app/sign-in/preview", (scene) => `${ofApp(scene)}/sign-in/preview`),
	screen("team", "/:app/team", (scene) => `${ofApp(scene)}/team`),
	screen(
		"team, somebody is invited",
		"/:app/team",
		(scene) => `${ofApp(scene)}/team`,
		async (page) => {
			await page.click("summary.primary");
			await page.fill("#email", `grace-${Date.now()}@example.com`);
			await page.click("form:has([value=invite]) button.primary");
			await page.waitForSelector("#link");
		},
	),
	screen("plan", "/:app/plan", (scene) => `${ofApp(scene)}/plan`),
	screen("tickets", "/:app/tickets", (scene) => `${ofApp(scene)}/tickets`),
	screen(
		"tickets, a new one",
		"/:app/tickets",
		(scene) => `${ofApp(scene)}/tickets`,
		async (page) => {
			await page.click("summary.primary");
			await page.click("form:has([value=create]) button.primary");
			await page.waitForSelector("#address");
		},
	),
	screen(
		"the list of screens",
		"/:app/keys",
		(scene) => `${ofApp(scene)}/keys`,
		(page) => page.click("[popovertarget=screens]"),
	),
	screen("keys", "/:app/keys", (scene) => `${ofApp(scene)}/keys`),
	screen(
		"keys, one to be revoked",
		"/:app/keys",
		(scene) => `${ofApp(scene)}/keys`,
		(page) => page.click("table details:last-of-type summary"),
	),
	screen(
		"keys, a new one",
		"/:app/keys",
		(scene) => `${ofApp(scene)}/keys`,
		async (page) => {
			await page.click("summary.primary");
			await page.fill("#name", "Backup at home");
			await page.click("form:has([value=create]) button.primary");
			await page.waitForSelector("#secret");
		},
	),
	screen("webhooks", "/:app/webhooks", async (scene) => {
		await deliveryOf(scene);
		return `${ofApp(scene)}/webhooks`;
	}),
	screen(
		"webhooks, a new one is refused",
		"/:app/webhooks",
		(scene) => `${ofApp(scene)}/webhooks`,
		async (page) => {
			if (!(await page.isVisible("#url"))) await page.click("summary.primary");
			await page.fill("#url", "https://127.0.0.1/hooks");
			await page.click("form:has(#url) button.primary");
			await page.waitForSelector("[aria-invalid]");
		},
	),
	screen(
		"webhook, its secret is to be rotated",
		"/:app/webhooks/:endpoint",
		async (scene) => (await deliveryOf(scene)).replace(/\/[^/]*$/, ""),
		(page) => page.click("details:has([value=rotate]) summary"),
	),
	screen("webhook delivery", "/:app/webhooks/:endpoint/:delivery", deliveryOf),
	screen("events", "/:app/events", (scene) => `${ofApp(scene)}/events`),
	screen("event", "/:app/events/:event", async (scene) => `${ofApp(scene)}/events/${await eventOf(scene)}`),
	screen("imports", "/:app/imports", async (scene) => {
		await importOf(scene);
		return `${ofApp(scene)}/imports`;
	}),
	screen("import", "/:app/imports/:import", importOf),
	screen("jobs", "/:app/jobs", async (scene) => {
		await jobOf(scene);
		return `${ofApp(scene)}/jobs`;
	}),
	screen("plans", "/:app/plans", (scene) => `${ofApp(scene)}/plans`),
	screen("plans, a price to be made", "/:app/plans", async (scene) => {
		const { id } = await newestPlan(scene);
		return `${ofApp(scene)}/plans?price=${id}&amount=76.50&currency=eur&interval=year&trial_days=14`;
	}),
	screen("plans, none yet and not allowed", "/:app/plans", async (scene) => `/console/${await newApp(scene)}/plans`),
	screen("subscribers", "/:app/subscribers", (scene) => `${ofApp(scene)}/subscribers`),
	screen("subscriber, to be paid back", "/:app/subscribers/:subscription", async (scene) => {
		const { id, invoices } = await newestSubscription(scene);
		return `${ofApp(scene)}/subscribers/${id}?refund=${invoices[0]?.id}&amount=1.20`;
	}),
	screen("App without a picture", "/:app/images", async (scene) => {
		return `/console/${await newApp(scene)}/images`;
	}),
];
