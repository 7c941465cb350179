import { connectUser } from "./apps.ts";
import { payAndReturn } from "./billing.ts";
import { as, type TestPerson } from "./people.ts";
import { plain } from "./pictures.ts";
import { headersOf, send, uploaded } from "./requests.ts";
import { addPlan, made, setSelling } from "./selling.ts";
import type { OpenService } from "./service.ts";
import { onSale, type Sold, sold } from "./sold.ts";
import { ask, makeKey, makeTeam, type Team, type TeamRole } from "./teams.ts";

/* What can be done by the forms of the console, each beside the call of the REST API that does the same. */

/** Something that a deed is done to, made for it. */
export interface Target {
	readonly team: Team;
	/** Where the form stands. */
	readonly at: string;
	/** What is typed into it, beside what it holds. */
	readonly typed?: Readonly<Record<string, string>>;
	/** The call that does the same. */
	readonly rest: readonly [method: string, path: string, body?: unknown];
	/** Whether the call is about images of the App storage. */
	readonly ofImages?: boolean;
	/** The App is gone afterwards: only operators read what was noted. */
	readonly ends?: boolean;
}

export interface Deed {
	/** Who may do it. */
	readonly may: readonly TeamRole[];
	/** Whether the audit of the App is left as it was: what is sent again stands among its deliveries, and a job in the audit of the service. */
	readonly unaudited?: true;
	readonly prepare: (service: OpenService, team: Team) => Promise<Target>;
}

const EDITORS = ["editor", "admin", "owner"] as const;
const ADMINS = ["admin", "owner"] as const;
const OWNER = ["owner"] as const;
const DAY_MS = 86_400_000;

async function addPicture(service: OpenService, team: Team): Promise<string> {
	const caller = as(team.editor, team.appId);
	const { id } = await uploaded(service, await plain(9, 9), "deed.png", {}, caller);
	return id;
}

const imagesOf = ({ appId }: Team) => `/console/${appId}/images`;

function ofPicture(act: (id: string) => Omit<Target, "team" | "at">): Deed["prepare"] {
	return async (service, team) => {
		const id = await addPicture(service, team);
		return { team, at: `${imagesOf(team)}/${id}`, ofImages: true, ...act(id) };
	};
}

/** Of one image by its id, as a job. */
function ofChosen(typed: Readonly<Record<string, string>>, act: unknown, state = ""): Deed {
	return {
		may: EDITORS,
		async prepare(service, team) {
			const ids = await addPicture(service, team);
			if (state !== "") await send(service, "DELETE", `/v1/images/${ids}`, undefined, as(team.editor, team.appId));
			const at = `${imagesOf(team)}/chosen?${new URLSearchParams({ ...(state && { state }), ids })}`;
			return { team, at, typed, rest: ["POST", `${team.path}/image_jobs`, { filter: { ids }, act }] };
		},
	};
}

function ofKey(may: Deed["may"], act: (path: string) => Omit<Target, "team" | "at">): Deed {
	return {
		may,
		async prepare(service, team) {
			// Whoever makes a key may change it, and nobody else.
			const { id } = await makeKey(service, team.admin, team.path, { name: "A key" });
			const { typed, rest } = act(`${team.path}/keys/${id}`);
			return { team, at: `/console/${team.appId}/keys`, typed: { ...typed, key: id }, rest };
		},
	};
}

function ofSettings(may: Deed["may"], act: (team: Team) => Omit<Target, "team" | "at">, before = ""): Deed {
	return {
		may,
		async prepare(service, anyTeam) {
			// An App that is paused is in the way of what others try.
			const team = before === "" ? anyTeam : await makeTeam(service, "Paused");
			if (before !== "") await ask(service, team.owner, "POST", `${team.path}/${before}`);
			return { team, at: `/console/${team.appId}/settings`, ...act(team) };
		},
	};
}

