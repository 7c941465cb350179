import type { Staged } from "@svc/base/ports";
import type { FileHints } from "../ports.ts";

export type CreateSource =
	| { readonly kind: "upload"; readonly staged: Staged; readonly hints: FileHints }
	| { readonly kind: "import"; readonly url: string };

/** The writable fields of a create, parsed. */
export interface CreateFields {
	readonly caption?: string | undefined;
	/** Seconds to live; null or undefined: permanent. */
	readonly ttl?: number | null | undefined;
	/** Milliseconds since 1970. */
	readonly published_at?: number | undefined;
	readonly metadata?: Readonly<Record<string, string>> | undefined;
	readonly labels?: Readonly<Record<string, string>> | undefined;
	readonly public?: boolean | null | undefined;
	readonly external_id?: string | undefined;
}
