import type { AppRecord, CountedApp, Membership } from "@svc/apps/app-record";
import {
	APP_STATES,
	changeApp,
	createApp,
	pauseApp,
	requireUnbound,
	resumeApp,
	startDeletion,
	stateOf,
	transferApp,
} from "@svc/apps/apps";
import { verifyImageHost } from "@svc/apps/image-host/image-host";
import { TAX_BEHAVIORS, TAX_MODES } from "@svc/base/enumerations";
import { text } from "@svc/variants/bounds";
import { about, dateTime, integer, named, oneOf, ownPlanKey } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { readInput } from "../kit/body/body.ts";
import { isoDate } from "../kit/dates.ts";
import { type AppCall, appRoute, freshAgain, personRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { findNeeds, includedEntries, includesOf, withUsage } from "./app-includes.ts";
import { encodeDelivery } from "./delivery-terms.ts";
import { memberRole } from "./members.ts";
import { encodeUserLimits, sentUserLimits, userLimitsSchema } from "./user-limits.ts";

const limit = about(v.nullable(integer), "Null: no limit.");

export const limitsSchema = named("AppLimits", v.object({ images: limit, users: limit }));

export const appState = oneOf("AppState", APP_STATES);

const nullableText = v.nullable(v.string());
const profileSchema = named(
	"AppProfile",
	v.object({
		developer: nullableText,
		homepage_url: nullableText,
		privacy_url: nullableText,
		terms_url: nullableText,
		support_email: nullableText,
		logo_image_id: about(nullableText, "An image of the App's own storage."),
		accent_color: about(
			nullableText,
			"As #rrggbb: of buttons and links where people sign in and pay; made darker or lighter where it could not be read.",
		),
	}),
);

const taxMode = oneOf("TaxMode", TAX_MODES);
const taxBehavior = oneOf("TaxBehavior", TAX_BEHAVIORS);
const taxSchema = named("AppTax", v.object({ mode: taxMode, behavior: taxBehavior }));

const appEntries = {
	id: v.string(),
	object: v.literal("app"),
	name: v.string(),
	state: appState,
	paused_at: v.nullable(dateTime),
	blocked_at: v.nullable(dateTime),
	sign_in_enabled: v.boolean(),
	selling_enabled: v.boolean(),
	plan: ownPlanKey,
	limits: about(limitsSchema, "What counts: the plan's, or what operators set."),
	free_limits: about(userLimitsSchema, "Of each user who has no plan of the App."),
	profile: about(profileSchema, "Who is behind it, as people see it who sign in and pay."),
	tax: about(taxSchema, "Of what is bought from now on; what was bought before keeps its own."),
	promotion_codes: about(v.boolean(), "Whether the processor's checkout takes its own promotion codes."),
	created_at: dateTime,
};

/** What an App shows of itself to its team and to operators. */
export function appEntriesOf({ delivery }: Variant): typeof appEntries {
	const { created_at, ...entries } = appEntries;
	return { ...entries, ...delivery?.shown, created_at };
}

type ShownApp = v.InferOutput<v.ObjectSchema<typeof appEntries, undefined>>;

export function encodeApp({ billing, delivery }: Variant, app: AppRecord): ShownApp {
	const { appPlans } = billing;
	return {
		id: app.id,
		object: "app",
		name: app.name,
		state: stateOf(app),
		paused_at: isoDate(app.pausedMs),
		blocked_at: isoDate(app.blockedMs),
		sign_in_enabled: app.signIn,
		selling_enabled: app.selling,
		plan: appPlans.inForce(app),
		limits: appPlans.limits(app),
		free_limits: encodeUserLimits({ images: app.freeImagesLimit, bytes: app.freeBytesLimit }),
		profile: app.profile,
		tax: { mode: app.taxMode, behavior: app.taxBehavior },
		promotion_codes: app.promotionCodes,
		...(delivery && encodeDelivery(app)),
		created_at: isoDate(app.createdMs),
	};
}

// What a name must be is said by the rules of names, in packages/apps/profile/app-names.ts.
const name = v.pipe(
	text(1_000, "must have 1 to 100 characters"),
	v.metadata({ jsonSchema: { type: "string", minLength: 1, maxLength: 100 } }),
);
/** More than any field of a profile may have. */
const PROFILE_FIELD_MAX = 2_100;
const changedField = v.optional(v.nullable(text(PROFILE_FIELD_MAX, undefined, "must be a string or null")));
const changedProfile = v.strictObject(
	{
		developer: changedField,
		homepage_url: changedField,
		privacy_url: changedField,
		terms_url: changedField,
		support_email: changedField,
		logo_image_id: changedField,
		accent_color: changedField,
	},
	"must be an object of fields of a profile",
);
const changedTax = v.strictObject(
	{
		mode: v.optional(v.picklist(TAX_MODES, `must be one of ${TAX_MODES.join(", ")}`)),
		behavior: v.optional(v.picklist(TAX_BEHAVIORS, `must be one of ${TAX_BEHAVIORS.join(", ")}`)),
	},
	"must be an object of mode and behavior",
);
const creating = { name };
const changing = {
	name: v.optional(name),
	sign_in_enabled: v.optional(v.boolean("must be true or false")),
	profile: v.optional(changedProfile),
	tax: v.optional(changedTax),
	promotion_codes: v.optional(v.boolean("must be true or false")),
	free_limits: v.optional(sentUserLimits),
};
const transferring = {
	member: text(320, "must be an account id or an e-mail address"),
};
const deleting = { confirm_name: v.optional(text(1_000)) };

function schemaFor(variant: Variant) {
	const role = about(memberRole, "The caller's own.");
	return named("App", v.object({ ...appEntriesOf(variant), role, ...includedEntries }));
}

/** The answer that is an App. */
type One = Readonly<Record<200, ReturnType<typeof schemaFor>>>;

type Seen = Pick<Membership, "app" | "role"> & Partial<Pick<CountedApp, "usage">>;

function encoder({ variant }: ApiRooms) {
	return ({ app, role, usage }: Seen): v.InferOutput<One[200]> => ({
		...encodeApp(variant, app),
		role,
		...(usage && { usage }),
	});
}

function shower(rooms: ApiRooms) {
	const encode = encoder(rooms);
	return (membership: Seen, status = 200) => ({ status, body: encode(membership) });
}

const tags = ["apps"];

export function apps(app: Elysia, rooms: ApiRooms): void {
	const shown = shower(rooms);
	const schema = schemaFor(rooms.variant);
	const one = { 200: schema };
	const { delivery } = rooms.variant;
	const includes = includesOf(rooms);
	// Where there is no such field, what is sent under its name is refused as unknown.
	const known = { ...changing, ...delivery?.sent } as typeof changing & NonNullable<typeof delivery>["sent"];
	list(app, rooms, "/v1/apps", personRoute(rooms, "apps:read"), {
		operationId: "listApps",
		summary: "The Apps in whose team one is",
		tags,
		of: schema,
		// The same address lists other Apps to other people.
		scope: (call) => call.person.account.id,
		filters: includes.ofList,
		find: async (page, { person: { account, session } }) =>
			withUsage(await rooms.apps.store.list(account.pk, session.appPk, page), page.filters.include),
		encode: encoder(rooms),
	});
	route(app, "POST", "/v1/apps", personRoute(rooms, "apps:write"), {
		operationId: "createApp",
		summary: "Makes an App with its storage; its creator is the Owner",
		tags,
		body: creating,
		answers: { 201: schema },
		again: ({ person }) => requireUnbound(person),
		run: async (call) => {
			const sent = await call.input();
			return shown(await createApp(rooms.apps, call.person, sent.name, call.by), 201);
		},
	});
	route(app, "GET", "/v1/apps/:id", appRoute(rooms, "apps:read", "viewer"), {
		operationId: "getApp",
		summary: "An App",
		tags,
		answers: one,
		parameters: includes.ofOne,
		run: async (call) => {
			const { status, body } = shown(call);
			return { status, body: { ...body, ...(await findNeeds(rooms, call)) } };
		},
	});
	route(app, "PATCH", "/v1/apps/:id", appRoute(rooms, "apps:write", "admin"), {
		operationId: "changeApp",
		summary:
			"Renames an App, turns its hosted sign-in on or off, changes its profile, which addresses of its images are answered, for which pages and how much a day, or what a user without a plan may keep; the Owner alone: tax, promotion_codes and the host for its images",
		tags,
		body: known,
		answers: one,
		run: async (call) => {
			const {
				name,
				sign_in_enabled: signIn,
				profile,
				tax,
				promotion_codes: promotionCodes,
				free_limits: freeLimits,
				delivery_referrers: referrers,
				delivery_limits: deliveryLimits,
				image_host: imageHost,
				...rest
			} = await call.input();
			if (imageHost) rooms.limits.lookUps.take(call.person.account.id);
			const terms = { taxMode: tax?.mode, taxBehavior: tax?.behavior, promotionCodes };
			const sale = tax !== undefined || promotionCodes !== undefined ? terms : undefined;
			const changes = { name, signIn, profile, sale, freeLimits, referrers, deliveryLimits, imageHost, ...rest };
			return shown(await changeApp(rooms.apps, call, changes));
		},
	});
	ownership(app, rooms, one);
	pausing(app, rooms, one);
	if (delivery) imageHost(app, rooms, one);
}

function imageHost(app: Elysia, rooms: ApiRooms, one: One): void {
	const shown = shower(rooms);
	route(app, "POST", "/v1/apps/:id/image_host/verify", appRoute(rooms, "apps:write", "admin"), {
		operationId: "verifyImageHost",
		summary: "Looks for the record of an App's image host in the DNS now; it is looked for once a day anyhow",
		tags: ["delivery"],
		answers: one,
		run: async (call) => {
			rooms.limits.lookUps.take(call.person.account.id);
			return shown(await verifyImageHost(rooms.apps, call));
		},
	});
}

function ownership(app: Elysia, rooms: ApiRooms, one: One): void {
	const shown = shower(rooms);
	route(app, "DELETE", "/v1/apps/:id", appRoute(rooms, "apps:write", "owner"), {
		operationId: "deleteApp",
		summary: "Deletes an App and all that it holds; confirm_name, in the query or the body, is its name once more",
		tags,
		parameters: [query("confirm_name"), { name: "cancel_subscriptions", in: "query", schema: { type: "boolean" } }],
		answers: { 202: jobSchema },
		run: async (call) => accepted(await startDeletion(rooms.apps, call, await readConfirmation(call))),
	});
	route(app, "POST", "/v1/apps/:id/transfer", appRoute(rooms, "apps:write", "owner"), {
		operationId: "transferApp",
		summary: "Makes another member, by account id or e-mail address, the Owner; the old one becomes Admin",
		tags,
		body: transferring,
		answers: one,
		again: freshAgain,
		run: async (call) => {
			const { member } = await call.input();
			return shown(await transferApp(rooms.apps, call, member));
		},
	});
}

async function readConfirmation(call: AppCall): Promise<Parameters<typeof startDeletion>[2]> {
	const { searchParams } = call.url;
	const confirmName = searchParams.get("confirm_name") ?? (await readInput(call, deleting)).confirm_name;
	return { confirmName, endSubscriptions: searchParams.get("cancel_subscriptions") === "true" };
}

function pausing(app: Elysia, rooms: ApiRooms, one: One): void {
	const shown = shower(rooms);
	route(app, "POST", "/v1/apps/:id/pause", appRoute(rooms, "apps:write", "admin"), {
		operationId: "pauseApp",
		summary: "Suspends an App's App-wide keys and its hosted sign-in until it is resumed",
		tags,
		answers: one,
		run: async (call) => shown(await pauseApp(rooms.apps, call)),
	});
	route(app, "POST", "/v1/apps/:id/resume", appRoute(rooms, "apps:write", "admin"), {
		operationId: "resumeApp",
		summary: "Ends a pause",
		tags,
		answers: one,
		run: async (call) => shown(await resumeApp(rooms.apps, call)),
	});
}
