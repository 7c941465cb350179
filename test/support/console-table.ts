import { APP_ROWS } from "../matrix/app-rows.ts";
import type { Row } from "../matrix/row.ts";
import { SERVICE_ROWS } from "../matrix/service-rows.ts";
import { TEAM_ROLES, type TeamRole } from "./teams.ts";

/* Where each operation of the API stands in the console, or why it stands elsewhere. A new operation fails the tests until somebody has decided. */

export type Place =
	/** The forms that do it: the path of a screen below `/console`, and the `act` of the form; `stream` for one that is a file. */
	| { readonly forms: readonly string[] }
	/** The screen that asks for it when it is opened, with the query that makes it do so. */
	| { readonly screen: string }
	/** Why the console has it not. */
	| { readonly elsewhere: string };

const forms = (...names: string[]): Place => ({ forms: names });
const on = (screen: string): Place => ({ screen });
const elsewhere = (why: string): Place => ({ elsewhere: why });

function all(place: Place, ...routes: string[]): Readonly<Record<string, Place>> {
	return Object.fromEntries(routes.map((route) => [route, place]));
}

const IN_LIST = elsewhere("The list that the screen shows says all of it.");
const PROGRAM = elsewhere(
	"What a program does by the hundred; the screen has the same for one, and for all that match as a job.",
);

const apps: Readonly<Record<string, Place>> = {
	"GET /v1/apps": on(""),
	"POST /v1/apps": forms(" create"),
	"GET /v1/apps/:id": on("/:app"),
	"PATCH /v1/apps/:id": forms(
		...[
			"/:app/settings save",
			"/:app/settings tax",
			"/:app/plans free",
			"/:app/plans codes",
			"/:app/sign-in turn",
			"/:app/sign-in save",
		],
		...["/:app/delivery save", "/:app/delivery host"],
	),
	"POST /v1/apps/:id/image_host/verify": forms("/:app/delivery verify"),
	...all(
		elsewhere(
			"A file of tens of gigabytes is written and read item by item, and taken up where it was cut: svc apps export, svc apps import.",
		),
		...["POST /v1/apps/:id/exports", "GET /v1/apps/:id/exports/:export/records"],
		...["GET /v1/apps/:id/exports/:export/masters/:image", "POST /v1/operator/app_imports"],
		...["GET /v1/operator/app_imports/:id", "DELETE /v1/operator/app_imports/:id"],
		...["PUT /v1/operator/app_imports/:id/records", "PUT /v1/operator/app_imports/:id/masters"],
		"POST /v1/operator/app_imports/:id/finish",
	),
	"DELETE /v1/apps/:id": forms("/:app/settings delete"),
	"POST /v1/apps/:id/pause": forms("/:app/settings pause"),
	"POST /v1/apps/:id/resume": forms("/:app/settings resume"),
	"POST /v1/apps/:id/transfer": forms("/:app/settings transfer"),
	"GET /v1/apps/:id/usage": on("/:app/settings"),
	"GET /v1/apps/:id/labels": elsewhere("The facets are those of the storage that is shown: GET /v1/labels."),
	"GET /v1/apps/:id/images": on("/:app/images"),
	"GET /v1/apps/:id/images/deleted": on("/:app/images?state=deleted"),
	"GET /v1/apps/:id/images/:image": on("/:app/images/:image"),
	"GET /v1/apps/:id/images.zip": on("/:app/images.zip"),
	"GET /v1/apps/:id/jobs": on("/:app/jobs"),
	"POST /v1/apps/:id/image_jobs": forms(
		"/:app/images/chosen labels",
		"/:app/images/chosen ttl",
		"/:app/images/chosen delete",
		"/:app/images/chosen restore",
		"/:app/images/chosen move",
	),
	"POST /v1/apps/:id/image_jobs/:job/cancel": forms("/:app/jobs/:job cancel"),
	"GET /v1/apps/:id/audit": on("/:app/activity"),
	"GET /v1/apps/:id/moderation": elsewhere(
		"What is locked or blocked stands among the images, by state, and what was done in the activity.",
	),
	"GET /v1/jobs/:id": elsewhere(
		"A job's screen asks for it: of whoever started the job. Others read it in the App's list.",
	),
};

