/** A place in the order of a list: newest `published_at` first, then the newest row. */
export interface Position {
	readonly publishedMs: number;
	readonly pk: number;
}

export type LabelFilter =
	| { readonly key: string; readonly values: readonly string[] }
	| { readonly key: string; readonly absent: true };

export interface ListQuery {
	/** At most 100; undefined for all. */
	readonly ids: readonly string[] | undefined;
	readonly labels: readonly LabelFilter[];
	/** 1 to 100. */
	readonly limit: number;
	readonly after: Position | undefined;
}
