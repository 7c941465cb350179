import { appNameFault } from "@svc/apps/profile/app-names";
import { checkProfile } from "@svc/apps/profile/app-profile";
import { redirectUriFault } from "@svc/apps/profile/redirect-uris";
import { checkReferrers } from "@svc/apps/profile/referrers";
import type { Base } from "@svc/base/base";
import { foldEmail, parseEmail } from "@svc/base/email";
import {
	BLOCK_REASONS,
	DELIVERY_POLICIES,
	GIVABLE_ROLES,
	IMAGE_FORMATS,
	TAX_BEHAVIORS,
	TAX_MODES,
} from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { checkParameters } from "@svc/delivery/parameters";
import {
	caption,
	date,
	externalId,
	labels,
	metadataChange,
	metadataKeysFault,
	safeFilename,
} from "@svc/images/image-fields";
import * as v from "valibot";

/*
 * The lines of a file that an App moves in. Whoever wrote one is a stranger: each value passes the check of its own create, and nothing is
 * taken that has none.
 */

const text = (max: number) =>
	v.pipe(v.string("must be a string"), v.maxLength(max, `must be at most ${max} characters`));
const id = (noun: Parameters<typeof isId>[0]) =>
	v.pipe(
		v.string("must be a string"),
		v.check((sent) => isId(noun, sent), `must be an id that begins with ${noun}_`),
	);