const grant = (service: OpenService) => ({
	plan_key: "gold",
	until: new Date(service.clock.now() + 30 * DAY_MS).toISOString().slice(0, 10),
	reason: "Found a bug",
});

function ofUser(may: Deed["may"], act: (path: string, service: OpenService) => Pick<Target, "typed" | "rest">): Deed {
	return {
		may,
		async prepare(service, team) {
			const { id } = await connectUser(service.database, { id: team.appId });
			const path = `${team.path}/users/${id}`;
			await setSelling(service.database, team.appId);
			await addPlan(service, team.appId, as(team.owner), { key: "gold", name: "Gold" }).catch(() => undefined);
			const made = act(path, service);
			if (made.rest[0] === "DELETE" && path !== made.rest[1])
				await ask(service, team.owner, "PUT", `${path}/grant`, grant(service));
			return { team, at: `/console/${team.appId}/users/${id}`, ...made };
		},
	};
}

const HOOK = { url: "https://app.example.com/hooks", types: ["image.*"], description: "Here" };
const TYPED_HOOK = { ...HOOK, types: "image.*" };

/** Of an endpoint that an Admin has made. */
async function addEndpoint(service: OpenService, team: Team, state = "enabled"): Promise<string> {
	const { id } = (await ask(service, team.admin, "POST", `${team.path}/webhook_endpoints`, HOOK)).body;
	const path = `${team.path}/webhook_endpoints/${id}`;
	if (state !== "enabled") await ask(service, team.admin, "PATCH", path, { state });
	return String(id);
}

function ofEndpoint(act: (path: string) => Omit<Target, "team" | "at">, state?: string): Deed {
	return {
		may: ADMINS,
		async prepare(service) {
			// An App has at most ten.
			const team = await makeTeam(service, "Hooked");
			const id = await addEndpoint(service, team, state);
			const made = act(`${team.path}/webhook_endpoints/${id}`);
			return { team, at: `/console/${team.appId}/webhooks/${id}`, ...made };
		},
	};
}

const IMPORT = { items: [{ url: "https://pictures.example/a.jpg" }], fields: { labels: { album: "moths" } } };

const plansOf = ({ appId }: Team) => `/console/${appId}/plans`;

/** Of a plan that is on sale. */
function ofPlan(
	act: (
		sold: Pick<Sold, "plan" | "price">,
		path: string,
	) => Pick<Target, "typed" | "rest"> & { readonly query?: string },
): Deed {
	return {
		may: OWNER,
		async prepare(service, team) {
			const made = await onSale(service, team);
			const { query = "", ...target } = act(made, `${team.path}/plans/${made.plan}`);
			return { team, at: plansOf(team) + query, ...target };
		},
	};
}

const form = (bytes: Uint8Array<ArrayBuffer>) => {
	const body = new FormData();
	body.set("file", new File([bytes], "sent.png"));
	return body;
};
const sent = form(await plain(9, 9));
const patched = { caption: "Said" };
const tax = { mode: "automatic", behavior: "inclusive" };

/** Of an App of its own, which is not as before afterwards. */
function ofOwnTeam(
	may: Deed["may"],
	screen: string,
	act: (team: Team, service: OpenService) => Promise<Omit<Target, "team" | "at">> | Omit<Target, "team" | "at">,
): Deed {
	return {
		may,
		async prepare(service) {
			const team = await makeTeam(service, "Of its own");
			return { team, at: `/console/${team.appId}/${screen}`, ...(await act(team, service)) };
		},
	};
}

/** Of an App that pays for a plan. */
function ofPaid(act: (path: string, ask: (path: string) => Promise<unknown>) => Promise<Target["rest"]>): Deed {
	return ofOwnTeam(ADMINS, "plan", async ({ owner, path }, service) => {
		const { body } = await ask(service, owner, "POST", `${path}/billing/checkout`, { plan: "pro" });
		await payAndReturn(service, String(body.url));
		return { rest: await act(`${path}/billing`, (at) => ask(service, owner, "POST", at)) };
	});
}