const images: Readonly<Record<string, Place>> = {
	"GET /v1/images": elsewhere("The screens ask for an App's images in every state: GET /v1/apps/:id/images."),
	"GET /v1/labels": on("/:app/images"),
	"GET /v1/usage": elsewhere("The overview shows the limits of the App."),
	"GET /v1/usage/daily": on("/:app"),
	"GET /v1/images/:id": elsewhere(
		"The screens ask for an App's image in whatever state: GET /v1/apps/:id/images/:image.",
	),
	"POST /v1/images": forms("/:app/upload stream"),
	"PATCH /v1/images/:id": forms("/:app/images/:image save"),
	"DELETE /v1/images/:id": forms("/:app/images/:image delete"),
	...all(PROGRAM, "PATCH /v1/images/batch", "DELETE /v1/images/batch"),
	"POST /v1/images/:id/restore": forms("/:app/images/:image restore"),
	"POST /v1/images/:id/replace": forms("/:app/images/:image/replace stream"),
	"POST /v1/images/:id/copy": forms("/:app/images/:image copy"),
	"POST /v1/images/:id/move": forms("/:app/images/:image move"),
	"POST /v1/images/:id/sign": elsewhere(
		"The address builder signs where the App answers signed addresses: by GET, since nothing changes.",
	),
	"GET /v1/upload_tickets": on("/:app/tickets"),
	"POST /v1/upload_tickets": forms("/:app/tickets create"),
	"GET /v1/upload_tickets/:id": IN_LIST,
	"POST /v1/upload_tickets/:id/cancel": forms("/:app/tickets cancel"),
};

const keys: Readonly<Record<string, Place>> = {
	"GET /v1/apps/:id/keys": on("/:app/keys"),
	"GET /v1/apps/:id/keys/:key": IN_LIST,
	"POST /v1/apps/:id/keys": forms("/:app/keys create"),
	"PATCH /v1/apps/:id/keys/:key": forms("/:app/keys save"),
	"POST /v1/apps/:id/keys/:key/rotate": forms("/:app/keys rotate"),
	"DELETE /v1/apps/:id/keys/:key": forms("/:app/keys revoke"),
};

const users: Readonly<Record<string, Place>> = {
	"GET /v1/apps/:id/users": on("/:app/users"),
	"GET /v1/apps/:id/users/:user": on("/:app/users/:user"),
	"DELETE /v1/apps/:id/users/:user": forms("/:app/users/:user disconnect"),
	"PUT /v1/apps/:id/users/:user/grant": forms("/:app/users/:user grant"),
	"DELETE /v1/apps/:id/users/:user/grant": forms("/:app/users/:user ungrant"),
};

const HOOK = "/v1/apps/:id/webhook_endpoints";
const ENDPOINT = "/:app/webhooks/:endpoint";
const happenings: Readonly<Record<string, Place>> = {
	[`GET ${HOOK}`]: on("/:app/webhooks"),
	[`POST ${HOOK}`]: forms("/:app/webhooks create"),
	[`GET ${HOOK}/:endpoint`]: on(ENDPOINT),
	[`PATCH ${HOOK}/:endpoint`]: forms(`${ENDPOINT} save`, `${ENDPOINT} disable`, `${ENDPOINT} enable`),
	[`DELETE ${HOOK}/:endpoint`]: forms(`${ENDPOINT} delete`),
	[`POST ${HOOK}/:endpoint/rotate`]: forms(`${ENDPOINT} rotate`),
	[`POST ${HOOK}/:endpoint/test`]: forms(`${ENDPOINT} test`),
	[`POST ${HOOK}/:endpoint/recover`]: forms(`${ENDPOINT} recover`),
	[`GET ${HOOK}/:endpoint/deliveries`]: on(ENDPOINT),
	[`GET ${HOOK}/:endpoint/deliveries/:delivery`]: on(`${ENDPOINT}/:delivery`),
	[`POST ${HOOK}/:endpoint/deliveries/:delivery/redeliver`]: forms(`${ENDPOINT}/:delivery redeliver`),
	"GET /v1/events": on("/:app/events"),
	"GET /v1/events/:id": on("/:app/events/:event"),
	"GET /v1/imports": on("/:app/imports"),
	"POST /v1/imports": forms("/:app/imports create"),
	"GET /v1/imports/:id": on("/:app/imports/:import"),
	"GET /v1/imports/:id/items": on("/:app/imports/:import"),
	"POST /v1/imports/:id/cancel": forms("/:app/imports/:import cancel"),
};

