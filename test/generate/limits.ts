import { APP_PLANS } from "@svc/apps/profile/app-plan";
import { MAX_BLUR, MAX_RADIUS, MAX_SIDE } from "@svc/images/transform/limits";
import { bytes, constant, count, seconds, standardOf, words, written } from "./facts.ts";

/* The page of limits: each number is read in the code that holds to it. */

interface Row {
	readonly what: string;
	readonly bound: string;
	/** What one who passes it hears, or what happens then. */
	readonly beyond?: string;
}

const FIELDS = "packages/images/image-fields.ts";
const INSPECT = "packages/imaging/inspect/inspect.ts";
const LISTS = "packages/images/list/lists.ts";
const BOUNDS = "packages/images/layout/bounds.ts";
const EVENTS = "apps/api/events/events.ts";
const TICKETS = "packages/tickets/tickets.ts";
const IMPORTS = "apps/api/imports/imports.ts";
const FETCH = "packages/import/safe-fetch.ts";
const ENDPOINTS = "packages/webhooks/endpoints.ts";
const RESULTS = "packages/webhooks/results-store.ts";
const KEYS = "packages/keys/app-keys.ts";
const INVITES = "packages/apps/team/invites.ts";

const JSON_BODY = "apps/api/kit/body/json-bounds.ts";

const VARIANT = "apps/versions/current.ts";

const formats = words(VARIANT, /formats: new Set\(\[([^\]]+)\]\)/);
const number = (path: string, name: string) => count(constant(path, name));
const time = (path: string, name: string) => seconds(constant(path, name));
const timeOfMs = (path: string, name: string) => seconds(constant(path, name) / 1_000);
const megapixels = (path: string, name: string) => `${count(constant(path, name) / 1_000_000)} megapixels`;

