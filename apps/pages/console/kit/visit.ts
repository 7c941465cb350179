import { type Client, createClient } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import { ROLES } from "@svc/sdk/lists";
import type { Management } from "@svc/sdk/management";
import type { App, Image, Role } from "@svc/sdk/shapes";
import type { FormFields } from "../../kit/form.ts";
import type { PageResult, Visit } from "../../kit/visit.ts";

/* What a screen of the console is: a function from answers of the SDK to a page. It has no rule of its own; what REST refuses, it cannot do. */

/** The part of the global `fetch` that a client takes. */
type Fetch = NonNullable<Parameters<typeof createClient>[0]["fetch"]>;

/** Pixels. */
export interface Size {
	readonly width: number;
	readonly height: number;
}

/** What the transform host makes of an image with these parameters. */
export interface Transformed {
	/** By the name of a parameter whose value it would ignore: what it has to be. */
	readonly faults: Readonly<Record<string, string>>;
	/** Parameters that change nothing beside the others. */
	readonly idle: ReadonlySet<string>;
	/** Pixels; undefined where that depends on what is in the picture. */
	readonly size: Size | undefined;
	readonly format: string;
}

/** A request of somebody who is signed in. */
export interface ConsoleVisit extends Visit {
	readonly person: { readonly id: string; readonly email: string; readonly operator: boolean };
	/** For forms on the page, bound to the session. */
	readonly token: string;
	/** The service's own name. */
	readonly serviceName: string;
	/** The service's clock, which in tests and simulations is no other's. */
	readonly nowMs: number;
	readonly addresses: { readonly web: string; readonly base: string; readonly cdn: string };
	/** The management API as this person. */
	readonly api: Management;
	/** The API in this process, as this person. */
	readonly fetch: Fetch;
	/** What images of the served interface can show besides; empty in the older ones, which have no lists of an App's images by state either. */
	readonly includes: readonly string[];
	/** Whether the person reads here the mails that a service in test mode would have sent. */
	readonly readsMails: boolean;
	/** What the transform host makes of an image, by the table of its parameters. */
	readonly transformed: (
		image: Pick<Image, "format" | "width" | "height">,
		parameters: Readonly<Record<string, string>>,
	) => Transformed;
	/** What the form that led here has done, shown once. */
	readonly done: DoneDeed | undefined;
}

/** What has just been done, for the page after it to say; `about` names what it was done to. */
export interface DoneDeed {
	readonly what: string;
	readonly about?: string | undefined;
	/** What it is called. */
	readonly name?: string | undefined;
}

/** A form of a screen that was sent. */
export interface ConsolePost extends ConsoleVisit {
	readonly form: FormFields;
	/** Sent along as Idempotency-Key: the form's own number, so that two clicks make one. */
	readonly idempotencyKey: string | undefined;
	/** Leaves what the page after this one says. */
	leave(done: DoneDeed): Promise<void>;
}

/** A form that was refused: its fields stand in it again, and each fault beside its field. */
export interface Refused {
	/** Of which form of the page. */
	readonly act: string;
	readonly form: FormFields;
	readonly error: ApiError;
	/** What stands in fields by now that somebody else has changed, by the field's name. */
	readonly theirs?: Readonly<Record<string, string>>;
}

export type ScreenAct = (post: ConsolePost) => Promise<PageResult>;

/** A page's address, what stands there, and what its forms do by the value of their field `act`. */
export interface Screen {
	/** Below `/console`. */
	readonly path: string;
	readonly get: (visit: ConsoleVisit, refused?: Refused) => Promise<PageResult>;
	readonly acts?: Readonly<Record<string, ScreenAct>>;
	/** In place of acts: takes a form whose body is not read here. Its fields and its token stand in its address. */
	readonly stream?: ScreenAct;
}

/** The calls about the images of an App: of its own storage, or of one user's. */
export function clientOf({ addresses, fetch }: ConsoleVisit, app: string, user: string | null = null): Client {
	return createClient({ baseUrl: addresses.base, apiKey: null, app, user, fetch, retries: 0 });
}

/** What a refused form said about a field; undefined for a field of which nothing was said. */
export function faultOf(refused: Refused | undefined, act: string, field: string): string | undefined {
	if (refused?.act !== act) return undefined;
	return refused.error.details?.[field]?.join(" ");
}

/** True where the person's role lets them change something. */
export function canEdit(app: Pick<App, "role">): boolean {
	return hasRole(app, "editor");
}

/** True where the person has at least this role in the App. */
export function hasRole({ role }: Pick<App, "role">, least: Role): boolean {
	// The list begins with the least.
	return ROLES.indexOf(role as Role) >= ROLES.indexOf(least);
}

export function isRefusal(cause: unknown, ...codes: readonly string[]): cause is ApiError {
	return cause instanceof ApiError && codes.includes(cause.code);
}

/** Makes undefined of a call that is refused with one of these codes. */
export function noneOf(...codes: readonly string[]): (cause: unknown) => undefined {
	return (cause) => {
		if (!isRefusal(cause, ...codes)) throw cause;
	};
}