const team: Readonly<Record<string, Place>> = {
	"GET /v1/apps/:id/members": on("/:app/team"),
	"PATCH /v1/apps/:id/members/:member": forms("/:app/team role"),
	"DELETE /v1/apps/:id/members/:member": forms("/:app/team remove"),
	"GET /v1/apps/:id/invites": on("/:app/team"),
	"POST /v1/apps/:id/invites": forms("/:app/team invite"),
	"DELETE /v1/apps/:id/invites/:invite": forms("/:app/team withdraw"),
	"POST /v1/invites/:id/accept": elsewhere("The invite's link leads to a page of its own, for who is in no team yet."),
};

const signIn: Readonly<Record<string, Place>> = {
	"GET /v1/apps/:id/redirect_uris": on("/:app/sign-in"),
	"POST /v1/apps/:id/redirect_uris": forms("/:app/sign-in add"),
	"DELETE /v1/apps/:id/redirect_uris/:uri": forms("/:app/sign-in remove"),
};

const delivery: Readonly<Record<string, Place>> = {
	"GET /v1/apps/:id/presets": on("/:app/delivery"),
	"POST /v1/apps/:id/presets": forms("/:app/images/:image preset", "/:app/delivery create"),
	"PATCH /v1/apps/:id/presets/:preset": forms("/:app/delivery change"),
	"DELETE /v1/apps/:id/presets/:preset": forms("/:app/delivery delete"),
	"GET /v1/apps/:id/signing_keys": on("/:app/delivery"),
	"POST /v1/apps/:id/signing_keys": forms("/:app/delivery sign", "/:app/delivery rotate"),
	"DELETE /v1/apps/:id/signing_keys/:key": forms("/:app/delivery revoke"),
};

const selling: Readonly<Record<string, Place>> = {
	"GET /v1/apps/:id/plans": on("/:app/plans"),
	"POST /v1/apps/:id/plans": forms("/:app/plans create"),
	"PATCH /v1/apps/:id/plans/:plan": forms("/:app/plans save"),
	"POST /v1/apps/:id/plans/:plan/archive": forms("/:app/plans archive"),
	"POST /v1/apps/:id/plans/:plan/prices": forms("/:app/plans price"),
	"PATCH /v1/apps/:id/plans/:plan/prices/:price": forms("/:app/plans on_sale"),
	"GET /v1/apps/:id/subscriptions": on("/:app/subscribers"),
	"GET /v1/apps/:id/subscriptions/:subscription": on("/:app/subscribers/:subscription"),
	"POST /v1/apps/:id/subscriptions/:subscription/refund": forms("/:app/subscribers/:subscription refund"),
	"GET /v1/apps/:id/billing": on("/:app/plan"),
	"GET /v1/apps/:id/billing/invoices": on("/:app/plan"),
	"GET /v1/apps/:id/billing/preview": elsewhere(
		"The screen of the plan asks for it where an Owner changes what is paid: test/http/console/plan.test.ts.",
	),
	"POST /v1/apps/:id/billing/checkout": forms("/:app/plan checkout"),
	"POST /v1/apps/:id/billing/cancel": forms("/:app/plan cancel"),
	"POST /v1/apps/:id/billing/resume": forms("/:app/plan resume"),
	"POST /v1/apps/:id/billing/payment_method": forms("/:app/plan payment_method"),
};