const GROUPS: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
	{
		title: "Files",
		rows: [
			{ what: "formats", bound: formats.join(", "), beyond: "422 `validation_error`" },
			{ what: "one file", bound: bytes(written(VARIANT, /maxBytes: ([\d_]+)/)), beyond: "422 `validation_error`" },
			{
				what: "pixels of a JPEG, PNG, WebP or GIF, of an animation all its frames",
				bound: megapixels(INSPECT, "MAX_PIXELS.jpg"),
				beyond: "422",
			},
			{
				what: "pixels of an AVIF or HEIC; fewer where `SVC_RENDER_MEMORY` is small",
				bound: megapixels(INSPECT, "MAX_PIXELS.avif"),
				beyond: "422",
			},
			{ what: "pixels of a side", bound: number(INSPECT, "MAX_SIDE"), beyond: "422" },
			{ what: "frames of an animation", bound: number(INSPECT, "MAX_FRAMES"), beyond: "422" },
			{ what: "time for an upload to arrive", bound: timeOfMs("apps/api/kit/body/form.ts", "UPLOAD_DEADLINE_MS") },
		],
	},
	{
		title: "What an image carries",
		rows: [
			{ what: "caption", bound: `${number(FIELDS, "CAPTION_MAX")} characters`, beyond: "422" },
			{ what: "labels of an image", bound: number(FIELDS, "LABEL_KEYS_MAX"), beyond: "422" },
			{ what: "name of a label", bound: "1 to 64 of `a-z 0-9 _ . -`", beyond: "422" },
			{ what: "value of a label", bound: `${number(FIELDS, "LABEL_VALUE_MAX")} characters`, beyond: "422" },
			{ what: "metadata of an image", bound: number(FIELDS, "METADATA_KEYS_MAX"), beyond: "422" },
			{
				what: "name, value of metadata",
				bound: `${number(FIELDS, "METADATA_KEY_MAX")}, ${number(FIELDS, "METADATA_VALUE_MAX")} characters`,
				beyond: "422",
			},
			{ what: "`external_id`", bound: `${number(FIELDS, "EXTERNAL_ID_MAX")} characters`, beyond: "422" },
			{
				what: "`ttl`",
				bound: `${time(FIELDS, "TTL_MIN_SECONDS")} to ${time(FIELDS, "TTL_MAX_SECONDS")}, or none`,
				beyond: "422",
			},
			{
				what: "how long a deleted image can be restored",
				bound: timeOfMs("packages/images/delete/deleted-images-store.ts", "RESTORABLE_MS"),
				beyond: "404",
			},
		],
	},
	{
		title: "Calls",
		rows: [
			{
				what: "calls of a key: a second, at once (`SVC_KEY_RATE`, `key_burst` of `SVC_TUNING`)",
				bound: `${standardOf("SVC_KEY_RATE")}, ${standardOf("key_burst")}`,
				beyond: "429, `Retry-After`",
			},
			{
				what: "creates of a key: a second, at once (`SVC_CREATE_RATE`, `create_burst` of `SVC_TUNING`)",
				bound: `${standardOf("SVC_CREATE_RATE")}, ${standardOf("create_burst")}`,
				beyond: "429",
			},
			{
				what: "calls of one network in work at once",
				bound: number("apps/server/door/in-flight.ts", "IN_FLIGHT_MAX"),
				beyond: "429",
			},
			{
				what: "lists and counts that look through all images of a storage, because nearly none fits their filter: at once, waiting",
				bound: `1, ${number("packages/images/list/long-walks.ts", "WAITING_MAX")}`,
				beyond: "429",
			},
			{
				what: "JSON of a call",
				bound: bytes(constant(JSON_BODY, "MAX_BYTES")),
				beyond: "400 `bad_request`",
			},
			{
				what: "names and items of lists in the JSON of a call; in one object or list; levels",
				bound: `${number(JSON_BODY, "MAX_PARTS")}, ${number(JSON_BODY, "MAX_IN_ONE")}, ${number(JSON_BODY, "MAX_DEPTH")}`,
				beyond: "400 `bad_request`",
			},
			{
				what: "faults that an answer names",
				bound: number("packages/base/http/envelope.ts", "FAULTS_MAX"),
				beyond: "`details.body`: how many more",
			},
			{
				what: "calls without a key (sign-in, reports) that are refused: a minute, of one network",
				bound: number("apps/server/wire/faces.ts", "REFUSALS_PER_NETWORK.burst"),
				beyond: "429",
			},
			{
				what: "head of a request",
				bound: bytes(constant("apps/server/door/listen.ts", "HEAD_MAX_BYTES")),
				beyond: "431",
			},
			{ what: "objects in a batch", bound: number("apps/api/kit/body/batch.ts", "IDS_MAX"), beyond: "422" },
			{
				what: "how long an `Idempotency-Key` is remembered",
				bound: timeOfMs("packages/images/create/idempotency.ts", "RETENTION_MS"),
				beyond: "it is a new request",
			},
		],
	},
	{
		title: "Lists",
		rows: [
			{
				what: "images on a page",
				bound: `${number(LISTS, "LIMIT_MAX")} (by default ${number(LISTS, "LIMIT_DEFAULT")})`,
				beyond: "422",
			},
			{ what: "`ids` of a list", bound: number(LISTS, "IDS_MAX"), beyond: "422" },
			{
				what: "labels in a filter, values of one",
				bound: `${number(LISTS, "FILTER_KEYS_MAX")}, ${number(LISTS, "FILTER_VALUES_MAX")}`,
				beyond: "422",
			},
			{ what: "`include=total` of a filter", bound: `${number(LISTS, "TOTAL_MAX")}`, beyond: "`total` is null" },
			{ what: "`total_max`", bound: `${number(LISTS, "TOTAL_QUICK_MAX")}`, beyond: "422" },
			{
				what: "labels that are listed",
				bound: number("packages/images/usage/usage.ts", "LABELS_MAX"),
				beyond: "the rest is left out",
			},
			{
				what: "images that are counted of a label",
				bound: number("packages/images/usage/usage.ts", "LABELS_MAX"),
				beyond: "`more: true` says that there are more",
			},
			{ what: "days of daily usage", bound: number("apps/api/images/daily-usage.ts", "DAYS_MAX"), beyond: "422" },
		],
	},
	{
		title: "Transforms",
		rows: [
			{ what: "`w`, `h`, with `dpr`", bound: `${count(MAX_SIDE)} pixels`, beyond: "the parameter is ignored" },
			{
				what: "`blur`, `radius`",
				bound: `${count(MAX_BLUR)}, ${count(MAX_RADIUS)}`,
				beyond: "the parameter is ignored",
			},
			{
				what: "pixels of a rendition; of an AVIF or GIF",
				bound: `${megapixels(BOUNDS, "MOST")}; ${count(MAX_SIDE)}²`,
				beyond: "it is made smaller",
			},
			{
				what: "an address's query",
				bound: `${number("apps/cdn/address.ts", "MAX_QUERY_LENGTH")} characters`,
				beyond: "all of it is ignored",
			},
			{
				what: "end of a signed address",
				bound: `${time("packages/delivery/signature.ts", "SIGNED_MAX_SECONDS")} ahead`,
				beyond: "403",
			},
			{
				what: "presets, signing keys of an App",
				bound: `${number("packages/delivery/presets.ts", "PER_APP_MAX")}, ${number("packages/delivery/signing-keys.ts", "PER_APP_MAX")}`,
				beyond: "422",
			},
			{
				what: "renditions that wait for their turn (`render_queue` of `SVC_TUNING`)",
				bound: standardOf("render_queue"),
				beyond: "503, `Retry-After`",
			},
		],
	},
	{
		title: "Upload tickets",
		rows: [
			{ what: "life of a ticket", bound: `1 minute to ${timeOfMs(TICKETS, "DAY_MS")}`, beyond: "422" },
			{ what: "open tickets of an App", bound: number(TICKETS, "OPEN_MAX"), beyond: "422" },
			{ what: "`origins` of a ticket", bound: number("packages/tickets/origins.ts", "ORIGINS_MAX"), beyond: "422" },
			{
				what: "files that a ticket refuses",
				bound: number("packages/tickets/ticket-uploads.ts", "REFUSALS_MAX"),
				beyond: "it is cancelled",
			},
			{ what: "how long it is kept, to be looked at", bound: timeOfMs(TICKETS, "KEPT_MS") },
		],
	},
	{
		title: "Imports",
		rows: [
			{ what: "addresses of an import", bound: number(IMPORTS, "ITEMS_MAX"), beyond: "422" },
			{
				what: "JSON of an import; names and items of lists in it",
				bound: `${bytes(constant(IMPORTS, "BODY_MAX_BYTES"))}, ${number(IMPORTS, "PARTS_MAX")}`,
				beyond: "400 `bad_request`",
			},
			{
				what: "unfinished imports of an App",
				bound: number("packages/imports/imports.ts", "UNFINISHED_MAX"),
				beyond: "422",
			},
			{
				what: "time for one address, redirects",
				bound: `${seconds(written(FETCH, /deadlineMs = ([\d_]+)/) / 1_000)}, ${count(written(FETCH, /maxRedirects = (\d+)/))}`,
				beyond: "the item fails",
			},
		],
	},
	{
		title: "Events and webhooks",
		rows: [
			{ what: "how long events are kept", bound: timeOfMs("packages/events/events.ts", "EVENTS_KEPT_MS") },
			{ what: "`wait` of the feed", bound: seconds(constant(EVENTS, "WAIT_MAX_S")), beyond: "422" },
			{ what: "calls of a key that wait for events", bound: number(EVENTS, "WAITING_MAX"), beyond: "429" },
			{ what: "endpoints of an App", bound: number(ENDPOINTS, "PER_APP_MAX"), beyond: "422" },
			{
				what: "types, description of an endpoint",
				bound: `${number("apps/api/webhooks/webhook-endpoints.ts", "TYPES_MAX")}, ${number("apps/api/webhooks/webhook-endpoints.ts", "DESCRIPTION_MAX")} characters`,
				beyond: "422",
			},
			{
				what: "time for an answer",
				bound: seconds(written("packages/import/safe-post.ts", /deadlineMs = ([\d_]+)/) / 1_000),
				beyond: "it is tried again",
			},
			{
				what: "how long an endpoint may fail",
				bound: timeOfMs(RESULTS, "DISABLED_AFTER_MS"),
				beyond: "it is disabled, and the team is told",
			},
			{
				what: "tests, redeliveries and recoveries by one person in a minute",
				bound: number("apps/server/wire/faces.ts", "WEBHOOK_SENDS.burst"),
				beyond: "429",
			},
			{ what: "how far back `recover` reaches", bound: timeOfMs(ENDPOINTS, "RECOVER_MAX_MS"), beyond: "422" },
		],
	},
	{
		title: "People, keys and Apps",
		rows: [
			{ what: "Apps of a person", bound: number("packages/apps/apps.ts", "OWNED_MAX"), beyond: "422" },
			{
				what: "keys of an App, life of a key that ends",
				bound: `${number(KEYS, "LIVE_MAX")}, ${timeOfMs(KEYS, "LIFE_MAX_MS")}`,
				beyond: "422",
			},
			{
				what: "redirect URIs of an App",
				bound: number("packages/apps/profile/redirect-uris.ts", "PER_APP_MAX"),
				beyond: "422",
			},
			{
				what: "open invitations of an App, and how long they hold",
				bound: `${number(INVITES, "OPEN_MAX")}, ${timeOfMs(INVITES, "LIFE_MS")}`,
				beyond: "422",
			},
			{ what: "tokens of a person", bound: number("packages/apps/tokens.ts", "TOKENS_MAX"), beyond: "422" },
			{
				what: "sign-in codes an hour: of an address, of a network (`SVC_SIGN_IN_…`)",
				bound: `${standardOf("SVC_SIGN_IN_EMAIL_RATE")}, ${standardOf("SVC_SIGN_IN_IP_RATE")}`,
				beyond: "429",
			},
			{
				what: "life of a mailed code, of the code behind a redirect",
				bound: `${seconds(constant("packages/people/sign-in/login-codes.ts", "CODE_MINUTES") * 60)}, ${timeOfMs("packages/connect/connections.ts", "CODE_LIFE_MS")}`,
				beyond: "422 `invalid_code`",
			},
			{
				what: "life of a session; without use",
				bound: `${seconds(constant("packages/people/sessions.ts", "SESSION_MS") / 1_000)}; ${timeOfMs("packages/people/people-store.ts", "IDLE_MS")}`,
				beyond: "401",
			},
			{
				what: "passkeys of a person",
				bound: number("packages/people/passkeys/passkey.ts", "PASSKEYS_MAX"),
				beyond: "422",
			},
			{
				what: "plans of an App, prices of a plan",
				bound: `${number("packages/billing/plans/plans-store.ts", "PLANS_MAX")}, ${number("packages/billing/plans/plans-store.ts", "PRICES_MAX")}`,
				beyond: "422",
			},
		],
	},
];