const everybody = ["viewer", "editor", "admin", "owner"] as const;
const uri = "https://app.example/callback";

/** By the path of the screen below `/console` and the `act` of its form; `stream` for a form that is a file. */
/** Of an App of its own: it has room for five signing keys. */
function ofDelivery(act: (team: Team, service: OpenService) => Promise<Omit<Target, "team" | "at">>): Deed {
	return {
		may: ADMINS,
		async prepare(service) {
			const team = await makeTeam(service, "Delivery");
			return { team, at: `/console/${team.appId}/delivery`, ...(await act(team, service)) };
		},
	};
}

/** Any App may ask for it: the record says whose it is. */
const wanted = { image_host: "img.example.com" };

const preset = { name: "card", parameters: { w: "30", fit: "cover" } };
const bounds = {
	...{ delivery: "presets", delivery_referrers: ["example.com", "*.example.org"] },
	delivery_limits: { bytes: 1_500_000_000, renditions: null },
};

export const DEEDS: Readonly<Record<string, Deed>> = {
	"/:app/upload stream": {
		may: EDITORS,
		prepare: async (_, team) => ({
			team,
			at: imagesOf(team),
			ofImages: true,
			rest: ["POST", "/v1/images", sent],
		}),
	},
	"/:app/images/chosen labels": ofChosen({ labels: "album=moths" }, { labels: { album: "moths" } }),
	"/:app/images/chosen ttl": ofChosen({ ttl: "24h" }, { ttl: "24h" }),
	"/:app/images/chosen delete": ofChosen({}, { delete: true }),
	"/:app/images/chosen restore": ofChosen({}, { restore: true }, "deleted"),
	"/:app/images/chosen move": ofChosen({ user_id: "" }, { move: { user_id: null } }),
	"/:app/jobs/:job cancel": {
		may: EDITORS,
		async prepare(service, team) {
			const job = { filter: {}, act: { labels: { a: "b" } } };
			const { body } = await ask(service, team.editor, "POST", `${team.path}/image_jobs`, job);
			const at = `/console/${team.appId}/jobs/${body.id}`;
			return { team, at, rest: ["POST", `${team.path}/image_jobs/${body.id}/cancel`] };
		},
	},
	"/:app/images/:image save": {
		may: EDITORS,
		prepare: ofPicture((id) => ({ typed: patched, rest: ["PATCH", `/v1/images/${id}`, patched] })),
	},
	"/:app/images/:image delete": {
		may: EDITORS,
		prepare: ofPicture((id) => ({ rest: ["DELETE", `/v1/images/${id}`] })),
	},
	"/:app/images/:image restore": {
		may: EDITORS,
		async prepare(service, team) {
			const id = await addPicture(service, team);
			await send(service, "DELETE", `/v1/images/${id}`, undefined, as(team.editor, team.appId));
			const at = `${imagesOf(team)}/${id}`;
			return { team, at, ofImages: true, rest: ["POST", `/v1/images/${id}/restore`] };
		},
	},
	"/:app/images/:image copy": {
		may: EDITORS,
		prepare: ofPicture((id) => ({
			typed: { user_id: "" },
			rest: ["POST", `/v1/images/${id}/copy`, { user_id: null }],
		})),
	},
	"/:app/images/:image move": {
		may: EDITORS,
		async prepare(service, team) {
			const id = await addPicture(service, team);
			const { id: user_id } = await connectUser(service.database, { id: team.appId });
			const rest = ["POST", `/v1/images/${id}/move`, { user_id }] as const;
			return { team, at: `${imagesOf(team)}/${id}`, ofImages: true, typed: { user_id }, rest };
		},
	},
	"/:app/images/:image preset": {
		may: ADMINS,
		async prepare(service) {
			const team = await makeTeam(service, "Presets");
			const at = `${imagesOf(team)}/${await addPicture(service, team)}?w=30`;
			const body = { name: "card", parameters: { w: "30" } };
			return { team, at, typed: { name: "card" }, rest: ["POST", `${team.path}/presets`, body] };
		},
	},
	"/:app/images/:image/replace stream": {
		may: EDITORS,
		prepare: ofPicture((id) => ({ rest: ["POST", `/v1/images/${id}/replace`, sent] })),
	},
	"/:app/users/:user grant": ofUser(OWNER, (path, service) => ({
		typed: grant(service),
		rest: ["PUT", `${path}/grant`, grant(service)],
	})),
	"/:app/users/:user ungrant": ofUser(OWNER, (path) => ({ rest: ["DELETE", `${path}/grant`] })),
	"/:app/users/:user disconnect": ofUser(ADMINS, (path) => ({ rest: ["DELETE", path] })),
	"/:app/plans create": {
		may: OWNER,
		async prepare(service, team) {
			await setSelling(service.database, team.appId);
			const plan = { key: `shape_${crypto.randomUUID().slice(0, 8)}`, name: "Made", description: "Said" };
			const whole = { ...plan, benefits: ["One", "Two"], display_order: 3, limits: { images: 50, bytes: null } };
			const typed = { ...plan, benefits: "One\nTwo", display_order: "3", images: "50", bytes: "" };
			return { team, at: plansOf(team), typed, rest: ["POST", `${team.path}/plans`, whole] };
		},
	},
	"/:app/plans save": ofPlan(({ plan }, path) => {
		const body = {
			name: "Renamed",
			description: "",
			benefits: [],
			display_order: 0,
			limits: { images: null, bytes: 9 },
		};
		const typed = { name: "Renamed", bytes: "9" };
		return { query: `?edit=${plan}`, typed, rest: ["PATCH", path, body] };
	}),
	"/:app/plans archive": ofPlan(({ plan }, path) => ({ typed: { plan }, rest: ["POST", `${path}/archive`] })),
	"/:app/plans price": ofPlan(({ plan }, path) => {
		const terms = { amount: 765, currency: "eur", interval: "year", trial_days: 7 };
		const query = `?price=${plan}&amount=7.65&currency=eur&interval=year&trial_days=7`;
		return { query, rest: ["POST", `${path}/prices`, terms] };
	}),
	"/:app/plans on_sale": ofPlan(({ plan, price }, path) => ({
		typed: { plan, price: price.id },
		rest: ["PATCH", `${path}/prices/${price.id}`, { on_sale: false }],
	})),
	"/:app/plans free": {
		may: ADMINS,
		async prepare(service) {
			const team = await makeTeam(service, "Free");
			const rest = ["PATCH", team.path, { free_limits: { images: 20, bytes: null } }] as const;
			return { team, at: `/console/${team.appId}/plans`, typed: { images: "20", bytes: "" }, rest };
		},
	},
	"/:app/plans codes": {
		may: OWNER,
		async prepare(service) {
			const team = await makeTeam(service, "Codes");
			const rest = ["PATCH", team.path, { promotion_codes: true }] as const;
			return { team, at: `/console/${team.appId}/plans`, typed: { promotion_codes: "true" }, rest };
		},
	},
	"/:app/subscribers/:subscription refund": {
		may: OWNER,
		async prepare(service, team) {
			const { subscription, invoice } = await sold(service, team);
			const at = `/console/${team.appId}/subscribers/${subscription}?refund=${invoice}&amount=1,20`;
			const reason = "Half a month was down";
			const body = { invoice, amount: 120, reason };
			const rest = ["POST", `${team.path}/subscriptions/${subscription}/refund`, body] as const;
			return { team, at, typed: { reason }, rest };
		},
	},
	"/:app/keys create": {
		may: ADMINS,
		async prepare(_, team) {
			const key = { name: "Made", reach: "bucket", permissions: ["read"] };
			const typed = { ...key, permissions: "read" };
			return { team, at: `/console/${team.appId}/keys`, typed, rest: ["POST", `${team.path}/keys`, key] };
		},
	},
	"/:app/keys save": ofKey(["admin"], (path) => ({
		typed: { name: "Renamed", expires_at: "" },
		rest: ["PATCH", path, { name: "Renamed", expires_at: null }],
	})),
	"/:app/keys rotate": ofKey(["admin"], (path) => ({
		typed: { old_expires_in: "1h" },
		rest: ["POST", `${path}/rotate`, { old_expires_in: "1h" }],
	})),
	"/:app/keys revoke": ofKey(ADMINS, (path) => ({ rest: ["DELETE", path] })),
	"/:app/webhooks create": {
		may: ADMINS,
		async prepare(service) {
			const team = await makeTeam(service, "Hooking");
			const at = `/console/${team.appId}/webhooks`;
			return { team, at, typed: TYPED_HOOK, rest: ["POST", `${team.path}/webhook_endpoints`, HOOK] };
		},
	},
	"/:app/webhooks/:endpoint save": ofEndpoint((path) => ({
		typed: { ...TYPED_HOOK, description: "There" },
		rest: ["PATCH", path, { ...HOOK, description: "There" }],
	})),
	"/:app/webhooks/:endpoint rotate": ofEndpoint((path) => ({
		typed: { old_expires_in: "1h" },
		rest: ["POST", `${path}/rotate`, { old_expires_in: "1h" }],
	})),
	"/:app/webhooks/:endpoint test": {
		...ofEndpoint((path) => ({ rest: ["POST", `${path}/test`] })),
		unaudited: true,
	},
	"/:app/webhooks/:endpoint disable": ofEndpoint((path) => ({ rest: ["PATCH", path, { state: "disabled" }] })),
	"/:app/webhooks/:endpoint enable": ofEndpoint(
		(path) => ({ rest: ["PATCH", path, { state: "enabled" }] }),
		"disabled",
	),
	"/:app/webhooks/:endpoint recover": {
		may: ADMINS,
		unaudited: true,
		async prepare(service, team) {
			const since = new Date(service.clock.now()).toISOString().slice(0, 10);
			const of = ofEndpoint((path) => ({ typed: { since }, rest: ["POST", `${path}/recover`, { since }] }));
			return await of.prepare(service, team);
		},
	},
	"/:app/webhooks/:endpoint delete": ofEndpoint((path) => ({ rest: ["DELETE", path] })),
	"/:app/webhooks/:endpoint/:delivery redeliver": {
		may: ADMINS,
		unaudited: true,
		async prepare(service) {
			const team = await makeTeam(service, "Sending");
			const path = `${team.path}/webhook_endpoints/${await addEndpoint(service, team)}`;
			const { id } = (await ask(service, team.admin, "POST", `${path}/test`)).body;
			const at = `/console/${team.appId}/webhooks/${path.split("/").at(-1)}/${id}`;
			return { team, at, rest: ["POST", `${path}/deliveries/${id}/redeliver`] };
		},
	},
	"/:app/imports create": {
		may: EDITORS,
		async prepare(service) {
			const team = await makeTeam(service, "Importing");
			const typed = { url: "https://pictures.example/a.jpg", labels: "album=moths" };
			return {
				team,
				at: `/console/${team.appId}/imports`,
				ofImages: true,
				typed,
				rest: ["POST", "/v1/imports", IMPORT],
			};
		},
	},
	"/:app/imports/:import cancel": {
		may: EDITORS,
		async prepare(service) {
			const team = await makeTeam(service, "Cancelling");
			const answer = await send(service, "POST", "/v1/imports", IMPORT, as(team.editor, team.appId));
			const { id } = (await answer.json()) as { id: string };
			const at = `/console/${team.appId}/imports/${id}`;
			return { team, at, ofImages: true, rest: ["POST", `/v1/imports/${id}/cancel`] };
		},
	},
	"/:app/delivery save": ofDelivery(async ({ path }) => ({
		typed: {
			...{ delivery: "presets", delivery_referrers: "example.com\n*.example.org" },
			...{ "delivery_limits.bytes": "1.5 GB", "delivery_limits.renditions": "" },
		},
		rest: ["PATCH", path, bounds],
	})),
	"/:app/delivery host": {
		...ofDelivery(async ({ path }) => ({ typed: wanted, rest: ["PATCH", path, wanted] })),
		may: OWNER,
	},
	"/:app/delivery verify": {
		...ofDelivery(async (team, service) => {
			await ask(service, team.owner, "PATCH", team.path, wanted);
			return { rest: ["POST", `${team.path}/image_host/verify`] };
		}),
		// Its record is not there: nothing changes but the time of the look.
		unaudited: true,
	},
	"/:app/delivery create": ofDelivery(async ({ path }) => ({
		typed: { name: "card", parameters: "w=30\nfit=cover" },
		rest: ["POST", `${path}/presets`, preset],
	})),
	"/:app/delivery change": ofDelivery(async (team, service) => {
		const { id } = (await ask(service, team.admin, "POST", `${team.path}/presets`, preset)).body;
		const typed = { preset: String(id), name: "tile", parameters: "w=40" };
		return { typed, rest: ["PATCH", `${team.path}/presets/${id}`, { name: "tile", parameters: { w: "40" } }] };
	}),
	"/:app/delivery delete": ofDelivery(async (team, service) => {
		const { id } = (await ask(service, team.admin, "POST", `${team.path}/presets`, preset)).body;
		return { typed: { preset: String(id) }, rest: ["DELETE", `${team.path}/presets/${id}`] };
	}),
	"/:app/delivery sign": ofDelivery(async ({ path }) => ({
		typed: { name: "web" },
		rest: ["POST", `${path}/signing_keys`, { name: "web" }],
	})),
	"/:app/delivery rotate": ofDelivery(async (team, service) => {
		const { id } = (await ask(service, team.admin, "POST", `${team.path}/signing_keys`, { name: "web" })).body;
		return { typed: { key: String(id), name: "web" }, rest: ["POST", `${team.path}/signing_keys`, { name: "web" }] };
	}),
	"/:app/delivery revoke": ofDelivery(async (team, service) => {
		const { id } = (await ask(service, team.admin, "POST", `${team.path}/signing_keys`, { name: "web" })).body;
		return { typed: { key: String(id) }, rest: ["DELETE", `${team.path}/signing_keys/${id}`] };
	}),
	"/:app/settings save": ofSettings(ADMINS, ({ path }) => {
		const name = `Named ${crypto.randomUUID()}`;
		return { typed: { name }, rest: ["PATCH", path, { name }] };
	}),
	"/:app/settings pause": ofSettings(ADMINS, ({ path }) => ({ rest: ["POST", `${path}/pause`] }), "resume"),
	"/:app/settings resume": ofSettings(ADMINS, ({ path }) => ({ rest: ["POST", `${path}/resume`] }), "pause"),
	"/:app/settings tax": {
		may: OWNER,
		async prepare(service) {
			const team = await makeTeam(service, "Taxed");
			return { team, at: `/console/${team.appId}/settings`, typed: tax, rest: ["PATCH", team.path, { tax }] };
		},
	},
	"/:app/settings transfer": {
		may: OWNER,
		async prepare(service) {
			const team = await makeTeam(service, "Given away");
			const member = team.admin.id;
			const rest = ["POST", `${team.path}/transfer`, { member }] as const;
			return { team, at: `/console/${team.appId}/settings`, typed: { member }, rest };
		},
	},
	"/:app/settings delete": ofOwnTeam(OWNER, "settings", ({ path }) => {
		const confirm_name = "Of its own";
		return { typed: { confirm_name }, ends: true, rest: ["DELETE", path, { confirm_name }] };
	}),
	"/:app/team role": ofOwnTeam(ADMINS, "team", ({ path, viewer }) => {
		const rest = ["PATCH", `${path}/members/${viewer.id}`, { role: "editor" }] as const;
		return { typed: { member: viewer.id, role: "editor" }, rest };
	}),
	"/:app/team remove": ofOwnTeam(everybody, "team", ({ path, viewer }) => ({
		typed: { member: viewer.id },
		rest: ["DELETE", `${path}/members/${viewer.id}`],
	})),
	"/:app/team invite": ofOwnTeam(ADMINS, "team", ({ path }) => {
		const typed = { email: "grace@example.com", role: "editor" };
		return { typed, rest: ["POST", `${path}/invites`, typed] };
	}),
	"/:app/team withdraw": ofOwnTeam(ADMINS, "team", async ({ path, admin }, service) => {
		const sent = { email: "grace@example.com", role: "editor" };
		const { body } = await ask(service, admin, "POST", `${path}/invites`, sent);
		return { typed: { invite: String(body.id) }, rest: ["DELETE", `${path}/invites/${body.id}`] };
	}),
	"/:app/sign-in turn": ofOwnTeam(ADMINS, "sign-in", ({ path }) => ({
		typed: { sign_in_enabled: "true" },
		rest: ["PATCH", path, { sign_in_enabled: true }],
	})),
	"/:app/sign-in save": ofOwnTeam(ADMINS, "sign-in", ({ path }) => {
		const typed = { developer: "Ada Press", privacy_url: "https://app.example/privacy" };
		return { typed, rest: ["PATCH", path, { profile: typed }] };
	}),
	"/:app/sign-in add": ofOwnTeam(ADMINS, "sign-in", ({ path }) => ({
		typed: { uri },
		rest: ["POST", `${path}/redirect_uris`, { uri }],
	})),
	"/:app/sign-in remove": ofOwnTeam(ADMINS, "sign-in", async ({ path, admin }, service) => {
		const { body } = await ask(service, admin, "POST", `${path}/redirect_uris`, { uri });
		return { typed: { redirect_uri: String(body.id) }, rest: ["DELETE", `${path}/redirect_uris/${body.id}`] };
	}),
	"/:app/plan checkout": ofOwnTeam(OWNER, "plan", ({ path }) => {
		const typed = { plan: "pro", interval: "month" };
		return { typed, rest: ["POST", `${path}/billing/checkout`, typed] };
	}),
	"/:app/plan cancel": ofPaid(async (path) => ["POST", `${path}/cancel`]),
	"/:app/plan resume": ofPaid(async (path, act) => {
		await act(`${path}/cancel`);
		return ["POST", `${path}/resume`];
	}),
	"/:app/plan payment_method": {
		...ofPaid(async (path) => ["POST", `${path}/payment_method`]),
		// It leads to the page of the payment processor.
		unaudited: true,
	},
	"/:app/tickets create": ofOwnTeam(EDITORS, "tickets", () => ({
		typed: { expires_in: "1h" },
		ofImages: true,
		rest: ["POST", "/v1/upload_tickets", { expires_in: "1h" }],
	})),
	"/:app/tickets cancel": ofOwnTeam(EDITORS, "tickets", async ({ editor, appId }, service) => {
		const { id } = await made<{ id: string }>(send(service, "POST", "/v1/upload_tickets", {}, as(editor, appId)));
		return { typed: { ticket: id }, ofImages: true, rest: ["POST", `/v1/upload_tickets/${id}/cancel`] };
	}),
};

/** Sends the call that does the same as a form. */
export async function callRest(service: OpenService, { team, rest, ofImages }: Target, by: TestPerson) {
	const [method, path, body] = rest;
	const caller = ofImages ? as(by, team.appId) : as(by);
	if (!(body instanceof FormData)) return await send(service, method, path, body, caller);
	return await service.api(path, { method, body, headers: headersOf(service, caller) });
}