/** What people do with their own account, whatever Apps they are in. */
const own: Readonly<Record<string, Place>> = {
	...all(
		elsewhere("Of one's own account: the pages of /account."),
		"GET /v1/me",
		"PATCH /v1/me",
		"DELETE /v1/me",
		"GET /v1/me/activity",
		"POST /v1/me/export",
		"GET /v1/me/exports",
		"GET /v1/me/exports/:id/file",
		"GET /v1/me/passkeys",
		"POST /v1/me/passkeys",
		"POST /v1/me/passkeys/options",
		"DELETE /v1/me/passkeys/:passkey",
		"GET /v1/me/connections",
		"DELETE /v1/me/connections/:app",
		"GET /v1/me/connections/:app/keys",
		"POST /v1/me/connections/:app/keys",
		"DELETE /v1/me/connections/:app/keys/:key",
		"GET /v1/me/keys",
		"DELETE /v1/me/keys/:key",
		"GET /v1/me/plans",
		"GET /v1/me/plans/:plan",
		"GET /v1/me/plans/:plan/preview",
		"GET /v1/me/plans/:plan/invoices",
		"POST /v1/me/plans/:plan/cancel",
		"POST /v1/me/plans/:plan/resume",
		"POST /v1/me/plans/:plan/withdraw",
		"GET /v1/me/invoices/:invoice",
		"GET /v1/sessions",
		"DELETE /v1/sessions/:id",
		"POST /v1/sessions/end-others",
		"GET /v1/tokens",
		"POST /v1/tokens",
		"DELETE /v1/tokens/:id",
	),
	"POST /v1/sessions/step-up": elsewhere("The page that asks who somebody is, before a deed that needs it."),
	"POST /v1/console_tickets": elsewhere("Opens the console from a terminal."),
};

/** A deed on one picture, which stands in the queue for many as well. */
const ofPicture = (...acts: readonly string[]) =>
	forms(...acts.flatMap((act) => [`/operator/moderation/:image ${act}`, `/operator/moderation ${act}`]));
const PAID_FOR = elsewhere("What an operator does for whoever pays is rare: svc operator billing, and the dashboard.");

const operators: Readonly<Record<string, Place>> = {
	"GET /v1/moderation/images": on("/operator/moderation"),
	"GET /v1/moderation/images/:id": on("/operator/moderation/:image"),
	"PATCH /v1/moderation/images/:id": ofPicture("nsfw", "not_nsfw"),
	"DELETE /v1/moderation/images/:id": forms("/operator/moderation/:image delete"),
	"GET /v1/moderation/images/:id/preview": on("/operator/moderation/:image/preview"),
	"POST /v1/moderation/images/:id/lock": ofPicture("lock"),
	"POST /v1/moderation/images/:id/unlock": ofPicture("unlock"),
	"POST /v1/moderation/images/:id/block": ofPicture("block"),
	"POST /v1/moderation/images/:id/unblock": ofPicture("unblock"),
	"POST /v1/moderation/batch": forms("/operator/moderation block", "/operator/moderation undo"),
	"GET /v1/moderation/reports": on("/operator/reports"),
	"POST /v1/moderation/reports/:id/resolve": forms("/operator/reports resolve", "/operator/moderation/:image dismiss"),
	"GET /v1/operator/apps": on("/operator/apps"),
	"GET /v1/operator/apps/:id": on("/operator/apps?id=:app"),
	"PATCH /v1/operator/apps/:id": forms("/operator/apps terms"),
	"POST /v1/operator/apps/:id/block": forms("/operator/apps block"),
	"POST /v1/operator/apps/:id/unblock": forms("/operator/apps unblock"),
	"GET /v1/operator/accounts": on("/operator/accounts"),
	"POST /v1/operator/accounts/:id/disable": forms("/operator/accounts disable"),
	"POST /v1/operator/accounts/:id/enable": forms("/operator/accounts enable"),
	"GET /v1/operator/operators": on("/operator/accounts?status=operators"),
	"POST /v1/operator/operators": forms("/operator/accounts add"),
	"DELETE /v1/operator/operators/:id": forms("/operator/accounts remove"),
	"GET /v1/operator/usage": on("/operator/health"),
	"GET /v1/operator/audit": on("/operator/logs?of=audit"),
	"GET /v1/operator/health": on("/operator/health"),
	"GET /v1/operator/jobs": on("/operator/jobs"),
	"GET /v1/operator/trash": on("/operator/trash"),
	"GET /v1/operator/logs": on("/operator/logs"),
	"POST /v1/operator/jobs/:id/retry": forms("/operator/jobs retry"),
	"POST /v1/operator/trash/restore": forms("/operator/trash restore"),
	"POST /v1/operator/trash/collect": forms("/operator/trash collect"),
	"GET /v1/operator/subscriptions": PAID_FOR,
	"POST /v1/operator/subscriptions/:subscription/cancel": PAID_FOR,
	"POST /v1/operator/subscriptions/:subscription/refund": PAID_FOR,
	"POST /v1/operator/subscriptions/:subscription/extend": PAID_FOR,
	"POST /v1/operator/backups": forms("/operator/backups create"),
	"POST /v1/operator/reconcile": forms("/operator/health reconcile"),
	"GET /v1/operator/clock": on("/operator/health"),
	"POST /v1/operator/clock/advance": forms("/operator/health advance"),
	"POST /v1/operator/billing/simulate": forms("/operator/health simulate"),
	"GET /v1/operator/emails": on("/operator/mails"),
};