export function limitsPage(): string {
	const sections = GROUPS.map(({ title, rows }) => {
		const lines = rows.map(({ what, bound, beyond = "" }) => `| ${what} | ${bound} | ${beyond} |`);
		return `## ${title}\n\n| | At most | Beyond it |\n|---|---|---|\n${lines.join("\n")}\n`;
	});
	const plans = Object.entries(APP_PLANS).map(
		([name, { images, users }]) =>
			`| ${name} | ${images === null ? "any" : count(images)} | ${users === null ? "any" : count(users)} |`,
	);
	return `# Limits

<!-- Made by \`npm run generate\`: change the code instead. -->

What the service takes, in the interface that it serves by default ([older ones](../operate/older-clients.md) take other files). A number in the hundreds is the status of the answer;
[errors](errors.md) says what to do about each. Limits with a variable are set by whoever runs the service: [configuration](configuration.md).

## Of an App, by its plan

| Plan | Images | Users |
|---|---|---|
${plans.join("\n")}

Beyond it a create is 403 \`quota_exceeded\`. Operators set an App's plan, or numbers of its own: \`svc operator apps edit\`.

What one user may keep is said by the App, by their plan or without one: \`svc plans edit <id> --images --bytes\`, \`svc apps set-free-limits <id>\` ([selling](../guides/selling.md)).

${sections.join("\n")}`;
}
