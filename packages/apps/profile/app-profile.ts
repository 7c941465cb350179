import { parseEmail } from "@svc/base/email";
import { Failure, invalid } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { findForbiddenWord, nameFault } from "./app-names.ts";

/** Who is behind an App, for the people who sign in to it and pay it. */
export interface AppProfile {
	readonly developer: string | null;
	readonly homepage_url: string | null;
	readonly privacy_url: string | null;
	readonly terms_url: string | null;
	readonly support_email: string | null;
	/** An image in the App's own storage. */
	readonly logo_image_id: string | null;
	/** The colour of its buttons and links, `#rrggbb` in small letters; pages show it where it can be read, and else one like it. */
	readonly accent_color: string | null;
}

export type ProfileChanges = { readonly [Field in keyof AppProfile]?: AppProfile[Field] | undefined };

const EMPTY: AppProfile = {
	developer: null,
	homepage_url: null,
	privacy_url: null,
	terms_url: null,
	support_email: null,
	logo_image_id: null,
	accent_color: null,
};
const PROFILE_FIELDS = Object.keys(EMPTY) as readonly (keyof AppProfile)[];

const DEVELOPER_MAX = 100;
const URL_MAX_BYTES = 2_048;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** @param stored the JSON that the table keeps; null where nothing was ever set */
export function toProfile(stored: string | null): AppProfile {
	return { ...EMPTY, ...(stored === null ? {} : JSON.parse(stored)) };
}

interface Rules {
	/** The service's own name. */
	readonly name: string;
	readonly mode: "test" | "live";
}

/**
 * The changes as they are kept: an empty text clears its field, like null.
 * @throws Failure validation_error, naming each field that is wrong; whether there is such a logo is another question
 */
export function checkProfile(rules: Rules, sent: ProfileChanges): ProfileChanges {
	const details: Record<string, readonly string[]> = {};
	const kept: Record<string, string | null> = {};
	for (const field of PROFILE_FIELDS) {
		const value = sent[field];
		if (value === undefined) continue;
		const trimmed = value === null ? "" : cleaned(field, value);
		const fault = trimmed === "" ? undefined : FAULTS[field](trimmed, rules);
		if (fault !== undefined) details[field] = [fault];
		kept[field] = trimmed === "" ? null : trimmed;
	}
	if (Object.keys(details).length > 0) throw new Failure("validation_error", details);
	return kept;
}

function cleaned(field: keyof AppProfile, value: string): string {
	const clean = value.trim().normalize("NFC");
	return field === "accent_color" ? clean.toLowerCase() : clean;
}

type FaultOf = (value: string, rules: Rules) => string | undefined;

const FAULTS: Readonly<Record<keyof AppProfile, FaultOf>> = {
	developer: developerFault,
	homepage_url: urlFault,
	privacy_url: urlFault,
	terms_url: urlFault,
	support_email: (value) => (isEmail(value) ? undefined : "must be an e-mail address"),
	logo_image_id: (value) => (isId("img", value) ? undefined : NO_LOGO),
	accent_color: (value) => (/^#[0-9a-f]{6}$/.test(value) ? undefined : "must be a colour as #rrggbb, such as #1f6feb"),
};

const NO_LOGO = "must be the id of an image in the App's own storage";

export function noLogo(): Failure {
	return invalid("logo_image_id", NO_LOGO);
}

function developerFault(value: string, { name }: Rules): string | undefined {
	const fault = nameFault(value, DEVELOPER_MAX);
	if (fault !== undefined) return fault;
	const word = findForbiddenWord(value, [name]);
	return word === undefined ? undefined : `must not hold this service's own name, ${word}`;
}

function urlFault(value: string, { mode }: Rules): string | undefined {
	if (Buffer.byteLength(value) > URL_MAX_BYTES) return `must be at most ${URL_MAX_BYTES.toLocaleString("en")} bytes`;
	const url = URL.parse(value);
	if (!url || /[\s\p{Cc}]/u.test(value)) return "must be an absolute address, as https://example.com/privacy";
	if (url.username !== "" || url.password !== "") return "must not hold a user name or password";
	if (url.protocol === "https:") return undefined;
	if (url.protocol === "http:" && mode === "test" && LOOPBACK.test(url.hostname)) return undefined;
	return "must begin with https://";
}

function isEmail(value: string): boolean {
	try {
		parseEmail(value);
		return true;
	} catch {
		return false;
	}
}