const flag = v.boolean("must be true or false");
const whole = v.pipe(
	v.number("must be a number"),
	v.safeInteger("must be whole"),
	v.minValue(0, "must not be negative"),
);
const limit = v.nullable(whole);
const digest = v.pipe(v.string("must be a string"), v.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal"));
const email = v.pipe(text(320), v.transform(asEmail), v.string("must be an e-mail address"));
const list = <Item extends v.GenericSchema>(item: Item, max: number) =>
	v.pipe(v.array(item, "must be a list"), v.maxLength(max, `must have at most ${max} items`));

const storage = v.strictObject({
	id: id("sto"),
	// The part of each address that is a capability.
	team_hash: v.pipe(v.string("must be a string"), v.regex(/^[0-9A-Za-z]{16}$/, "must have 16 letters and digits")),
	created_at: date,
});

const profile = v.strictObject({
	developer: v.nullable(text(2_100)),
	homepage_url: v.nullable(text(2_100)),
	privacy_url: v.nullable(text(2_100)),
	terms_url: v.nullable(text(2_100)),
	support_email: v.nullable(text(2_100)),
	logo_image_id: v.nullable(id("img")),
	accent_color: v.nullable(text(100)),
});

const preset = v.strictObject({
	name: v.pipe(text(32), v.regex(/^[a-z0-9_-]{1,32}$/, "must have 1 to 32 of the characters a to z, 0 to 9, _ and -")),
	parameters: v.record(v.string(), v.string("must be a string")),
	created_at: date,
});

const app = v.strictObject({
	kind: v.literal("app"),
	id: id("app"),
	name: text(1_000),
	created_at: date,
	paused: flag,
	block_reason: v.nullable(v.picklist(BLOCK_REASONS)),
	sign_in_enabled: flag,
	profile,
	tax: v.strictObject({ mode: v.picklist(TAX_MODES), behavior: v.picklist(TAX_BEHAVIORS) }),
	promotion_codes: flag,
	delivery: v.picklist(DELIVERY_POLICIES),
	delivery_referrers: list(text(2_048), 50),
	delivery_limits: v.strictObject({ bytes: limit, renditions: limit }),
	free_limits: v.strictObject({ images: limit, bytes: limit }),
	storage,
	redirect_uris: list(v.strictObject({ uri: text(2_048), created_at: date }), 20),
	presets: list(preset, 100),
	owner: email,
	members: list(v.strictObject({ email, role: v.picklist(GIVABLE_ROLES) }), 500),
});

const user = v.strictObject({ kind: v.literal("user"), id: id("usr"), email, created_at: date, storage });

const metadata = v.pipe(
	metadataChange,
	v.check((sent) => Object.values(sent).every((value) => value !== null), "must be an object of strings"),
	v.check((sent) => metadataKeysFault(Object.keys(sent)) === undefined, "has too many keys"),
);

const image = v.strictObject({
	kind: v.literal("image"),
	id: id("img"),
	/** Of the App, or of one of its users. */
	storage: id("sto"),
	sha256: digest,
	/** Of the bytes that were once sent, where the stored ones are others. */
	sent_sha256: v.nullable(digest),
	format: v.picklist(IMAGE_FORMATS),
	width: whole,
	height: whole,
	bytes: v.pipe(whole, v.minValue(1, "must not be 0")),
	filename: v.pipe(
		text(255),
		v.check((sent) => sent !== "" && safeFilename(sent, "") === sent, "must be a file's name"),
	),
	caption,
	metadata,
	labels,
	external_id: v.nullable(externalId),
	public: v.nullable(flag),
	nsfw: flag,
	locked: flag,
	block_reason: v.nullable(v.picklist(BLOCK_REASONS)),
	published_at: date,
	expires_at: v.nullable(date),
	created_at: date,
	revision: v.pipe(whole, v.minValue(1, "must not be 0")),
	/** Of a create of the last day: sent again, it makes no second picture. */
	idempotency: v.nullable(v.strictObject({ hash: digest, fingerprint: digest })),
});

const record = v.variant("kind", [app, user, image], "must be a record of an app, a user or an image");

export type AppLine = v.InferOutput<typeof app>;
type UserLine = v.InferOutput<typeof user>;
export type ImageLine = v.InferOutput<typeof image>;
export type MoveLine = AppLine | UserLine | ImageLine;
/** The same before it is read: what a file holds. */
export type SentLine = v.InferInput<typeof record>;

/** @throws Failure validation_error under `records.<place>.<field>` */
export function readLine(rules: Pick<Base, "name" | "mode">, sent: unknown, place: number): MoveLine {
	const parsed = v.safeParse(record, sent, { abortEarly: true });
	if (!parsed.success) {
		const [issue] = parsed.issues;
		throw faultOf(place, v.getDotPath(issue) ?? "", issue.message);
	}
	if (parsed.output.kind !== "app") return parsed.output;
	return checkApp(rules, parsed.output, place);
}

function checkApp(rules: Pick<Base, "name" | "mode">, line: AppLine, place: number): AppLine {
	const nameFault = appNameFault(line.name, rules.name);
	if (nameFault !== undefined) throw faultOf(place, "name", nameFault);
	for (const [at, { uri }] of line.redirect_uris.entries()) {
		const fault = redirectUriFault(uri);
		if (fault !== undefined) throw faultOf(place, `redirect_uris.${at}`, fault);
	}
	for (const [at, { parameters }] of line.presets.entries())
		within(place, `presets.${at}`, () => checkParameters(parameters));
	requireUnlike(
		place,
		"presets",
		line.presets.map(({ name }) => name),
	);
	requireUnlike(
		place,
		"redirect_uris",
		line.redirect_uris.map(({ uri }) => uri),
	);
	requireUnlike(place, "members", [line.owner, ...line.members.map((member) => member.email)].map(foldEmail));
	const kept = within(place, "profile", () => checkProfile(rules, line.profile));
	const referrers = within(place, "delivery_referrers", () => checkReferrers(line.delivery_referrers));
	return { ...line, profile: { ...line.profile, ...(kept as AppLine["profile"]) }, delivery_referrers: [...referrers] };
}

function requireUnlike(place: number, field: string, names: readonly string[]): void {
	if (new Set(names).size < names.length) throw faultOf(place, field, "must not hold one thing twice");
}

/** What another room refuses is a fault of this record. */
function within<T>(place: number, field: string, check: () => T): T {
	try {
		return check();
	} catch (cause) {
		if (!(cause instanceof Failure)) throw cause;
		const [message] = Object.values(cause.details ?? {}).flat();
		throw faultOf(place, field, String(message ?? "is not valid"));
	}
}

function faultOf(place: number, field: string, message: string): Failure {
	const at = [`records.${place}`, field].filter((part) => part !== "").join(".");
	return new Failure("validation_error", { [at]: [message] });
}

function asEmail(sent: string): string | undefined {
	try {
		return parseEmail(sent);
	} catch {
		return undefined;
	}
}
