import { EXAMPLE_ID } from "../../kit/document/example-values.ts";
import { exampleIn, fieldsOf, type Listed } from "./reference-operations.ts";

/* What the bodies of calls are filled in with. With real ids in the place of these the call succeeds; a test makes each of them. */

export interface Place {
	/** The origins of the API and of the images. */
	readonly base: string;
	readonly cdn: string;
	/** Whether people sign in at the API's own origin, so that it knows who is signed in. */
	readonly knowsVisitors: boolean;
	/** Midnight of the day, UTC: some dates must be close to it. */
	readonly dayMs: number;
}

const DAY_MS = 86_400_000;
const IMAGE = `img_${EXAMPLE_ID}`;

/** By the name of the operation. */
const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
	updateImages: { ids: [IMAGE], labels: { album: "summer" } },
	deleteImages: { ids: [IMAGE] },
	createImageJob: { filter: { q: "beach" }, act: { labels: { album: "sea" } } },
	updateImage: { caption: "On the summit", labels: { album: "summer" } },
	copyImage: { user_id: null },
	moveImage: { user_id: null },
	createApp: { name: "Sunday Hikers" },
	changeApp: { name: "Sunday Hikers", sign_in_enabled: true },
	transferApp: { member: `acc_${EXAMPLE_ID}` },
	createKey: { name: "backend", reach: "app", permissions: ["read", "write"] },
	changeKey: { name: "backend" },
	rotateKey: { old_expires_in: "1h" },
	changeMember: { role: "editor" },
	createInvite: { email: "ada@example.com", role: "editor" },
	acceptInvite: { token: "9fT2c…" },
	addRedirectUri: { uri: "https://app.example.com/callback" },
	createAppPlan: { key: "plus", name: "Plus", description: "More room", benefits: ["10,000 images"] },
	updateAppPlan: { description: "More room" },
	createAppPrice: { amount: 900, currency: "eur", interval: "month", trial_days: 14 },
	updateAppPrice: { on_sale: false },
	createWebhookEndpoint: { url: "https://app.example.com/hooks", types: ["image.*"] },
	changeWebhookEndpoint: { types: ["image.*", "user.*"] },
	rotateWebhookSecret: { old_expires_in: "24h" },
	signImage: { parameters: { w: "300", format: "webp" }, expires_in: "10m" },
	createPreset: { name: "thumb", parameters: { w: "300", h: "300", fit: "cover" } },
	changePreset: { parameters: { w: "400" } },
	createSigningKey: { name: "web" },
	createUploadTicket: { expires_in: "10m", fields: { labels: { album: "summer" } } },
	createImport: { items: [{ url: "https://example.com/photo.jpg" }], fields: { labels: { album: "summer" } } },
	cancelSubscription: { at: "period_end", reason: "Asked for by mail" },
	extendSubscription: { days: 7, reason: "A thank-you" },
	refundSubscription: { invoice: `ivc_${EXAMPLE_ID}`, amount: 500, reason: "Half a month was down" },
	refundInvoice: { invoice: `ivc_${EXAMPLE_ID}`, reason: "Asked for by mail" },
	checkoutAppPlan: { plan: "pro" },
	simulateBilling: { subscription: `sub_${EXAMPLE_ID}`, outcome: "pay" },
	bootstrap: { secret: "…", email: "ada@example.com" },
	exchange: { code: "…" },
	login: { email: "ada@example.com", client: "My console" },
	verifyLogin: { secret: "k3nDq…", code: "424242" },
	endOtherSessions: { keep_tokens: true },
	addPasskey: { options: `pko_${EXAMPLE_ID}`, name: "Phone", credential: {} },
	verifyPasskey: { options: `pko_${EXAMPLE_ID}`, credential: {} },
	createToken: { name: "scripts", scopes: ["apps:read", "images:write"], expires_in: "90d" },
	updateMe: { locale: "en" },
	startExport: {},
	reconcile: {},
	collectTrash: {},
	createUserKey: { name: "My script" },
	createOwnKey: { name: "My script" },
	flagImage: { nsfw: true },
	lockImage: { reason: "spam" },
	unlockImage: { note: "Looked at it" },
	blockImage: { reason: "spam" },
	unblockImage: { note: "Looked at it" },
	moderateImages: { ids: [IMAGE], action: "lock", reason: "spam" },
	resolveReport: { outcome: "dismissed" },
	addOperator: { email: "ada@example.com" },
	changeAnyApp: { plan: "pro" },
	blockApp: { reason: "spam" },
	unblockApp: { note: "Looked at it" },
	restoreTrash: { blobs: [`${IMAGE}/n`] },
};

/** The body of a call in JSON; undefined where it takes none. */
export function bodyOf(one: Listed, place: Place): Readonly<Record<string, unknown>> | undefined {
	if (one.body?.type !== "application/json") return undefined;
	const known = BODIES[one.id] ?? placed(one.id, place);
	if (known) return known;
	const { required, ...schema } = one.body.schema;
	const fields = fieldsOf(schema);
	const names = Array.isArray(required) ? (required as readonly string[]) : [];
	return Object.fromEntries(names.map((name) => [name, exampleIn(fields[name]) ?? ""]));
}

/** Bodies that name this service, or a day close to this one. */
function placed(id: string, { base, cdn, dayMs }: Place): Readonly<Record<string, unknown>> | undefined {
	const picture = `${base}/docs/pictures/dashboard.webp`;
	const after = (days: number) => new Date(dayMs + days * DAY_MS).toISOString();
	switch (id) {
		case "importImage":
			return { url: picture, caption: "On the summit" };
		case "replaceImageByUrl":
			return { url: picture };
		case "createReport":
			return { url: `${cdn}/VQfCHCwCE4OEiSWT/${IMAGE}.jpg`, reason: "spam" };
		case "grantPlan":
			return { plan_key: "plus", until: after(90), reason: "A thank-you" };
		case "recoverWebhooks":
			return { since: after(0) };
		case "advanceClock":
			return { to: after(2) };
		default:
			return undefined;
	}
}
