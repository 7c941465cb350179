import type { Cast, Who } from "./cast.ts";

/** What a cell of the table is tried with. */
export interface Attempt {
	readonly path: string;
	readonly body?: unknown;
}

/** Who may call a route; the rest follows from it. */
type Audience =
	| "anybody"
	| "signed-in"
	| "key"
	| "viewer"
	| "editor"
	| "admin"
	| "owner"
	| "operator"
	/** The member who made the thing: here an Admin. */
	| "creator";

export interface Row {
	/** As it is registered: `POST /v1/apps/:id/pause`. */
	readonly route: string;
	readonly audience: Audience;
	/** What somebody of the audience is answered. */
	readonly status: number;
	/** Makes what the request is about. */
	readonly attempt: (cast: Cast) => Attempt | Promise<Attempt>;
	/** Where the general rule is not what is promised. */
	readonly but?: Partial<Readonly<Record<Who, number>>>;
}

const ZERO = "0".repeat(22);

/** An id that nothing has. */
export function unknownId(noun: string): string {
	return `${noun}_${ZERO}`;
}

/** A path below the App of the cast. */
export function inApp(rest: string, body?: unknown) {
	return (cast: Cast): Attempt => ({ path: `/v1/apps/${cast.app.id}${rest}`, body });
}

export function at(path: string, body?: unknown) {
	return (): Attempt => ({ path, body });
}

/** Id of what somebody of the team made below the App of the cast. */
export async function made(cast: Cast, who: "admin" | "owner", rest: string, body: unknown): Promise<string> {
	return (await cast.as(who, "POST", `/v1/apps/${cast.app.id}${rest}`, body)).id;
}