/** By the route: of whoever is signed in. What a key calls, and nobody, is no person's. */
export const TABLE: Readonly<Record<string, Place>> = {
	...apps,
	...images,
	...keys,
	...users,
	...happenings,
	...team,
	...signIn,
	...delivery,
	...selling,
	...own,
	...operators,
};

/** Fields of a body that no form has under their names, with the reason. */
export const SAID_OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"PATCH /v1/apps/:id": {
		profile: "Each of its fields is one of the form.",
		tax: "Each of its fields is one of the form.",
		free_limits: "Each of them is a field of the form.",
		delivery_limits: "Each of them is a field of the form.",
	},
	"POST /v1/apps/:id/image_jobs": {
		filter: "The address of the page.",
		delete: "The form itself.",
		restore: "The form itself.",
		move: "The user is one of the form's fields.",
	},
	"PATCH /v1/images/:id": {
		if_labels: "The revision says that, and more.",
		if_revision: "The form holds it as revision.",
	},
	"POST /v1/upload_tickets": {
		formats: "A ticket that a person makes takes every format; what it may take is a backend's choice.",
		fields:
			"What an image says that a person has in their hands is typed once it is there; for others a backend says it.",
	},
	"PATCH /v1/apps/:id/members/:member": { revoke_keys: "Asked for where keys would end, on the page that says which." },
	"POST /v1/imports": { items: "The field url, an address a line.", fields: "The labels of the form." },
	"PATCH /v1/apps/:id/webhook_endpoints/:endpoint": { state: "The buttons Disable and Enable." },
	"POST /v1/apps/:id/billing/checkout": { at: "The form that says what a change costs, for who has a plan already." },
	"POST /v1/apps/:id/plans": { limits: "Each of them is a field of the form." },
	"PATCH /v1/apps/:id/plans/:plan": { limits: "Each of them is a field of the form." },
};

/** Every operation that a person may call, whoever it is. */
export const PERSONS = [...APP_ROWS, ...SERVICE_ROWS].filter(
	({ audience }) => audience !== "key" && audience !== "anybody",
);

/** The roles of an App that may call it; undefined where it asks for something else. */
export function rolesOf({ audience }: Row): readonly TeamRole[] | undefined {
	if (audience === "creator") return ["admin"];
	const least = TEAM_ROLES.indexOf(audience as TeamRole);
	return least < 0 ? undefined : TEAM_ROLES.slice(least);
}

/** Of a team, and an operator who is in no team: who is answered. */
export function answeredRoles(row: Row): readonly string[] {
	if (row.audience === "operator") return ["operator"];
	return rolesOf(row) ?? [...TEAM_ROLES, "operator"];
}

const PATTERNS = Object.keys(TABLE)
	// A word before a name: /batch is the id of no image.
	.sort((one, other) => Number(one.includes(":")) - Number(other.includes(":")))
	.map((route) => ({ route, fits: new RegExp(`^${route.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`) }));

/** The route of the table that a call is of. */
export function routeOf(method: string, path: string): string | undefined {
	const [asked] = path.split("?");
	return PATTERNS.find(({ fits }) => fits.test(`${method} ${asked}`))?.route;
}
