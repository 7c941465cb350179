import { createHash } from "node:crypto";
import type { Client } from "@svc/sdk/client";
import type { Came } from "./came-file.ts";
import type { Missing } from "./missing-file.ts";
import type { Pairs, SourceImage } from "./sources/source.ts";

/** A collection on its way. */
export interface Move {
	readonly context: {
		readonly process: { readonly signal: AbortSignal };
		readonly globals: { readonly app: string | undefined; readonly user: string | undefined };
	};
	readonly client: Client;
	/** False for older interfaces, which take one address at a time and know no ids of others. */
	readonly hasImports: boolean;
	/** Whether a call that failed may be answered a while later. */
	mayPass(error: unknown): boolean;
	/** Told how far an import is. */
	readonly onProgress: (job: string, done: number) => Promise<void>;
}

/** A picture that is ready to be sent. */
export interface Ready extends SourceImage {
	/** The same for the same picture into the same storage, in every run. */
	readonly key: string;
	/** The Idempotency-Key of a create of its own: what is said of it may change from run to run. */
	readonly createKey: string;
	readonly externalId: string;
	/** What was said of it and does not come with it, in words. */
	readonly leftOut: readonly string[];
}

/** What became of one. */
export type MoveOutcome =
	| { readonly state: "came"; readonly picture: Ready; readonly came: Came }
	| { readonly state: "missing"; readonly missing: Missing };

export function cameAs(
	picture: Ready,
	state: Came["state"],
	image: { readonly id: string; readonly url: string | null } | undefined,
	{ hasImports }: Pick<Move, "hasImports">,
): MoveOutcome {
	const { line, address, externalId } = picture;
	const { id = null, url = null } = image ?? {};
	return {
		state: "came",
		picture,
		came: { line, address, id, url, external_id: hasImports ? externalId : null, state },
	};
}

export function failed({ line, address, externalId }: Ready, error: unknown): MoveOutcome {
	return { state: "missing", missing: { line, address, external_id: externalId, state: "failed", error } };
}

/** The body of its create, without the address. */
export function bodyOf(
	{ fields, externalId }: Pick<Ready, "fields" | "externalId">,
	{ hasImports }: Pick<Move, "hasImports">,
) {
	const { date, caption, ttl, visibility, labels, metadata } = fields;
	return {
		...{ caption, ttl, published_at: date, labels, metadata },
		...(visibility !== undefined && { public: visibility === "public" }),
		...(hasImports && { external_id: externalId }),
	};
}

/** A key for an Idempotency-Key, of what is the same each time. */
export function keyOf(parts: readonly unknown[]): string {
	const text = JSON.stringify(parts.map((part) => part ?? null));
	return `svc-migrate-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

export function sorted(map: Pairs): readonly (readonly [string, string])[] {
	return Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1));
}
